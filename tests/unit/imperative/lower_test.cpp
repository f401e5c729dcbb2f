// The programs of tests/imperative, flattened and lowered for each kind of target: flattening
// keeps them well-formed and keeps their meaning; lowered code sets every variable before it is
// used, and parallel code sets none of those that it captures.  Running lowered code is the
// business of tests/programs.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "imperative/lower.h"
#include "imperative/walk.h"
#include "ir/interpret.h"
#include "ir/parse.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "support/match.h"

namespace dagaz::imperative {
namespace {

using ir::NameId;

/// Flattened and planned for a CPU.
ir::PlannedProgram planned_for_cpu(ir::Program program) {
  return plan::plan(passes::flatten({std::move(program)}, {}), {});
}

struct Source {
  std::string name;
  std::string text;
};

std::vector<Source> programs() {
  std::vector<Source> found;
  for (const auto& entry : std::filesystem::directory_iterator("tests/imperative")) {
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

/// Follows code in order; reports variables used before they are set, and captured ones that
/// parallel code sets.
class Scoping {
 public:
  explicit Scoping(const ir::Names& names) : names_(names) {}

  void check(const Function& function) {
    for (const NameId parameter : function.parameters) set_.insert(parameter);
    walk(function.body);
    for (const ir::Operand& result : function.results) use(result);
  }
  const std::string& problems() const { return problems_; }

 private:
  void use(const ir::Operand& operand) {
    if (operand.is_name() && !set_.contains(operand.name())) {
      problems_ += names_.text(operand.name()) + " is used before it is set; ";
    }
  }
  void walk(const Code& code) {
    for (const Instruction& instruction : code) {
      const bool parallel =
          as<ParallelFor>(instruction.node) != nullptr || as<Launch>(instruction.node) != nullptr;
      InstructionVisitor visitor;
      visitor.use = [this](const ir::Operand& operand) { use(operand); };
      visitor.set = [this](NameId name) {
        if (captured_.contains(name)) problems_ += names_.text(name) + " is captured and set; ";
        set_.insert(name);
      };
      visitor.nested = [&](const Code& inner) { parallel ? walk_parallel(inner) : walk(inner); };
      visit(instruction, visitor);
    }
  }
  void walk_parallel(const Code& code) {
    for (const NameId name : captured_variables(code)) captured_.insert(name);
    walk(code);
    captured_.clear();
  }

  const ir::Names& names_;
  std::unordered_set<NameId> set_;
  std::unordered_set<NameId> captured_;
  std::string problems_;
};

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
  for (const Function& function : lowered->functions) {
    Scoping scoping(lowered->names);
    scoping.check(function);
    CHECK(scoping.problems() == "");
  }
}

TEST_CASE("programs keep their meaning when flattened, and lower to well-scoped code") {
  for (const Source& source : programs()) {
    CAPTURE(source.name);
    check_target(source, Target::cpu);
    check_target(source, Target::sim);
  }
}

TEST_CASE("points that accumulate run in lanes, and their tasks into copies of their own") {
  for (const Source& source : programs()) {
    if (source.name != "points_that_accumulate.ir") continue;
    Diagnostics diagnostics;
    const auto lowered = lower(planned_for_cpu(parsed(source)), Target::cpu, diagnostics);
    const std::string text = print(*lowered);
    // What the points of a block add to one place is combined first, point after point elsewhere.
    CHECK(text.find(":= lanes add.i64") != std::string::npos);
    CHECK(text.find(" := allocate ") != std::string::npos);
    CHECK(text.find("own_") != std::string::npos);
    return;
  }
  FAIL("the program is missing");
}

TEST_CASE("points that accumulate nearby take turns, without atomic instructions") {
  for (const Source& source : programs()) {
    if (source.name != "points_that_accumulate_nearby.ir") continue;
    Diagnostics diagnostics;
    const auto lowered = lower(planned_for_cpu(parsed(source)), Target::cpu, diagnostics);
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
    Diagnostics diagnostics;
    const auto lowered = lower(planned_for_cpu(parsed(source)), Target::cpu, diagnostics);
    const std::string text = print(*lowered);
    const std::size_t loop = text.find("held_");
    REQUIRE(loop != std::string::npos);
    CHECK(text.find("parallel [", loop) == std::string::npos);
    // All conditions are known where vectors are whole.
    const std::size_t inner = text.find(" independent vectorise {");
    REQUIRE(inner != std::string::npos);
    const std::string inside = text.substr(inner, text.find("\n    }", inner) - inner);
    CHECK(inside.find("slt") == std::string::npos);
    // The element of the input, and the one before it.
    const std::size_t first = inside.find("] : i64");
    REQUIRE(first != std::string::npos);
    const std::size_t second = inside.find("] : i64", first + 1);
    REQUIRE(second != std::string::npos);
    CHECK(inside.find("] : i64", second + 1) == std::string::npos);
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
  Diagnostics diagnostics;
  const std::string text =
      print(*lower(planned_for_cpu(parsed(source)), Target::cpu, diagnostics));
  const std::size_t loop = text.find(" independent {");
  REQUIRE(loop != std::string::npos);
  CHECK(text.find(" independent {", loop + 1) == std::string::npos);
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
  const auto on_cpu =
      lower(planned_for_cpu(parsed(source)), Target::cpu, diagnostics);
  CHECK(print(*on_cpu).find("parallel [") != std::string::npos);
  CHECK(print(*on_cpu).find("failure 0: {} is too large") != std::string::npos);
  const auto on_gpu = lower(plan::plan(passes::flatten({parsed(source)}, {passes::FlattenTarget::gpu}),
                                       {.device = plan::Device::gpu}),
                            Target::cuda, diagnostics);
  CHECK(print(*on_gpu).find("launch ") != std::string::npos);
}

TEST_CASE("code of one form does the same, whatever its variables are called") {
  ir::Names names;
  const auto loop = [&](ScalarOp op, ScalarType type, double factor) {
    const NameId block = names.fresh("xs", ir::Type{ScalarType::i8, {}, ir::TypeKind::block});
    const NameId bound = names.fresh("n", ir::scalar_of(ScalarType::i64));
    const NameId i = names.fresh("i", ir::scalar_of(ScalarType::i64));
    const NameId x = names.fresh("x", ir::scalar_of(type));
    Code body;
    body.push_back({Load{x, block, i, type}});
    body.push_back({Assign{x, op, type, type, {x, Operand(ir::make_float(type, factor))}}});
    body.push_back({Store{block, i, x, type}});
    Code code;
    code.push_back({For{i, bound, std::move(body), {}}});
    return form_of(code, names);
  };
  const std::string form = loop(ScalarOp::mul, ScalarType::f64, 1e-9);
  CHECK(form == loop(ScalarOp::mul, ScalarType::f64, 1e-9));
  CHECK(form != loop(ScalarOp::mul, ScalarType::f64, 2e-9));
  CHECK(form != loop(ScalarOp::mul, ScalarType::f32, 1e-9));
  CHECK(form != loop(ScalarOp::add, ScalarType::f64, 1e-9));
}

}  // namespace
}  // namespace dagaz::imperative
