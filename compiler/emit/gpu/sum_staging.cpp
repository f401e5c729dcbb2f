// What tiles of sums stage of rows and points in shared memory: where it lies, and how threads
// bring it there.
//
// Each thread multiplies for itself: lines are of an element each, so that a thread reads its rows
// and points as neighbours.  Warps multiply matrices: lines are what is read as neighbours, and f16
// are written by pairs.
#include "emit/gpu/sum_tile.h"

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
        2 * side.lines * side.pitch * ir::byte_size(names().type(value).element);
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
    side.written.push_back(place_at(block, together_));
  }
}

// What the thread stages as its `number`-th: so that neighbouring threads read what lies side by
// side.
SumTile::Staged SumTile::staged_at(const Side& side, std::int64_t number) {
  const bool along_sum = side.packing == ir::Packing::by_elements;
  const std::int64_t length = (along_sum ? plan_.depth : side.width) / together_;
  const Operand line = ir::i64_operand(length);
  Operand flat = read_special(c_, Special::thread_index);
  std::int64_t further = 0;
  if (block_threads % length == 0) {
    further = number * (block_threads / length);
  } else {
    flat = add(flat, ir::i64_operand(number * block_threads));
  }
  const Operand inner = remainder(flat, line);
  const Operand outer = divide(flat, line);
  if (along_sum) return {inner, outer, 0, further};
  return {outer, inner, further, 0};
}

SumTile::Loaded SumTile::load(const Side& side, const Operand& chunk, Reach reach) {
  if (side.values.empty()) return {};
  const std::int64_t all = side.width * plan_.depth / together_;
  const std::int64_t count = (all + block_threads - 1) / block_threads;
  // Threads may be more than elements are left, also where all of these are inside.
  const bool clamps = reach == Reach::clamped || all % block_threads != 0;
  const bool along_sum = side.packing == ir::Packing::by_elements;
  const Operand together = ir::i64_operand(together_);
  Loaded loaded;
  for (std::int64_t number = 0; number < count; ++number) {
    // What is known is added last, so that one address serves all.
    const Staged at = staged_at(side, number);
    const Operand inner = along_sum ? mul(at.element, together) : at.element;
    const Operand across = along_sum ? at.own : mul(at.own, together);
    const Operand element = add(add(chunk, inner), ir::i64_operand(at.further_elements));
    const Operand own = add(add(side.first, across), ir::i64_operand(at.further_own));
    std::vector<Operand> values = load_values(side, element, own, clamps);
    if (together_ == 2) {
      const Operand one = ir::i64_operand(1);
      const std::vector<Operand> next = along_sum
                                            ? load_values(side, add(element, one), own, clamps)
                                            : load_values(side, element, add(own, one), clamps);
      values = {paired(values[0], next[0])};
    }
    loaded.emplace_back();
    for (std::size_t v = 0; v < values.size(); ++v) {
      const ir::Type type =
          together_ == 2 ? ir::scalar_of(ScalarType::i32) : names().type(side.values[v]);
      loaded.back().push_back({values[v], type, std::nullopt});
    }
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
  const std::int64_t all = side.width * plan_.depth / together_;
  const bool along_sum = side.packing == ir::Packing::by_elements;
  for (std::size_t number = 0; number < loaded.size(); ++number) {
    const Staged at = staged_at(side, static_cast<std::int64_t>(number));
    const auto put = [&] {
      for (std::size_t k = 0; k < loaded[number].size(); ++k) {
        const Place& place = side.written[k];
        const Operand further = add(mul(ir::i64_operand(at.further_elements), place.strides[1]),
                                    mul(ir::i64_operand(at.further_own), place.strides[2]));
        emit::write(c_, place, {half, at.element, at.own, further}, loaded[number][k]);
      }
    };
    if (static_cast<std::int64_t>(number + 1) * block_threads <= all) {
      put();
    } else {
      const Operand depth =
          ir::i64_operand(plan_.depth / (along_sum ? together_ : 1) - at.further_elements);
      const Operand width =
          ir::i64_operand(side.width / (along_sum ? 1 : together_) - at.further_own);
      branch(both(less(at.element, depth), less(at.own, width)), put);
    }
  }
}

}  // namespace dagaz::emit
