#include "emit/gpu/tile_words.h"

#include <utility>

namespace dagaz::emit {

using ir::i64_operand;

static constexpr std::int64_t piece_bits = 32;

static Operand converted(Context& c, ScalarOp op, ScalarType from, ScalarType to,
                         const Operand& value) {
  if (from == to) return value;
  const NameId target = c.variable("converted", to);
  c.emit(Assign{target, op, from, to, {value}});
  return target;
}

static ScalarType integer_as_wide(ScalarType type) {
  switch (ir::byte_size(type)) {
    case 2: return ScalarType::i16;
    case 4: return ScalarType::i32;
    default: return ScalarType::i64;
  }
}

static bool has_two_pieces(const ir::Type& type) {
  return type.element == ScalarType::i64 || type.element == ScalarType::f64;
}

/// A scalar's bits, with zeros before them.
static Operand bits_of(Context& c, const Operand& value, ScalarType type) {
  if (!ir::is_float(type)) return converted(c, ScalarOp::zero_extend, type, ScalarType::i64, value);
  const ScalarType bits = integer_as_wide(type);
  const NameId target = c.variable("bits", bits);
  c.emit(Assign{target, ScalarOp::float_to_bits, type, bits, {value}});
  return converted(c, ScalarOp::zero_extend, bits, ScalarType::i64, target);
}

static Operand from_bits(Context& c, const Operand& bits, ScalarType type) {
  if (type == ScalarType::boolean) {
    return c.scalar(ScalarOp::ne, ScalarType::i64, {bits, i64_operand(0)});
  }
  if (!ir::is_float(type)) return converted(c, ScalarOp::zero_extend, ScalarType::i64, type, bits);
  const ScalarType integer = integer_as_wide(type);
  const Operand narrow = converted(c, ScalarOp::zero_extend, ScalarType::i64, integer, bits);
  const NameId target = c.variable("value", type);
  c.emit(Assign{target, ScalarOp::bits_to_float, integer, type, {narrow}});
  return target;
}

static Operand low_piece(Context& c, const Operand& bits) {
  return c.scalar(ScalarOp::bit_and, ScalarType::i64, {bits, i64_operand(0xffffffff)});
}

static Operand high_piece(Context& c, const Operand& bits) {
  return c.scalar(ScalarOp::lshr, ScalarType::i64, {bits, i64_operand(piece_bits)});
}

TileWords::TileWords(NameId block, std::vector<ir::Type> types)
    : block_(block), types_(std::move(types)) {}

std::int64_t TileWords::words_of(const std::vector<ir::Type>& types) {
  std::int64_t words = 0;
  for (const ir::Type& type : types) words += has_two_pieces(type) ? 2 : 1;
  return words;
}

Operand TileWords::index(Context& c, const Operand& tile, std::size_t word) const {
  return c.add(c.mul(tile, i64_operand(words_of(types_))),
               i64_operand(static_cast<std::int64_t>(word)));
}

void TileWords::publish(Context& c, const Operand& tile, std::int64_t state,
                        const std::vector<Value>& values) const {
  std::size_t word = 0;
  const auto put = [&](const Operand& piece) {
    const Operand both =
        c.scalar(ScalarOp::bit_or, ScalarType::i64, {piece, i64_operand(state << piece_bits)});
    c.emit(Atomic{c.variable("old", ScalarType::i64), AtomicOp::exchange, block_,
                  index(c, tile, word++), both, ScalarType::i64});
  };
  for (std::size_t k = 0; k < types_.size(); ++k) {
    const Operand bits = bits_of(c, values[k].operand, types_[k].element);
    put(has_two_pieces(types_[k]) ? low_piece(c, bits) : bits);
    if (has_two_pieces(types_[k])) put(high_piece(c, bits));
  }
}

void TileWords::look(Context& c, const Operand& tile, NameId state,
                     const std::vector<NameId>& words) const {
  for (std::size_t word = 0; word < words.size(); ++word) {
    const NameId loaded = c.variable("word", ScalarType::i64);
    c.emit(Load{loaded, block_, index(c, tile, word), ScalarType::i64, Space::global, false, true});
    c.move(words[word], loaded);
    const Operand says = converted(c, ScalarOp::zero_extend, ScalarType::i64, ScalarType::i32,
                                   high_piece(c, loaded));
    if (word == 0) {
      c.move(state, says);
      continue;
    }
    c.branch(c.scalar(ScalarOp::ne, ScalarType::i32, {state, says}),
             [&] { c.move(state, ir::make_integer(ScalarType::i32, 0)); });
  }
}

std::vector<Value> TileWords::values(Context& c, const std::vector<NameId>& words) const {
  std::vector<Value> values;
  std::size_t word = 0;
  for (const ir::Type& type : types_) {
    Operand bits = low_piece(c, words[word++]);
    if (has_two_pieces(type)) {
      const Operand high =
          c.scalar(ScalarOp::shl, ScalarType::i64, {words[word++], i64_operand(piece_bits)});
      bits = c.scalar(ScalarOp::bit_or, ScalarType::i64, {bits, high});
    }
    values.push_back({from_bits(c, bits, type.element), type, std::nullopt});
  }
  return values;
}

}  // namespace dagaz::emit
