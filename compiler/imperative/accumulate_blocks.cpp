// Maps whose points accumulate, on the CPU: what they add, and where, is computed for a block of
// points at a time, in a loop that vectorises, and then added in a loop that cannot.
//
//   for i: acc[f i] += g i        becomes, for blocks of i,
//   for i: at[i] = f i; v[i] = g i
//   for i: acc[at[i]] += v[i]
#include <algorithm>

#include "imperative/lowering.h"

namespace dagaz::imperative {

// What a block adds stays in the first-level cache.
static constexpr std::int64_t points_of_a_block = 256;
// Fewer operations cost no more than to store their result.
static constexpr std::int64_t worth_a_block = 8;

bool Lowering::accumulates_in_blocks(const ir::SegmentedMap& e) {
  if (is_gpu() || mode_ != Mode::host || e.space.empty()) return false;
  std::int64_t operations = 0;
  bool accumulates = false;
  for (const ir::Statement& one : e.body.statements) {
    const auto* accumulate = as<ir::Accumulate>(one.operation);
    if (accumulate != nullptr) {
      accumulates = true;
      if (!accumulator_of(accumulate->accumulator).row.is_scalar()) return false;
      continue_accumulator(one.results[0].name, accumulate->accumulator);
    } else if (as<ir::Scalar>(one.operation)) {
      ++operations;
    } else if (!as<ir::Index>(one.operation) || !names().type(one.results[0].name).is_scalar()) {
      return false;
    }
  }
  return accumulates && operations >= worth_a_block;
}

namespace {

/// The indices of an addition, and its value.
std::vector<Operand> operands_of(const ir::Accumulate& addition) {
  std::vector<Operand> operands = addition.indices;
  operands.push_back(addition.value);
  return operands;
}

/// A body as what its points compute, and what they add.
struct Divided {
  ir::Body computed;  // its results: the mapped ones, and the operands of all additions
  std::size_t mapped = 0;
  std::vector<const ir::Accumulate*> additions;
};

Divided divided(const ir::Body& body, const ir::Names& names) {
  Divided result;
  for (const ir::Statement& one : body.statements) {
    if (const auto* addition = as<ir::Accumulate>(one.operation)) {
      result.additions.push_back(addition);
    } else {
      result.computed.statements.push_back(one);
    }
  }
  for (const Operand& one : body.results) {
    const bool is_memory =
        one.is_name() && names.type(one.name()).kind == ir::TypeKind::accumulator;
    if (!is_memory) result.computed.results.push_back(one);
  }
  result.mapped = result.computed.results.size();
  for (const ir::Accumulate* one : result.additions) {
    for (const Operand& operand : operands_of(*one)) result.computed.results.push_back(operand);
  }
  return result;
}

}  // namespace

void Lowering::accumulate_in_blocks(const ir::Statement& s, const ir::SegmentedMap& e,
                                    const std::vector<Wish>& targets) {
  const Divided body = divided(e.body, names());
  parallel_rows(extents_of(e.space), cost_of(e.body), [&](const std::vector<Operand>& outer,
                                                         const Operand& low, const Operand& high) {
    const Operand size = ir::i64_operand(points_of_a_block);
    const Operand width = sub(high, low);
    thread_loop(divide_up(width, size), false, [&](const Operand& block) {
      const Operand first = mul(block, size);
      const Operand length = minimum(size, sub(width, first));
      std::vector<std::vector<Place>> held;
      for (const ir::Accumulate* one : body.additions) held.push_back(block_of(*one, size));
      thread_loop(length, true, [&](const Operand& i) {
        const std::vector<Operand> point = with(outer, add(low, add(first, i)));
        set_indices(e.space, point);
        lower_body(body.computed, {}, [&](const std::vector<Value>& values) {
          auto next = values.begin();
          for (const Wish& target : targets) {
            if (target) write(*target, point, *next++);
          }
          for (const std::vector<Place>& places : held) {
            for (const Place& place : places) write(place, {i}, *next++);
          }
        });
      });
      for (std::size_t k = 0; k < held.size(); ++k) {
        thread_loop(length, false,
                    [&](const Operand& i) { add_held(*body.additions[k], held[k], i); });
      }
    });
  });
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k]) continue_accumulator(s.results[k].name, e.body.results[k].name());
  }
}

// Room for the indices and the values of `size` additions.
std::vector<Place> Lowering::block_of(const ir::Accumulate& addition, const Operand& size) {
  const ScalarType element = accumulator_of(addition.accumulator).row.element;
  std::vector<Place> block;
  for (std::size_t k = 0; k < addition.indices.size(); ++k) {
    block.push_back(private_array(ir::array_of(ScalarType::i64, {size}), "at"));
  }
  block.push_back(private_array(ir::array_of(element, {size}), "added"));
  return block;
}

void Lowering::add_held(const ir::Accumulate& addition, const std::vector<Place>& held,
                        const Operand& i) {
  const ir::Type row = accumulator_of(addition.accumulator).row;
  ir::Accumulate one{addition.accumulator, {}, {}};
  for (std::size_t k = 0; k < addition.indices.size(); ++k) {
    one.indices.push_back(load(held[k], {i}, ScalarType::i64, "index"));
  }
  const Operand value = load(held.back(), {i}, row.element, "value");
  accumulate(one, {value, row, std::nullopt});
}

}  // namespace dagaz::imperative
