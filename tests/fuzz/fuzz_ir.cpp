// Fuzzes the array IR and its passes: random programs are well-formed, their text round-trips, and
// every pass keeps them well-formed and keeps what the interpreter makes of them.  Simplifying
// twice is simplifying once.
//
//   fuzz_ir [--seed=N] [--seconds=S] [--programs=N] [--passes=a,b,…[,--target=gpu]]
//
// A finding is reduced and printed with its seed and the passes that repeat it.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>

#include "generate_ir.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/registry.h"

namespace {

using namespace dagaz;
using namespace dagaz::ir;
using Passes = std::vector<std::string>;
const std::string on_gpu = "--target=gpu";  // among the passes: they run for a GPU
using Outcome = std::variant<std::vector<Value>, RuntimeError>;

bool same_element(ScalarType type, std::uint64_t a, std::uint64_t b) {
  if (a == b) return true;
  if (!is_float(type)) return false;
  const double x = float_value({type, a});
  const double y = float_value({type, b});
  return x == y || (x != x && y != y);
}

bool same_value(const Value& a, const Value& b) {
  if (a.element != b.element || a.shape != b.shape) return false;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    if (!same_element(a.element, a.elements[i], b.elements[i])) return false;
  }
  return true;
}

/// What is wrong after the change; empty if nothing.  A program that failed may succeed: what
/// failed may have been unused.
std::string difference(const Outcome& before, const Outcome& after) {
  if (std::holds_alternative<RuntimeError>(before)) return "";
  if (const auto* error = std::get_if<RuntimeError>(&after)) {
    return "the program fails now: " + error->message;
  }
  const auto& a = std::get<0>(before);
  const auto& b = std::get<0>(after);
  if (a.size() != b.size()) return "another number of results";
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_value(a[i], b[i])) return "result " + std::to_string(i) + " differs";
  }
  return "";
}

std::string first_violation(const Program& program, Stage stage) {
  const auto violations = verify(program, stage);
  return violations.empty() ? "" : violations.front();
}

std::string round_trip(const Program& program) {
  const std::string text = print(program);
  SourceFiles files;
  Diagnostics diagnostics;
  const auto again = parse(files.add("printed", text), files, diagnostics);
  if (!again) return render(diagnostics.all().front(), files, RenderStyle::plain);
  return print(*again) == text ? "" : "the text does not round-trip";
}

/// Runs the passes; what goes wrong first, or nothing.
std::string try_passes(Program program, const std::vector<Value>& arguments,
                       const Passes& passes) {
  if (std::string text = first_violation(program, Stage::parallel); !text.empty()) {
    return "the program is not well-formed: " + text;
  }
  if (std::string text = round_trip(program); !text.empty()) return text;
  const Outcome before = interpret(program, "main", arguments);
  const bool gpu = std::find(passes.begin(), passes.end(), on_gpu) != passes.end();
  const passes::PassOptions options{gpu ? passes::FlattenTarget::gpu
                                        : passes::FlattenTarget::cpu};
  for (const std::string& name : passes) {
    if (name == on_gpu) continue;
    const Doing doing(name);
    const passes::Pass* pass = dagaz::passes::find_pass(name);
    if (pass == nullptr) return "there is no pass " + name;
    const std::string text_before = print(program);
    const bool changed = pass->run(program, options);
    if (!changed && print(program) != text_before) {
      return name + " changed the program and says that it did not";
    }
    if (std::string text = first_violation(program, pass->result); !text.empty()) {
      return "after " + name + ": " + text;
    }
    if (std::string text = round_trip(program); !text.empty()) return "after " + name + ": " + text;
    const std::string text = difference(before, interpret(program, "main", arguments));
    if (!text.empty()) return "after " + name + ": " + text;
    if (name == "simplify" && pass->run(program, options)) return "simplify is not idempotent";
  }
  return "";
}

// ---------------------------------------------------------------- reduction

/// All statements, depth first.
void each_body(Body& body, const std::function<void(Body&)>& visit) {
  visit(body);
  for (Statement& statement : body.statements) {
    for_each_scope(statement.operation, [&](Body& inner) { each_body(inner, visit); });
  }
}

