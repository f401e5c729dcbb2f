#include "emit/gpu/block.h"

#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/statements.h"

namespace dagaz::emit {

static constexpr int warps = block_threads / warp_threads;

// A value has the same bytes whatever its type: what one operation left behind those of the warps
// is still read while the next one writes its own.
std::vector<Place> warp_slots(Context& c, const std::vector<Running>& running) {
  std::vector<Place> slots;
  for (const Value& value : running_values(running)) {
    const auto slot = static_cast<std::int64_t>(slots.size());
    const Operand step = ir::i64_operand(warp_value_bytes / ir::byte_size(value.type.element));
    const NameId block = c.block_variable("slots");
    c.emit(SharedMemory{block, ir::i64_operand(slot * warp_slot_bytes)});
    slots.push_back({block, ir::i64_operand(0), {step}, step, Space::shared});
  }
  return slots;
}

Operand shared_bytes_for(const std::vector<ir::Type>& types) {
  return ir::i64_operand(static_cast<std::int64_t>(types.size()) * warp_slot_bytes);
}

std::vector<Value> shuffled(Context& c, const std::vector<Value>& values, ShuffleMode mode,
                            const Operand& distance) {
  std::vector<Value> result;
  for (const Value& value : values) {
    const NameId target = c.variable("other", value.type.element);
    c.emit(Shuffle{target, value.operand, value.type.element, mode, distance});
    result.push_back({target, value.type, std::nullopt});
  }
  return result;
}

void for_distances(Context& c, int threads, const std::function<void(Operand)>& body) {
  const NameId distance =
      c.mutable_variable("distance", ScalarType::i32, ir::make_integer(ScalarType::i32, 1));
  const NameId more = c.variable("more", ScalarType::boolean);
  Code test = c.collect([&] {
    c.emit(Assign{more,
                  ScalarOp::slt,
                  ScalarType::i32,
                  ScalarType::boolean,
                  {distance, ir::make_integer(ScalarType::i32, threads)}});
  });
  Code step = c.collect([&] {
    body(distance);
    c.emit(Assign{distance, ScalarOp::add, ScalarType::i32, ScalarType::i32, {distance, distance}});
  });
  c.emit(While{.test = std::move(test), .condition = more, .body = std::move(step), .few = true});
}

void scan_warp(Context& c, const std::vector<Running>& values, const Operand& lane) {
  for_distances(c, warp_threads, [&](const Operand& distance) {
    const std::vector<Value> others =
        shuffled(c, running_values(values), ShuffleMode::up, distance);
    c.branch(c.scalar(ScalarOp::sle, ScalarType::i64, {c.to_i64(distance, ScalarType::i32), lane}),
             [&] { combine_before(c, values, others); });
  });
}

Lane this_lane(Context& c) {
  const Operand thread = read_special(c, Special::thread_index);
  const Operand size = ir::i64_operand(warp_threads);
  return {thread, c.remainder(thread, size), c.divide(thread, size)};
}

// Neighbours combine first, which keeps the order.
void reduce_warp(Context& c, const std::vector<Running>& running, int threads) {
  for_distances(c, threads, [&](const Operand& distance) {
    combine_all(c, running, shuffled(c, running_values(running), ShuffleMode::down, distance), 0);
  });
}

void reduce_block(Context& c, const std::vector<Running>& running,
                  const std::vector<Operand>& neutral) {
  reduce_warp(c, running, warp_threads);
  reduce_warps(c, running, neutral);
}

void reduce_warps(Context& c, const std::vector<Running>& running,
                  const std::vector<Operand>& neutral) {
  const Lane here = this_lane(c);
  const std::vector<Place> slots = warp_slots(c, running);
  c.branch(c.equal(here.lane, ir::i64_operand(0)),
           [&] { write_all(c, slots, {here.warp}, running_values(running)); });
  c.emit(Barrier{});
  c.branch(
      c.less(here.thread, ir::i64_operand(warps)),
      [&] { load_running(c, running, slots, {here.thread}); },
      [&] { set_neutral(c, running, neutral); });
  reduce_warp(c, running, warps);
}

void set_neutral(Context& c, const std::vector<Running>& running,
                 const std::vector<Operand>& neutral) {
  std::size_t k = 0;
  for (const Value& value : running_values(running)) c.move(value.operand.name(), neutral[k++]);
}

void combine_before(Context& c, const std::vector<Running>& running,
                    const std::vector<Value>& values) {
  std::size_t position = 0;
  for (const Running& one : running) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(position);
    std::vector<Value> arguments(from, from + static_cast<std::ptrdiff_t>(one.values.size()));
    arguments.insert(arguments.end(), one.values.begin(), one.values.end());
    const ir::Lambda op = copy_of(c, *one.op);
    emit_lambda(c, op, arguments, {},
                [&](const std::vector<Value>& results) { set_running(c, one, results); });
    position += one.values.size();
  }
}

void scan_block(Context& c, const std::vector<Running>& values, const std::vector<Running>& carry) {
  const Lane here = this_lane(c);
  const std::vector<Place> slots = warp_slots(c, values);
  scan_warp(c, values, here.lane);
  c.branch(c.equal(here.lane, ir::i64_operand(warp_threads - 1)),
           [&] { write_all(c, slots, {here.warp}, running_values(values)); });
  c.emit(Barrier{});
  // What stands before: the warps from the last to the first, then the carry.
  const Operand one = ir::i64_operand(1);
  std::vector<ir::Type> types;
  std::vector<Value> before;
  for (const Value& value : running_values(values)) {
    types.push_back(value.type);
    before.push_back({c.variable("before", value.type.element), value.type, std::nullopt});
  }
  const auto take = [&](const std::vector<Value>& from) {
    for (std::size_t k = 0; k < from.size(); ++k) {
      c.move(before[k].operand.name(), from[k].operand);
    }
  };
  c.loop("w", c.add(here.warp, one), {}, [&](const Operand& step) {
    c.branch(
        c.less(step, here.warp),
        [&] { take(values_at(c, slots, types, {c.sub(c.sub(here.warp, one), step)})); },
        [&] { take(running_values(carry)); });
    combine_before(c, values, before);
  });
  c.branch(c.equal(here.thread, ir::i64_operand(block_threads - 1)),
           [&] { write_all(c, slots, {ir::i64_operand(warps)}, running_values(values)); });
  c.emit(Barrier{});
  load_running(c, carry, slots, {ir::i64_operand(warps)});
  c.emit(Barrier{});
}

}  // namespace dagaz::emit
