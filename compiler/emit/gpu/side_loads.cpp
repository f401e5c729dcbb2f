// Matrices take factors, of which f16 are written by pairs.
#include "emit/gpu/side_loads.h"

#include <algorithm>
#include <limits>

#include "emit/memory/elements.h"
#include "emit/statements.h"

namespace dagaz::emit {

SideLoads::Loaded SideLoads::load(const Operand& chunk, Reach reach) {
  if (side_.values.empty()) return {};
  Loaded loaded;
  for (std::int64_t number = 0; number < shares_.each(); ++number) {
    loaded.push_back(load_share(shares_.share(ir::i64_operand(number)), chunk, reach));
  }
  return loaded;
}

void SideLoads::store(const Loaded& loaded, const Operand& half) {
  for (std::size_t number = 0; number < loaded.size(); ++number) {
    const auto own = static_cast<std::int64_t>(number);
    const StagedShare at = shares_.share(ir::i64_operand(own));
    const bool is_rest = own + 1 == shares_.each() && shares_.has_rest();
    shares_.if_there(at, !is_rest, [&] { store_share(at, loaded[number], half); });
  }
}

// A few wait in registers, as addresses do that nothing but the clamps tell apart.
void SideLoads::fill(const Operand& chunk, const Operand& half) {
  if (side_.values.empty()) return;
  constexpr std::int64_t most_together = 4;
  const std::int64_t count = shares_.each();
  const std::int64_t together = std::min(most_together, count);
  const bool is_whole = count % together == 0 && !shares_.has_rest();
  rolled_loop("some", ir::i64_operand((count + together - 1) / together), [&](const Operand& some) {
    const Operand thread = shares_.thread();
    const Operand first = mul(some, ir::i64_operand(together));
    std::vector<StagedShare> places;
    Loaded loaded;
    for (std::int64_t k = 0; k < together; ++k) {
      places.push_back(shares_.share(add(first, ir::i64_operand(k)), thread));
      loaded.push_back(load_share(places.back(), chunk, Reach::clamped));
    }
    for (std::size_t k = 0; k < loaded.size(); ++k) {
      shares_.if_there(places[k], is_whole, [&] { store_share(places[k], loaded[k], half); });
    }
  });
}

std::vector<Value> SideLoads::load_share(const StagedShare& at, const Operand& chunk, Reach reach) {
  // Threads may be more than elements are left, also where all of these are inside.
  const bool clamps = reach == Reach::clamped || shares_.has_rest();
  if (!clamps && steady_.exist()) return as_values(load_steady(at));
  const auto [element, own] = shares_.source_of(at, chunk);
  std::vector<Operand> values = load_values(element, own, clamps);
  if (side_.together == 2) {
    const Operand one = ir::i64_operand(1);
    const std::vector<Operand> next = side_.is_along_sum()
                                          ? load_values(add(element, one), own, clamps)
                                          : load_values(element, add(own, one), clamps);
    values = {paired(values[0], next[0])};
  }
  return as_values(values);
}

std::vector<Value> SideLoads::as_values(const std::vector<Operand>& values) {
  std::vector<Value> loaded;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const ir::Type type =
        side_.together == 2 ? ir::scalar_of(ScalarType::i32) : names().type(side_.values[v]);
    loaded.push_back({values[v], type, std::nullopt});
  }
  return loaded;
}

std::vector<Operand> SideLoads::load_steady(const StagedShare& at) {
  const Operand one = ir::i64_operand(1);
  std::vector<Operand> loaded;
  for (std::size_t v = 0; v < side_.values.size(); ++v) {
    const Place& from = steady_.array_of(v);
    const Place memory{from.block, ir::i64_operand(0), {one}, one, from.space};
    const Operand first = steady_.index(v, at);
    const auto load_one = [&](const Operand& index) {
      const ScalarType type = names().type(side_.values[v]).element;
      const Operand value = emit::load(c_, memory, {index}, type, "loaded");
      return is_of_matrices() ? factor(value, ir::i64_operand(0), false) : value;
    };
    loaded.push_back(load_one(first));
    if (side_.together == 1) continue;
    const Operand next = steady_.next(v, first);
    loaded.back() = paired(loaded.back(), load_one(next));
  }
  return loaded;
}

std::vector<Operand> SideLoads::load_values(const Operand& element, const Operand& own,
                                            bool clamps) {
  const auto within = [&](const Operand& number, const Operand& size) {
    return clamps ? minimum(number, sub(size, ir::i64_operand(1))) : number;
  };
  sides_.bind_element(within(element, sides_.end()));
  sides_.bind(side_, within(own, side_.extent));
  std::vector<Operand> loaded;
  emit_body(c_, side_.body, {}, [&](const std::vector<Value>& values) {
    for (const Value& value : values) {
      const NameId kept = variable("loaded", value.type.element);
      move(kept, is_of_matrices() ? factor(value.operand, element, clamps) : value.operand);
      loaded.emplace_back(kept);
    }
  });
  return loaded;
}

// What matrices take for a value: 0 after the end of the sum; and where they see only its upper
// bits, these rounded to the nearest.  A NaN might carry over, or have nothing but lower bits.
Operand SideLoads::factor(const Operand& value, const Operand& element, bool clamps) {
  const ScalarType type = ir::factor_type(unit());
  Operand taken = value;
  if (unit() == ir::MatrixUnit::tf32) {
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
  return scalar(ScalarOp::select, type,
                {less(element, sides_.end()), taken, ir::make_float(type, 0)});
}

// Two f16 in a word.
Operand SideLoads::paired(const Operand& first, const Operand& second) {
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

void SideLoads::store_share(const StagedShare& at, const std::vector<Value>& values,
                            const Operand& half) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Place& place = side_.written[k];
    emit::write(c_, place, shares_.indices_in(place, at, half), values[k]);
  }
}

}  // namespace dagaz::emit
