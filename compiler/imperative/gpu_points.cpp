// Kernels over a space of points, and the private memory of their threads.
//
// One thread per point, or per four where a point is little work.  Arrays that are too large for a
// thread's stack and whose size the host knows lie in one global block per array, thread by thread
// next to each other so that neighbours' accesses coalesce.  Arrays whose size only the thread
// knows come from an arena (gpu_arena.cpp).  A kernel that has either starts no more threads than
// the device holds, and fewer where their arrays are large, and strides over the points.
#include "imperative/lowering.h"

#include <algorithm>

namespace dagaz::imperative {

Operand Lowering::resident_threads() {
  const NameId threads = variable("resident", ScalarType::i64);
  emit(DeviceProperty{threads, Property::resident_threads});
  return threads;
}

Operand Lowering::read_special(Special which) {
  const NameId value = variable("special", ScalarType::i32);
  emit(ReadSpecial{value, which});
  const NameId wide = variable("special", ScalarType::i64);
  emit(Assign{wide, ScalarOp::zero_extend, ScalarType::i32, ScalarType::i64, {value}});
  return wide;
}

// The function, what the kernel does, and a number that makes it unique: letters, digits and
// underscores only.
std::string Lowering::kernel_name(std::string_view base) {
  std::string name;
  for (const char c : function_name_ + "_" + std::string(base)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name + "_" + std::to_string(kernel_count_++);
}

Code Lowering::kernel_body(const std::function<void()>& build) {
  const Mode outer = std::exchange(mode_, Mode::kernel);
  expansions_.clear();
  uses_arena_ = false;
  uses_scratch_ = false;
  arena_ = block_variable("arena");
  arena_level_bytes_ = variable("level_bytes", ScalarType::i64);
  start_recording();
  arena_used_ = variable("used", ScalarType::i64);
  arena_limit_ = variable("limit", ScalarType::i64);
  Code code = collect(build);
  stop_recording();
  mode_ = outer;
  return code;
}

// ---------------------------------------------------------------- launches

// The entries of a program often repeat each other's kernels; each is compiled once.
void Lowering::launch(std::string_view kernel, const Operand& grid, const Operand& shared_bytes,
                      Code code) {
  std::optional<std::size_t> number = kernels_.find(code);
  if (!number) {
    number = kernel_names_.size();
    kernel_names_.push_back(kernel_name(kernel));
    kernels_.add(code, *number);
  }
  emit(Launch{kernel_names_[*number], grid, block_threads, shared_bytes, std::move(code),
              location_});
}

// A block does `several` runs of as many points as it has threads, so that neighbours stay side by
// side; all at once where every thread has all of its points.
static void emit_several(Emitter& emitter, std::int64_t several, NameId point,
                         const Operand& first, const Operand& step, const Operand& total,
                         const Code& points) {
  const auto nth = [&](const Operand& k) { return emitter.add(first, emitter.mul(k, step)); };
  const Operand last = nth(ir::i64_operand(several - 1));
  emitter.branch(emitter.less(last, total), [&] {
    for (std::int64_t k = 0; k < several; ++k) {
      emitter.move(point, nth(ir::i64_operand(k)));
      emitter.append(points);
    }
  }, [&] {
    emitter.loop("k", ir::i64_operand(several), {}, [&](const Operand& k) {
      emitter.move(point, nth(k));
      emitter.branch(emitter.less(point, total), [&] { emitter.append(points); });
    });
  });
}

void Lowering::launch_points(const std::vector<Operand>& extents, std::string_view kernel,
                             int several, const PointFunction& body) {
  const Operand total = product(extents);
  const Operand block = ir::i64_operand(block_threads);
  const NameId threads = variable("threads", ScalarType::i64);
  kernel_threads_total_ = threads;
  if (extents.size() != 1) several = 1;
  Code code = kernel_body([&] {
    const NameId own = variable("thread", ScalarType::i64);
    kernel_thread_ = own;
    const NameId point = variable("point", ScalarType::i64);
    Code points = collect([&] { with_private_scope([&] { body(unflatten(point, extents)); }); });
    const Operand thread = read_special(Special::thread_index);
    const Operand group = read_special(Special::block_index);
    if (several > 1) {
      DZ_CHECK(!has_private_memory(), "several points with memory of their own");
      const Operand first = add(mul(group, ir::i64_operand(several * block_threads)), thread);
      emit_several(*this, several, point, first, block, total, points);
      return;
    }
    move(own, add(mul(group, block), thread));
    move(point, own);
    if (!has_private_memory()) {
      emit(If{less(point, total), std::move(points), {}});
      return;
    }
    branch(less(own, threads), [] {}, [&] { move(point, total); });
    if (uses_arena_) enter_arena();
    const NameId more = variable("more", ScalarType::boolean);
    Code test = collect([&] { emit(Assign{more, ScalarOp::slt, ScalarType::i64,
                                          ScalarType::boolean, {point, total}}); });
    Code round = collect([&] {
      append(std::move(points));
      if (uses_arena_) leave_arena();
      move(point, add(point, threads));
    });
    emit(While{std::move(test), more, std::move(round)});
  });
  Operand grid = divide_up(total, ir::i64_operand(several * block_threads));
  if (has_private_memory()) {
    const Operand most = maximum(divide(resident_threads(), block), ir::i64_operand(1));
    grid = maximum(minimum(grid, most), ir::i64_operand(1));
    move(threads, minimum(mul(grid, block), threads_with_room()));
    grid = minimum(divide_up(threads, block), total);
    allocate_private_memory(threads);
    expansions_.clear();
    uses_arena_ = false;
  }
  launch(kernel, grid, ir::i64_operand(0), std::move(code));
}

// Blocks that need private memory are no more than the device holds, and take the parts in turn.
BlockKernel Lowering::kernel_of_blocks(const Operand& parts, const BlockFunction& body) {
  const NameId threads = variable("threads", ScalarType::i64);
  const NameId grid = variable("grid", ScalarType::i64);
  kernel_threads_total_ = threads;
  Code code = kernel_body([&] {
    const NameId own = variable("thread", ScalarType::i64);
    kernel_thread_ = own;
    const NameId part = variable("part", ScalarType::i64);
    Code round = collect([&] { body(part); });
    const Operand block = read_special(Special::block_index);
    move(part, block);
    if (!has_private_memory()) {
      append(std::move(round));
      return;
    }
    const Operand thread = read_special(Special::thread_index);
    move(own, add(mul(block, ir::i64_operand(block_threads)), thread));
    if (uses_arena_) enter_arena();
    const NameId more = variable("more", ScalarType::boolean);
    Code test = collect([&] { emit(Assign{more, ScalarOp::slt, ScalarType::i64,
                                          ScalarType::boolean, {part, parts}}); });
    Code rounds = collect([&] {
      append(std::move(round));
      emit(Barrier{});  // shared memory is free again
      move(part, add(part, grid));
    });
    emit(While{std::move(test), more, std::move(rounds)});
  });
  if (!has_private_memory()) return {parts, std::move(code)};
  const Operand block = ir::i64_operand(block_threads);
  const Operand most = maximum(divide(resident_threads(), block), ir::i64_operand(1));
  const Operand room = maximum(divide(threads_with_room(), block), ir::i64_operand(1));
  move(grid, minimum(parts, minimum(most, room)));
  move(threads, mul(grid, block));
  allocate_private_memory(threads);
  expansions_.clear();
  uses_arena_ = false;
  return {grid, std::move(code)};
}

// A thread that waits at a barrier must hold nothing of the arena that others wait for.
void Lowering::element_scope(const std::function<void()>& build) {
  const bool outer = std::exchange(uses_arena_, false);
  with_private_scope(build);
  if (uses_arena_) leave_arena();
  uses_arena_ = uses_arena_ || outer;
}

// ---------------------------------------------------------------- private memory

// An array in a kernel that is too large for the stack: expanded, if its size is known before the
// kernel starts, else from the thread's arena.
Place Lowering::kernel_array(const ir::Type& type, NameId block) {
  if (in_device_function_) return arena_array(type);
  const bool known = std::none_of(type.shape.begin(), type.shape.end(), [&](const Operand& size) {
    return size.is_name() && was_recorded(size.name());
  });
  if (!known) return arena_array(type);
  expansions_.push_back({block, type});
  return row_major(*this, block, kernel_thread_, type.shape, kernel_threads_total_);
}

// How many threads may have their arrays of known sizes at a time.
Operand Lowering::threads_with_room() {
  Operand bytes = ir::i64_operand(1);
  for (const Expansion& one : expansions_) bytes = add(bytes, byte_count(one.type));
  const Operand room = mul(arena_bytes(), ir::i64_operand(settings_.arena_expansions));
  return maximum(divide(room, bytes), ir::i64_operand(1));
}

void Lowering::allocate_private_memory(const Operand& threads) {
  for (const Expansion& one : expansions_) {
    emit(Allocate{one.block, size_mul(byte_count(one.type), threads)});
    own(one.block);
  }
  if (uses_arena_) allocate_arena(threads);
}

}  // namespace dagaz::imperative
