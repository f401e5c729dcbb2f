#include "emit/host/held_blocks.h"

#include <algorithm>

#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

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

void in_blocks(Context& c, const Operand& count, const ir::HeldBlocks& blocks,
               const BlockBody& elements, const Finish& use) {
  const ir::Body& body = elements.body;
  const std::size_t first = body.results.size() - elements.types.size();
  const Sources sources = sources_of(body, first);
  const Operand size = ir::i64_operand(blocks.elements);
  thread_loop(c, c.divide_up(count, size), false, [&](const Operand& block) {
    const Operand start = c.mul(block, size);
    const Operand length = c.minimum(size, c.sub(count, start));
    std::vector<Destination> held;
    for (std::size_t k = 0; k < elements.types.size(); ++k) {
      held.push_back(std::nullopt);
      if (!sources.is_held[k]) continue;
      held[k] = private_array(c, ir::array_of(elements.types[k].element, {size}), "held");
    }
    thread_loop(c, length, true, [&](const Operand& i) {
      const std::vector<Operand> point = elements.point(c.add(start, i));
      set_indices(c, elements.space, point);
      emit_body(c, body, {}, [&](const std::vector<Value>& values) {
        auto next = values.begin();
        for (const Destination& target : elements.targets) {
          if (target) write(c, *target, point, *next++);
        }
        for (const Destination& place : held) {
          if (place) write(c, *place, {i}, *next);
          ++next;
        }
      });
    });
    thread_loop(c, length, false, [&](const Operand& i) {
      set_indices(c, elements.space, elements.point(c.add(start, i)));
      for (const ir::Statement* read : sources.reads) emit_statement(c, *read);
      std::vector<Value> values;
      for (std::size_t k = 0; k < held.size(); ++k) {
        values.push_back(held[k] ? values_at(c, {*held[k]}, {elements.types[k]}, {i})[0]
                                 : value_of(c, body.results[first + k]));
      }
      use(values);
    });
  });
}

}  // namespace dagaz::emit
