// A vector of points that each store an element of a row of its own is a scatter: as many stores as
// lanes, each to another line of the cache.  As many elements as lanes are first written to a tile
// where the points are neighbours; then they cross over in registers, and each point's are one
// vector in its row.  What is left over at the end goes one by one.
#include "emit/lanes/turned_rows.h"

#include "emit/lanes/arrays.h"
#include "emit/lanes/packing.h"
#include "emit/lanes/values.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

namespace {

struct TurnedRow {
  std::size_t position;  // of the result
  LaneArray row;
  LaneArray tile;
  ScalarType element;
};

/// The tile as part of a row that has its first element as the `first`-th.
LaneArray as_row(Lanes& l, const LaneArray& tile, const Operand& first) {
  LaneArray row = tile;
  const Operand before = l.c.mul(first, tile.place.strides.front());
  row.offset = add(l, tile.offset, uniform(l, l.c.sub(ir::i64_operand(0), before)));
  return row;
}

}  // namespace

void in_turned_rows(Lanes& l, const Operand& width, const std::vector<NameId>& results,
                    std::vector<LaneArray>& targets, const RowFunction& iteration) {
  const Operand lanes = ir::i64_operand(l.block.width);
  const Operand length = uniform_operand(l, width);
  std::vector<TurnedRow> all;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!is_turned(l, targets[k], results[k])) continue;
    const ScalarType element = l.c.names().type(results[k]).element;
    all.push_back({k, targets[k], new_array(l, ir::array_of(element, {lanes}), "tile"), element});
  }
  thread_loop(l.c, l.c.divide_up(length, lanes), false, [&](const Operand& block) {
    const Operand first = l.c.mul(block, lanes);
    const Operand count = l.c.minimum(lanes, l.c.sub(length, first));
    for (const TurnedRow& one : all) targets[one.position] = as_row(l, one.tile, first);
    thread_loop(l.c, count, false,
                [&](const Operand& i) { iteration(uniform(l, l.c.add(first, i))); });
    const auto singly = [&] {
      thread_loop(l.c, count, false, [&](const Operand& i) {
        for (const TurnedRow& one : all) {
          const LaneScalar element = load(l, part_of(l, one.tile, {uniform(l, i)}), one.element);
          store(l, part_of(l, one.row, {uniform(l, l.c.add(first, i))}), element);
        }
      });
    };
    l.c.branch(l.c.less(count, lanes), singly, [&] {
      for (const TurnedRow& one : all) turn_tile(l, one.row, one.tile, first, one.element);
    });
  });
}

}  // namespace dagaz::emit
