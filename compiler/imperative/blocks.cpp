// Elements that end in a step which must run in order, on the CPU: what that step needs is computed
// for a block of them at a time, in a loop that vectorises, and held for a loop that cannot.
//
//   for i: d[f i] ⊙= g i          becomes, for blocks of i,
//   for i: at[i] = f i; v[i] = g i
//   for i: d[at[i]] ⊙= v[i]
//
// A value that is no more than read, g i = x[i], is read in the second loop.
#include <algorithm>

#include "imperative/lowering.h"

namespace dagaz::imperative {

namespace {

/// Per result of a body from `first` on: whether it is known without the body's arithmetic, where
/// it comes from outside or is read from there.  Such a result need not be held.  Nobody writes to
/// what it is read from: only targets may be made in the place of an array that the body reads.
struct Sources {
  std::vector<bool> is_held;
  std::vector<const ir::Statement*> reads;
};

Sources sources_of(const ir::Body& body, std::size_t first) {
  std::unordered_map<NameId, const ir::Statement*> made;
  for (const ir::Statement& one : body.statements) {
    for (const ir::Binder& result : one.results) made.emplace(result.name, &one);
  }
  const auto is_made = [&](const Operand& one) {
    return one.is_name() && made.contains(one.name());
  };
  Sources sources;
  for (std::size_t k = first; k < body.results.size(); ++k) {
    const Operand& result = body.results[k];
    const ir::Statement* maker = is_made(result) ? made[result.name()] : nullptr;
    const auto* read = maker == nullptr ? nullptr : as<ir::Index>(maker->operation);
    const bool again = first == 0 && read != nullptr &&
                       std::none_of(read->indices.begin(), read->indices.end(), is_made);
    sources.is_held.push_back(maker != nullptr && !again);
    if (again) sources.reads.push_back(maker);
  }
  return sources;
}

}  // namespace

void Lowering::in_blocks(const Operand& count, const ir::HeldBlocks& blocks,
                         const BlockBody& elements, const Finish& use) {
  const ir::Body& body = elements.body;
  const std::size_t first = body.results.size() - elements.types.size();
  const Sources sources = sources_of(body, first);
  const Operand size = ir::i64_operand(blocks.elements);
  thread_loop(divide_up(count, size), false, [&](const Operand& block) {
    const Operand start = mul(block, size);
    const Operand length = minimum(size, sub(count, start));
    std::vector<Destination> held;
    for (std::size_t k = 0; k < elements.types.size(); ++k) {
      held.push_back(std::nullopt);
      if (!sources.is_held[k]) continue;
      held[k] = private_array(ir::array_of(elements.types[k].element, {size}), "held");
    }
    thread_loop(length, true, [&](const Operand& i) {
      const std::vector<Operand> point = elements.point(add(start, i));
      set_indices(elements.space, point);
      lower_body(body, {}, [&](const std::vector<Value>& values) {
        auto next = values.begin();
        for (const Destination& target : elements.targets) {
          if (target) write(*target, point, *next++);
        }
        for (const Destination& place : held) {
          if (place) write(*place, {i}, *next);
          ++next;
        }
      });
    });
    thread_loop(length, false, [&](const Operand& i) {
      set_indices(elements.space, elements.point(add(start, i)));
      for (const ir::Statement* read : sources.reads) lower_statement(*read);
      std::vector<Value> values;
      for (std::size_t k = 0; k < held.size(); ++k) {
        values.push_back(held[k] ? values_at({*held[k]}, {elements.types[k]}, {i})[0]
                                 : value_of(body.results[first + k]));
      }
      use(values);
    });
  });
}

}  // namespace dagaz::imperative
