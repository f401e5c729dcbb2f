#include "emit/unsupported.h"

#include <algorithm>
#include <unordered_set>

#include "ir/fields.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::emit {

namespace {

/// Looks at what entry points run in the host.
class Search {
 public:
  explicit Search(const ir::Program& program) : program_(program) {}

  std::optional<Unsupported> run() {
    for (const ir::EntryPoint& entry : program_.entries) function(entry.function);
    return found_;
  }

 private:
  void function(const std::string& name) {
    if (!seen_.insert(name).second) return;
    for (const ir::Function& one : program_.functions) {
      if (one.name == name) body(one.body);
    }
  }

  void body(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) statement(one);
  }

  void statement(const ir::Statement& s) {
    if (as<ir::MapScanReduce>(s.operation) || as<ir::Histogram>(s.operation) ||
        as<ir::Scatter>(s.operation)) {
      note("a parallel operation that was not flattened", s);
    } else if (const auto* call = as<ir::Call>(s.operation)) {
      function(call->function);
    } else if (const auto* branch = as<ir::Branch>(s.operation)) {
      body(branch->then_body);
      body(branch->else_body);
    } else if (const auto* loop = as<ir::Loop>(s.operation)) {
      body(loop->body);
    } else if (const auto* with = as<ir::WithAccumulator>(s.operation)) {
      const bool has_instructions =
          std::all_of(with->inputs.begin(), with->inputs.end(),
                      [&](const ir::AccumulatorInput& input) { return is_atomic(input); });
      if (!has_instructions) {
        note("accumulating rows with an operator that is not element by element", s);
      }
      body(with->body.body);
    }
  }

  /// Whether several threads can combine into the array at the same time.
  bool is_atomic(const ir::AccumulatorInput& input) const {
    const bool has_rows = program_.names.type(input.array).rank() > input.shape.size();
    return !has_rows || !input.op || plan::is_positionwise(*input.op, program_.names);
  }

  void note(std::string what, const ir::Statement& s) {
    if (!found_) found_ = Unsupported{std::move(what), s.location};
  }

  const ir::Program& program_;
  std::unordered_set<std::string> seen_;
  std::optional<Unsupported> found_;
};

}  // namespace

std::optional<Unsupported> find_unsupported(const ir::Program& program) {
  return Search(program).run();
}

}  // namespace dagaz::emit