/// Programs with one thing less: a result of the function, a statement, a result of a scope that
/// becomes a constant.
std::vector<Program> smaller(const Program& program) {
  std::vector<Program> programs;
  const Function& function = program.functions.front();
  for (std::size_t i = 0; function.body.results.size() > 1 && i < function.body.results.size();
       ++i) {
    Program copy = program;
    Function& changed = copy.functions.front();
    const auto at = static_cast<std::ptrdiff_t>(i);
    changed.body.results.erase(changed.body.results.begin() + at);
    changed.result_types.erase(changed.result_types.begin() + at);
    programs.push_back(std::move(copy));
  }
  std::size_t bodies = 0;
  Program probe = program;
  each_body(probe.functions.front().body, [&](Body&) { ++bodies; });
  for (std::size_t k = 0; k < bodies; ++k) {
    std::size_t statements = 0;
    std::size_t results = 0;
    std::size_t at = 0;
    each_body(probe.functions.front().body, [&](Body& body) {
      if (at++ != k) return;
      statements = body.statements.size();
      results = body.results.size();
    });
    for (std::size_t i = statements + results; i-- > 0;) {
      Program copy = program;
      at = 0;
      each_body(copy.functions.front().body, [&](Body& body) {
        if (at++ != k) return;
        if (i < statements) {
          body.statements.erase(body.statements.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          const Type type = copy.names.type(body.results[i - statements]);
          if (type.is_scalar()) body.results[i - statements] = zero_of(type.element);
        }
      });
      programs.push_back(std::move(copy));
    }
  }
  return programs;
}

Program reduced(Program program, const std::vector<Value>& arguments, const Passes& passes) {
  for (bool progress = true; progress;) {
    progress = false;
    const std::size_t size = print(program).size();
    for (Program& candidate : smaller(program)) {
      if (print(candidate).size() >= size) continue;
      if (!verify(candidate, Stage::parallel).empty()) continue;
      if (try_passes(candidate, arguments, passes).empty()) continue;
      program = std::move(candidate);
      progress = true;
      break;
    }
  }
  return program;
}

bool report(std::uint64_t seed, const std::string& text, const fuzz::GeneratedProgram& generated,
            const Passes& passes) {
  std::cout << "seed " << seed << ", passes";
  for (const std::string& pass : passes) std::cout << " " << pass;
  std::cout << "\n" << text << "\n";
  if (text.find("not well-formed") != std::string::npos) {
    std::cout << print(generated.program);
    return false;
  }
  const Program small = reduced(generated.program, generated.arguments, passes);
  std::cout << "reduced: " << try_passes(small, generated.arguments, passes) << "\n"
            << print(small);
  for (const Value& value : generated.arguments) {
    std::cout << "-- argument:";
    for (const std::uint64_t bits : value.elements) {
      std::cout << " " << static_cast<std::int64_t>(bits);
    }
    std::cout << "\n";
  }
  return false;
}

bool try_seed(std::uint64_t seed, const std::vector<Passes>& pipelines) {
  const fuzz::GeneratedProgram generated = fuzz::generate_program(seed);
  for (const Passes& passes : pipelines) {
    const std::string text = try_passes(generated.program, generated.arguments, passes);
    if (!text.empty()) return report(seed, text, generated, passes);
  }
  return true;
}

bool runs_to_the_end(std::uint64_t seed) {
  const fuzz::GeneratedProgram generated = fuzz::generate_program(seed);
  return std::holds_alternative<std::vector<Value>>(
      interpret(generated.program, "main", generated.arguments));
}

// ---------------------------------------------------------------- command line

std::optional<std::string> option(int count, char** arguments, const std::string& name) {
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(arguments[i], name.c_str(), name.size()) == 0) {
      return std::string(arguments[i] + name.size());
    }
  }
  return std::nullopt;
}

/// Each pass by itself and after what comes before it, and all of them.
std::vector<Passes> all_pipelines() {
  std::vector<Passes> pipelines = {
      {"simplify", "common-subexpressions", "fuse", "simplify", "fuse", "simplify",
       "common-subexpressions", "eliminate-dead-code"},
      {"flatten", on_gpu},
      {"simplify", "fuse", "simplify", "scalarise", "simplify", "flatten", on_gpu}};
  for (const passes::Pass& pass : passes::all_passes()) {
    Passes alone = {std::string(pass.name)};
    if (pass.needs == Stage::flat) alone.insert(alone.begin(), "flatten");
    Passes fused = {"simplify", "fuse", "simplify"};
    fused.insert(fused.end(), alone.begin(), alone.end());
    pipelines.push_back(std::move(alone));
    pipelines.push_back(std::move(fused));
  }
  return pipelines;
}

Passes split(const std::string& text) {
  Passes parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<Passes> pipelines = all_pipelines();
  if (const auto passes = option(count, arguments, "--passes=")) pipelines = {split(*passes)};
  const auto number = [&](const std::string& name, std::uint64_t otherwise) {
    const auto text = option(count, arguments, name);
    return text ? std::stoull(*text) : otherwise;
  };
  const std::uint64_t first = number("--seed=", 1);
  const std::uint64_t programs = number("--programs=", ~std::uint64_t{0});
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(number("--seconds=", 10));
  std::uint64_t tried = 0;
  std::uint64_t successful = 0;
  for (; tried < programs && std::chrono::steady_clock::now() < end; ++tried) {
    if (!try_seed(first + tried, pipelines)) return 1;
    if (runs_to_the_end(first + tried)) ++successful;
  }
  std::cout << tried << " programs from seed " << first << " (" << successful
            << " of them run to the end), no finding\n";
  return 0;
}
