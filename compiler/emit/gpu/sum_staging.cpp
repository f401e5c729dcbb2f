// What tiles of sums stage of rows and points in shared memory: where it lies, and how threads
// bring it there.
//
// Each thread multiplies for itself: lines are of an element each, so that a thread reads its rows
// and points as neighbours.  Warps multiply matrices: lines are what is read as neighbours, and f16
// are written by pairs.
#include "emit/gpu/sum_tile.h"

#include <algorithm>
#include <limits>

#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"

namespace dagaz::emit {

// Lines of what is staged are of a row or point each.
bool SumTile::has_lines_of_elements(const Side& side) const {
  return matrices_.has_value() && side.packing == ir::Packing::by_elements;
}

void SumTile::lay_out(Side& side) {
  for (const NameId value : side.values) {
    offsets_.push_back(shared_bytes_);
    const std::int64_t bytes =
        plan_.stages * side.lines * side.pitch * ir::byte_size(names().type(value).element);
    shared_bytes_ += (bytes + 15) / 16 * 16;
  }
}

void SumTile::place(Side& side) {
  side.staged.clear();
  side.written.clear();
  const Operand one = ir::i64_operand(1);
  const auto place_at = [&](NameId block, std::int64_t together) {
    const Operand line = ir::i64_operand(side.pitch / together);
    const bool by_elements = has_lines_of_elements(side);
    return Place{block,
                 ir::i64_operand(0),
                 {mul(line, ir::i64_operand(side.lines)), by_elements ? one : line,
                  by_elements ? line : one, one},
                 one,
                 Space::shared};
  };
  for (std::size_t k = 0; k < side.values.size(); ++k) {
    const NameId block = block_variable("staged");
    const std::size_t before = &side == &points_ ? rows_.values.size() : 0;
    emit(SharedMemory{block, ir::i64_operand(offsets_[before + k])});
    side.staged.push_back(place_at(block, 1));
    side.written.push_back(place_at(block, side.together));
  }
}

// What the thread stages as its `number`-th: so that neighbouring threads read what lies side by
// side.  What is known of it is told apart, so that one address serves all.
SumTile::Staged SumTile::staged_at(const Side& side, const Operand& number) {
  return staged_at(side, number, read_special(c_, Special::thread_index));
}

SumTile::Staged SumTile::staged_at(const Side& side, const Operand& number, const Operand& thread) {
  const bool along_sum = side.packing == ir::Packing::by_elements;
  const std::int64_t length = (along_sum ? plan_.depth : side.width) / side.together;
  const Operand line = ir::i64_operand(length);
  const bool is_known = number.is_constant() && block_threads % length == 0;
  const Operand flat = is_known ? thread : add(thread, mul(number, ir::i64_operand(block_threads)));
  const std::int64_t further =
      is_known ? ir::integer_value(number.constant()) * (block_threads / length) : 0;
  const Operand inner = remainder(flat, line);
  const Operand outer = divide(flat, line);
  if (along_sum) return {inner, outer, 0, further};
  return {outer, inner, further, 0};
}

// What is computed for a row or point waits in no register, unless that takes divisions.
Operand SumTile::thread_for(const Side& side) {
  return side.dimensions.size() > 1 ? read_special(c_, Special::thread_index)
                                    : read_thread_anew(c_);
}

// How often all threads stage something.
std::int64_t SumTile::staged_each(const Side& side) const {
  const std::int64_t all = side.width * plan_.depth / side.together;
  return (all + block_threads - 1) / block_threads;
}

SumTile::Loaded SumTile::load(const Side& side, const Operand& chunk, Reach reach) {
  if (side.values.empty()) return {};
  Loaded loaded;
  for (std::int64_t number = 0; number < staged_each(side); ++number) {
    loaded.push_back(load_at(side, staged_at(side, ir::i64_operand(number)), chunk, reach));
  }
  return loaded;
}

// Loads what may be outside, and puts it where nobody reads any more: a few at a time, which wait
// in registers, as addresses do that nothing but the clamps tell apart.
void SumTile::fill(const Side& side, const Operand& chunk, const Operand& half) {
  if (side.values.empty()) return;
  constexpr std::int64_t most_together = 4;
  const std::int64_t count = staged_each(side);
  const std::int64_t together = std::min(most_together, count);
  const bool is_whole = count % together == 0 && !has_rest(side);
  rolled_loop("some", ir::i64_operand((count + together - 1) / together), [&](const Operand& some) {
    const Operand thread = thread_for(side);
    const Operand first = mul(some, ir::i64_operand(together));
    std::vector<Staged> places;
    Loaded loaded;
    for (std::int64_t k = 0; k < together; ++k) {
      places.push_back(staged_at(side, add(first, ir::i64_operand(k)), thread));
      loaded.push_back(load_at(side, places.back(), chunk, Reach::clamped));
    }
    for (std::size_t k = 0; k < loaded.size(); ++k) {
      if_staged(side, is_whole, places[k], [&] { stage_at(side, places[k], loaded[k], half); });
    }
  });
}

std::vector<Value> SumTile::load_at(const Side& side, const Staged& at, const Operand& chunk,
                                    Reach reach) {
  // Threads may be more than elements are left, also where all of these are inside.
  const bool clamps = reach == Reach::clamped || has_rest(side);
  const bool along_sum = side.packing == ir::Packing::by_elements;
  if (!clamps && !side.steady.empty()) return as_values(side, load_steady(side, at));
  const auto [element, own] = source_of(side, at, chunk);
  std::vector<Operand> values = load_values(side, element, own, clamps);
  if (side.together == 2) {
    const Operand one = ir::i64_operand(1);
    const std::vector<Operand> next = along_sum ? load_values(side, add(element, one), own, clamps)
                                                : load_values(side, element, add(own, one), clamps);
    values = {paired(values[0], next[0])};
  }
  return as_values(side, values);
}

std::vector<Value> SumTile::as_values(const Side& side, const std::vector<Operand>& values) {
  std::vector<Value> loaded;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const ir::Type type =
        side.together == 2 ? ir::scalar_of(ScalarType::i32) : names().type(side.values[v]);
    loaded.push_back({values[v], type, std::nullopt});
  }
  return loaded;
}

