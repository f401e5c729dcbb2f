// Equations of scalar operations.  Floats keep IEEE semantics: only identities that hold for every
// value, zeros of both signs, infinities and NaN included, are used on them.
#include <algorithm>

#include "passes/commutative.h"
#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

bool is_value(const Operand& operand, const Constant& constant) {
  return operand == Operand(constant);
}
bool is_zero(const Operand& operand, ScalarType type) { return is_value(operand, zero_of(type)); }
bool is_one(const Operand& operand, ScalarType type) { return is_value(operand, one_of(type)); }
Operand all_ones(ScalarType type) {
  return type == ScalarType::boolean ? make_bool(true) : make_integer(type, -1);
}

// op c₁ c₂ …  =  its value
Outcome fold_constants(Scalar& node, Rules& rules) {
  std::vector<Constant> constants;
  for (const Operand& argument : node.arguments) {
    if (!argument.is_constant()) return Outcome::none;
    constants.push_back(argument.constant());
  }
  const auto value = evaluate(node.op, node.type, node.result, constants);
  return value ? rules.replace(Operand(*value)) : Outcome::none;
}

// c op x  =  x op c
Outcome constant_to_the_right(Scalar& node) {
  if (!is_commutative(node.op) || !node.arguments[0].is_constant() ||
      node.arguments[1].is_constant()) {
    return Outcome::none;
  }
  std::swap(node.arguments[0], node.arguments[1]);
  return Outcome::rewritten;
}

// Neutral and absorbing elements on integers and booleans; constants stand on the right.
Outcome neutral_elements(const Scalar& node, Rules& rules) {
  const Operand& a = node.arguments[0];
  const Operand& b = node.arguments[1];
  if (!b.is_constant()) return Outcome::none;
  const ScalarType type = node.type;
  const bool zero = is_zero(b, type);
  const bool one = is_one(b, type);
  const bool all = b == all_ones(type);
  switch (node.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::bit_xor:
    case ScalarOp::shl:
    case ScalarOp::lshr:
    case ScalarOp::ashr: return zero ? rules.replace(a) : Outcome::none;
    case ScalarOp::sdiv:
    case ScalarOp::sdiv_floor:
    case ScalarOp::udiv: return one ? rules.replace(a) : Outcome::none;
    case ScalarOp::srem:
    case ScalarOp::smod_floor:
    case ScalarOp::urem: return one ? rules.replace(Operand(zero_of(type))) : Outcome::none;
    case ScalarOp::mul:
      if (zero) return rules.replace(b);
      return one ? rules.replace(a) : Outcome::none;
    case ScalarOp::ipow:
      if (zero) return rules.replace(Operand(one_of(type)));
      return one ? rules.replace(a) : Outcome::none;
    case ScalarOp::bit_and:
      if (zero) return rules.replace(b);
      return all ? rules.replace(a) : Outcome::none;
    case ScalarOp::bit_or:
      if (all) return rules.replace(b);
      return zero ? rules.replace(a) : Outcome::none;
    default: return Outcome::none;  // no such elements
  }
}

// x - x = 0,  min x x = x,  x == x, … on integers and booleans
Outcome equal_operands(const Scalar& node, Rules& rules) {
  const Operand& a = node.arguments[0];
  if (!(a == node.arguments[1])) return Outcome::none;
  switch (node.op) {
    case ScalarOp::sub:
    case ScalarOp::bit_xor: return rules.replace(Operand(zero_of(node.type)));
    case ScalarOp::smin:
    case ScalarOp::smax:
    case ScalarOp::umin:
    case ScalarOp::umax:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or: return rules.replace(a);
    case ScalarOp::eq:
    case ScalarOp::sle:
    case ScalarOp::ule: return rules.replace(Operand(make_bool(true)));
    case ScalarOp::ne:
    case ScalarOp::slt:
    case ScalarOp::ult: return rules.replace(Operand(make_bool(false)));
    default: return Outcome::none;  // nothing in general
  }
}

