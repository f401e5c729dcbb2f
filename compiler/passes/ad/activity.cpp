// Dependence as a monotone walk; loops repeat until nothing changes.
#include "passes/ad/activity.h"

#include "passes/ad/environment.h"
#include "passes/ad/scalar_derivatives.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

void Dependence::seed(NameId name, Directions directions) {
  if (directions == 0 || !carries_derivative(names_->type(name))) return;
  Directions& known = directions_[name];
  if ((known | directions) != known) {
    known |= directions;
    changed_ = true;
  }
}

Directions Dependence::of(NameId name) const {
  const auto found = directions_.find(name);
  return found == directions_.end() ? 0 : found->second;
}

Directions Dependence::of(const std::vector<Operand>& operands) const {
  Directions all = 0;
  for (const Operand& operand : operands) all |= of(operand);
  return all;
}

Directions Dependence::of(const std::vector<NameId>& names) const {
  Directions all = 0;
  for (const NameId name : names) all |= of(name);
  return all;
}

Directions Dependence::of_operator(const Lambda& op, const std::vector<Operand>& neutral,
                                   Directions inputs) {
  // The operator meets its own results, so one direction in any component may reach all.
  Directions all = inputs | of(neutral);
  for (;;) {
    for (const Binder& parameter : op.parameters) seed(parameter.name, all);
    run(op.body.statements);
    const Directions next = all | of(op.body.results);
    if (next == all) return all;
    all = next;
  }
}

void Dependence::run(const std::vector<Statement>& statements) {
  for (const Statement& each : statements) statement(each);
}

void Dependence::seed_rows(const Lambda& lambda, const std::vector<NameId>& arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    seed(lambda.parameters[i].name, of(arrays[i]));
  }
}

void Dependence::operation(const Loop& loop, const std::vector<Binder>& results) {
  for (const LoopValue& value : loop.values) seed(value.parameter.name, of(value.initial));
  const bool outer_changed = changed_;
  do {
    changed_ = false;
    run(loop.body.statements);
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      seed(loop.values[i].parameter.name, of(loop.body.results[i]));
    }
  } while (changed_);
  changed_ = outer_changed;
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    seed(results[i].name, of(loop.values[i].parameter.name));
  }
}

void Dependence::operation(const Branch& branch, const std::vector<Binder>& results) {
  run(branch.then_body.statements);
  run(branch.else_body.statements);
  for (std::size_t i = 0; i < results.size(); ++i) {
    seed(results[i].name, of(branch.then_body.results[i]) | of(branch.else_body.results[i]));
  }
}

void Dependence::operation(const MapScanReduce& map, const std::vector<Binder>& results) {
  seed_rows(map.map, map.arrays);
  run(map.map.body.statements);
  const auto& mapped = map.map.body.results;
  std::size_t next_input = 0;
  std::size_t next_result = 0;
  std::vector<Directions> post_inputs;
  for (const ScanOperator& scan : map.scans) {
    Directions inputs = 0;
    for (std::size_t i = 0; i < scan.neutral.size(); ++i) inputs |= of(mapped[next_input++]);
    const Directions all = of_operator(scan.op, scan.neutral, inputs);
    post_inputs.insert(post_inputs.end(), scan.neutral.size(), all);
  }
  for (const ReduceOperator& reduce : map.reductions) {
    Directions inputs = 0;
    for (std::size_t i = 0; i < reduce.neutral.size(); ++i) inputs |= of(mapped[next_input++]);
    const Directions all = of_operator(reduce.op, reduce.neutral, inputs);
    for (std::size_t i = 0; i < reduce.neutral.size(); ++i) seed(results[next_result++].name, all);
  }
  for (; next_input < mapped.size(); ++next_input) post_inputs.push_back(of(mapped[next_input]));
  if (map.post) {
    for (std::size_t i = 0; i < post_inputs.size(); ++i) {
      seed(map.post->parameters[i].name, post_inputs[i]);
    }
    run(map.post->body.statements);
    post_inputs.clear();
    for (const Operand& result : map.post->body.results) post_inputs.push_back(of(result));
  }
  for (const Directions directions : post_inputs) seed(results[next_result++].name, directions);
}

void Dependence::operation(const Histogram& histogram, const std::vector<Binder>& results) {
  seed_rows(histogram.map, histogram.arrays);
  run(histogram.map.body.statements);
  std::size_t next_input = 0;
  std::size_t next_result = 0;
  for (const HistogramOperator& each : histogram.operators) {
    next_input += each.shape.size();
    Directions inputs = of(each.destinations);
    for (std::size_t i = 0; i < each.destinations.size(); ++i) {
      inputs |= of(histogram.map.body.results[next_input++]);
    }
    const Directions all = of_operator(each.op, each.neutral, inputs);
    for (std::size_t i = 0; i < each.destinations.size(); ++i) {
      seed(results[next_result++].name, all);
    }
  }
}

