#include "emit/gpu/tiles.h"

namespace dagaz::emit {

Operand i32(std::int64_t value) { return ir::make_integer(ScalarType::i32, value); }

Operand narrow(Context& c, const Operand& value) {
  const NameId target = c.variable("narrow", ScalarType::i32);
  c.emit(Assign{target, ScalarOp::zero_extend, ScalarType::i64, ScalarType::i32, {value}});
  return target;
}

Operand SharedLayout::take(std::int64_t size) {
  const std::int64_t offset = bytes;
  bytes += size;
  return ir::i64_operand(offset);
}

std::vector<Place> shared_arrays(Context& c, SharedLayout& layout,
                                 const std::vector<ir::Type>& types, std::int64_t count) {
  std::vector<Place> arrays;
  const Operand one = ir::i64_operand(1);
  for (const ir::Type& type : types) {
    // Multiples of 16 bytes keep every array aligned.
    const std::int64_t size = (count * ir::byte_size(type.element) + 15) / 16 * 16;
    const NameId block = c.block_variable("shared");
    c.emit(SharedMemory{block, layout.take(size)});
    arrays.push_back({block, ir::i64_operand(0), {one}, one, Space::shared});
  }
  return arrays;
}

Operand take_tile(Context& c, const TileTickets& tickets, const Operand& block,
                  SharedLayout& layout, const Lane& here) {
  const Operand zero = ir::i64_operand(0);
  const Operand one = ir::i64_operand(1);
  const NameId number = c.mutable_variable("number", ScalarType::i64, block);
  const NameId told = c.block_variable("told");
  c.emit(SharedMemory{told, layout.take(16)});
  c.branch(c.less(one, tickets.count), [&] {
    c.branch(c.equal(here.thread, zero), [&] {
      const NameId taken = c.variable("taken", ScalarType::i64);
      c.emit(Atomic{taken, AtomicOp::add, tickets.taken, tickets.at, one, ScalarType::i64});
      c.emit(Store{told, zero, taken, ScalarType::i64, Space::shared});
    });
    c.emit(Barrier{});
    const NameId taken = c.variable("taken", ScalarType::i64);
    c.emit(Load{taken, told, zero, ScalarType::i64, Space::shared});
    c.move(number, taken);
  });
  return number;
}

}  // namespace dagaz::emit
