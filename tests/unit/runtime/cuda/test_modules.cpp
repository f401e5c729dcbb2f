// How a program's PTX becomes loaded code: in units, when they are needed, from what was kept.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cuda/ptx_units.h"
#include "numbers.h"
#include "streams.h"

using namespace cuda_tests;
using dagaz::runtime::cuda::PtxUnits;
namespace fs = std::filesystem;

namespace {

constexpr const char* header = "//\n// Generated\n//\n\n.version 6.3\n.target sm_70\n"
                               ".address_size 64\n";

/// $DAGAZ_CACHE for a scope.
class Cache {
 public:
  explicit Cache(const std::string& path) { setenv("DAGAZ_CACHE", path.c_str(), 1); }
  ~Cache() { unsetenv("DAGAZ_CACHE"); }
};

/// How often the driver compiles for a context that runs kernel `add`, whose result is right.
int compilations(const std::string& cache_file = "") {
  const int before = fake().compilations;
  dz_config* config = dzr_config_new(&program);
  dzr_config_set_cache_file(config, cache_file.c_str());
  Numbers numbers(config);
  int64_t value = 0;
  CHECK(numbers.add(5, 0) == DZ_OK);
  CHECK(numbers.add(0, 0) == DZ_OK);
  CHECK(numbers.read(1, &value) == DZ_OK);
  CHECK(value == 6);
  return fake().compilations - before;
}

std::vector<fs::path> files_in(const std::string& path) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& one : fs::directory_iterator(path)) {
    files.push_back(one.path());
  }
  return files;
}

