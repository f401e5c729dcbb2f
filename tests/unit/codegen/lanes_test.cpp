// Loads and stores of lanes, under masks and without: what memory holds afterwards.
#include <doctest/doctest.h>

#include <string>

#include "codegen/program_builder.h"
#include "tree/parse.h"
#include "tree/verify.h"

using namespace codegen_test;

namespace {

/// A program whose entry point gets `n`, the size of xs, and copies xs to ys, of which a task then
/// changes elements with `code`.
dagaz::tree::Program program(const std::string& code) {
  const std::string text =
      "target cpu\n"
      "type \"[]i32\" \"i32_1d\" array leaves [(i32 1)] rank 1\n"
      "entry \"main\" \"\" \"main\" 1 0 inputs [(\"xs\" 0 false)] outputs [(\"\" 0 true)]\n"
      "  parameters [[n_0: i64]i32] results [[n_0]i32]\n"
      "function \"main\" (n_0, xs_1: block) {\n"
      "  bytes_2: i64 = mul.i64 n_0 4\n"
      "  ys_3: block = allocate bytes_2\n"
      "  copy ys_3 0 source xs_1 0 count n_0 i32\n"
      "  parallel_for begin_4: i64 end_5: i64 count 1 grain 1 {\n" + code +
      "  }\n"
      "} -> [ys_3]\n";
  dagaz::SourceFiles files;
  dagaz::Diagnostics diagnostics;
  const auto parsed = dagaz::tree::parse(files.add("lanes.tree", text), files, diagnostics);
  REQUIRE_MESSAGE(parsed.has_value(), diagnostics.all().front().message);
  for (const auto& one : dagaz::tree::verify(parsed->program)) FAIL_CHECK(one.message);
  dagaz::tree::Program read = parsed->program;
  // Where its instructions stand cannot be told when it is compiled: the text is gone by then.
  for (dagaz::ir::Location& one : read.locations) one.range = {};
  return read;
}

std::string result(const std::string& code, const std::string& input) {
  const auto tree = program(code);
  auto unoptimised = test_options();
  unoptimised.optimisation = 0;
  const auto outcome = run(tree, input);
  CHECK(outcome.errors == "");
  CHECK(run(tree, input, unoptimised).output == outcome.output);
  return outcome.output;
}

const std::string numbers_below_n =
    "    l_10: [8]i64 = lane_numbers\n"
    "    m_11: [8]bool = slt.i64 l_10 n_0\n";

}  // namespace

TEST_CASE("lanes beyond the end are neither read nor written") {
  CHECK(result(numbers_below_n +
                   "    x_12: [8]i32 = load_lanes xs_1 0 stride 1 i32 mask m_11\n"
                   "    y_13: [8]i32 = add.i32 x_12 100i32\n"
                   "    store_lanes ys_3 0 stride 1 y_13 i32 mask m_11\n",
               "[1i32, 2i32, 3i32]") == "[101i32, 102i32, 103i32]\n");
}

TEST_CASE("lanes that are not read are zero, or what is said otherwise") {
  const std::string sums =
      "    s_14: i32 = combine_lanes add i32 x_12\n"
      "    store ys_3 0 s_14 i32\n";
  CHECK(result(numbers_below_n +
                   "    x_12: [8]i32 = load_lanes xs_1 0 stride 1 i32 mask m_11\n" + sums,
               "[1i32, 2i32, 3i32]") == "[6i32, 2i32, 3i32]\n");
  CHECK(result(numbers_below_n +
                   "    x_12: [8]i32 = load_lanes xs_1 0 stride 1 i32 mask m_11 otherwise 10i32\n" +
                   sums,
               "[1i32, 2i32, 3i32]") == "[56i32, 2i32, 3i32]\n");
}

