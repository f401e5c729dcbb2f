// One walk over a function in order of execution: it computes roots, collects what each statement
// consumes, and reports uses of what was consumed before.
#include "ir/alias.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/print.h"

namespace dagaz::ir {

std::vector<NameId> AliasInfo::roots(NameId name) const {
  const auto found = roots_.find(name);
  return found == roots_.end() ? std::vector<NameId>{name} : found->second;
}

bool AliasInfo::may_alias(NameId a, NameId b) const {
  const std::vector<NameId> first = roots(a);
  const std::vector<NameId> second = roots(b);
  return std::any_of(first.begin(), first.end(), [&](NameId root) {
    return std::find(second.begin(), second.end(), root) != second.end();
  });
}

bool AliasInfo::is_consumed(NameId name) const { return has_root_in(name, consumed_); }
bool AliasInfo::leaves_function(NameId name) const { return has_root_in(name, leaving_); }

bool AliasInfo::has_root_in(NameId name, const NameSet& set) const {
  if (set.empty()) return false;
  const std::vector<NameId> all = roots(name);
  return std::any_of(all.begin(), all.end(), [&](NameId root) { return set.contains(root); });
}

std::vector<NameId> AliasInfo::consumed_by(const Statement& statement) const {
  std::vector<NameId> consumed;
  for (const Binder& result : statement.results) {
    const auto found = consumed_by_.find(result.name);
    if (found == consumed_by_.end()) continue;
    consumed.insert(consumed.end(), found->second.begin(), found->second.end());
  }
  return consumed;
}

bool AliasInfo::may_write(const Statement& statement, NameId name) const {
  return may_write(statement, std::vector{name});
}

bool AliasInfo::may_write(const Statement& statement, const std::vector<NameId>& names) const {
  const std::vector<NameId> consumed = consumed_by(statement);
  const NameSet set(consumed.begin(), consumed.end());
  return std::any_of(names.begin(), names.end(),
                     [&](NameId name) { return has_root_in(name, set); });
}

bool AliasInfo::may_write(const Statement& statement, const Statement& user,
                          const Names& names) const {
  return !consumed_by(statement).empty() && may_write(statement, free_names(user, names));
}

namespace {

void add_unique(std::vector<NameId>& to, NameId name) {
  if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
}

}  // namespace

class AliasWalk {
 public:
  AliasWalk(const Names& names, const std::vector<Function>& functions, AliasInfo& info)
      : names_(names), functions_(functions), info_(info) {}

  void function(const Function& function) {
    for (const Binder& parameter : function.parameters) depth_[parameter.name] = 0;
    body(function.body);
    for (const Operand& result : function.body.results) {
      if (!result.is_name() || !has_memory(result.name())) continue;
      for (const NameId root : info_.roots(result.name())) info_.leaving_.insert(root);
    }
    spread_inwards(info_.consumed_);
    spread_inwards(info_.leaving_);
  }

 private:
  using Roots = std::vector<NameId>;

  /// What a scope consumed of names bound outside it.
  struct Effects {
    Roots consumed;
  };

  bool has_memory(NameId name) const {
    const Type& type = names_.type(name);
    return type.is_array() || type.kind == TypeKind::accumulator;
  }
  void violation(NameId name) {
    if (info_.violations_.size() > 20) return;
    const std::string where =
        current_ == nullptr ? "the results" : print(*current_, names_);
    info_.violations_.push_back("`" + names_.text(name) +
                                "` is used after it was consumed, in: " + where);
  }

  // -------------------------------------------------------------- uses and consumption

