// The programs of tests/emit, flattened and lowered for each kind of target: flattening
// keeps them well-formed and keeps their meaning; lowered code is well-formed, and its text can be
// read back.  Running lowered code is the business of tests/programs.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "emit/lower.h"
#include "ir/interpret.h"
#include "ir/parse.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "support/match.h"
#include "tree/parse.h"
#include "tree/print.h"
#include "tree/verify.h"

namespace dagaz::emit {
namespace {

using ir::NameId;

std::optional<Program> lower_for_cpu(ir::Program program) {
  Diagnostics diagnostics;
  return lower(plan::plan(passes::flatten({std::move(program)}, {}), {}),
               Target::cpu, diagnostics);
}

struct Source {
  std::string name;
  std::string text;
};

std::vector<Source> programs() {
  std::vector<Source> found;
  for (const auto& entry : std::filesystem::directory_iterator("tests/emit")) {
    if (entry.path().extension() != ".ir") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    found.push_back({entry.path().filename().string(), text.str()});
  }
  std::sort(found.begin(), found.end(),
            [](const Source& a, const Source& b) { return a.name < b.name; });
  return found;
}

ir::Program parsed(const Source& source) {
  SourceFiles files;
  Diagnostics diagnostics;
  auto program = ir::parse(files.add(source.name, source.text), files, diagnostics);
  const std::string message =
      program ? "" : render(diagnostics.all().front(), files, RenderStyle::plain);
  REQUIRE_MESSAGE(program.has_value(), message);
  ir::EntryPoint entry;
  entry.name = "main";
  entry.function = "main";
  program->entries = {entry};
  return std::move(*program);
}

std::string result_of(const ir::Program& program) {
  const auto result = ir::interpret(program, "main", {});
  if (const auto* error = std::get_if<ir::RuntimeError>(&result)) return "error " + error->message;
  std::string text;
  for (const ir::Value& value : std::get<0>(result)) {
    for (const std::uint64_t bits : value.elements) text += std::to_string(bits) + " ";
    text += "| ";
  }
  return text;
}

void check_target(const Source& source, Target target) {
  const bool gpu = target != Target::cpu;
  ir::Program program = parsed(source);
  CHECK(ir::verify(program, ir::Stage::parallel) == std::vector<std::string>{});
  const std::string expected = result_of(program);
  const passes::FlattenOptions options{gpu ? passes::FlattenTarget::gpu
                                           : passes::FlattenTarget::cpu};
  ir::FlatProgram flat = passes::flatten({std::move(program)}, options);
  CHECK(ir::verify(flat.program, ir::Stage::flat) == std::vector<std::string>{});
  CHECK(result_of(flat.program) == expected);
  Diagnostics diagnostics;
  const plan::Device device = gpu ? plan::Device::gpu : plan::Device::cpu;
  ir::PlannedProgram planned = plan::plan(std::move(flat), {.device = device});
  CHECK(ir::verify(planned.program, ir::Stage::flat) == std::vector<std::string>{});
  CHECK(result_of(planned.program) == expected);
  const auto lowered = lower(std::move(planned), target, diagnostics);
  REQUIRE(lowered.has_value());
  for (const tree::Violation& one : tree::verify(*lowered)) {
    FAIL_CHECK(tree::text_of(one, *lowered));
  }
  CHECK(tree::round_trip_problem(*lowered) == "");
}

TEST_CASE("programs keep their meaning when flattened, and lower to well-formed code") {
  for (const Source& source : programs()) {
    CAPTURE(source.name);
    check_target(source, Target::cpu);
    check_target(source, Target::sim);
  }
}

TEST_CASE("points that accumulate run in lanes, and their tasks into copies of their own") {
  for (const Source& source : programs()) {
    if (source.name != "points_that_accumulate.ir") continue;
    const auto lowered = lower_for_cpu(parsed(source));
    const std::string text = print(*lowered);
    // What the points of a block add to one place is combined first, point after point elsewhere.
    CHECK(text.find("= combine_lanes add i64") != std::string::npos);
    CHECK(text.find(" = allocate ") != std::string::npos);
    CHECK(text.find("own_") != std::string::npos);
    return;
  }
  FAIL("the program is missing");
}

TEST_CASE("points that accumulate nearby take turns, without atomic instructions") {
  for (const Source& source : programs()) {
    if (source.name != "points_that_accumulate_nearby.ir") continue;
    const auto lowered = lower_for_cpu(parsed(source));
    const std::string text = print(*lowered);
    CHECK(text.find("turn_") != std::string::npos);
    CHECK(text.find("atomic") == std::string::npos);
    CHECK(text.find("own_") == std::string::npos);
    return;
  }
  FAIL("the program is missing");
}

TEST_CASE("stages of a stencil run in one loop, which hands on what they read of each other") {
  for (const Source& source : programs()) {
    if (source.name != "stages_of_a_stencil.ir") continue;
    const auto lowered = lower_for_cpu(parsed(source));
    const std::string text = print(*lowered);
    const std::size_t loop = text.find("held_");
    REQUIRE(loop != std::string::npos);
    CHECK(text.find("parallel_for ", loop) == std::string::npos);
    // All conditions are known where vectors are whole.
    const std::size_t inner = text.find(" independent vectorise {");
    REQUIRE(inner != std::string::npos);
    const std::string inside = text.substr(inner, text.find("\n    }", inner) - inner);
    CHECK(inside.find("slt") == std::string::npos);
    // The element of the input, and the one before it.
    const std::size_t first = inside.find(" = load ");
    REQUIRE(first != std::string::npos);
    const std::size_t second = inside.find(" = load ", first + 1);
    REQUIRE(second != std::string::npos);
    CHECK(inside.find(" = load ", second + 1) == std::string::npos);
    return;
  }
  FAIL("the program is missing");
}

TEST_CASE("what functions sort is sorted by the runtime, as numbers with a sign or without") {
  for (const Source& source : programs()) {
    if (source.name != "functions_that_sort.ir") continue;
    const auto lowered = lower_for_cpu(parsed(source));
    const std::string text = print(*lowered);
    const std::size_t without = text.find(" sort ");
    REQUIRE(without != std::string::npos);
    const std::size_t with = text.find(" sort ", without + 1);
    REQUIRE(with != std::string::npos);
    CHECK(text.find(" with_sign\n") > with);
    CHECK(text.find(" with_sign\n", with) != std::string::npos);
    return;
  }
  FAIL("the program is missing");
}

TEST_CASE("a row that a point makes where it goes is not copied onto itself") {
  const Source source{"rows.ir",
                      "function main (n: i64, xs: [n]f64) -> [[n][2]f64] {"
                      " rows: [n][2]f64 = map_scan_reduce n [xs] map \\(x: f64) -> [[2]f64] {"
                      "   y: f64 = mul.f64 x x"
                      "   row: [2]f64 = array f64 [x, y] return row }"
                      " return rows }"};
  const std::string text = print(*lower_for_cpu(parsed(source)));
  const std::size_t loop = text.find(" independent {");
  REQUIRE(loop != std::string::npos);
  CHECK(text.find(" independent {", loop + 1) == std::string::npos);
}

TEST_CASE("rows that points read before they are turned over lie where the points are neighbours") {
  const Source source{
      "turned.ir",
      "function main (n: i64, m: i64, a: [n][8]f64, b: [m][8]f64) -> [[n][m]f64] {"
      " rows: [n][m]f64 = map_scan_reduce n [a] map \\(x: [8]f64) -> [[m]f64] {"
      "   sum: f64, products: [m]f64 = map_scan_reduce m [b] map \\(y: [8]f64) -> [f64, f64] {"
      "     product: f64 = map_scan_reduce 8 [x, y] map \\(p: f64, q: f64) -> [f64] {"
      "       t: f64 = mul.f64 p q return t } reductions ["
      "         (op \\(c: f64, d: f64) -> [f64] { e: f64 = add.f64 c d return e } neutral [0f64])]"
      "     return product, product } reductions ["
      "       (op \\(g: f64, h: f64) -> [f64] { k: f64 = add.f64 g h return k } neutral [0f64])]"
      "   scaled: [m]f64 = map_scan_reduce m [products] map \\(w: f64) -> [f64] {"
      "     v: f64 = fdiv.f64 w sum return v }"
      "   return scaled }"
      " return rows }"};
  const std::string text = print(*lower_for_cpu(parsed(source)));
  CHECK(text.find(" = transpose_lanes ") != std::string::npos);
  CHECK(text.find("load_lanes rows_") == std::string::npos);
}

TEST_CASE("printing shows loops, launches and failures") {
  const Source source{"small.ir",
                      "function main () -> [[4]i64] {"
                      " xs: [4]i64 = iota i64 4 0 1"
                      " ys: [4]i64 = map_scan_reduce 4 [xs] map \\(x: i64) -> [i64] {"
                      "   c: bool = slt.i64 x 9"
                      "   t: token = assert c \"{} is too large\" [x]"
                      "   y: i64 = add.i64 x 1 if [t] return y }"
                      " return ys }"};
  Diagnostics diagnostics;
  const auto on_cpu = lower_for_cpu(parsed(source));
  CHECK(print(*on_cpu).find("parallel_for ") != std::string::npos);
  CHECK(print(*on_cpu).find("failure \"{} is too large\"") != std::string::npos);
  const auto on_gpu =
      lower(plan::plan(passes::flatten({parsed(source)}, {passes::FlattenTarget::gpu}),
                       {.device = plan::Device::gpu}),
            Target::cuda, diagnostics);
  CHECK(print(*on_gpu).find("launch ") != std::string::npos);
}

}  // namespace
}  // namespace dagaz::emit
