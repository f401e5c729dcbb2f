// Arrays of host code get the memory that memory/ has decided on.
#include <algorithm>

#include "imperative/lowering.h"
#include "support/match.h"

namespace dagaz::imperative {

// A new block for `array`.
NameId Lowering::own_block(const Operand& bytes, std::string_view base, NameId array) {
  const NameId block = block_variable(base);
  emit(Allocate{block, bytes});
  own(block, array);
  return block;
}

// A new block for `array`, its dimensions in `order` from the outermost in memory on.
Place Lowering::own_array(NameId array, const std::vector<int>& order) {
  const ir::Type& type = names().type(array);
  const NameId block = own_block(byte_count(type), names().base(array), array);
  return in_order(block, type.shape, order);
}

// Row-major order where none is given.
Place Lowering::in_order(NameId block, const std::vector<Operand>& shape,
                         const std::vector<int>& order) {
  if (order.empty()) return row_major(*this, block, ir::i64_operand(0), shape);
  std::vector<Operand> turned;
  for (const int k : order) turned.push_back(shape[static_cast<std::size_t>(k)]);
  return permuted_back(row_major(*this, block, ir::i64_operand(0), turned), order);
}

Place Lowering::at_home(NameId array) {
  return match(
      memory_.home(array),
      [&](const memory::Own& own) { return own_array(array, own.order); },
      [&](const memory::Nowhere&) -> Place { DZ_UNREACHABLE("an array that lies nowhere"); },
      [&](const memory::Over& over) { return over_array(over.array, array); },
      [&](const memory::OverPart& over) { return place_of(over.view); },
      [&](const memory::Within& within) {
        return slice_of(*this, place_of(within.array), shape_of(within.array), within.part);
      },
      [&](const memory::PieceOf& piece) { return place_of_origin(array, piece.whole); },
      [&](const memory::Checkpoint& checkpoint) { return at_checkpoint(array, checkpoint); },
      [&](const memory::SameAs& same) { return place_of(same.array); });
}

// Whether points of the result overwrite what points of an array were.
bool Lowering::is_over(NameId result) const {
  const memory::Home& home = memory_.home(result);
  return std::holds_alternative<memory::Over>(home) ||
         std::holds_alternative<memory::OverPart>(home);
}

// `result` lies where `array` lies, and keeps that alive.
Place Lowering::over_array(NameId array, NameId result) {
  const Place old = place_of(array);
  const Join join = new_join(array);
  emit(Share{join.block, old.block});
  move(join.offset, old.offset);
  own(join.block, result);
  return row_major(*this, join.block, join.offset, names().type(array).shape);
}

// How many states have a row, known before the loop.
void Lowering::count_checkpoints(const ir::Loop& e) {
  for (const Operand& next : e.body.results) {
    if (!next.is_name()) continue;
    const auto* home = std::get_if<memory::Checkpoint>(&memory_.home(next.name()));
    if (home == nullptr || checkpoint_counts_.contains(next.name())) continue;
    const ScalarType type = names().type(home->index).element;
    checkpoint_counts_.emplace(next.name(),
                               minimum(to_i64(home->bound, type), shape_of(home->rows)[0]));
  }
}

// In the next row, or in a block of its own.
Place Lowering::at_checkpoint(NameId result, const memory::Checkpoint& checkpoint) {
  const ir::Type type = names().type(result);
  const Operand index = to_i64(checkpoint.index, names().type(checkpoint.index).element);
  const Operand next = add(index, ir::i64_operand(1));
  const Join join = new_join(result);
  host_branch(
      less(next, checkpoint_counts_.at(result)),
      [&] {
        const Place row = part_at(*this, place_of(checkpoint.rows), {next});
        emit(Share{join.block, row.block});
        move(join.offset, row.offset);
      },
      [&] { set_join(join, Value{{}, type, new_array(type, names().base(result))}); });
  own(join.block, result);
  return row_major(*this, join.block, join.offset, type.shape);
}

}  // namespace dagaz::imperative
