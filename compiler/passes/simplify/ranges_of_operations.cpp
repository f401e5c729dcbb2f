// What an integer may be by the operation that makes it: a remainder is less than its divisor, a
// number that was extended from 32 bits is small.
//
// Arithmetic wraps around, and a value of the program may be anything: a sum or a product says
// something about its operands only where it cannot overflow, by the bits that they need.  A size
// or an index counts elements in memory, and is taken to need 30, so that products of two fit.
#include <bit>
#include <cstdlib>

#include "passes/simplify/facts.h"

namespace dagaz::passes {

using namespace ir;

namespace {

constexpr std::int64_t largest_constant = std::int64_t{1} << 40;

/// What a size or an index may be at most, and what a number may be that is not known to be less.
constexpr int bits_of_count = 30;
constexpr int bits_of_exact = 63;
constexpr int bits_of_any = 64;

bool is_positive_constant(const Operand& operand) {
  const auto value = small_constant(operand);
  return value && *value > 0;
}

}  // namespace

std::optional<std::int64_t> small_constant(const Operand& operand) {
  if (!operand.is_constant() || operand.constant().type != ScalarType::i64) return std::nullopt;
  const std::int64_t value = integer_value(operand.constant());
  if (value > largest_constant || value < -largest_constant) return std::nullopt;
  return value;
}

// ---------------------------------------------------------------- ranges of operations

Facts::Known Facts::of_operand(const Operand& operand, int depth) const {
  if (operand.is_name()) return known(operand.name(), depth);
  const auto value = small_constant(operand);
  if (!value) return {};
  return {*value, i64_operand(*value + 1)};
}

// x / c < ⌈b / c⌉ for x < b;  x / m < n for x < n · m
Facts::Known Facts::quotient(const Scalar& scalar, int depth) const {
  const Known dividend = of_operand(scalar.arguments[0], depth);
  const Operand& divisor = scalar.arguments[1];
  if (!dividend.nonnegative() || !of_operand(divisor, depth).nonnegative()) return {};
  Known result{0, std::nullopt};
  if (!dividend.bound) return result;
  const auto bound = small_constant(*dividend.bound);
  const auto by = small_constant(divisor);
  if (bound && by && *by > 0) {
    result.bound = i64_operand((*bound - 1) / *by + 1);
  } else if (dividend.bound->is_name()) {
    const Statement* product = definition_(dividend.bound->name());
    const Scalar* factors = product == nullptr ? nullptr : as<Scalar>(product->operation);
    if (factors != nullptr && factors->op == ScalarOp::mul) {
      if (factors->arguments[1] == divisor) result.bound = factors->arguments[0];
      if (factors->arguments[0] == divisor) result.bound = factors->arguments[1];
    }
  }
  return result;
}

Facts::Known Facts::derived(const Scalar& scalar, int depth) const {
  const auto& arguments = scalar.arguments;
  const auto argument = [&](std::size_t i) { return of_operand(arguments[i], depth); };
  const auto all_nonnegative = [&]() -> Known {
    if (argument(0).nonnegative() && argument(1).nonnegative()) return {0, std::nullopt};
    return {};
  };
  if (scalar.op == ScalarOp::zero_extend && scalar.result == ScalarType::i64 &&
      bit_width(scalar.type) < 64) {
    return {0, i64_operand(std::int64_t{1} << bit_width(scalar.type))};
  }
  if (scalar.type != ScalarType::i64) return {};
  switch (scalar.op) {
    case ScalarOp::smod_floor:
      // The divisor is not zero where the remainder exists.
      if (!argument(1).nonnegative()) return {};
      return {0, arguments[1]};
    case ScalarOp::srem:
    case ScalarOp::urem:
      if (!is_positive_constant(arguments[1]) || !argument(0).nonnegative()) return {};
      return {0, arguments[1]};
    case ScalarOp::sdiv:
    case ScalarOp::sdiv_floor:
    case ScalarOp::udiv: return quotient(scalar, depth);
    case ScalarOp::smin: {
      Known least = all_nonnegative();
      if (is_held_index(arguments[0], arguments[1]) || is_held_index(arguments[1], arguments[0])) {
        least.raise(0);
      }
      const Known a = argument(0);
      least.bound = a.bound ? a.bound : argument(1).bound;
      return least;
    }
    case ScalarOp::smax:
      if (!argument(0).nonnegative() && !argument(1).nonnegative()) return {};
      return {0, std::nullopt};
    case ScalarOp::lshr:
      if (!is_positive_constant(arguments[1])) return {};
      return {0, std::nullopt};
    case ScalarOp::bit_and: {
      const auto mask = small_constant(arguments[1]);
      if (!mask || *mask < 0) return {};
      return {0, i64_operand(*mask + 1)};
    }
    case ScalarOp::mul:
    case ScalarOp::add:
      if (bits_of_result(scalar, depth) > bits_of_exact) return {};
      return all_nonnegative();
    default: return {};  // nothing follows from the operation alone
  }
}

Facts::Known Facts::known(NameId name, int depth) const {
  Known fact = recorded(name);
  if (fact.bound || depth > deepest_definition) return fact;
  const Statement* statement = definition_(name);
  const Scalar* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar == nullptr) return fact;
  Known more = derived(*scalar, depth + 1);
  if (fact.least) more.raise(*fact.least);
  more.most = fact.most;
  return more;
}

// ---------------------------------------------------------------- overflow

/// A number of bits b with |operand| < 2^b, if that is at most `bits_of_exact`.
int Facts::bits(const Operand& operand, int depth) const {
  if (operand.is_constant()) {
    const auto value = small_constant(operand);
    if (!value) return bits_of_any;
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::abs(*value))));
  }
  const NameId name = operand.name();
  const Known fact = recorded(name);
  if (fact.counts) return bits_of_count;
  if (depth > deepest_definition) return bits_of_any;
  const Statement* statement = definition_(name);
  const Scalar* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  const int result = scalar == nullptr ? bits_of_any : bits_of_result(*scalar, depth + 1);
  if (!fact.nonnegative() || !fact.has_end()) return result;
  return std::min(result, bits(fact.bound ? *fact.bound : *fact.most, depth + 1));
}

int Facts::bits_of_result(const Scalar& scalar, int depth) const {
  const auto argument = [&](std::size_t i) { return bits(scalar.arguments[i], depth); };
  if (scalar.op == ScalarOp::zero_extend || scalar.op == ScalarOp::sign_extend) {
    return bit_width(scalar.type);
  }
  if (scalar.type != ScalarType::i64) return bits_of_any;
  switch (scalar.op) {
    case ScalarOp::add:
    case ScalarOp::sub: return std::max(argument(0), argument(1)) + 1;
    case ScalarOp::mul: return argument(0) + argument(1);
    case ScalarOp::smin:
    case ScalarOp::smax: return std::max(argument(0), argument(1));
    case ScalarOp::select: return std::max(argument(1), argument(2));
    case ScalarOp::sdiv:
    case ScalarOp::sdiv_floor: return argument(0);
    case ScalarOp::smod_floor:
    case ScalarOp::srem: return argument(1);
    default: {
      const Known range = derived(scalar, depth + 1);
      const bool small = range.nonnegative() && range.bound && depth <= deepest_definition;
      return small ? bits(*range.bound, depth + 1) : bits_of_any;
    }
  }
}

/// Whether the operation's result is the integer that it says, and not that modulo 2^64.
bool Facts::is_exact(NameId name, const Scalar& scalar, int depth) const {
  return recorded(name).counts || bits_of_result(scalar, depth) <= bits_of_exact;
}

}  // namespace dagaz::passes
