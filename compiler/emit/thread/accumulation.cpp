#include "emit/thread/accumulation.h"

#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/memory/joins.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/atomics.h"
#include "emit/thread/combine.h"

namespace dagaz::emit {

void emit_operation(Context& c, const ir::Statement& s, const ir::WithAccumulator& e) {
  for (std::size_t k = 0; k < e.inputs.size(); ++k) {
    const ir::AccumulatorInput& input = e.inputs[k];
    ir::Type row = c.names().type(input.array);
    row.shape.erase(row.shape.begin(),
                    row.shape.begin() + static_cast<std::ptrdiff_t>(input.shape.size()));
    c.accumulators.open(e.body.parameters[k].name,
                        Accumulator{c.arrays.place_of(input.array), input.shape, row,
                                    input.op ? &*input.op : nullptr, &input.neutral, c.mode});
  }
  std::vector<Destination> destinations;
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    destinations.push_back(k < e.inputs.size() ? std::nullopt
                                               : c.arrays.destination_of(s.results[k].name));
  }
  const std::size_t opened = e.inputs.size();
  std::vector<Join> joins(s.results.size());
  emit_body(c, e.body.body, destinations, [&](const std::vector<Value>& values) {
    for (std::size_t k = opened; k < values.size(); ++k) {
      if (values[k].place && c.mode == Mode::host) {
        joins[k] = new_join(c, s.results[k].name);
        set_join(c, joins[k], values[k]);
      } else {
        assign(c, s.results[k].name, values[k]);
      }
    }
  });
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    const NameId name = s.results[k].name;
    if (k < opened) {
      c.arrays.bind(name, c.arrays.place_of(e.inputs[k].array));
    } else if (joins[k].block.valid()) {
      own(c, joins[k].block, name);
      c.arrays.bind(name, row_major(c, joins[k].block, joins[k].offset, c.shape_of(name)));
    }
  }
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Accumulate& e) {
  c.accumulators.continue_as(s.results[0].name, e.accumulator);
  c.thread.uses_memory = true;  // iterations meet in memory: not independent
  const Value value = value_of(c, e.value);
  if (c.mode == Mode::host) {
    // One point of parallel code, where rows and device memory are at hand.
    for_each_point(c, {}, little_work(c, 0), "accumulate",
                   [&](const std::vector<Operand>&) { accumulate(c, e, value); });
  } else {
    accumulate(c, e, value, ahead_of(c, s.results[0].name));
  }
}

void accumulate(Context& c, const ir::Accumulate& e, const Value& value,
                std::optional<int> ahead) {
  const Accumulator accumulator = c.accumulators.of(e.accumulator, e.indices);
  c.branch(is_inside(c, e.indices, accumulator.shape), [&] {
    if (!accumulator.op) {
      write(c, accumulator.place, e.indices, value, ahead);
    } else if (accumulator.opened == c.mode) {
      combine_at(c, *accumulator.op, {accumulator.place}, e.indices, {value});
    } else {
      c.accumulators.share(e.accumulator);
      combine_atomically(c, *accumulator.op, accumulator.row, accumulator.place, e.indices, value);
    }
  });
}

}  // namespace dagaz::emit
