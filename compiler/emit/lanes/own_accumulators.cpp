#include "emit/lanes/own_accumulators.h"

#include "emit/lanes/arrays.h"
#include "emit/lanes/masks.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/statements.h"
#include "emit/thread/combine.h"

namespace dagaz::emit {

void continue_accumulator(Lanes& l, NameId to, NameId from) {
  const auto own = l.known.accumulators.find(from);
  if (own == l.known.accumulators.end()) {
    l.c.accumulators.continue_as(to, from);
  } else {
    l.known.accumulators.insert_or_assign(to, LaneAccumulator(own->second));
  }
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::WithAccumulator& e) {
  const std::size_t opened = e.inputs.size();
  std::vector<LaneArray> arrays;
  for (std::size_t k = 0; k < opened; ++k) {
    const ir::AccumulatorInput& input = e.inputs[k];
    arrays.push_back(own_array(l, input.array));
    l.known.accumulators.insert_or_assign(
        e.body.parameters[k].name,
        LaneAccumulator{arrays[k], input.shape, input.op ? &*input.op : nullptr});
  }
  const std::vector<LaneResult> results = emit_body(l, e.body.body, {});
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (k < opened) {
      bind(l, s.results[k].name, arrays[k]);
    } else if (l.c.names().type(s.results[k].name).kind == ir::TypeKind::accumulator) {
      continue_accumulator(l, s.results[k].name, e.body.body.results[k].name());
    } else {
      bind(l, s.results[k].name, results[k]);
    }
  }
}

static void combine_element(Lanes& l, const LaneAccumulator& own,
                            const std::vector<LaneScalar>& indices, const LaneScalar& value) {
  const LaneArray element = part_of(l, own.array, indices);
  if (!own.op) {
    store(l, element, value);
    return;
  }
  const LaneScalar old = load(l, element, value.type);
  const ir::Lambda op = copy_of(l.c, *own.op);
  const std::vector<LaneResult> sum =
      emit_lambda(l, op, {{old, std::nullopt}, {value, std::nullopt}}, {});
  store(l, element, *sum[0].scalar);
}

void accumulate_own(Lanes& l, const ir::Accumulate& e, const LaneAccumulator& own) {
  std::vector<LaneScalar> indices;
  std::vector<Operand> same;
  for (const Operand& index : e.indices) {
    indices.push_back(scalar_of(l, index));
    if (indices.back().is_uniform()) same.push_back(index);
  }
  const LaneScalar value = scalar_of(l, e.value);
  if (same.size() == indices.size()) {
    l.c.branch(is_inside(l.c, same, own.shape), [&] { combine_element(l, own, indices, value); });
  } else {
    where_or_nowhere(l, are_inside(l, indices, own.shape),
                     [&] { combine_element(l, own, indices, value); });
  }
}

}  // namespace dagaz::emit
