// Forward mode of maps with scans and reductions.  Lambdas get parameters and results for tangents;
// an operator becomes the operator of dual numbers
//   (a, a') ⊙ (b, b') = (a ⊙ b, ∂₁⊙·a' + ∂₂⊙·b'),   neutral (e, 0),
// which is associative because it is ⊙ lifted to first order.  A sum's tangents are sums.
#include "passes/ad/lists.h"
#include "passes/ad/rules/dual_operators.h"
#include "passes/ad/rules/forward_rules.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// The parts of the new operation while it is being built.  The results of its map come in groups:
// one for each scan, one for each reduction, one for what is only mapped; each holds the values,
// then their tangents.
struct DualMap {
  struct Group {
    std::vector<Operand> values;  // original
    std::vector<Type> types;      // original
    Slots slots;
  };

  Forward& f;
  const Statement& statement;
  const MapScanReduce& map;
  MapScanReduce result = {};
  std::vector<Group> groups = {};
  std::vector<Binder> binders = {};
  std::size_t next_value = 0;   // of the original map's results
  std::size_t next_result = 0;  // of the original statement's

  Slots operator_slots(const Lambda& op) {
    std::vector<Directions> all;
    for (std::size_t i = 0; i < op.parameters.size() / 2; ++i) {
      all.push_back(f.tangents.dependence().of(op.parameters[i].name));
    }
    return f.tangents.slots_of(all);
  }

  void add_group(std::size_t count, const Slots& slots) {
    Group group{{}, {}, slots};
    for (std::size_t i = 0; i < count; ++i, ++next_value) {
      group.values.push_back(map.map.body.results[next_value]);
      group.types.push_back(map.map.result_types[next_value]);
    }
    groups.push_back(std::move(group));
  }

  Operand zero_like(const Operand& original) {
    return f.environment.zero(f.environment.type_of(original));
  }

  void add_scan(const ScanOperator& scan) {
    const Slots slots = operator_slots(scan.op);
    add_group(scan.neutral.size(), slots);
    if (!is_addition(scan.op)) {
      std::vector<Operand> neutral = dual_neutral(f, scan.neutral, slots);
      result.scans.push_back({dual_operator(f, scan.op, slots), std::move(neutral)});
      return;
    }
    result.scans.push_back(
        {f.environment.copy_lambda(scan.op), f.environment.operands(scan.neutral)});
    for (std::size_t i = 0; i < slots.size(); ++i) {
      result.scans.push_back({f.environment.copy_lambda(scan.op), {zero_like(scan.neutral[0])}});
    }
  }

  void add_reduction(const ReduceOperator& reduce) {
    const Slots slots = operator_slots(reduce.op);
    add_group(reduce.neutral.size(), slots);
    if (is_addition(reduce.op)) {
      result.reductions.push_back({f.environment.copy_lambda(reduce.op),
                                   f.environment.operands(reduce.neutral), reduce.commutative});
      for (std::size_t i = 0; i < slots.size(); ++i) {
        result.reductions.push_back({f.environment.copy_lambda(reduce.op),
                                     {zero_like(reduce.neutral[0])},
                                     reduce.commutative});
      }
    } else {
      std::vector<Operand> neutral = dual_neutral(f, reduce.neutral, slots);
      result.reductions.push_back(
          {dual_operator(f, reduce.op, slots), std::move(neutral), reduce.commutative});
    }
    bind(next_results(reduce.neutral.size()), slots);
  }

  void add_mapped() {
    const auto& values = map.map.body.results;
    const std::vector<Operand> rest = part(values, next_value, values.size());
    add_group(rest.size(), f.tangents.slots(rest));
  }

  std::vector<Binder> next_results(std::size_t count) {
    next_result += count;
    return part(statement.results, next_result - count, next_result);
  }

  void bind(const std::vector<Binder>& originals, const Slots& slots) {
    binders = concatenated(std::move(binders), f.tangents.dual_binders(originals, slots));
  }

  void emit_map(const Slots& array_slots) {
    result.map.parameters = f.tangents.dual_binders(map.map.parameters, array_slots);
    NestedScope scope(f.environment);
    emit_dual(f, map.map.body.statements);
    std::vector<Operand> results;
    auto& types = result.map.result_types;
    for (const Group& group : groups) {
      results =
          concatenated(std::move(results), f.tangents.dual_operands(group.values, group.slots));
      types = concatenated(std::move(types), f.tangents.dual_types(group.types, group.slots));
    }
    result.map.body = scope.take(std::move(results));
  }

  // Binders for `originals`, which stand for the groups that are not reduced.
  std::vector<Binder> binders_of_groups(const std::vector<Binder>& originals) {
    std::vector<Binder> all;
    std::size_t next = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const bool reduced = i >= map.scans.size() && i + 1 < groups.size();
      if (reduced) continue;
      const std::size_t end = next + groups[i].values.size();
      all = concatenated(std::move(all),
                         f.tangents.dual_binders(part(originals, next, end), groups[i].slots));
      next = end;
    }
    return all;
  }

  // What comes after the scans: post's parameters are laid out like the groups.
  void emit_post() {
    const std::vector<Binder> results = next_results(statement.results.size() - next_result);
    if (!map.post) {
      binders = concatenated(std::move(binders), binders_of_groups(results));
      return;
    }
    Lambda post;
    post.parameters = binders_of_groups(map.post->parameters);
    const Slots slots = f.tangents.slots(map.post->body.results);
    post.body = dual_body(f, map.post->body, slots);
    post.result_types = f.tangents.dual_types(map.post->result_types, slots);
    result.post = std::move(post);
    bind(results, slots);
  }
};

}  // namespace

void tangent_rule(Forward& f, const Statement& statement, const MapScanReduce& map) {
  DualMap dual{f, statement, map};
  dual.result.width = f.environment.operand(map.width);
  dual.result.sequential = map.sequential;
  const Slots array_slots = f.tangents.slots(map.arrays);
  dual.result.arrays = f.tangents.dual_names(map.arrays, array_slots);
  for (const ScanOperator& scan : map.scans) dual.add_scan(scan);
  for (const ReduceOperator& reduce : map.reductions) dual.add_reduction(reduce);
  dual.add_mapped();
  dual.emit_map(array_slots);
  dual.emit_post();
  f.environment.emit_bound(statement, std::move(dual.result), dual.binders);
}

}  // namespace dagaz::passes::ad