TEST_CASE("gathers and scatters read and write where the mask holds") {
  const std::string odd =
      "    b_15: [8]i64 = bit_and.i64 l_10 1\n"
      "    o_16: [8]bool = eq.i64 b_15 1\n"
      "    p_17: [8]bool = bit_and.bool o_16 m_11\n";
  const std::string input = "[1i32, 2i32, 3i32, 4i32, 5i32]";
  CHECK(result(numbers_below_n + odd +
                   "    x_12: [8]i32 = load_lanes xs_1 l_10 stride 0 i32 mask p_17 otherwise 9i32\n"
                   "    y_13: [8]i32 = neg.i32 x_12\n"
                   "    store_lanes ys_3 l_10 stride 0 y_13 i32 mask p_17\n",
               input) == "[1i32, -2i32, 3i32, -4i32, 5i32]\n");
  // Every other element, of which the last would be beyond the end.
  CHECK(result("    l_10: [4]i64 = lane_numbers\n"
               "    m_11: [4]bool = slt.i64 l_10 3\n"
               "    x_12: [4]i32 = load_lanes xs_1 0 stride 2 i32 mask m_11\n"
               "    y_13: [4]i32 = mul.i32 x_12 2i32\n"
               "    store_lanes ys_3 0 stride 2 y_13 i32 mask m_11\n",
               input) == "[2i32, 2i32, 6i32, 4i32, 10i32]\n");
}

TEST_CASE("lanes that lie close are taken out of whole vectors, which end with the last lane") {
  CHECK(result("    x_12: [2]i32 = load_lanes xs_1 0 stride 2 i32 close\n"
               "    y_13: [2]i32 = mul.i32 x_12 2i32\n"
               "    store_lanes ys_3 0 stride 2 y_13 i32\n",
               "[1i32, 2i32, 3i32]") == "[2i32, 2i32, 6i32]\n");
}

TEST_CASE("a mask may hold for lanes after one that lies before the block") {
  CHECK(result("    l_10: [4]i64 = lane_numbers\n"
               "    m_11: [4]bool = slt.i64 0 l_10\n"
               "    x_12: [4]i32 = load_lanes xs_1 -1 stride 1 i32 mask m_11\n"
               "    y_13: [4]i32 = add.i32 x_12 1i32\n"
               "    store_lanes ys_3 -1 stride 1 y_13 i32 mask m_11\n",
               "[1i32, 2i32, 3i32]") == "[2i32, 3i32, 4i32]\n");
}

TEST_CASE("one condition for all lanes, and booleans in memory") {
  CHECK(result("    few_18: bool = slt.i64 n_0 3\n"
               "    own_19: block = allocate_local 8\n"
               "    l_10: [8]i64 = lane_numbers\n"
               "    m_11: [8]bool = slt.i64 l_10 n_0\n"
               "    store_lanes own_19 0 stride 1 m_11 bool\n"
               "    n_20: [8]bool = load_lanes own_19 0 stride 1 bool mask few_18 otherwise m_11\n"
               "    store_lanes own_19 0 stride 1 n_20 bool mask n_20\n"
               "    x_12: [8]i32 = move 7i32\n"
               "    store_lanes ys_3 0 stride 1 x_12 i32 mask n_20\n",
               "[1i32, 2i32, 3i32]") == "[7i32, 7i32, 7i32]\n");
}

TEST_CASE("masked accesses are those of LLVM") {
  const auto llvm = [](const std::string& code) {
    return generate(program(code), test_options(), dagaz::codegen::want_llvm).llvm;
  };
  const std::string consecutive =
      llvm(numbers_below_n +
           "    x_12: [8]i32 = load_lanes xs_1 0 stride 1 i32 mask m_11\n"
           "    store_lanes ys_3 0 stride 1 x_12 i32 mask m_11\n");
  CHECK(consecutive.find("@llvm.masked.load.v8i32") != std::string::npos);
  CHECK(consecutive.find("@llvm.masked.store.v8i32") != std::string::npos);
  const std::string apart =
      llvm(numbers_below_n +
           "    x_12: [8]i32 = load_lanes xs_1 0 stride 3 i32 mask m_11\n"
           "    store_lanes ys_3 0 stride 3 x_12 i32 mask m_11\n");
  CHECK(apart.find("@llvm.masked.gather.v8i32") != std::string::npos);
  CHECK(apart.find("@llvm.masked.scatter.v8i32") != std::string::npos);
}