  void use(const Operand& operand) {
    if (!operand.is_name() || dead_.empty() || !has_memory(operand.name())) return;
    for (const NameId root : info_.roots(operand.name())) {
      if (dead_.contains(root)) {
        violation(operand.name());
        return;
      }
    }
  }
  void consume(NameId name) {
    for (const NameId root : info_.roots(name)) consume_root(root);
  }
  void consume_root(NameId root) {
    info_.consumed_.insert(root);
    if (dead_.insert(root).second) trail_.push_back(root);
  }
  /// The roots that died since `mark` and were bound outside the current scope.
  Roots died_since(std::size_t mark, std::size_t depth) const {
    Roots result;
    for (std::size_t i = mark; i < trail_.size(); ++i) {
      const auto found = depth_.find(trail_[i]);
      if (found == depth_.end() || found->second <= depth) result.push_back(trail_[i]);
    }
    return result;
  }
  void revive(std::size_t mark) {
    for (std::size_t i = mark; i < trail_.size(); ++i) dead_.erase(trail_[i]);
    trail_.resize(mark);
  }
  bool bound_outside(NameId name, std::size_t depth) const {
    const auto found = depth_.find(name);
    return found != depth_.end() && found->second <= depth;
  }

  void bind(NameId name) { depth_[name] = current_depth_; }
  void set_roots(NameId name, Roots roots) {
    if (roots.size() == 1 && roots.front() == name) return;
    info_.roots_[name] = std::move(roots);
  }
  void view(const Statement& statement, NameId of) {
    if (!statement.results.empty()) {
      set_roots(statement.results.front().name, info_.roots(of));
    }
  }

  // -------------------------------------------------------------- scopes

  void body(const Body& body) {
    for (const Statement& statement : body.statements) {
      current_ = &statement;
      one(statement);
      for (const Binder& result : statement.results) bind(result.name);
    }
    current_ = nullptr;
    for (const Operand& result : body.results) use(result);
  }
  /// A scope one level deeper; gives the outer roots that it consumes, and revives them.
  Effects scope(const std::vector<Binder>& parameters, const Body& inner) {
    const Statement* const statement = current_;
    const std::size_t mark = trail_.size();
    const std::size_t depth = current_depth_++;
    for (const Binder& parameter : parameters) bind(parameter.name);
    body(inner);
    current_ = statement;
    Effects effects{died_since(mark, depth)};
    for (const Binder& parameter : parameters) {
      if (dead_.contains(parameter.name)) effects.consumed.push_back(parameter.name);
    }
    --current_depth_;
    revive(mark);
    return effects;
  }
  void flows(const Operand& inner, NameId result) {
    if (!inner.is_name() || !has_memory(inner.name())) return;
    for (const NameId root : info_.roots(inner.name())) sources_[result].push_back(root);
  }
  /// What holds for a result of a scope holds for the memory that it came from.
  void spread_inwards(NameSet& set) const {
    std::vector<NameId> work(set.begin(), set.end());
    while (!work.empty()) {
      const auto found = sources_.find(work.back());
      work.pop_back();
      if (found == sources_.end()) continue;
      for (const NameId source : found->second) {
        if (set.insert(source).second) work.push_back(source);
      }
    }
  }
  /// Roots of a scope's result as the outside sees them; roots bound inside become `result`, or
  /// what an earlier result of the same memory is called.  So do roots that are consumed: an array
  /// that one side of a branch updates and the other gives back as it is lives on as the result.
  void result_roots(NameId result, const Operand& inner, std::size_t depth, Roots& roots,
                    std::unordered_map<NameId, NameId>& shared) {
    if (!inner.is_name() || !has_memory(inner.name())) return;
    flows(inner, result);
    for (const NameId root : info_.roots(inner.name())) {
      if (bound_outside(root, depth) && !dead_.contains(root)) {
        add_unique(roots, root);
      } else {
        add_unique(roots, shared.emplace(root, result).first->second);
      }
    }
  }

