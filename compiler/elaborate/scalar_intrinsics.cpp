// Operations on scalars, overloaded operators included: a table from the source's operation to the
// IR's, by the kind of its operand.
#include <unordered_map>

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

/// What an operation becomes on signed integers, unsigned integers, reals and booleans.
struct ScalarRow {
  std::string_view name;
  std::size_t arity;
  std::optional<ir::ScalarOp> on_signed;
  std::optional<ir::ScalarOp> on_unsigned;
  std::optional<ir::ScalarOp> on_real;
  std::optional<ir::ScalarOp> on_boolean;
  enum class Check { none, divisor, exponent } check = Check::none;
  bool swapped = false;  // a > b is b < a
};

namespace {

using enum ir::ScalarOp;
using Check = ScalarRow::Check;
constexpr auto none = std::nullopt;

constexpr ScalarRow rows[] = {
    {"+", 2, add, add, add, none},
    {"-", 2, sub, sub, sub, none},
    {"*", 2, mul, mul, mul, none},
    {"/", 2, sdiv_floor, udiv, fdiv, none, Check::divisor},
    {"%", 2, smod_floor, urem, fmod, none, Check::divisor},
    {"//", 2, sdiv, udiv, none, none, Check::divisor},
    {"%%", 2, srem, urem, none, none, Check::divisor},
    {"**", 2, ipow, ipow, fpow, none, Check::exponent},
    {"neg", 1, neg, neg, neg, none},
    {"abs", 1, iabs, none, fabs, none},
    {"sgn", 1, ssgn, usgn, fsgn, none},
    {"min", 2, smin, umin, fmin, bit_and},
    {"max", 2, smax, umax, fmax, bit_or},
    {"&&", 2, none, none, none, bit_and},
    {"||", 2, none, none, none, bit_or},
    {"<", 2, slt, ult, flt, ult},
    {"<=", 2, sle, ule, fle, ule},
    {">", 2, slt, ult, flt, ult, Check::none, true},
    {">=", 2, sle, ule, fle, ule, Check::none, true},
    {"&", 2, bit_and, bit_and, none, bit_and},
    {"|", 2, bit_or, bit_or, none, bit_or},
    {"^", 2, bit_xor, bit_xor, none, bit_xor},
    {"bit_not", 1, bit_not, bit_not, none, bit_not},
    {"<<", 2, shl, shl, none, none},
    {">>", 2, ashr, lshr, none, none},
    {"shift_right_arithmetic", 2, ashr, ashr, none, none},
    {">>>", 2, lshr, lshr, none, none},
    {"popc", 1, popc, popc, none, none},
    {"clz", 1, clz, clz, none, none},
    {"ctz", 1, ctz, ctz, none, none},
    {"mul_hi", 2, smul_hi, umul_hi, none, none},
    {"sqrt", 1, none, none, sqrt, none},
    {"rsqrt", 1, none, none, rsqrt, none},
    {"cbrt", 1, none, none, cbrt, none},
    {"exp", 1, none, none, exp, none},
    {"log", 1, none, none, log, none},
    {"log2", 1, none, none, log2, none},
    {"log10", 1, none, none, log10, none},
    {"log1p", 1, none, none, log1p, none},
    {"sin", 1, none, none, sin, none},
    {"cos", 1, none, none, cos, none},
    {"tan", 1, none, none, tan, none},
    {"asin", 1, none, none, asin, none},
    {"acos", 1, none, none, acos, none},
    {"atan", 1, none, none, atan, none},
    {"sinh", 1, none, none, sinh, none},
    {"cosh", 1, none, none, cosh, none},
    {"tanh", 1, none, none, tanh, none},
    {"asinh", 1, none, none, asinh, none},
    {"acosh", 1, none, none, acosh, none},
    {"atanh", 1, none, none, atanh, none},
    {"sinpi", 1, none, none, sinpi, none},
    {"cospi", 1, none, none, cospi, none},
    {"tanpi", 1, none, none, tanpi, none},
    {"asinpi", 1, none, none, asinpi, none},
    {"acospi", 1, none, none, acospi, none},
    {"atanpi", 1, none, none, atanpi, none},
    {"atan2", 2, none, none, atan2, none},
    {"atan2pi", 2, none, none, atan2pi, none},
    {"hypot", 2, none, none, hypot, none},
    {"gamma", 1, none, none, gamma, none},
    {"lgamma", 1, none, none, lgamma, none},
    {"erf", 1, none, none, erf, none},
    {"erfc", 1, none, none, erfc, none},
    {"ceil", 1, none, none, ceil, none},
    {"floor", 1, none, none, floor, none},
    {"round", 1, none, none, round, none},
    {"fma", 3, none, none, fma, none},
    {"isinf", 1, none, none, isinf, none},
    {"isnan", 1, none, none, isnan, none},
    {"nextafter", 2, none, none, nextafter, none},
    {"copysign", 2, none, none, copysign, none},
    {"ldexp", 2, none, none, ldexp, none},
};

/// The names in module `intrinsics` of what operators spell otherwise.
constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
    {"add", "+"},         {"sub", "-"},      {"mul", "*"},         {"div", "/"},
    {"mod", "%"},         {"quot", "//"},    {"rem", "%%"},        {"pow", "**"},
    {"lt", "<"},          {"le", "<="},      {"gt", ">"},          {"ge", ">="},
    {"bit_and", "&"},     {"bit_or", "|"},   {"bit_xor", "^"},     {"shift_left", "<<"},
    {"shift_right", ">>"}, {"shift_right_logical", ">>>"},
};

