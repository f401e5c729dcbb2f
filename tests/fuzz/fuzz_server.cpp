// Commands for the server from arbitrary bytes, over the hand-written program of the unit tests:
// it never crashes, it answers every command, and it loses no memory (with the sanitizers on).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "fuzz_driver.h"
#include "program_main.h"
#include "test_program.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string commands(reinterpret_cast<const char*>(data), size);
  // Files are the unit tests' business: an input must not write where it likes.
  for (size_t at = commands.find("store"); at != std::string::npos;
       at = commands.find("store", at + 1)) {
    if (at < 2 || commands.compare(at - 2, 2, "re") != 0) {
      return 0;
    }
  }
  commands += '\n';
  char* printed = nullptr;
  size_t printed_bytes = 0;
  const dz_streams streams = {fmemopen(commands.data(), commands.size(), "r"),
                              open_memstream(&printed, &printed_bytes),
                              std::fopen("/dev/null", "w"), nullptr};
  char name[] = "server";
  char threads[] = "--num-threads=1";
  char* arguments[] = {name, threads, nullptr};
  const int status = dz_server_main(&test::cpu_program(), 2, arguments, streams);
  std::fclose(streams.in);
  std::fclose(streams.out);
  std::fclose(streams.error);
  const std::string_view text(printed, printed_bytes);
  if (!text.starts_with("%%% OK\n") || (status == 0 && !text.ends_with("%%% OK\n"))) {
    std::fprintf(stderr, "an unanswered command in:\n%s", commands.c_str());
    std::abort();
  }
  std::free(printed);
  return 0;
}

FuzzMaterial fuzz_material() {
  const std::string values =
      "new_array e []i64 0\nnew_array m [][]i64 0 3\nindex x e 0\nshape m\n";
  const std::string sums =
      "construct n shape nothing\nvariant n\ncall lengths k n\nnew_array a []i64 2 k k\n"
      "construct l shape list a\ndestruct l b\nshape b\nset b k 1\nindex j b 1\ncall main s b\n";
  const std::string records =
      "construct n shape nothing\ncall lengths k n\nnew_array a []i64 3 k k k\n"
      "call at v a k\ncall swap p k k\nproject q p 0\ncall consume c a\nrename c d\nfree a\ntype "
      "d\n"
      "new_array f [][]f64 0 0\nnew_array ps []point 0\nunzip ps xs ys\nzip qs []point xs ys\n"
      "fields point\nvariants shape\nclear\n";
  FuzzMaterial material;
  material.seeds = {values, sums, records, "types\nentry_points\ninputs scale\noutput scale\n",
                    "report\npause_profiling\ntuning_params main\nattributes main\n"};
  for (const char* piece :
       {"call ", "new ", "new_array ", "index ", "set ", "zip ", "unzip ", "project ",
        "construct ", "destruct ", "variant ", "shape ", "free ", "rename ", "type ", "kind ",
        "rank ", "elemtype ", "fields ", "\n", " ", "\"", "point", "shape", "[]i64", "[]point",
        "f64", "i64", "main", "greedy ", "0", "1", "-1", "9223372036854775807", "k", "a", "b",
        "restore /dev/null "}) {
    material.pieces.emplace_back(piece);
  }
  return material;
}
