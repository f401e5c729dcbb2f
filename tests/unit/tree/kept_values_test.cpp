// Which variables are kept as values, of functions in the text form of trees.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "tree/kept_values.h"
#include "tree/parse.h"

namespace dagaz::tree {
namespace {

/// The names, as they are written, of what a function with this code keeps.
std::set<std::string> kept(const std::string& parameters, const std::string& code,
                           const std::string& results) {
  SourceFiles files;
  Diagnostics diagnostics;
  const std::string text = "target cpu\nfunction \"f\" (" + parameters + ") {\n" + code + "} -> [" +
                           results + "]\n";
  const auto parsed = parse(files.add("kept.tree", text), files, diagnostics);
  const std::string message =
      parsed ? "" : render(diagnostics.all().front(), files, RenderStyle::plain);
  REQUIRE_MESSAGE(parsed.has_value(), message);
  const Function& function = parsed->program.functions.front();
  std::set<std::string> names;
  for (const NameId name :
       kept_values(function.body, function.parameters, function.results)) {
    names.insert(parsed->program.names.base(name));
  }
  return names;
}

using Names = std::set<std::string>;

TEST_CASE("what is set once and read after it is kept") {
  CHECK(kept("n_0: i64", "  a_1: i64 = add.i64 n_0 n_0\n  b_2: i64 = mul.i64 a_1 n_0\n", "b_2") ==
        Names{"n", "a", "b"});
}

TEST_CASE("what is set again changes") {
  CHECK(kept("n_0: i64", "  a_1: i64 = add.i64 n_0 n_0\n  a_1 = mul.i64 a_1 n_0\n", "a_1") ==
        Names{"n"});
  CHECK(kept("n_0: i64", "  n_0 = add.i64 n_0 1\n", "n_0") == Names{});
}

TEST_CASE("what a branch sets is kept for the branch alone") {
  const std::string code = R"(  small_1: bool = slt.i64 n_0 4
  if small_1 {
    inside_2: i64 = add.i64 n_0 1
    only_3: i64 = add.i64 inside_2 1
    outside_4: i64 = add.i64 only_3 1
  }
)";
  CHECK(kept("n_0: i64", code, "n_0") == Names{"n", "small", "inside", "only", "outside"});
  CHECK(kept("n_0: i64", code, "outside_4") == Names{"n", "small", "inside", "only"});
}

TEST_CASE("what an iteration leaves to the next one changes") {
  const std::string code = R"(  sum_1: i64 = move 0
  for i_2: i64 bound n_0 {
    twice_3: i64 = mul.i64 i_2 2
    sum_1 = add.i64 sum_1 twice_3
  }
)";
  CHECK(kept("n_0: i64", code, "sum_1") == Names{"n", "i", "twice"});
}

TEST_CASE("a task is a function of its own, which reads what was set before it") {
  const std::string code = R"(  a_1: i64 = add.i64 n_0 1
  parallel_for begin_2: i64 end_3: i64 count n_0 grain 64 {
    b_4: i64 = add.i64 a_1 begin_2
  }
)";
  const Names names = kept("n_0: i64", code, "a_1");
  CHECK(names.contains("a"));
  CHECK(!names.contains("b"));
}

}  // namespace
}  // namespace dagaz::tree