// The element of the sum, and the row or point, that is staged there of a chunk.
SumTile::Source SumTile::source_of(const Side& side, const Staged& at, const Operand& chunk) {
  const bool along_sum = side.packing == ir::Packing::by_elements;
  const Operand together = ir::i64_operand(side.together);
  const Operand inner = along_sum ? mul(at.element, together) : at.element;
  const Operand across = along_sum ? at.own : mul(at.own, together);
  return {add(add(chunk, inner), ir::i64_operand(at.further_elements)),
          add(add(side.first, across), ir::i64_operand(at.further_own))};
}

std::vector<Operand> SumTile::load_steady(const Side& side, const Staged& at) {
  const Operand one = ir::i64_operand(1);
  std::vector<Operand> loaded;
  for (std::size_t v = 0; v < side.values.size(); ++v) {
    const Steps& steps = side.steady[v];
    const Place memory{steps.from.block, ir::i64_operand(0), {one}, one, steps.from.space};
    const Operand first = steady_index(steps, at);
    const auto load_one = [&](const Operand& index) {
      const ScalarType type = names().type(side.values[v]).element;
      const Operand value = emit::load(c_, memory, {index}, type, "loaded");
      return matrices_ ? factor(value, ir::i64_operand(0), false) : value;
    };
    loaded.push_back(load_one(first));
    if (side.together == 1) continue;
    const bool along_sum = side.packing == ir::Packing::by_elements;
    const Operand next = add(first, along_sum ? steps.element : steps.own);
    loaded.back() = paired(loaded.back(), load_one(next));
  }
  return loaded;
}

std::vector<Operand> SumTile::load_values(const Side& side, const Operand& element,
                                          const Operand& own, bool clamps) {
  const auto within = [&](const Operand& number, const Operand& size) {
    return clamps ? minimum(number, sub(size, ir::i64_operand(1))) : number;
  };
  bind_element(within(element, end_));
  bind(side, within(own, side.extent));
  std::vector<Operand> loaded;
  emit_body(c_, side.body, {}, [&](const std::vector<Value>& values) {
    for (const Value& value : values) {
      const NameId kept = variable("loaded", value.type.element);
      move(kept, matrices_ ? factor(value.operand, element, clamps) : value.operand);
      loaded.emplace_back(kept);
    }
  });
  return loaded;
}

