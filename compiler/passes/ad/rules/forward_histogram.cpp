// Forward mode of histograms: an operator becomes that of dual numbers; a sum's tangents are
// histograms of their own, with the same indices.
#include "passes/ad/lists.h"
#include "passes/ad/rules/dual_operators.h"
#include "passes/ad/rules/forward_rules.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

struct DualHistogram {
  // What goes into one new operator: the indices, and values, tangents of values, or both.
  struct Entry {
    std::vector<Operand> indices;
    std::vector<Operand> values;
    std::vector<Type> index_types;
    std::vector<Type> value_types;
    Slots slots;
    bool only_tangent = false;
  };

  Forward& f;
  const Statement& statement;
  const Histogram& histogram;
  Histogram result = {};
  std::vector<Entry> entries = {};
  std::vector<Binder> binders = {};
  std::size_t next_value = 0;   // of the original map's results
  std::size_t next_result = 0;  // of the original statement's

  Entry next_entry(const HistogramOperator& each) {
    Entry entry;
    const std::size_t rank = each.shape.size();
    for (std::size_t i = 0; i < rank + each.destinations.size(); ++i, ++next_value) {
      const Operand& value = histogram.map.body.results[next_value];
      const Type& type = histogram.map.result_types[next_value];
      (i < rank ? entry.indices : entry.values).push_back(value);
      (i < rank ? entry.index_types : entry.value_types).push_back(type);
    }
    return entry;
  }

  void add(const HistogramOperator& each) {
    Entry entry = next_entry(each);
    const std::size_t end = next_result + each.destinations.size();
    const std::vector<Binder> originals = part(statement.results, next_result, end);
    next_result = end;
    const Slots slots = f.tangents.slots(originals);
    const std::vector<NameId> tangents = f.tangents.names_in_slots(each.destinations, slots);
    HistogramOperator primal{f.environment.operands(each.shape),
                             f.environment.names_of(each.destinations),
                             f.environment.operands(each.neutral),
                             {}};
    binders = concatenated(std::move(binders), f.tangents.dual_binders(originals, slots));
    if (is_addition(each.op)) {
      add_sums(each, std::move(primal), std::move(entry), slots, tangents);
      return;
    }
    primal.destinations = concatenated(std::move(primal.destinations), tangents);
    primal.neutral = dual_neutral(f, each.neutral, slots);
    primal.op = dual_operator(f, each.op, slots);
    result.operators.push_back(std::move(primal));
    entry.slots = slots;
    entries.push_back(std::move(entry));
  }

  void add_sums(const HistogramOperator& each, HistogramOperator primal, Entry entry,
                const Slots& slots, const std::vector<NameId>& tangents) {
    primal.op = f.environment.copy_lambda(each.op);
    result.operators.push_back(primal);
    entries.push_back(entry);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      HistogramOperator sum = primal;
      sum.op = f.environment.copy_lambda(each.op);
      sum.destinations = {tangents[i]};
      sum.neutral = {f.environment.zero(f.environment.type_of(each.neutral[0]))};
      result.operators.push_back(std::move(sum));
      entry.only_tangent = true;
      entry.slots = {slots[i]};
      entries.push_back(entry);
    }
  }

  void emit_map(const Slots& array_slots) {
    result.map.parameters = f.tangents.dual_binders(histogram.map.parameters, array_slots);
    NestedScope scope(f.environment);
    emit_dual(f, histogram.map.body.statements);
    std::vector<Operand> results;
    auto& result_types = result.map.result_types;
    for (const Entry& entry : entries) {
      results = concatenated(std::move(results), f.environment.operands(entry.indices));
      result_types =
          concatenated(std::move(result_types), f.tangents.dual_types(entry.index_types, {}));
      const std::vector<Operand> values = f.tangents.dual_operands(entry.values, entry.slots);
      const std::vector<Type> types = f.tangents.dual_types(entry.value_types, entry.slots);
      const std::size_t first = entry.only_tangent ? entry.values.size() : 0;
      results = concatenated(std::move(results), part(values, first, values.size()));
      result_types = concatenated(std::move(result_types), part(types, first, types.size()));
    }
    result.map.body = scope.take(std::move(results));
  }
};

}  // namespace

void tangent_rule(Forward& f, const Statement& statement, const Histogram& histogram) {
  DualHistogram dual{f, statement, histogram};
  dual.result.width = f.environment.operand(histogram.width);
  const Slots array_slots = f.tangents.slots(histogram.arrays);
  dual.result.arrays = f.tangents.dual_names(histogram.arrays, array_slots);
  for (const HistogramOperator& each : histogram.operators) dual.add(each);
  dual.emit_map(array_slots);
  f.environment.emit_bound(statement, std::move(dual.result), dual.binders);
}

}  // namespace dagaz::passes::ad
