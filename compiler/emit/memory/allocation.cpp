#include "emit/memory/allocation.h"

#include "emit/gpu/kernels.h"
#include "emit/memory/homes.h"
#include "emit/memory/host_scope.h"
#include "plan/thread_code.h"

namespace dagaz::emit {

Operand byte_count(Context& c, const ir::Type& type) {
  Operand bytes = ir::i64_operand(ir::byte_size(type.element));
  for (const Operand& size : type.shape) bytes = c.size_mul(size, bytes);
  return bytes;
}

NameId new_block(Context& c, const Operand& bytes, std::string_view base) {
  const NameId block = c.block_variable(base);
  c.emit(Allocate{block, bytes});
  c.scopes.own(block);
  return block;
}

Place private_array(Context& c, const ir::Type& type, std::string_view base) {
  c.thread.uses_memory = true;
  const Operand bytes = byte_count(c, type);
  const NameId block = c.block_variable(base);
  if (plan::fits_stack(type, c.settings.stack_array)) {
    c.emit(AllocateLocal{block, ir::integer_value(bytes.constant())});
    Place place = row_major(c, block, ir::i64_operand(0), type.shape);
    if (c.mode == Mode::kernel) place.space = Space::local;
    return place;
  }
  if (c.mode == Mode::kernel) return kernel_array(c, type, block);
  c.thread.uses_scratch = true;
  c.emit(AllocateScratch{block, bytes});
  return row_major(c, block, ir::i64_operand(0), type.shape);
}

Place new_array(Context& c, const ir::Type& type, std::string_view base) {
  if (c.mode != Mode::host) return private_array(c, type, base);
  return row_major(c, new_block(c, byte_count(c, type), base), ir::i64_operand(0), type.shape);
}

Place result_array(Context& c, NameId name) {
  const Destination wanted = c.arrays.destination_of(name);
  Place place = wanted ? *wanted
                : c.mode == Mode::host
                    ? at_home(c, name)
                    : private_array(c, c.names().type(name), c.names().base(name));
  c.arrays.bind(name, place);
  return place;
}

bool with_private_scope(Context& c, const std::function<void()>& build) {
  const bool outer_scratch = std::exchange(c.thread.uses_scratch, false);
  const bool outer_private = std::exchange(c.thread.uses_memory, false);
  Code inner = c.collect(build);
  const bool used = c.thread.uses_memory;
  if (c.thread.uses_scratch && c.mode == Mode::kernel) {
    const NameId reached = c.mutable_variable("used_before", ScalarType::i64, c.thread.arena.used);
    const NameId limit = c.mutable_variable("limit_before", ScalarType::i64, c.thread.arena.limit);
    c.append(std::move(inner));
    c.move(c.thread.arena.used, reached);
    c.move(c.thread.arena.limit, limit);
  } else if (c.thread.uses_scratch) {
    c.emit(ScratchScope{std::move(inner)});
  } else {
    c.append(std::move(inner));
  }
  c.thread.uses_scratch = outer_scratch;
  c.thread.uses_memory = outer_private || used;
  return used;
}

}  // namespace dagaz::emit