void Dependence::operation(const Scatter& scatter, const std::vector<Binder>& results) {
  seed_rows(scatter.map, scatter.arrays);
  run(scatter.map.body.statements);
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < scatter.targets.size(); ++i) {
    next_input += scatter.targets[i].shape.size();
    seed(results[i].name, of(scatter.targets[i].destination) |
                              of(scatter.map.body.results[next_input++]));
  }
}

void Dependence::operation(const WithAccumulator& with, const std::vector<Binder>& results) {
  const bool outer_changed = changed_;
  for (std::size_t i = 0; i < with.inputs.size(); ++i) {
    seed(with.body.parameters[i].name, of(with.inputs[i].array));
  }
  // All views of an accumulator have the same directions, the first one included.
  do {
    changed_ = false;
    run(with.body.body.statements);
    for (std::size_t i = 0; i < with.inputs.size(); ++i) {
      seed(with.body.parameters[i].name, of(with.body.body.results[i]));
    }
  } while (changed_);
  changed_ = outer_changed;
  for (std::size_t i = 0; i < results.size(); ++i) {
    seed(results[i].name, of(with.body.body.results[i]));
  }
}

void Dependence::operation(const FlatMap& flat_map, const std::vector<Binder>& results) {
  seed_rows(flat_map.map, flat_map.arrays);
  run(flat_map.map.body.statements);
  // Results: total, sizes, starts, then one for each result of the map but its first, the size.
  for (std::size_t i = 1; i < flat_map.map.body.results.size(); ++i) {
    seed(results[i + 2].name, of(flat_map.map.body.results[i]));
  }
}

void Dependence::operation(const CustomDerivative& custom, const std::vector<Binder>& results) {
  for (std::size_t i = 0; i < custom.arguments.size(); ++i) {
    seed(custom.function.parameters[i].name, of(custom.arguments[i]));
  }
  run(custom.function.body.statements);
  const Directions arguments = of(custom.arguments);
  for (const Binder& result : results) seed(result.name, arguments);
}

void Dependence::statement(const Statement& statement) {
  const auto all = [&](Directions directions) {
    for (const Binder& result : statement.results) seed(result.name, directions);
  };
  match(
      statement.operation, [&](const Identity& each) { all(of(each.value)); },
      [&](const Scalar& each) {
        Directions directions = 0;
        for (std::size_t i = 0; i < each.arguments.size(); ++i) {
          if (has_derivative(each.op, static_cast<int>(i))) directions |= of(each.arguments[i]);
        }
        all(directions);
      },
      [&](const ArrayLiteral& each) { all(of(each.elements)); },
      [&](const Index& each) { all(of(each.array)); },
      [&](const Slice& each) { all(of(each.array)); },
      [&](const Update& each) { all(of(each.array) | of(each.value)); },
      [&](const Iota& each) { all(of(each.count) | of(each.start) | of(each.stride)); },
      [&](const Replicate& each) { all(of(each.value)); },
      [&](const Concat& each) { all(of(each.arrays)); },
      [&](const Reshape& each) { all(of(each.array)); },
      [&](const Permute& each) { all(of(each.array)); },
      [&](const Copy& each) { all(of(each.array)); },
      [&](const Call& each) { all(of(each.arguments)); },
      [&](const Accumulate& each) {
        all(of(each.accumulator) | of(each.value));
      },
      [&](const Loop& each) { operation(each, statement.results); },
      [&](const Branch& each) { operation(each, statement.results); },
      [&](const MapScanReduce& each) { operation(each, statement.results); },
      [&](const Histogram& each) { operation(each, statement.results); },
      [&](const Scatter& each) { operation(each, statement.results); },
      [&](const WithAccumulator& each) { operation(each, statement.results); },
      [&](const FlatMap& each) { operation(each, statement.results); },
      [&](const CustomDerivative& each) { operation(each, statement.results); },
      [](const Scratch&) {}, [](const Assert&) {},
      // Removed before anything around it is differentiated.
      [](const Differentiate&) {},
      // Of later stages.
      [](const SegmentedMap&) {}, [](const SegmentedReduce&) {}, [](const SegmentedScan&) {},
      [](const SegmentedHistogram&) {}, [](const SegmentedScatter&) {});
}

}  // namespace dagaz::passes::ad