// x · 1 = x,  x / 1 = x,  x - 0 = x,  x + (-0) = x: these hold for every float.
Outcome float_identities(const Scalar& node, Rules& rules) {
  if (node.arguments.size() != 2) return Outcome::none;
  const Operand& a = node.arguments[0];
  const Operand& b = node.arguments[1];
  const ScalarType type = node.type;
  const bool neutral =
      ((node.op == ScalarOp::mul || node.op == ScalarOp::fdiv || node.op == ScalarOp::fpow) &&
       is_one(b, type)) ||
      (node.op == ScalarOp::sub && is_zero(b, type)) ||
      (node.op == ScalarOp::add && is_value(b, make_float(type, -0.0)));
  return neutral ? rules.replace(a) : Outcome::none;
}

// x · (-1) = -x,  x + (-y) = x - y,  (-x) + y = y - x,  x - (-y) = x + y
Outcome float_signs(Scalar& node, Rules& rules) {
  if (node.arguments.size() != 2) return Outcome::none;
  const ScalarType type = node.type;
  const Operand a = node.arguments[0];
  const Operand b = node.arguments[1];
  if (node.op == ScalarOp::mul && is_value(b, make_float(type, -1.0))) {
    node = Scalar{ScalarOp::neg, type, type, {a}};
    return Outcome::rewritten;
  }
  if (node.op != ScalarOp::add && node.op != ScalarOp::sub) return Outcome::none;
  const auto negated = [&](const Operand& operand) -> std::optional<Operand> {
    const auto* inner = rules.defined_as<Scalar>(operand);
    if (inner == nullptr || inner->op != ScalarOp::neg) return std::nullopt;
    return inner->arguments[0];
  };
  if (const auto y = negated(b)) {
    const ScalarOp op = node.op == ScalarOp::add ? ScalarOp::sub : ScalarOp::add;
    node = Scalar{op, type, type, {a, *y}};
    return Outcome::rewritten;
  }
  const auto x = node.op == ScalarOp::add ? negated(a) : std::nullopt;
  if (!x) return Outcome::none;
  node = Scalar{ScalarOp::sub, type, type, {b, *x}};
  return Outcome::rewritten;
}

// (x + c₁) + c₂ = x + (c₁ + c₂), and the same with - and ·; (x + y) - x = y, (x - y) + y = x.
Outcome integer_sums(Scalar& node, Rules& rules) {
  if (node.op != ScalarOp::add && node.op != ScalarOp::sub && node.op != ScalarOp::mul) {
    return Outcome::none;
  }
  const Operand a = node.arguments[0];
  const Operand b = node.arguments[1];
  const ScalarType type = node.type;
  const auto* inner = rules.defined_as<Scalar>(a);
  const bool same_type = inner != nullptr && inner->type == type;
  if (node.op == ScalarOp::sub && b.is_constant()) {
    node = Scalar{ScalarOp::add, type, type,
                  {a, make_integer(type, -integer_value(b.constant()))}};
    return Outcome::rewritten;
  }
  if (same_type && b.is_constant() && inner->op == node.op &&
      inner->arguments[1].is_constant()) {
    const std::int64_t c1 = integer_value(inner->arguments[1].constant());
    const std::int64_t c2 = integer_value(b.constant());
    const Constant both[] = {make_integer(type, c1), make_integer(type, c2)};
    node.arguments = {inner->arguments[0], *evaluate(node.op, type, type, both)};
    return Outcome::rewritten;
  }
  if (same_type && node.op == ScalarOp::sub && inner->op == ScalarOp::add) {
    if (inner->arguments[0] == b) return rules.replace(Operand(inner->arguments[1]));
    if (inner->arguments[1] == b) return rules.replace(Operand(inner->arguments[0]));
  }
  if (same_type && node.op == ScalarOp::add && inner->op == ScalarOp::sub &&
      inner->arguments[1] == b) {
    return rules.replace(Operand(inner->arguments[0]));
  }
  const auto* other = rules.defined_as<Scalar>(b);
  if (other != nullptr && other->type == type && node.op == ScalarOp::add &&
      other->op == ScalarOp::sub && other->arguments[1] == a) {
    return rules.replace(Operand(other->arguments[0]));
  }
  return Outcome::none;
}

