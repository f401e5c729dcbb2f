#include "passes/ad/linear_core.h"

#include <algorithm>

#include "passes/ad/environment.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

class Linearity {
 public:
  Linearity(const Names& names, NameSet linear) : names_(&names), linear_(std::move(linear)) {}

  /// Whether the statements use linear values in linear ways only.
  bool statements(const std::vector<Statement>& all);
  bool is_linear(const Operand& operand) const {
    return operand.is_name() && linear_.count(operand.name()) != 0;
  }

 private:
  bool statement(const Statement& statement);
  bool scalar(const Statement& statement, const Scalar& scalar);
  bool map(const Statement& statement, const MapScanReduce& map);
  bool uses_linear(const Statement& statement) const;
  bool linear_results(const Statement& statement) {
    for (const Binder& each : statement.results) linear_.insert(each.name);
    return true;
  }

  const Names* names_;
  NameSet linear_;
};

bool Linearity::uses_linear(const Statement& statement) const {
  const std::vector<NameId> used = free_names(statement, *names_);
  return std::any_of(used.begin(), used.end(),
                     [&](NameId each) { return linear_.count(each) != 0; });
}

bool Linearity::scalar(const Statement& statement, const Scalar& scalar) {
  if (!is_float(scalar.type)) return false;
  const auto& arguments = scalar.arguments;
  switch (scalar.op) {
    case ScalarOp::neg:
    case ScalarOp::float_convert:
      return linear_results(statement);
    case ScalarOp::add:
    case ScalarOp::sub:
      return is_linear(arguments[0]) && is_linear(arguments[1]) && linear_results(statement);
    case ScalarOp::mul:
      return is_linear(arguments[0]) != is_linear(arguments[1]) && linear_results(statement);
    case ScalarOp::fdiv:
      return !is_linear(arguments[1]) && linear_results(statement);
    case ScalarOp::select:
      return is_linear(arguments[1]) && is_linear(arguments[2]) && linear_results(statement);
    default:
      return false;
  }
}

bool Linearity::map(const Statement& statement, const MapScanReduce& map) {
  if (!map.scans.empty() || map.post) return false;
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    if (is_linear(map.arrays[i])) linear_.insert(map.map.parameters[i].name);
  }
  if (!statements(map.map.body.statements)) return false;
  std::size_t next = 0;
  for (const ReduceOperator& each : map.reductions) {
    const Operand& value = map.map.body.results[next];
    if (is_linear(value)) {
      if (!is_addition(each.op)) return false;
      linear_.insert(statement.results[next].name);
    }
    next += each.neutral.size();
  }
  for (; next < statement.results.size(); ++next) {
    if (is_linear(map.map.body.results[next])) linear_.insert(statement.results[next].name);
  }
  return true;
}

bool Linearity::statement(const Statement& statement) {
  if (!uses_linear(statement)) return true;
  return match(
      statement.operation, [&](const Scalar& each) { return scalar(statement, each); },
      [&](const MapScanReduce& each) { return map(statement, each); },
      [&](const Identity&) { return linear_results(statement); },
      [&](const Copy&) { return linear_results(statement); },
      // Positions and shapes are integers, which are not linear.
      [&](const Index&) { return linear_results(statement); },
      [&](const Slice&) { return linear_results(statement); },
      [&](const Reshape&) { return linear_results(statement); },
      [&](const Permute&) { return linear_results(statement); },
      [&](const Replicate&) { return linear_results(statement); },
      // Other operations may be linear too; not seeing it costs speed alone.
      [](const auto&) { return false; });
}

bool Linearity::statements(const std::vector<Statement>& all) {
  return std::all_of(all.begin(), all.end(),
                     [&](const Statement& each) { return statement(each); });
}

}  // namespace

bool is_linear(const Body& core, const NameSet& varying, const Names& names) {
  const bool reals = std::all_of(varying.begin(), varying.end(), [&](NameId each) {
    return is_float(names.type(each).element);
  });
  Linearity linearity(names, varying);
  return reals && linearity.statements(core.statements) &&
         std::all_of(core.results.begin(), core.results.end(),
                     [&](const Operand& each) { return linearity.is_linear(each); });
}

}  // namespace dagaz::passes::ad