  /// A lambda applied to elements or values of `arrays`: consuming a parameter consumes the array.
  void elements_lambda(const Lambda& lambda, const std::vector<Operand>& arrays) {
    const Effects effects = scope(lambda.parameters, lambda.body);
    for (const NameId root : effects.consumed) {
      bool is_parameter = false;
      for (std::size_t i = 0; i < lambda.parameters.size(); ++i) {
        if (lambda.parameters[i].name != root) continue;
        is_parameter = true;
        if (i < arrays.size() && arrays[i].is_name()) consume(arrays[i].name());
      }
      if (!is_parameter) {
        violation(root);
        consume_root(root);
      }
    }
  }

  // -------------------------------------------------------------- statements

  void one(const Statement& statement) {
    const std::size_t mark = trail_.size();
    for_each_operand(statement.operation, [this](const Operand& operand) { use(operand); });
    std::visit([&](const auto& operation) { effect(operation, statement); }, statement.operation);
    if (trail_.size() > mark && !statement.results.empty()) {
      info_.consumed_by_[statement.results.front().name] = died_since(mark, current_depth_);
    }
  }

  void effect(const Identity& e, const Statement& s) {
    if (e.value.is_name() && has_memory(e.value.name())) view(s, e.value.name());
  }
  void effect(const Index& e, const Statement& s) {
    if (has_memory(s.results.front().name)) view(s, e.array);
  }
  void effect(const Slice& e, const Statement& s) {
    if (has_memory(s.results.front().name)) view(s, e.array);
  }
  void effect(const Reshape& e, const Statement& s) { view(s, e.array); }
  void effect(const Permute& e, const Statement& s) { view(s, e.array); }
  void effect(const Update& e, const Statement&) { consume(e.array); }
  void effect(const Scatter& e, const Statement&) {
    elements_lambda(e.map, {e.arrays.begin(), e.arrays.end()});
    for (const ScatterTarget& target : e.targets) consume(target.destination);
  }
  void effect(const Histogram& e, const Statement&) {
    elements_lambda(e.map, {e.arrays.begin(), e.arrays.end()});
    for (const HistogramOperator& one : e.operators) {
      elements_lambda(one.op, {});
      for (const NameId destination : one.destinations) consume(destination);
    }
  }
  void effect(const Accumulate& e, const Statement&) { consume(e.accumulator); }
  void effect(const WithAccumulator& e, const Statement& s) {
    for (const AccumulatorInput& input : e.inputs) {
      if (input.op) elements_lambda(*input.op, {});
      consume(input.array);
    }
    const Effects effects = scope(e.body.parameters, e.body.body);
    for (const NameId root : effects.consumed) {
      if (!is_parameter(e.body, root)) consume_root(root);
    }
    std::unordered_map<NameId, NameId> shared;
    for (std::size_t i = e.inputs.size(); i < s.results.size(); ++i) {
      Roots roots;
      result_roots(s.results[i].name, e.body.body.results[i], current_depth_, roots, shared);
      if (!roots.empty()) set_roots(s.results[i].name, std::move(roots));
    }
  }
  void effect(const MapScanReduce& e, const Statement&) {
    elements_lambda(e.map, {e.arrays.begin(), e.arrays.end()});
    for (const ScanOperator& scan : e.scans) elements_lambda(scan.op, {});
    for (const ReduceOperator& reduction : e.reductions) elements_lambda(reduction.op, {});
    if (e.post) elements_lambda(*e.post, {});
    for (const NameId array : e.arrays) {
      if (names_.type(array).kind == TypeKind::accumulator) consume(array);
    }
  }
  void effect(const FlatMap& e, const Statement&) {
    elements_lambda(e.map, {e.arrays.begin(), e.arrays.end()});
  }
  void effect(const Differentiate& e, const Statement&) {
    elements_lambda(e.function, e.arguments);
  }
  void effect(const CustomDerivative& e, const Statement&) {
    elements_lambda(e.function, e.arguments);
    elements_lambda(e.adjoint, {});
  }
  void effect(const Call& e, const Statement& s) {
    Roots kept;
    const auto callee =
        std::find_if(functions_.begin(), functions_.end(),
                     [&](const Function& function) { return function.name == e.function; });
    for (std::size_t i = 0; i < e.arguments.size(); ++i) {
      if (!e.arguments[i].is_name() || !has_memory(e.arguments[i].name())) continue;
      const bool consumed = callee != functions_.end() && i < callee->consumes.size() &&
                            callee->consumes[i];
      if (consumed) {
        consume(e.arguments[i].name());
      } else {
        for (const NameId root : info_.roots(e.arguments[i].name())) add_unique(kept, root);
      }
    }
    for (const Binder& result : s.results) {
      if (kept.empty() || !has_memory(result.name)) continue;
      Roots roots = kept;
      roots.push_back(result.name);
      set_roots(result.name, std::move(roots));
    }
  }
  void effect(const Branch& e, const Statement& s) {
    const Effects first = scope({}, e.then_body);
    const Effects second = scope({}, e.else_body);
    for (const NameId root : first.consumed) consume_root(root);
    for (const NameId root : second.consumed) consume_root(root);
    std::unordered_map<NameId, NameId> shared;
    for (std::size_t i = 0; i < s.results.size(); ++i) {
      Roots roots;
      const NameId result = s.results[i].name;
      result_roots(result, e.then_body.results[i], current_depth_, roots, shared);
      result_roots(result, e.else_body.results[i], current_depth_, roots, shared);
      if (!roots.empty()) set_roots(result, std::move(roots));
    }
  }
  void effect(const Loop& e, const Statement& s) {
    std::vector<Binder> parameters;
    for (const LoopValue& value : e.values) parameters.push_back(value.parameter);
    const Effects effects = scope(parameters, e.body);
    const std::vector<bool> consumed = consumed_loop_values(e, effects);
    std::unordered_map<NameId, NameId> shared;
    for (std::size_t i = 0; i < e.values.size(); ++i) {
      const Operand& initial = e.values[i].initial;
      if (!initial.is_name() || !has_memory(initial.name())) continue;
      Roots roots{s.results[i].name};
      result_roots(s.results[i].name, e.body.results[i], current_depth_, roots, shared);
      flows(e.body.results[i], e.values[i].parameter.name);
      if (consumed[i]) {
        forbid_inside(e.body, initial.name());
        consume(initial.name());
      }
      for (const std::size_t origin : origins(e, i)) {
        if (consumed[origin]) continue;
        for (const NameId root : info_.roots(e.values[origin].initial.name())) {
          add_unique(roots, root);
        }
      }
      set_roots(s.results[i].name, std::move(roots));
    }
    for (const NameId root : effects.consumed) {
      if (std::none_of(parameters.begin(), parameters.end(),
                       [&](const Binder& parameter) { return parameter.name == root; })) {
        violation(root);
        consume_root(root);
      }
    }
  }
  /// The values whose initial arrays value `of` may be after some iterations: itself, and those
  /// that the body hands on to it.
  std::vector<std::size_t> origins(const Loop& e, std::size_t of) const {
    std::vector<std::size_t> found = {of};
    for (std::size_t next = 0; next < found.size(); ++next) {
      const Operand& result = e.body.results[found[next]];
      if (!result.is_name()) continue;
      for (const NameId root : info_.roots(result.name())) {
        for (std::size_t k = 0; k < e.values.size(); ++k) {
          const bool handed_on =
              root == e.values[k].parameter.name && e.values[k].initial.is_name();
          if (handed_on && std::find(found.begin(), found.end(), k) == found.end()) {
            found.push_back(k);
          }
        }
      }
    }
    return found;
  }
  /// A loop that consumes its parameter must not look at the initial value on the side.
  void forbid_inside(const Body& body, NameId initial) {
    const Roots roots = info_.roots(initial);
    for (const NameId name : free_names(body, names_)) {
      if (!has_memory(name)) continue;
      for (const NameId root : info_.roots(name)) {
        if (std::find(roots.begin(), roots.end(), root) != roots.end()) violation(name);
      }
    }
  }
  /// A parameter is consumed if the body consumes it, or hands it on to one that is.
  std::vector<bool> consumed_loop_values(const Loop& e, const Effects& effects) const {
    const std::size_t count = e.values.size();
    std::vector<bool> consumed(count);
    for (std::size_t i = 0; i < count; ++i) {
      consumed[i] = std::find(effects.consumed.begin(), effects.consumed.end(),
                              e.values[i].parameter.name) != effects.consumed.end();
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < count; ++i) {
        const Operand& result = e.body.results[i];
        if (!consumed[i] || !result.is_name() || !has_memory(result.name())) continue;
        const Roots roots = info_.roots(result.name());
        for (std::size_t j = 0; j < count; ++j) {
          const bool hands_on = std::find(roots.begin(), roots.end(),
                                          e.values[j].parameter.name) != roots.end();
          if (hands_on && !consumed[j]) changed = consumed[j] = true;
        }
      }
    }
    return consumed;
  }