bool has(const PtxUnits& units, size_t unit, const std::string& text) {
  return units.text(unit).find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("modules");

TEST_CASE("a kernel is compiled when it is first launched, alone") {
  const Cache none("off");
  {
    Numbers numbers;
    CHECK(fake().compilations == 0);
    CHECK(numbers.add(1, 0) == DZ_OK);
    CHECK(numbers.add(1, 0) == DZ_OK);
    CHECK(fake().compilations == 1);
    CHECK(fake().last_image.find(".entry add") != std::string::npos);
    CHECK(fake().last_image.find(".entry fail") == std::string::npos);
    CHECK(dz_launch(numbers.context, 1, 1, 32, 0, nullptr, "f.fut:1:1", 0) == DZ_OK);
    CHECK(fake().compilations == 2);
    CHECK(dz_synchronise(numbers.context) == DZ_PROGRAM_ERROR);
  }
  check_nothing_left();
}

TEST_CASE("code is kept in the user's folder, and damage costs only time") {
  const test::TemporaryFolder folder;
  const Cache here(folder.path());
  CHECK(compilations() == 1);
  CHECK(compilations() == 0);
  const std::vector<fs::path> files = files_in(folder.path() + "/gpu");
  REQUIRE(files.size() == 1);
  const auto size = fs::file_size(files[0]);
  std::fstream(files[0], std::ios::in | std::ios::out).seekp(150) << "x";
  CHECK(compilations() == 1);
  CHECK(compilations() == 0);
  fs::resize_file(files[0], size / 2);
  CHECK(compilations() == 1);
  CHECK(compilations() == 0);
  std::ofstream(files[0], std::ios::trunc) << "";
  CHECK(compilations() == 1);
  CHECK(files_in(folder.path() + "/gpu").size() == 1);
  check_nothing_left();
}

TEST_CASE("a folder that cannot be used costs only time") {
  const test::TemporaryFolder folder;
  fs::create_directory(folder.path() + "/gpu");
  fs::permissions(folder.path() + "/gpu", fs::perms::all);  // others could put code there
  std::ofstream(folder.path() + "/file") << "no folder";
  for (const std::string& path :
       {folder.path(), folder.path() + "/file", std::string("/proc/no")}) {
    const Cache here(path);
    CHECK(compilations() == 1);
    CHECK(compilations() == 1);
  }
  CHECK(files_in(folder.path() + "/gpu").empty());
  check_nothing_left();
}

TEST_CASE("a cache file has the whole program, and a damaged one costs only time") {
  const Cache none("off");
  const test::TemporaryFile file("old rubbish");
  CHECK(compilations(file.name()) == 1);
  CHECK(fake().last_image.find(".entry fail") != std::string::npos);
  CHECK(compilations(file.name()) == 0);
  const auto size = fs::file_size(file.name());
  for (const uintmax_t place : {uintmax_t{0}, size - 1}) {
    std::fstream damaged(file.name(), std::ios::in | std::ios::out);
    damaged.seekp(static_cast<std::streamoff>(place));
    damaged << '~';
    damaged.close();
    CHECK(compilations(file.name()) == 1);
    CHECK(compilations(file.name()) == 0);
  }
  check_nothing_left();
}

TEST_CASE("a cache file that cannot be written costs only time") {
  for (const char* name : {"/no/such/folder/cache", "/proc/cache"}) {
    CHECK(compilations(name) == 1);
  }
  check_nothing_left();
}

TEST_CASE("machine code is taken for the GPUs that run it, and PTX for others") {
  const Cache none("off");
  const std::string for_70 = "MACHINE CODE 70 add";
  const std::string for_80 = "MACHINE CODE 80 add";
  const std::string for_86 = "MACHINE CODE 86 add";
  const std::string refused = "damaged";
  const std::vector<dz_gpu_code> code = {{80, for_80.c_str(), 19},
                                         {86, for_86.c_str(), 19},
                                         {70, for_70.c_str(), 19},
                                         {90, refused.c_str(), 7}};
  dz_program with_code = program;
  with_code.gpu_code_count = static_cast<int32_t>(code.size());
  with_code.gpu_code = code.data();
  const auto loaded = [&](int capability, const char* given = nullptr) {
    fake().capability = capability;
    dz_config* config = dzr_config_new(&with_code);
    if (given != nullptr) {
      dzr_config_set_program(config, given);
    }
    Numbers numbers(config);
    const int before = fake().compilations;
    CHECK(numbers.add(1, 0) == DZ_OK);
    CHECK(numbers.add(1, 0) == DZ_OK);
    int64_t value = 0;
    CHECK(numbers.read(1, &value) == DZ_OK);
    CHECK(value == 3);
    fake().capability = 86;
    return fake().compilations == before ? fake().last_image : std::string("PTX");
  };
  CHECK(loaded(70) == for_70);
  CHECK(loaded(75) == for_70);
  CHECK(loaded(80) == for_80);
  CHECK(loaded(86) == for_86);
  CHECK(loaded(89) == for_86);
  CHECK(loaded(60) == "PTX");
  CHECK(loaded(100) == "PTX");
  CHECK(loaded(120) == "PTX");
  CHECK(loaded(90) == "PTX");  // refused
  CHECK(loaded(86, program.ptx) == "PTX");  // what the user gives comes first
  check_nothing_left();
}

TEST_CASE("a unit is a kernel with what it stands on") {
  const std::string text = std::string(header) +
                           "\n\t// .globl\tone\n"
                           ".extern .shared .align 16 .b8 dz_shared[];\n"
                           ".const .align 1 .b8 TABLE[3] = {1, 2, 3};\n"
                           ".visible .entry one(\n\t.param .u64 one_param_0\n)\n"
                           ".reqntid 256, 1, 1\n{\n\t{ // callseq 0, 0\n\tmov.u32 %r1, TABLE;\n"
                           "\t} // callseq 0\n\tret;\n}\n"
                           ".visible .entry two()\n{\n\tld.shared.u32 %r1, [dz_shared+4];\n}\n";
  const PtxUnits units(text);
  REQUIRE(units.count() == 2);
  const size_t one = units.unit_of("one");
  const size_t two = units.unit_of("two");
  CHECK(one != two);
  for (const size_t unit : {one, two}) {
    CHECK(units.text(unit).starts_with(header));
    CHECK(has(units, unit, ".entry one(") == (unit == one));
    CHECK(has(units, unit, "TABLE[3]") == (unit == one));
    CHECK(has(units, unit, ".entry two(") == (unit == two));
    CHECK(has(units, unit, "b8 dz_shared[];") == (unit == two));
  }
}

TEST_CASE("kernels that share functions are one unit") {
  const std::string text =
      std::string(header) +
      ".func  (.param .b32 func_retval0) deep\n(\n\t.param .b32 deep_param_0\n)\n;\n"
      ".func shallow()\n{\n\tcall.uni (retval0), deep, (param0);\n}\n"
      ".func  (.param .b32 func_retval0) deep(\n\t.param .b32 p\n)\n{\n\tret;\n}\n"
      ".visible .entry a()\n{\n\tcall.uni shallow, ();\n}\n"
      ".visible .entry b()\n{\n\tcall.uni (retval0), deep, (param0);\n}\n"
      ".visible .entry c()\n{\n\tret;\n}\n";
  const PtxUnits units(text);
  REQUIRE(units.count() == 2);
  CHECK(units.unit_of("a") == units.unit_of("b"));
  CHECK(units.unit_of("c") != units.unit_of("a"));
  CHECK(has(units, units.unit_of("a"), ".func shallow()"));
  CHECK_FALSE(has(units, units.unit_of("c"), "deep"));
}

TEST_CASE("text in another form is one unit") {
  for (const std::string& text :
       {std::string("nonsense"), std::string(header) + "\t.file 1 \"a\"\n.entry a()\n{\n}\n",
        std::string(header) + ".visible .entry a()\n{\n", std::string(header)}) {
    const PtxUnits units(text);
    REQUIRE(units.count() == 1);
    CHECK(units.text(0) == text);
    CHECK(units.unit_of("a") == 0);
  }
}

TEST_SUITE_END();