// -(-x) = x,  not (not x) = x,  not (x < y) = y <= x on integers, not (x == y) = x != y
Outcome involutions(Scalar& node, Rules& rules) {
  if (node.op != ScalarOp::neg && node.op != ScalarOp::bit_not) return Outcome::none;
  const auto* inner = rules.defined_as<Scalar>(node.arguments[0]);
  if (inner == nullptr) return Outcome::none;
  if (inner->op == node.op) return rules.replace(Operand(inner->arguments[0]));
  if (node.op != ScalarOp::bit_not || node.type != ScalarType::boolean) return Outcome::none;
  const Scalar compared = *inner;
  const auto negated = [&](ScalarOp op, bool swap) {
    node = Scalar{op, compared.type, ScalarType::boolean, compared.arguments};
    if (swap) std::swap(node.arguments[0], node.arguments[1]);
    return Outcome::rewritten;
  };
  switch (compared.op) {
    case ScalarOp::eq: return negated(ScalarOp::ne, false);
    case ScalarOp::ne: return negated(ScalarOp::eq, false);
    case ScalarOp::slt: return negated(ScalarOp::sle, true);
    case ScalarOp::sle: return negated(ScalarOp::slt, true);
    case ScalarOp::ult: return negated(ScalarOp::ule, true);
    case ScalarOp::ule: return negated(ScalarOp::ult, true);
    default: return Outcome::none;  // float comparisons are not total
  }
}

// select true x y = x,  select c x x = x,  select c true false = c
Outcome selections(Scalar& node, Rules& rules) {
  if (node.op != ScalarOp::select) return Outcome::none;
  const Operand& condition = node.arguments[0];
  const Operand& yes = node.arguments[1];
  const Operand& no = node.arguments[2];
  if (condition.is_constant()) return rules.replace(condition.constant().bits != 0 ? yes : no);
  if (yes == no) return rules.replace(yes);
  if (node.type != ScalarType::boolean) {
    const auto* negation = rules.defined_as<Scalar>(condition);
    if (negation == nullptr || negation->op != ScalarOp::bit_not) return Outcome::none;
    node.arguments = {negation->arguments[0], no, yes};
    return Outcome::rewritten;
  }
  const auto becomes = [&](ScalarOp op, const Operand& a, const Operand& b) {
    node = Scalar{op, ScalarType::boolean, ScalarType::boolean, {a, b}};
    return Outcome::rewritten;
  };
  if (is_constant_bool(yes, true) && is_constant_bool(no, false)) return rules.replace(condition);
  if (is_constant_bool(yes, false) && is_constant_bool(no, true)) {
    node = Scalar{ScalarOp::bit_not, ScalarType::boolean, ScalarType::boolean, {condition}};
    return Outcome::rewritten;
  }
  if (is_constant_bool(yes, true)) return becomes(ScalarOp::bit_or, condition, no);
  if (is_constant_bool(no, false)) return becomes(ScalarOp::bit_and, condition, yes);
  return Outcome::none;
}

// b == true = b, b != false = b, b == false = not b
Outcome boolean_comparisons(Scalar& node, Rules& rules) {
  if (node.type != ScalarType::boolean) return Outcome::none;
  if (node.op != ScalarOp::eq && node.op != ScalarOp::ne) return Outcome::none;
  if (!node.arguments[1].is_constant()) return Outcome::none;
  const bool wanted = (node.arguments[1].constant().bits != 0) == (node.op == ScalarOp::eq);
  if (wanted) return rules.replace(Operand(node.arguments[0]));
  node = Scalar{ScalarOp::bit_not, ScalarType::boolean, ScalarType::boolean,
                {node.arguments[0]}};
  return Outcome::rewritten;
}

// x mod n = x  where 0 ≤ x < n
Outcome known_remainders(const Scalar& node, Rules& rules) {
  const bool is_remainder = node.op == ScalarOp::smod_floor || node.op == ScalarOp::srem;
  if (node.type != ScalarType::i64 || !is_remainder) return Outcome::none;
  const Operand& x = node.arguments[0];
  const bool is_whole = rules.is_known_nonnegative(x) && rules.is_known_less(x, node.arguments[1]);
  return is_whole ? rules.replace(x) : Outcome::none;
}