  static bool is_parameter(const Lambda& lambda, NameId name) {
    return std::any_of(lambda.parameters.begin(), lambda.parameters.end(),
                       [&](const Binder& parameter) { return parameter.name == name; });
  }

  // Every point of a segmented operation consumes a part of its own, or accumulates.
  void segmented(const Body& inner) {
    for (const NameId root : scope({}, inner).consumed) consume_root(root);
  }
  void effect(const SegmentedMap& e, const Statement&) { segmented(e.body); }
  void effect(const SegmentedReduce& e, const Statement&) {
    segmented(e.body);
    for (const ReduceOperator& one : e.operators) elements_lambda(one.op, {});
  }
  void effect(const SegmentedScan& e, const Statement&) {
    segmented(e.body);
    for (const ScanOperator& one : e.operators) elements_lambda(one.op, {});
    if (e.post) elements_lambda(*e.post, {});
  }
  void effect(const SegmentedHistogram& e, const Statement&) {
    segmented(e.body);
    for (const HistogramOperator& one : e.operators) {
      elements_lambda(one.op, {});
      for (const NameId destination : one.destinations) consume(destination);
    }
  }
  void effect(const SegmentedScatter& e, const Statement&) {
    segmented(e.body);
    for (const ScatterTarget& target : e.targets) consume(target.destination);
  }

