// A part is written before the count that announces it, and read after the count that says all are
// there: fences order both for the device, barriers pass that on to the rest of the block.
#include "emit/gpu/arrivals.h"

#include "emit/gpu/kernels.h"
#include "emit/memory/allocation.h"

namespace dagaz::emit {

void Arrivals::expect(const Operand& groups) {
  const Operand bytes = mul(groups, ir::i64_operand(ir::byte_size(ScalarType::i32)));
  arrived_ = new_block(c_, bytes, "arrived");
  branch(less(ir::i64_operand(0), groups), [&] {
    emit(Fill{arrived_, ir::i64_operand(0), bytes});
  });
}

void Arrivals::arrive(const Operand& group, const Operand& count, const Operand& told_at,
                      const std::function<void()>& finish) {
  const Operand zero = ir::i64_operand(0);
  const NameId told = block_variable("told");
  emit(SharedMemory{told, told_at});
  emit(Barrier{});
  branch(equal(read_special(c_, Special::thread_index), zero), [&] {
    const NameId before = variable("before", ScalarType::i32);
    emit(Atomic{before, AtomicOp::add, arrived_, group, ir::make_integer(ScalarType::i32, 1),
                ScalarType::i32});
    emit(Store{told, zero, before, ScalarType::i32, Space::shared});
  });
  emit(Barrier{});
  const NameId before = variable("before", ScalarType::i32);
  emit(Load{before, told, zero, ScalarType::i32, Space::shared});
  const Operand here = add(to_i64(before, ScalarType::i32), ir::i64_operand(1));
  branch(equal(here, count), [&] {
    emit(Fence{});
    finish();
  });
}

}  // namespace dagaz::emit
