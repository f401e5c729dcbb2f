// Combining scalars across the threads of a block: shuffles within a warp, shared memory between
// warps.  All threads of the block take part; order is kept, so operators need not commute.
#include "imperative/gpu.h"

namespace dagaz::imperative {

static constexpr int warps = block_threads / warp_threads;

// Space for one value of each warp and one more.
std::vector<Place> Gpu::warp_slots(const std::vector<Running>& running) {
  std::vector<Place> slots;
  for (const Value& value : running_values(running)) {
    const auto slot = static_cast<std::int64_t>(slots.size());
    const NameId block = block_variable("slots");
    emit(SharedMemory{block, ir::i64_operand(slot * warp_slot_bytes)});
    slots.push_back({block, ir::i64_operand(0), {ir::i64_operand(1)}, ir::i64_operand(1),
                     Space::shared});
    static_cast<void>(value);
  }
  return slots;
}

Operand Gpu::shared_bytes_for(const std::vector<ir::Type>& types) {
  return ir::i64_operand(static_cast<std::int64_t>(types.size()) * warp_slot_bytes);
}

std::vector<Value> Gpu::shuffled(const std::vector<Value>& values, ShuffleMode mode,
                                 const Operand& distance) {
  std::vector<Value> result;
  for (const Value& value : values) {
    const NameId target = variable("other", value.type.element);
    emit(Shuffle{target, value.operand, value.type.element, mode, distance});
    result.push_back({target, value.type, std::nullopt});
  }
  return result;
}

// A loop, because operators may be long and this is no place where time is spent.
void Gpu::for_distances(int threads, const std::function<void(Operand)>& body) {
  const NameId distance =
      mutable_variable("distance", ScalarType::i32, ir::make_integer(ScalarType::i32, 1));
  const NameId more = variable("more", ScalarType::boolean);
  Code test = collect([&] {
    emit(Assign{more, ScalarOp::slt, ScalarType::i32, ScalarType::boolean,
                {distance, ir::make_integer(ScalarType::i32, threads)}});
  });
  Code step = collect([&] {
    body(distance);
    emit(Assign{distance, ScalarOp::add, ScalarType::i32, ScalarType::i32, {distance, distance}});
  });
  emit(While{std::move(test), more, std::move(step), true});
}

// An inclusive scan over each warp.
void Gpu::scan_warp(const std::vector<Running>& values, const Operand& lane) {
  for_distances(warp_threads, [&](const Operand& distance) {
    const std::vector<Value> others = shuffled(running_values(values), ShuffleMode::up, distance);
    branch(scalar(ScalarOp::sle, ScalarType::i64, {to_i64(distance, ScalarType::i32), lane}),
           [&] { combine_before(values, others); });
  });
}

Lane Gpu::lane() {
  const Operand thread = low_.read_special(Special::thread_index);
  const Operand size = ir::i64_operand(warp_threads);
  return {thread, remainder(thread, size), divide(thread, size)};
}

// After it, the first thread of each warp holds the combination of its warp's values.  Neighbours
// combine first, which keeps the order.
void Gpu::reduce_warp(const std::vector<Running>& running, int threads) {
  for_distances(threads, [&](const Operand& distance) {
    low_.combine_all(running, shuffled(running_values(running), ShuffleMode::down, distance), 0);
  });
}

// After it, the first thread of the block holds the combination of all values.
void Gpu::reduce_block(const std::vector<Running>& running, const std::vector<Operand>& neutral) {
  reduce_warp(running, warp_threads);
  reduce_warps(running, neutral);
}

// Combines what the first threads of the warps hold.
void Gpu::reduce_warps(const std::vector<Running>& running, const std::vector<Operand>& neutral) {
  const Lane here = lane();
  const std::vector<Place> slots = warp_slots(running);
  branch(equal(here.lane, ir::i64_operand(0)),
         [&] { low_.write_all(slots, {here.warp}, running_values(running)); });
  emit(Barrier{});
  branch(
      less(here.thread, ir::i64_operand(warps)),
      [&] { low_.load_running(running, slots, {here.thread}); },
      [&] { set_neutral(running, neutral); });
  reduce_warp(running, warps);
}

void Gpu::set_neutral(const std::vector<Running>& running, const std::vector<Operand>& neutral) {
  std::size_t k = 0;
  for (const Value& value : running_values(running)) move(value.operand.name(), neutral[k++]);
}

// Combines `values`, which come before, with those of `running`.
void Gpu::combine_before(const std::vector<Running>& running, const std::vector<Value>& values) {
  std::size_t position = 0;
  for (const Running& one : running) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(position);
    std::vector<Value> arguments(from, from + static_cast<std::ptrdiff_t>(one.values.size()));
    arguments.insert(arguments.end(), one.values.begin(), one.values.end());
    const ir::Lambda op = low_.copy_of(*one.op);
    low_.lower_lambda(op, arguments, {},
                      [&](const std::vector<Value>& results) { low_.set_running(one, results); });
    position += one.values.size();
  }
}

// An inclusive scan over the block of `values`, in front of which `carry` stands; afterwards
// `carry` includes the whole block.
void Gpu::scan_block(const std::vector<Running>& values, const std::vector<Running>& carry) {
  const Lane here = lane();
  const std::vector<Place> slots = warp_slots(values);
  scan_warp(values, here.lane);
  branch(equal(here.lane, ir::i64_operand(warp_threads - 1)),
         [&] { low_.write_all(slots, {here.warp}, running_values(values)); });
  emit(Barrier{});
  std::vector<ir::Type> types;
  for (const Value& value : running_values(values)) types.push_back(value.type);
  loop("w", here.warp, {}, [&](const Operand& warp) {
    low_.combine_all(carry, low_.values_at(slots, types, {warp}), 0);
  });
  combine_before(values, running_values(carry));
  branch(equal(here.thread, ir::i64_operand(block_threads - 1)),
         [&] { low_.write_all(slots, {ir::i64_operand(warps)}, running_values(values)); });
  emit(Barrier{});
  low_.load_running(carry, slots, {ir::i64_operand(warps)});
  emit(Barrier{});
}

}  // namespace dagaz::imperative
