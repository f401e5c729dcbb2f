// Removes what is never used: functions that no entry point reaches; statements, results and
// parameters that live_names does not find.
// All are linear in the size of the program.
// Nothing has effects but memory operations and traces; an assert whose token nobody carries guards
// nothing.
#include <algorithm>

#include "ir/fields.h"
#include "passes/dead_code.h"
#include "passes/live_names.h"
#include "passes/passes.h"
#include "passes/unreached_functions.h"

namespace dagaz::passes {

namespace {

class Sweeper {
 public:
  explicit Sweeper(LiveNames names) : names_(std::move(names)) {}

  bool changed() const { return changed_; }

  void body(Body& body) {
    const std::size_t erased = std::erase_if(body.statements, [this](const Statement& statement) {
      return !statement.results.empty() &&
             std::none_of(statement.results.begin(), statement.results.end(),
                          [this](const Binder& result) { return is_live(result); });
    });
    for (Statement& statement : body.statements) {
      std::visit([&](auto& node) { prune(node, statement); }, statement.operation);
      for_each_scope(statement.operation, [this](Body& inner) { this->body(inner); });
    }
    if (erased > 0) changed_ = true;
  }

 private:
  /// Keeps the items whose flag is set.
  template <typename T>
  void keep(std::vector<T>& items, const std::vector<bool>& flags) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!flags[i]) continue;
      if (next != i) items[next] = std::move(items[i]);
      ++next;
    }
    if (next < items.size()) changed_ = true;
    items.resize(next);
  }
  bool is_live(const Binder& binder) const { return names_.live[binder.name.index]; }
  std::vector<bool> live_flags(const std::vector<Binder>& binders) const {
    std::vector<bool> flags;
    for (const Binder& binder : binders) flags.push_back(is_live(binder));
    return flags;
  }
  static bool all(const std::vector<bool>& flags) {
    return std::find(flags.begin(), flags.end(), false) == flags.end();
  }
  void keep_results(Lambda& lambda, const std::vector<bool>& flags) {
    keep(lambda.body.results, flags);
    keep(lambda.result_types, flags);
  }
  // Without its first input, the statement itself carries what guards its width.
  void guard_width(Statement& statement, NameId input) const {
    const auto guards = names_.guards.find(input);
    if (guards == names_.guards.end()) return;
    std::vector<NameId>& tokens = statement.tokens;
    tokens.insert(tokens.end(), guards->second.begin(), guards->second.end());
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  }
  template <typename Node>
  void prune_inputs(Node& node, Statement& statement) {
    const std::vector<bool> flags = live_flags(node.map.parameters);
    if (all(flags)) return;
    if (!flags.front()) guard_width(statement, node.arrays.front());
    keep(node.arrays, flags);
    keep(node.map.parameters, flags);
  }

  void prune(Branch& node, Statement& statement) {
    const std::vector<bool> flags = live_flags(statement.results);
    if (all(flags)) return;
    keep(statement.results, flags);
    keep(node.then_body.results, flags);
    keep(node.else_body.results, flags);
    keep(node.result_types, flags);
  }
  void prune(Loop& node, Statement& statement) {
    std::vector<bool> flags;
    for (const LoopValue& value : node.values) flags.push_back(is_live(value.parameter));
    if (all(flags)) return;
    keep(statement.results, flags);
    keep(node.values, flags);
    keep(node.body.results, flags);
    auto& dependence = node.attributes.true_dependence;
    if (dependence.empty()) return;
    std::vector<bool> kept;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (flags[i]) kept.push_back(dependence[i]);
    }
    dependence = std::move(kept);
  }
  void prune(ReduceOperator& one, const std::vector<bool>& flags) {
    if (all(flags)) return;
    std::vector<bool> parameters = flags;
    parameters.insert(parameters.end(), flags.begin(), flags.end());
    keep(one.op.parameters, parameters);
    keep_results(one.op, flags);
    keep(one.neutral, flags);
  }
  void prune(MapScanReduce& node, Statement& statement) {
    const std::vector<bool> live = live_flags(statement.results);
    std::vector<bool> map_results;
    auto next = live.begin();
    for (ReduceOperator& one : node.reductions) {
      const auto end = next + static_cast<std::ptrdiff_t>(one.neutral.size());
      prune(one, {next, end});
      next = end;
    }
    std::erase_if(node.reductions, [](const ReduceOperator& one) { return one.neutral.empty(); });
    const std::vector<bool> reduced(live.begin(), next);
    const std::vector<bool> rest(next, live.end());
    const std::vector<bool> after =
        node.post ? live_flags(node.post->parameters) : rest;
    std::vector<bool> scans;
    std::size_t scan_operands = 0;
    for (const ScanOperator& one : node.scans) {
      scans.push_back(after[scan_operands]);
      map_results.insert(map_results.end(), one.neutral.size(), after[scan_operands]);
      scan_operands += one.neutral.size();
    }
    map_results.insert(map_results.end(), reduced.begin(), reduced.end());
    const auto mapped = after.begin() + static_cast<std::ptrdiff_t>(scan_operands);
    map_results.insert(map_results.end(), mapped, after.end());
    if (!all(map_results)) {
      keep_results(node.map, map_results);
      keep(node.scans, scans);
    }
    if (node.post) {
      keep_results(*node.post, rest);
      keep(node.post->parameters, after);
    }
    keep(statement.results, live);
    prune_inputs(node, statement);
  }
  void prune(Histogram& node, Statement& statement) {
    std::vector<bool> operators;
    std::vector<bool> map_results;
    const std::vector<bool> live = live_flags(statement.results);
    std::size_t at = 0;
    for (const HistogramOperator& one : node.operators) {
      operators.push_back(live[at]);
      map_results.insert(map_results.end(), one.shape.size() + one.destinations.size(), live[at]);
      at += one.destinations.size();
    }
    keep_results(node.map, map_results);
    keep(node.operators, operators);
    keep(statement.results, live);
    prune_inputs(node, statement);
  }
  void prune(Scatter& node, Statement& statement) {
    const std::vector<bool> live = live_flags(statement.results);
    std::vector<bool> map_results;
    for (std::size_t i = 0; i < node.targets.size(); ++i) {
      map_results.insert(map_results.end(), node.targets[i].shape.size() + 1, live[i]);
    }
    keep_results(node.map, map_results);
    keep(node.targets, live);
    keep(statement.results, live);
    prune_inputs(node, statement);
  }
  void prune(WithAccumulator& node, Statement& statement) {
    const std::vector<bool> live = live_flags(statement.results);
    if (all(live)) return;
    const std::vector<bool> inputs(
        live.begin(), live.begin() + static_cast<std::ptrdiff_t>(node.inputs.size()));
    keep(node.inputs, inputs);
    keep(node.body.parameters, inputs);
    keep_results(node.body, live);
    keep(statement.results, live);
  }
  void prune(FlatMap& node, Statement& statement) {
    const std::vector<bool> live = live_flags(statement.results);
    if (!all(live)) {
      const std::vector<bool> map_results(live.begin() + 2, live.end());
      const auto first = map_results.begin() + 1;
      node.varying = static_cast<int>(std::count(first, first + node.varying, true));
      keep_results(node.map, map_results);
      keep(statement.results, live);
    }
    prune_inputs(node, statement);
  }
  void prune(SegmentedMap& node, Statement& statement) {
    const std::vector<bool> live = live_flags(statement.results);
    keep(node.body.results, live);
    keep(node.result_types, live);
    keep(statement.results, live);
  }
  // Nothing to prune: one result, or all of them are kept.
  template <typename Node>
  void prune(Node&, Statement&) {}

  LiveNames names_;
  bool changed_ = false;
};

}  // namespace

bool eliminate_dead_code(Function& function, const Names& names) {
  Sweeper sweeper(find_live_names(function, names));
  sweeper.body(function.body);
  return sweeper.changed();
}

bool eliminate_dead_code(ParallelProgram& program) {
  bool changed = remove_unreached_functions(program.program);
  for (Function& function : program.program.functions) {
    if (eliminate_dead_code(function, program.program.names)) changed = true;
  }
  return changed;
}

}  // namespace dagaz::passes
