// Scalar types, constants and operations of the array IR.  Integers carry no sign: operations do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dagaz::ir {

enum class ScalarType : std::uint8_t { boolean, i8, i16, i32, i64, f16, f32, f64 };

constexpr bool is_float(ScalarType type) { return type >= ScalarType::f16; }
constexpr bool is_integer(ScalarType type) {
  return type >= ScalarType::i8 && type <= ScalarType::i64;
}
/// Width in bits; a boolean has 1.
constexpr int bit_width(ScalarType type) {
  constexpr int widths[] = {1, 8, 16, 32, 64, 16, 32, 64};
  return widths[static_cast<int>(type)];
}
/// Size in memory; a boolean takes one byte.
constexpr std::int64_t byte_size(ScalarType type) {
  return type == ScalarType::boolean ? 1 : bit_width(type) / 8;
}
/// "bool", "i32", "f64", …
std::string_view name_of(ScalarType type);
std::optional<ScalarType> scalar_type_named(std::string_view name);

/// A scalar value.  `bits` holds the value's bits in its low part, zero above; an f16 or f32 is
/// its IEEE encoding.
struct Constant {
  ScalarType type = ScalarType::i64;
  std::uint64_t bits = 0;
  bool operator==(const Constant&) const = default;
};

Constant make_bool(bool value);
/// Wraps to the width of `type`.
Constant make_integer(ScalarType type, std::int64_t value);
inline Constant make_i64(std::int64_t value) {
  return {ScalarType::i64, static_cast<std::uint64_t>(value)};
}
/// Rounds to `type`, a float type.
Constant make_float(ScalarType type, double value);
/// 0, 0.0 or false; 1, 1.0 or true.
Constant zero_of(ScalarType type);
Constant one_of(ScalarType type);
/// Sign-extended value of an integer constant (a boolean gives 0 or 1).
std::int64_t integer_value(const Constant& constant);
double float_value(const Constant& constant);

/// One enumerator per row of scalar_ops.def.
enum class ScalarOp : std::uint8_t {
#define DZ_SCALAR_OP(name, ...) name,
#include "ir/scalar_ops.def"
#undef DZ_SCALAR_OP
};

enum class Operands : std::uint8_t {
  integers, floats, booleans, integers_or_booleans, numbers, any
};
enum class ResultKind : std::uint8_t {
  same,       // the operand type
  boolean,
  i32,
  converted   // given by Scalar::result
};
/// For which operands the language has a result.
enum class Domain : std::uint8_t {
  total,     // all
  divisor,   // those whose second is not zero: there is no value otherwise
  exponent   // those whose second is not negative: programs check it; as unsigned it has a value
};

std::string_view name_of(ScalarOp op);
std::optional<ScalarOp> scalar_op_named(std::string_view name);
int arity_of(ScalarOp op);
Operands operands_of(ScalarOp op);
ResultKind result_kind_of(ScalarOp op);
Domain domain_of(ScalarOp op);
/// Whether it has no result for some operands.
inline bool is_partial(ScalarOp op) { return domain_of(op) != Domain::total; }
/// Whether it is a division that stops the program, or worse, where the divisor is zero.
inline bool may_trap(ScalarOp op) { return domain_of(op) == Domain::divisor; }
/// The type of operand `index` of `op` at operand type `type` (`select` and `ldexp` differ).
ScalarType operand_type(ScalarOp op, ScalarType type, int index);
/// The type of the result; `converted` for conversions.
ScalarType result_type(ScalarOp op, ScalarType type, ScalarType converted);

/// The value of `op` on constants, with the semantics every back end must match; nothing for a
/// divisor of zero.
std::optional<Constant> evaluate(ScalarOp op, ScalarType type, ScalarType result,
                                 std::span<const Constant> arguments);

}  // namespace dagaz::ir