// What matrices take for a value: 0 after the end of the sum; and where they see only its upper
// bits, these rounded to the nearest.  A NaN might carry over, or have nothing but lower bits.
Operand SumTile::factor(const Operand& value, const Operand& element, bool clamps) {
  const ScalarType type = ir::factor_type(plan_.unit);
  Operand taken = value;
  if (plan_.unit == ir::MatrixUnit::tf32) {
    constexpr std::int64_t half_of_last = std::int64_t{1} << 12;
    const NameId bits = variable("bits", ScalarType::i32);
    emit(Assign{bits, ScalarOp::float_to_bits, type, ScalarType::i32, {value}});
    const Operand up = scalar(ScalarOp::add, ScalarType::i32,
                              {bits, ir::make_integer(ScalarType::i32, half_of_last)});
    const NameId rounded = variable("rounded", type);
    emit(Assign{rounded, ScalarOp::bits_to_float, ScalarType::i32, type, {up}});
    const Operand is_number = scalar(ScalarOp::fle, type, {value, value});
    const Operand nan = ir::make_float(type, std::numeric_limits<double>::quiet_NaN());
    taken = scalar(ScalarOp::select, type, {is_number, rounded, nan});
  }
  if (!clamps) return taken;
  return scalar(ScalarOp::select, type, {less(element, end_), taken, ir::make_float(type, 0)});
}

// Two f16 in a word.
Operand SumTile::paired(const Operand& first, const Operand& second) {
  const auto bits_of = [&](const Operand& value) {
    const NameId bits = variable("bits", ScalarType::i16);
    emit(Assign{bits, ScalarOp::float_to_bits, ScalarType::f16, ScalarType::i16, {value}});
    const NameId wide = variable("wide", ScalarType::i32);
    emit(Assign{wide, ScalarOp::zero_extend, ScalarType::i16, ScalarType::i32, {bits}});
    return Operand(wide);
  };
  const Operand lower = bits_of(first);
  const Operand upper = scalar(ScalarOp::shl, ScalarType::i32,
                               {bits_of(second), ir::make_integer(ScalarType::i32, 16)});
  const NameId pair = variable("pair", ScalarType::i32);
  move(pair, scalar(ScalarOp::bit_or, ScalarType::i32, {lower, upper}));
  return pair;
}

void SumTile::stage(const Side& side, const Loaded& loaded, const Operand& half) {
  for (std::size_t number = 0; number < loaded.size(); ++number) {
    const auto own = static_cast<std::int64_t>(number);
    const Staged at = staged_at(side, ir::i64_operand(own));
    const bool is_rest = own + 1 == staged_each(side) && has_rest(side);
    if_staged(side, !is_rest, at, [&] { stage_at(side, at, loaded[number], half); });
  }
}

void SumTile::stage_at(const Side& side, const Staged& at, const std::vector<Value>& values,
                       const Operand& half) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Place& place = side.written[k];
    emit::write(c_, place, indices_of_staged(place, at, half), values[k]);
  }
}

std::vector<Operand> SumTile::indices_of_staged(const Place& written, const Staged& at,
                                                const Operand& half) {
  const Operand further = add(mul(ir::i64_operand(at.further_elements), written.strides[1]),
                              mul(ir::i64_operand(at.further_own), written.strides[2]));
  return {half, at.element, at.own, further};
}

// Whether of the last ones that threads stage there are fewer than threads.
bool SumTile::has_rest(const Side& side) const {
  return side.width * plan_.depth / side.together % block_threads != 0;
}

void SumTile::if_staged(const Side& side, bool is_known, const Staged& at,
                        const std::function<void()>& action) {
  if (is_known) return action();
  const bool along_sum = side.packing == ir::Packing::by_elements;
  const Operand depth =
      ir::i64_operand(plan_.depth / (along_sum ? side.together : 1) - at.further_elements);
  const Operand width =
      ir::i64_operand(side.width / (along_sum ? 1 : side.together) - at.further_own);
  branch(both(less(at.element, depth), less(at.own, width)), action);
}

}  // namespace dagaz::emit