  // Fresh results, nothing consumed.
  void effect(const Scalar&, const Statement&) {}
  void effect(const ArrayLiteral&, const Statement&) {}
  void effect(const Iota&, const Statement&) {}
  void effect(const Replicate&, const Statement&) {}
  void effect(const Concat&, const Statement&) {}
  void effect(const Copy&, const Statement&) {}
  void effect(const Scratch&, const Statement&) {}
  void effect(const Assert&, const Statement&) {}

  const Names& names_;
  const std::vector<Function>& functions_;
  AliasInfo& info_;
  std::unordered_map<NameId, std::size_t> depth_;
  std::size_t current_depth_ = 0;
  std::unordered_map<NameId, std::vector<NameId>> sources_;  // memory that flows into a name
  NameSet dead_;
  std::vector<NameId> trail_;
  const Statement* current_ = nullptr;
};

AliasInfo analyse_aliases(const Function& function, const Names& names,
                          const std::vector<Function>& functions) {
  AliasInfo info;
  AliasWalk(names, functions, info).function(function);
  return info;
}

AliasInfo analyse_aliases(const Function& function, const Program& program) {
  return analyse_aliases(function, program.names, program.functions);
}

std::vector<NameId> consumed_by(const Statement& statement, const Names& names,
                                const std::vector<Function>& functions) {
  Function alone;
  for (const NameId name : free_names(statement, names)) alone.parameters.push_back({name});
  alone.body.statements = {statement};
  AliasInfo info;
  AliasWalk(names, functions, info).function(alone);
  return info.consumed_by(statement);
}

}  // namespace dagaz::ir