/// The check an integer operation needs, on its second operand.
std::optional<ir::NameId> check_operand(Elaborator& e, Check kind, check::Primitive primitive,
                                        const ir::Operand& operand) {
  const ir::ScalarType type = scalar_type(primitive);
  if (kind == Check::none || ir::is_float(type)) return std::nullopt;
  const ir::Operand zero = ir::zero_of(type);
  if (kind == Check::divisor) {
    return e.check(e.scalar(ne, type, {operand, zero}), "division by zero");
  }
  if (is_unsigned(primitive)) return std::nullopt;
  return e.check(e.scalar(sle, type, {zero, operand}), "Negative exponent");
}

ValueRef build_scalar(Elaborator& e, const IntrinsicCall& call) {
  const ScalarRow& row = *call.intrinsic.row;
  const check::Primitive primitive = e.primitive_of(call.arguments[0]);
  const ir::ScalarType type = scalar_type(primitive);
  const std::optional<ir::ScalarOp> op = type == ir::ScalarType::boolean ? row.on_boolean
                                         : ir::is_float(type)            ? row.on_real
                                         : is_unsigned(primitive)        ? row.on_unsigned
                                                                         : row.on_signed;
  if (!op.has_value()) {
    // Only the absolute value is the identity where it needs no operation.
    if (row.name == "abs") return call.arguments[0];
    e.unsupported(call.range, "`" + std::string(row.name) + "` does not work on this type");
  }
  std::vector<ir::Operand> operands;
  for (const ValueRef argument : call.arguments) operands.push_back(e.scalar_of(argument));
  if (row.swapped) std::swap(operands[0], operands[1]);
  std::optional<ir::NameId> checked;
  if (operands.size() > 1) checked = check_operand(e, row.check, primitive, operands[1]);
  const Guarded guarded(e, checked);
  const ir::ResultKind kind = ir::result_kind_of(*op);
  const check::Primitive out = kind == ir::ResultKind::boolean ? check::Primitive::boolean
                               : kind == ir::ResultKind::i32   ? check::Primitive::i32
                                                               : primitive;
  ir::Operand result = e.scalar(*op, type, std::move(operands));
  // A result known already waits for the check all the same.
  if (checked.has_value() && result.is_constant()) result = e.emit_one(ir::Identity{result});
  return e.arena.leaf(e.arena.scalar(out), std::move(result));
}

// ---------------------------------------------------------------- conversions

// Negative numbers wrap: `u32.f32 (-1)` is the largest u32.
ir::Operand float_to_unsigned_wrapping(Elaborator& e, ir::Operand value, ir::ScalarType source,
                                       ir::ScalarType target) {
  const ir::ScalarType i64 = ir::ScalarType::i64;
  const ir::Operand as_signed = e.out->convert(float_to_signed, source, i64, value, e.hint);
  if (target != i64) return e.out->convert(sign_extend, i64, target, as_signed, e.hint);
  const ir::Operand as_unsigned = e.out->convert(float_to_unsigned, source, i64, value, e.hint);
  const ir::Operand negative = e.scalar(flt, source, {value, ir::zero_of(source)});
  return e.out->select(i64, negative, as_signed, as_unsigned);
}

