#include "emit/memory/homes.h"

#include "emit/memory/allocation.h"
#include "emit/memory/concatenations.h"
#include "emit/memory/host_scope.h"
#include "emit/memory/joins.h"
#include "support/match.h"

namespace dagaz::emit {

NameId own_block(Context& c, const Operand& bytes, std::string_view base, NameId array) {
  const NameId block = c.block_variable(base);
  c.emit(Allocate{block, bytes});
  own(c, block, array);
  return block;
}

// A new block for `array`, its dimensions in `order` from the outermost in memory on.
static Place own_array(Context& c, NameId array, const std::vector<int>& order) {
  const ir::Type& type = c.names().type(array);
  const NameId block = own_block(c, byte_count(c, type), c.names().base(array), array);
  return in_order(c, block, type.shape, order);
}

Place in_order(Context& c, NameId block, const std::vector<Operand>& shape,
               const std::vector<int>& order) {
  if (order.empty()) return row_major(c, block, ir::i64_operand(0), shape);
  std::vector<Operand> turned;
  for (const int k : order) turned.push_back(shape[static_cast<std::size_t>(k)]);
  return permuted_back(row_major(c, block, ir::i64_operand(0), turned), order);
}

// `result` lies where `array` lies, and keeps that alive.
static Place over_array(Context& c, NameId array, NameId result) {
  const Place old = c.arrays.place_of(array);
  const Join join = new_join(c, array);
  c.emit(Share{join.block, old.block});
  c.move(join.offset, old.offset);
  own(c, join.block, result);
  return row_major(c, join.block, join.offset, c.names().type(array).shape);
}

// In the next row, or in a block of its own.
static Place at_checkpoint(Context& c, NameId result, const memory::Checkpoint& checkpoint) {
  const ir::Type type = c.names().type(result);
  const Operand index = c.to_i64(checkpoint.index, c.names().type(checkpoint.index).element);
  const Operand next = c.add(index, ir::i64_operand(1));
  const Join join = new_join(c, result);
  host_branch(
      c, c.less(next, c.checkpoint_counts.at(result)),
      [&] {
        const Place row = part_at(c, c.arrays.place_of(checkpoint.rows), {next});
        c.emit(Share{join.block, row.block});
        c.move(join.offset, row.offset);
      },
      [&] {
        set_join(c, join, Value{{}, type, new_array(c, type, c.names().base(result))});
      });
  own(c, join.block, result);
  return row_major(c, join.block, join.offset, type.shape);
}

Place at_home(Context& c, NameId array) {
  return match(
      c.memory.home(array), [&](const memory::Own& own) { return own_array(c, array, own.order); },
      [&](const memory::Nowhere&) -> Place { DZ_UNREACHABLE("an array that lies nowhere"); },
      [&](const memory::Over& over) { return over_array(c, over.array, array); },
      [&](const memory::OverPart& over) { return c.arrays.place_of(over.view); },
      [&](const memory::Within& within) {
        return slice_of(c, c.arrays.place_of(within.array), c.shape_of(within.array), within.part);
      },
      [&](const memory::PieceOf& piece) { return place_of_origin(c, array, piece.whole); },
      [&](const memory::Checkpoint& checkpoint) { return at_checkpoint(c, array, checkpoint); },
      [&](const memory::SameAs& same) { return c.arrays.place_of(same.array); },
      [&](const memory::OfBranch& branch) { return c.arrays.place_of(branch.result); });
}

bool is_over(const Context& c, NameId result) {
  const memory::Home& home = c.memory.home(result);
  return std::holds_alternative<memory::Over>(home) ||
         std::holds_alternative<memory::OverPart>(home);
}

void count_checkpoints(Context& c, const ir::Loop& e) {
  for (const Operand& next : e.body.results) {
    if (!next.is_name()) continue;
    const auto* home = std::get_if<memory::Checkpoint>(&c.memory.home(next.name()));
    if (home == nullptr || c.checkpoint_counts.contains(next.name())) continue;
    const ScalarType type = c.names().type(home->index).element;
    c.checkpoint_counts.emplace(next.name(),
                                c.minimum(c.to_i64(home->bound, type), c.shape_of(home->rows)[0]));
  }
}

}  // namespace dagaz::emit
