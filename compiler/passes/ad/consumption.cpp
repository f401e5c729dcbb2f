// Consumption with a simple notion of aliasing: views, branches and loops pass on what they were
// made from; every other result is fresh.
#include "passes/ad/consumption.h"

#include <algorithm>
#include <unordered_map>

#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

class Consumption {
 public:
  Consumption(const Names& names, FunctionDerivatives& functions)
      : names_(&names), functions_(&functions) {}

  void statements(const std::vector<Statement>& all) {
    for (const Statement& each : all) statement(each);
  }
  void statement(const Statement& statement);
  const std::vector<NameId>& consumed() const { return consumed_; }

 private:
  void alias(NameId view, const Operand& of);
  void consume(NameId array);
  void call(const Call& call);
  // Consumption of a parameter that stands for `argument`.
  void pass_on(NameId parameter, const Operand& argument) {
    if (argument.is_name() && is_consumed(parameter)) consume(argument.name());
  }
  bool is_consumed(NameId name) const { return known_.count(name) != 0; }
  void lambda(const Lambda& lambda, const std::vector<NameId>& arrays) {
    statements(lambda.body.statements);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      pass_on(lambda.parameters[i].name, arrays[i]);
    }
  }

  const Names* names_;
  FunctionDerivatives* functions_;
  std::unordered_map<NameId, std::vector<NameId>> roots_;
  std::vector<NameId> consumed_;
  NameSet known_;
};

void Consumption::alias(NameId view, const Operand& of) {
  if (of.is_name() && names_->type(of.name()).is_array()) roots_[view].push_back(of.name());
}

void Consumption::consume(NameId array) {
  if (!names_->type(array).is_array() || !known_.insert(array).second) return;
  consumed_.push_back(array);
  const auto found = roots_.find(array);
  if (found == roots_.end()) return;
  const std::vector<NameId> roots = found->second;
  for (const NameId root : roots) consume(root);
}

void Consumption::call(const Call& call) {
  // A question about the device has no arguments, and may have no function yet.
  if (call.arguments.empty()) return;
  const Function& function = functions_->function(call.function);
  for (std::size_t i = 0; i < function.consumes.size(); ++i) {
    if (function.consumes[i] && call.arguments[i].is_name()) consume(call.arguments[i].name());
  }
}

void Consumption::statement(const Statement& statement) {
  const auto& results = statement.results;
  match(
      statement.operation, [&](const Identity& each) { alias(results[0].name, each.value); },
      [&](const Index& each) { alias(results[0].name, each.array); },
      [&](const Slice& each) { alias(results[0].name, each.array); },
      [&](const Reshape& each) { alias(results[0].name, each.array); },
      [&](const Permute& each) { alias(results[0].name, each.array); },
      [&](const Update& each) { consume(each.array); },
      [&](const Branch& each) {
        statements(each.then_body.statements);
        statements(each.else_body.statements);
        for (std::size_t i = 0; i < results.size(); ++i) {
          alias(results[i].name, each.then_body.results[i]);
          alias(results[i].name, each.else_body.results[i]);
        }
      },
      [&](const Loop& each) {
        for (const LoopValue& value : each.values) alias(value.parameter.name, value.initial);
        statements(each.body.statements);
        for (std::size_t i = 0; i < results.size(); ++i) {
          alias(results[i].name, each.body.results[i]);
          alias(results[i].name, each.values[i].initial);
        }
      },
      [&](const Call& each) { call(each); },
      [&](const MapScanReduce& each) {
        lambda(each.map, each.arrays);
        if (each.post) statements(each.post->body.statements);
      },
      [&](const Histogram& each) {
        lambda(each.map, each.arrays);
        for (const HistogramOperator& op : each.operators) {
          for (const NameId array : op.destinations) consume(array);
        }
      },
      [&](const Scatter& each) {
        lambda(each.map, each.arrays);
        for (const ScatterTarget& target : each.targets) consume(target.destination);
      },
      [&](const WithAccumulator& each) {
        statements(each.body.body.statements);
        for (const AccumulatorInput& input : each.inputs) consume(input.array);
      },
      [&](const FlatMap& each) { lambda(each.map, each.arrays); },
      [&](const CustomDerivative& each) {
        statements(each.function.body.statements);
        for (std::size_t i = 0; i < each.arguments.size(); ++i) {
          pass_on(each.function.parameters[i].name, each.arguments[i]);
        }
      },
      // Operations with fresh results, which consume nothing.
      [](const Scalar&) {}, [](const ArrayLiteral&) {}, [](const Iota&) {},
      [](const Replicate&) {}, [](const Concat&) {}, [](const Copy&) {}, [](const Scratch&) {},
      [](const Assert&) {}, [](const Accumulate&) {},
      // A derivative only observes what it is taken at; nothing is of a later stage.
      [](const Absent auto&) {});
}

}  // namespace

std::vector<NameId> consumed_arrays(const Statement& statement, const Names& names,
                                    FunctionDerivatives& functions) {
  Consumption consumption(names, functions);
  consumption.statement(statement);
  std::vector<NameId> outside;
  NameSet bound;
  for (const NameId name : bound_names(statement)) bound.insert(name);
  for (const NameId name : consumption.consumed()) {
    if (bound.count(name) == 0) outside.push_back(name);
  }
  return outside;
}

NameSet consumed_names(const std::vector<Statement>& statements, const Names& names,
                       FunctionDerivatives& functions) {
  Consumption consumption(names, functions);
  consumption.statements(statements);
  return NameSet(consumption.consumed().begin(), consumption.consumed().end());
}

}  // namespace dagaz::passes::ad
