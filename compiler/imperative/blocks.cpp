// Elements that end in a step which must run in order, on the CPU: what that step needs is computed
// for a block of them at a time, in a loop that vectorises, and held for a loop that cannot.
//
//   for i: d[f i] ⊙= g i          becomes, for blocks of i,
//   for i: at[i] = f i; v[i] = g i
//   for i: d[at[i]] ⊙= v[i]
#include <algorithm>

#include "imperative/lowering.h"

namespace dagaz::imperative {

// What a block holds stays in the first-level cache.
static constexpr std::int64_t elements_of_a_block = 256;
// Fewer operations cost no more than to store their result.
static constexpr std::int64_t worth_a_block = 8;

// Whether a body is nothing but arithmetic, reading of numbers and accumulation, enough of it to be
// computed in blocks.
bool Lowering::is_worth_a_block(const ir::Body& body) {
  std::int64_t operations = 0;
  for (const ir::Statement& one : body.statements) {
    const bool reads = as<ir::Index>(one.operation) != nullptr &&
                       names().type(one.results[0].name).is_scalar();
    if (as<ir::Scalar>(one.operation)) {
      ++operations;
    } else if (!reads && !as<ir::Accumulate>(one.operation)) {
      return false;
    }
  }
  return operations >= worth_a_block;
}

void Lowering::in_blocks(const Operand& count, const std::vector<ir::Type>& types,
                         const ElementFunction& compute, const Finish& use) {
  const Operand size = ir::i64_operand(elements_of_a_block);
  thread_loop(divide_up(count, size), false, [&](const Operand& block) {
    const Operand first = mul(block, size);
    const Operand length = minimum(size, sub(count, first));
    std::vector<Place> held;
    for (const ir::Type& type : types) {
      held.push_back(private_array(ir::array_of(type.element, {size}), "held"));
    }
    thread_loop(length, true, [&](const Operand& i) {
      compute(add(first, i),
              [&](const std::vector<Value>& values) { write_all(held, {i}, values); });
    });
    thread_loop(length, false, [&](const Operand& i) { use(values_at(held, types, {i})); });
  });
}

}  // namespace dagaz::imperative
