// The programs of tests/tree: the text form round-trips, and the verifier finds what comments
// `-- error: text` say of the instruction that stands on their line, and nothing else.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/match.h"
#include "tree/form.h"
#include "tree/parse.h"
#include "tree/print.h"
#include "tree/verify.h"
#include "tree/walk.h"

namespace dagaz::tree {
namespace {

std::vector<std::filesystem::path> tests() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator("tests/tree")) {
    if (entry.path().extension() == ".tree") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

ParsedProgram parsed(const std::string& text) {
  SourceFiles files;
  Diagnostics diagnostics;
  auto program = parse(files.add("test.tree", text), files, diagnostics);
  const std::string message =
      program ? "" : render(diagnostics.all().front(), files, RenderStyle::plain);
  REQUIRE_MESSAGE(program.has_value(), message);
  return std::move(*program);
}

/// A line of the text (from 0) and what is wrong there; no line for the program as a whole.
struct Finding {
  std::size_t line;
  std::string text;
};
constexpr std::size_t no_line = std::string::npos;

std::vector<Finding> expected_findings(const std::string& text) {
  const std::string marker = "-- error: ";
  std::vector<Finding> expected;
  std::istringstream in(text);
  std::string line;
  for (std::size_t number = 0; std::getline(in, line); ++number) {
    const std::size_t at = line.find(marker);
    if (at == std::string::npos) continue;
    // A comment alone on its line is about the program.
    expected.push_back({at == 0 ? no_line : number, line.substr(at + marker.size())});
  }
  return expected;
}

std::vector<Finding> findings(const ParsedProgram& program, const std::string& text) {
  std::vector<Finding> found;
  for (const Violation& one : verify(program.program)) {
    std::size_t line = no_line;
    if (one.instruction != nullptr) {
      const auto begin = static_cast<std::ptrdiff_t>(place_of(one, program).begin);
      line = static_cast<std::size_t>(std::count(text.begin(), text.begin() + begin, '\n'));
    }
    found.push_back({line, one.message});
  }
  return found;
}

TEST_CASE("the verifier finds what the programs of tests/tree say") {
  for (const auto& path : tests()) {
    CAPTURE(path.string());
    const std::string text = text_of_file(path);
    const ParsedProgram program = parsed(text);
    std::vector<Finding> expected = expected_findings(text);
    for (const Finding& one : findings(program, text)) {
      const auto match = std::find_if(expected.begin(), expected.end(), [&](const Finding& other) {
        return other.line == one.line && one.text.find(other.text) != std::string::npos;
      });
      CHECK_MESSAGE(match != expected.end(), "line ", (one.line + 1), ": ", one.text);
      if (match != expected.end()) expected.erase(match);
    }
    for (const Finding& one : expected) {
      FAIL_CHECK("line ", (one.line + 1), ": not found: ", one.text);
    }
  }
}

TEST_CASE("the text form round-trips") {
  std::vector<bool> seen(std::variant_size_v<Node>, false);
  for (const auto& path : tests()) {
    CAPTURE(path.string());
    const Program program = parsed(text_of_file(path)).program;
    CHECK(round_trip_problem(program) == "");
    for (const Function& function : program.functions) {
      for_each_instruction(function.body, [&](const Instruction& one) {
        seen[one.node.index()] = true;
      });
    }
  }
  // Each instruction occurs in a test.
  CHECK(std::count(seen.begin(), seen.end(), false) == 0);
}

TEST_CASE("names without type, wrong words and numbers that belong to others are refused") {
  const auto message = [](const std::string& text) {
    SourceFiles files;
    Diagnostics diagnostics;
    const auto program = parse(files.add("test.tree", text), files, diagnostics);
    return program ? "" : diagnostics.all().front().message;
  };
  const auto inside = [&](const std::string& code) {
    return message("target cpu function \"f\" () {" + code + "} -> []");
  };
  CHECK(inside("x = add.i64 1 2") == "no type is given of `x`");
  CHECK(inside("x: i64 = plus 1 2") == "`plus` is no instruction");
  CHECK(inside("x: i64 = move 1 y_2: i64 = move z_2") ==
        "the number of `z_2` belongs to another name");
  CHECK(inside("x: i64 = move 1 x: f64 = move 1f64") == "`x` had another type before");
  CHECK(inside("x: i64 = release b: block") == "this instruction sets 0 variables");
  CHECK(inside("x: i64 = load b: block") == "found `}`, expected a name");
  CHECK(inside("launch \"k\" 1 256 0 { }") == "found `1`, expected `grid`");
  CHECK(message("target gpu") == "found `gpu`, expected one of cpu, …, sim");
}

/// The first code inside the first instruction of the only function of `text`.
struct Piece {
  Program program;
  const ParallelFor& loop() const {
    return std::get<ParallelFor>(program.functions[0].body[0].node);
  }
  const ParallelFor& second() const {
    return std::get<ParallelFor>(program.functions[0].body[1].node);
  }
};

Piece two_loops(const std::string& first, const std::string& second) {
  const std::string text =
      "target cpu function \"f\" (xs: block, ys: block, n: i64, c: f64) {"
      " parallel_for b: i64 e: i64 count n grain 8 {" + first + "}"
      " parallel_for f: i64 g: i64 count 10 grain 2 {" + second + "} } -> []";
  return {parsed(text).program};
}

bool have_one_form(const std::string& first, const std::string& second) {
  const Piece piece = two_loops(first, second);
  const bool same = same_form(piece.loop(), piece.second(), piece.program.names);
  if (same) {
    CHECK(hash_of_form(piece.loop(), piece.program.names) ==
          hash_of_form(piece.second(), piece.program.names));
  }
  return same;
}

TEST_CASE("code of one form does the same, whatever its variables are called") {
  const std::string code = "x: f64 = load xs b f64 y: f64 = mul.f64 x c store xs b y f64";
  const auto other = [](const std::string& from, const std::string& op, const std::string& to) {
    return "v: f64 = load " + from + " f f64 w: f64 = mul.f64 " + op + " store " + to + " f w f64";
  };
  CHECK(have_one_form(code, other("xs", "v c", "xs")));
  CHECK(have_one_form(code, other("ys", "v c", "ys")));
  CHECK(!have_one_form(code, other("xs", "v c", "ys")));
  CHECK(!have_one_form(code, other("xs", "v v", "xs")));
  CHECK(!have_one_form(code, other("xs", "c v", "xs")));
  CHECK(!have_one_form(code, other("xs", "v 2f64", "xs")));
  CHECK(!have_one_form(code, other("xs", "v c reassociate", "xs")));
  CHECK(!have_one_form("x: f64 = load xs b f64", "v: f64 = load xs f f64 invariant"));
  CHECK(!have_one_form("x: f64 = load xs b f64", "v: f32 = load xs f f32"));
  CHECK(!have_one_form("x: f64 = load xs b f64", "v: f64 = load xs g f64"));
  CHECK(!have_one_form("x: i64 = move 1", "v: i64 = move 1 w: i64 = move 1"));
  CHECK(!have_one_form("x: i64 = move 1 x = move 2", "v: i64 = move 1 w: i64 = move 2"));
  CHECK(have_one_form("fail 1 [b] fail 2 [] fail 1 [e]", "fail 4 [f] fail 3 [] fail 4 [g]"));
  CHECK(!have_one_form("fail 1 [b] fail 2 []", "fail 3 [f] fail 3 []"));
  CHECK(!have_one_form("fail 1 [b] fail 1 []", "fail 3 [f] fail 4 []"));
}

TEST_CASE("programs are equal if their text is") {
  const std::string text = "target cpu function \"f\" (n_0: i64) { x_1: i64 = add.i64 n_0 1 } -> [";
  const Program one = parsed(text + "x_1]").program;
  CHECK(equal(one, parsed(text + "x_1]").program));
  CHECK(!equal(one, parsed(text + "n_0]").program));
  const std::string wide =
      "target cpu function \"f\" (n_0: i32) { x_1: i32 = add.i32 n_0 1i32 } -> [";
  CHECK(!equal(one, parsed(wide + "x_1]").program));
}

}  // namespace
}  // namespace dagaz::tree