ir::Operand convert(Elaborator& e, ir::Operand value, check::Primitive from, check::Primitive to) {
  const ir::ScalarType source = scalar_type(from);
  const ir::ScalarType target = scalar_type(to);
  if (source == target) return value;
  const bool no_sign = is_unsigned(from) || source == ir::ScalarType::boolean;
  if (target == ir::ScalarType::boolean) return e.scalar(to_boolean, source, {std::move(value)});
  const auto with = [&](ir::ScalarOp op) {
    return e.out->convert(op, source, target, std::move(value), e.hint);
  };
  if (ir::is_float(source)) {
    if (ir::is_float(target)) return with(float_convert);
    if (!is_unsigned(to)) return with(float_to_signed);
    return float_to_unsigned_wrapping(e, std::move(value), source, target);
  }
  if (ir::is_float(target)) return with(no_sign ? unsigned_to_float : signed_to_float);
  // The language keeps the sign only where both types have one: `u64.i8 (-1)` is 255.
  return with(no_sign || is_unsigned(to) ? zero_extend : sign_extend);
}

/// The primitive type that the type argument `index` stands for.
check::Primitive type_argument(Elaborator& e, const IntrinsicCall& call, std::size_t index) {
  const check::Instance* instance = call.here.instance;
  DZ_CHECK(instance != nullptr && instance->types.size() > index, "a conversion has an instance");
  const TypeRef type = e.evaluate_type(instance->types[index], call.here.frame);
  return std::get<ScalarShape>(type->node).primitive;
}

ValueRef build_convert(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef value = call.arguments[0];
  const check::Primitive to = type_argument(e, call, 1);
  return e.arena.leaf(e.arena.scalar(to),
                      convert(e, e.scalar_of(value), e.primitive_of(value), to));
}

template <ir::ScalarOp op>
ValueRef build_bits(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef value = call.arguments[0];
  const check::Primitive to = type_argument(e, call, 1);
  return e.arena.leaf(e.arena.scalar(to),
                      e.out->convert(op, scalar_type(e.primitive_of(value)), scalar_type(to),
                                     e.scalar_of(value), e.hint));
}

// mad_hi a b c = mul_hi a b + c
ValueRef build_mad_hi(Elaborator& e, const IntrinsicCall& call) {
  const check::Primitive primitive = e.primitive_of(call.arguments[0]);
  const ir::ScalarType type = scalar_type(primitive);
  const ir::Operand high =
      e.scalar(is_unsigned(primitive) ? umul_hi : smul_hi, type,
               {e.scalar_of(call.arguments[0]), e.scalar_of(call.arguments[1])});
  return e.arena.leaf(e.arena.scalar(primitive),
                      e.scalar(add, type, {high, e.scalar_of(call.arguments[2])}));
}

ValueRef build_equal(Elaborator& e, const IntrinsicCall& call) {
  return e.bool_value(e.equal(call.arguments[0], call.arguments[1]));
}

ValueRef build_not_equal(Elaborator& e, const IntrinsicCall& call) {
  const auto* shape = as<LeafValue>(call.arguments[0]->node);
  if (shape != nullptr && std::holds_alternative<ScalarShape>(shape->type->node)) {
    const ir::ScalarType type = scalar_type(e.primitive_of(call.arguments[0]));
    return e.bool_value(e.scalar(
        ne, type, {e.scalar_of(call.arguments[0]), e.scalar_of(call.arguments[1])}));
  }
  return e.bool_value(e.logical_not(e.equal(call.arguments[0], call.arguments[1])));
}

using Table = std::unordered_map<std::string_view, Intrinsic>;

Table make_table() {
  Table table;
  for (const ScalarRow& row : rows) {
    table.emplace(row.name, Intrinsic{row.name, row.arity, build_scalar, &row});
  }
  for (const auto& [name, operation] : synonyms) {
    Intrinsic same = table.at(operation);
    same.name = name;
    table.emplace(name, same);
  }
  for (const Intrinsic& other :
       {Intrinsic{"convert", 1, build_convert}, Intrinsic{"to_bits", 1, build_bits<float_to_bits>},
        Intrinsic{"from_bits", 1, build_bits<bits_to_float>}, Intrinsic{"mad_hi", 3, build_mad_hi},
        Intrinsic{"eq", 2, build_equal}, Intrinsic{"==", 2, build_equal},
        Intrinsic{"ne", 2, build_not_equal}, Intrinsic{"!=", 2, build_not_equal}}) {
    table.emplace(other.name, other);
  }
  return table;
}

}  // namespace

const Intrinsic* find_scalar_intrinsic(std::string_view name) {
  static const Table table = make_table();
  const auto it = table.find(name);
  return it == table.end() ? nullptr : &it->second;
}

}  // namespace dagaz::elaborate