// Bounds checks whose answer is known.
Outcome known_comparisons(const Scalar& node, Rules& rules) {
  if (node.type != ScalarType::i64) return Outcome::none;
  const Operand& a = node.arguments[0];
  const Operand& b = node.arguments[1];
  const auto known = [&](bool value) { return rules.replace(Operand(make_bool(value))); };
  if (node.op == ScalarOp::ult) {
    // Both halves of a bounds check in one comparison.
    if (rules.is_known_nonnegative(a) && rules.is_known_less(a, b)) return known(true);
  } else if (node.op == ScalarOp::slt) {
    if (rules.is_known_less(a, b)) return known(true);
    if (rules.is_known_less_or_equal(b, a)) return known(false);
  } else if (node.op == ScalarOp::sle) {
    if (rules.is_known_less_or_equal(a, b)) return known(true);
    if (rules.is_known_less(b, a)) return known(false);
  } else if (node.op == ScalarOp::eq || node.op == ScalarOp::ne) {
    if (rules.is_known_less(a, b) || rules.is_known_less(b, a)) {
      return known(node.op == ScalarOp::ne);
    }
  } else if (node.op == ScalarOp::smax || node.op == ScalarOp::smin) {
    const bool larger_is_b = node.op == ScalarOp::smax;
    if (rules.is_known_less_or_equal(a, b)) return rules.replace(Operand(larger_is_b ? b : a));
    if (rules.is_known_less_or_equal(b, a)) return rules.replace(Operand(larger_is_b ? a : b));
  }
  return Outcome::none;
}

// A conversion to the type it comes from; one conversion after another of the same kind.
Outcome conversions(Scalar& node, Rules& rules) {
  const bool extends = node.op == ScalarOp::sign_extend || node.op == ScalarOp::zero_extend;
  if (!extends && node.op != ScalarOp::float_convert) return Outcome::none;
  if (node.type == node.result) return rules.replace(Operand(node.arguments[0]));
  const auto* inner = rules.defined_as<Scalar>(node.arguments[0]);
  if (inner == nullptr || inner->op != node.op) return Outcome::none;
  const int from = bit_width(inner->type);
  const int through = bit_width(inner->result);
  // Widening first loses nothing; narrowing twice is narrowing once, on integers.
  const bool widened = through >= from;
  const bool narrowed_again = extends && bit_width(node.result) <= through;
  if (!widened && !narrowed_again) return Outcome::none;
  node = Scalar{node.op, inner->type, node.result, {inner->arguments[0]}};
  return Outcome::rewritten;
}

}  // namespace

Outcome apply(Scalar& node, Rules& rules) {
  if (const Outcome outcome = fold_constants(node, rules); outcome != Outcome::none) {
    return outcome;
  }
  if (node.arguments.size() == 2) {
    if (const Outcome o = constant_to_the_right(node); o != Outcome::none) return o;
    if (!is_float(node.type)) {
      if (const Outcome o = neutral_elements(node, rules); o != Outcome::none) return o;
      if (const Outcome o = equal_operands(node, rules); o != Outcome::none) return o;
      if (const Outcome o = boolean_comparisons(node, rules); o != Outcome::none) return o;
      if (const Outcome o = known_comparisons(node, rules); o != Outcome::none) return o;
      if (const Outcome o = known_remainders(node, rules); o != Outcome::none) return o;
    }
    if (const Outcome o = constant_powers(node, rules); o != Outcome::none) return o;
    if (is_integer(node.type)) return integer_sums(node, rules);
    if (const Outcome o = float_identities(node, rules); o != Outcome::none) return o;
    return float_signs(node, rules);
  }
  if (node.arguments.size() == 3) return selections(node, rules);
  if (const Outcome o = involutions(node, rules); o != Outcome::none) return o;
  return conversions(node, rules);
}

// An identity is its operand: both names are of the same memory.  One that adds a guard stays.
Outcome apply(Identity& node, Rules& rules) {
  if (!rules.is_guarded_like_statement(node.value)) return Outcome::none;
  return rules.replace(node.value);
}

// A check that holds guards nothing; one that repeats its condition is kept by its token.
Outcome apply(Assert& node, Rules& rules) {
  if (is_constant_bool(node.condition, true)) return rules.replace(Operand(make_bool(true)));
  return Outcome::none;
}

}  // namespace dagaz::passes
