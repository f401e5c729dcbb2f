// Scalar types, constants, and the table of operations.  Evaluation is in scalar_evaluate.cpp.
#include "ir/scalar.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "support/check.h"

namespace dagaz::ir {

namespace {

struct OpRow {
  std::string_view name;
  int arity;
  Operands operands;
  ResultKind result;
  Domain domain;
};

constexpr OpRow op_rows[] = {
#define DZ_SCALAR_OP(name, arity, operands, result, domain, ...) \
  {#name, arity, Operands::operands, ResultKind::result, Domain::domain},
#include "ir/scalar_ops.def"
#undef DZ_SCALAR_OP
};

constexpr std::array<std::string_view, 8> type_names = {"bool", "i8",  "i16", "i32",
                                                        "i64",  "f16", "f32", "f64"};

const OpRow& row(ScalarOp op) { return op_rows[static_cast<std::size_t>(op)]; }

std::uint64_t mask_of(ScalarType type) {
  const int width = bit_width(type);
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// Rounds to nearest, ties to even; straight from double, so that nothing is rounded twice.
std::uint64_t half_bits(double value) {
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7E00;
  if (magnitude >= 65520.0) return sign | 0x7C00;
  if (magnitude < 0x1p-14) {
    return sign | static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  }
  const int exponent = std::ilogb(magnitude);
  // A mantissa that rounds up to 2048 carries into the exponent by itself.
  const double scaled = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const auto mantissa = static_cast<std::uint64_t>(scaled);
  return sign | ((static_cast<std::uint64_t>(exponent + 15) << 10) + (mantissa - 1024));
}

double half_value(std::uint64_t bits) {
  const auto exponent = static_cast<int>((bits >> 10) & 0x1F);
  const auto mantissa = static_cast<double>(bits & 0x3FF);
  double magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = mantissa == 0 ? HUGE_VAL : std::nan("");
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::string_view name_of(ScalarType type) { return type_names[static_cast<std::size_t>(type)]; }

std::optional<ScalarType> scalar_type_named(std::string_view name) {
  for (std::size_t i = 0; i < type_names.size(); ++i) {
    if (type_names[i] == name) return static_cast<ScalarType>(i);
  }
  return std::nullopt;
}

Constant make_bool(bool value) { return {ScalarType::boolean, value ? 1u : 0u}; }

Constant make_integer(ScalarType type, std::int64_t value) {
  return {type, static_cast<std::uint64_t>(value) & mask_of(type)};
}

Constant make_float(ScalarType type, double value) {
  switch (type) {
    case ScalarType::f16: return {type, half_bits(value)};
    case ScalarType::f32: return {type, std::bit_cast<std::uint32_t>(static_cast<float>(value))};
    case ScalarType::f64: return {type, std::bit_cast<std::uint64_t>(value)};
    case ScalarType::boolean:
    case ScalarType::i8:
    case ScalarType::i16:
    case ScalarType::i32:
    case ScalarType::i64: break;
  }
  DZ_UNREACHABLE("a float constant of an integer type");
}

Constant zero_of(ScalarType type) { return {type, 0}; }

Constant one_of(ScalarType type) {
  return is_float(type) ? make_float(type, 1.0) : Constant{type, 1};
}

std::int64_t integer_value(const Constant& constant) {
  const int width = bit_width(constant.type);
  if (constant.type == ScalarType::boolean || width == 64) {
    return static_cast<std::int64_t>(constant.bits);
  }
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>((constant.bits ^ sign) - sign);
}

double float_value(const Constant& constant) {
  switch (constant.type) {
    case ScalarType::f16: return half_value(constant.bits);
    case ScalarType::f32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits)));
    case ScalarType::f64: return std::bit_cast<double>(constant.bits);
    case ScalarType::boolean:
    case ScalarType::i8:
    case ScalarType::i16:
    case ScalarType::i32:
    case ScalarType::i64: break;
  }
  DZ_UNREACHABLE("the float value of an integer constant");
}

std::string_view name_of(ScalarOp op) { return row(op).name; }

std::optional<ScalarOp> scalar_op_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(op_rows); ++i) {
    if (op_rows[i].name == name) return static_cast<ScalarOp>(i);
  }
  return std::nullopt;
}

int arity_of(ScalarOp op) { return row(op).arity; }
Operands operands_of(ScalarOp op) { return row(op).operands; }
ResultKind result_kind_of(ScalarOp op) { return row(op).result; }
Domain domain_of(ScalarOp op) { return row(op).domain; }

ScalarType operand_type(ScalarOp op, ScalarType type, int index) {
  if (op == ScalarOp::select && index == 0) return ScalarType::boolean;
  if (op == ScalarOp::ldexp && index == 1) return ScalarType::i32;
  return type;
}

ScalarType result_type(ScalarOp op, ScalarType type, ScalarType converted) {
  switch (result_kind_of(op)) {
    case ResultKind::same: return type;
    case ResultKind::boolean: return ScalarType::boolean;
    case ResultKind::i32: return ScalarType::i32;
    case ResultKind::converted: return converted;
  }
  DZ_UNREACHABLE("result kind");
}

}  // namespace dagaz::ir
