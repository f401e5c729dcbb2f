// A difference is shown not to be negative by replacing what is subtracted by the largest that it
// may be: an index i < n by n - 1, a product i·m by n·m - m.  If then only what cannot be negative
// is left, the proof is done.
//
// Sums and products are taken apart only where they do not wrap around (ranges_of_operations.cpp).
#include "passes/simplify/facts.h"

#include <algorithm>

namespace dagaz::passes {

using namespace ir;

namespace {

/// How many terms and steps a proof may have.
constexpr std::size_t most_terms = 10;
constexpr int most_steps = 12;
constexpr std::int64_t largest_factor = 1 << 20;

}  // namespace

// ---------------------------------------------------------------- facts

void Facts::change(NameId name, Known known) {
  if (name.index >= known_.size()) known_.resize(name.index + 1);
  trail_.push_back({name, known_[name.index]});
  known_[name.index] = std::move(known);
}

Facts::Known Facts::recorded(NameId name) const {
  return name.index < known_.size() ? known_[name.index] : Known{};
}

void Facts::set_size(NameId name) {
  Known fact = recorded(name);
  if (fact.counts) return;
  fact.raise(0);
  fact.counts = true;
  change(name, std::move(fact));
}

void Facts::set_index(NameId name, Operand bound) {
  Known fact = recorded(name);
  fact.raise(0);
  fact.counts = true;
  fact.bound = bound;
  change(name, std::move(fact));
}

void Facts::forget(std::size_t mark) {
  while (trail_.size() > mark) {
    known_[trail_.back().name.index] = trail_.back().before;
    trail_.pop_back();
  }
}

void Facts::assume_at_least(const Operand& operand, std::int64_t least) {
  if (!operand.is_name()) return;
  Known fact = known(operand.name());
  fact.raise(least);
  change(operand.name(), fact);
}

std::optional<std::int64_t> Facts::least_of(const Operand& operand) const {
  if (operand.is_constant()) return small_constant(operand);
  if (const auto least = known(operand.name()).least) return least;
  return is_nonnegative(operand) ? std::optional<std::int64_t>(0) : std::nullopt;
}

void Facts::assume_less(const Operand& a, const Operand& b) {
  if (a.is_name()) {
    Known fact = known(a.name());
    fact.bound = b;
    change(a.name(), fact);
  }
  if (const auto least = least_of(a)) assume_at_least(b, *least + 1);
}

void Facts::assume_at_most(const Operand& a, const Operand& b) {
  if (const auto most = small_constant(b); most && a.is_name()) {
    Known fact = known(a.name());
    fact.bound = i64_operand(*most + 1);
    change(a.name(), fact);
  } else if (a.is_name() && b.is_name()) {
    Known fact = known(a.name());
    fact.most = b;
    change(a.name(), fact);
  }
  if (const auto least = least_of(a)) assume_at_least(b, *least);
}

// Only the ends of a range that is known can be cut off.
void Facts::assume_different(const Operand& a, const Operand& b) {
  if (!a.is_name()) return;
  Known fact = known(a.name());
  if (fact.least && small_constant(b) == fact.least) fact.raise(*fact.least + 1);
  if (fact.bound && is_equal(*fact.bound, b, 1)) fact.bound = b;
  change(a.name(), fact);
}

void Facts::assume_scalar(const Scalar& scalar, bool holds, int depth) {
  const auto& arguments = scalar.arguments;
  if (scalar.type == ScalarType::boolean) {
    if (scalar.op == ScalarOp::bit_not) assume_at(arguments[0], !holds, depth + 1);
    const bool both = (scalar.op == ScalarOp::bit_and && holds) ||
                      (scalar.op == ScalarOp::bit_or && !holds);
    if (both) {
      assume_at(arguments[0], holds, depth + 1);
      assume_at(arguments[1], holds, depth + 1);
    }
    return;
  }
  if (scalar.type != ScalarType::i64) return;
  if ((scalar.op == ScalarOp::ne && holds) || (scalar.op == ScalarOp::eq && !holds)) {
    assume_different(arguments[0], arguments[1]);
    assume_different(arguments[1], arguments[0]);
  } else if (scalar.op == ScalarOp::slt) {
    if (holds) assume_less(arguments[0], arguments[1]);
    if (!holds) assume_at_most(arguments[1], arguments[0]);
  } else if (scalar.op == ScalarOp::sle) {
    if (holds) assume_at_most(arguments[0], arguments[1]);
    if (!holds) assume_less(arguments[1], arguments[0]);
  } else if (scalar.op == ScalarOp::ult && holds && is_nonnegative(arguments[1])) {
    assume_at_most(i64_operand(0), arguments[0]);
    assume_less(arguments[0], arguments[1]);
  }
}

void Facts::assume_at(const Operand& condition, bool holds, int depth) {
  if (!condition.is_name() || depth > deepest_definition) return;
  const Statement* statement = definition_(condition.name());
  const Scalar* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar != nullptr) assume_scalar(*scalar, holds, depth);
}

void Facts::assume(const Operand& condition, bool holds) { assume_at(condition, holds, 0); }

// ---------------------------------------------------------------- sums

void Facts::add_term(Sum& to, Monomial monomial, std::int64_t factor) {
  for (Sum::Term& term : to.terms) {
    if (term.monomial == monomial) {
      term.factor += factor;
      return;
    }
  }
  to.terms.push_back({monomial, factor});
  if (to.terms.size() > most_terms) to.too_large = true;
}

void Facts::add_product(Sum& to, const Operand& a, const Operand& b, std::int64_t factor) const {
  if (const auto value = small_constant(b)) {
    if (*value > largest_factor || *value < -largest_factor) {
      to.too_large = true;
    } else {
      add(to, a, factor * *value, 0);
    }
  } else if (small_constant(a)) {
    add_product(to, b, a, factor);
  } else if (a.is_constant() || b.is_constant()) {
    to.too_large = true;
  } else {
    add_term(to, {std::min(a.name(), b.name()), std::max(a.name(), b.name())}, factor);
  }
}

void Facts::add(Sum& to, const Operand& operand, std::int64_t factor, int depth) const {
  if (factor > largest_factor || factor < -largest_factor) to.too_large = true;
  if (to.too_large) return;
  if (operand.is_constant()) {
    const auto value = small_constant(operand);
    to.too_large = to.too_large || !value;
    to.constant += value ? factor * *value : 0;
    return;
  }
  const Statement* statement = depth < deepest_definition ? definition_(operand.name()) : nullptr;
  const Scalar* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  const bool follows = !to.keeps_ends || !recorded(operand.name()).has_end();
  if (scalar != nullptr && scalar->type == ScalarType::i64 && follows &&
      (to.wraps || is_exact(operand.name(), *scalar, depth))) {
    if (scalar->op == ScalarOp::add || scalar->op == ScalarOp::sub) {
      add(to, scalar->arguments[0], factor, depth + 1);
      add(to, scalar->arguments[1], scalar->op == ScalarOp::add ? factor : -factor, depth + 1);
      return;
    }
    if (scalar->op == ScalarOp::mul) {
      add_product(to, scalar->arguments[0], scalar->arguments[1], factor);
      return;
    }
  }
  add_term(to, {operand.name(), NameId()}, factor);
}

bool Facts::is_nonnegative(const Monomial& monomial) const {
  return known(monomial.first).nonnegative() &&
         (!monomial.second.valid() || known(monomial.second).nonnegative());
}

/// Of `factor` times a quotient rounded down, by a number that divides the factor: what is divided,
/// which it is no more than, and the factor of that.
std::optional<std::pair<Operand, std::int64_t>> Facts::divided_exactly(NameId name,
                                                                       std::int64_t factor) const {
  const Statement* statement = definition_(name);
  const Scalar* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar == nullptr || scalar->type != ScalarType::i64) return std::nullopt;
  const bool rounds_down = scalar->op == ScalarOp::sdiv_floor ||
                           (scalar->op == ScalarOp::sdiv && is_nonnegative(scalar->arguments[0]));
  const auto divisor = rounds_down ? small_constant(scalar->arguments[1]) : std::nullopt;
  if (!divisor || *divisor <= 0 || factor % *divisor != 0) return std::nullopt;
  return std::pair(scalar->arguments[0], factor / *divisor);
}

/// Replaces one subtracted term by the largest that it may be; false if there is none to replace.
bool Facts::replace_by_largest(Sum& sum) const {
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto [monomial, factor] = sum.terms[i];
    if (factor >= 0) continue;
    const auto erase = [&] { sum.terms.erase(sum.terms.begin() + static_cast<std::ptrdiff_t>(i)); };
    if (!monomial.second.valid()) {
      if (const auto divided = divided_exactly(monomial.first, factor)) {
        erase();
        add(sum, divided->first, divided->second, 0);
        return true;
      }
      const Known fact = known(monomial.first);
      if (!fact.has_end()) continue;
      erase();
      add(sum, fact.bound ? *fact.bound : *fact.most, factor, 0);
      if (fact.bound) sum.constant -= factor;
      return true;
    }
    for (const auto& [index, other] : {std::pair(monomial.first, monomial.second),
                                       std::pair(monomial.second, monomial.first)}) {
      const Known fact = known(index);
      if (!fact.bound || !known(other).nonnegative()) continue;
      erase();
      add_product(sum, other, *fact.bound, factor);
      add_term(sum, {other, NameId()}, -factor);
      return true;
    }
  }
  return false;
}

// What is left is at least what its terms are at least.
bool Facts::is_nonnegative(Sum sum) const {
  for (int step = 0; step < most_steps && !sum.too_large; ++step) {
    std::erase_if(sum.terms, [](const Sum::Term& term) { return term.factor == 0; });
    if (replace_by_largest(sum)) continue;
    std::int64_t least = sum.constant;
    for (const Sum::Term& term : sum.terms) {
      if (term.factor <= 0 || !is_nonnegative(term.monomial)) return false;
      if (!term.monomial.second.valid()) least += term.factor * *known(term.monomial.first).least;
    }
    return least >= 0;
  }
  return false;
}

// ---------------------------------------------------------------- questions

// Whether b is `more` than a, or greater: by what they are made of, or by ends of parts of that.
bool Facts::is_at_least(const Operand& b, const Operand& a, std::int64_t more) const {
  for (const bool keeps_ends : {false, true}) {
    Sum sum;
    sum.keeps_ends = keeps_ends;
    sum.constant = -more;
    add(sum, b, 1, 0);
    add(sum, a, -1, 0);
    if (is_nonnegative(std::move(sum))) return true;
  }
  return false;
}

bool Facts::is_nonnegative(const Operand& operand) const {
  if (operand.is_name() && known(operand.name()).nonnegative()) return true;
  return is_at_least(operand, i64_operand(0), 0);
}

/// The numbers of which `operand` is one, by such an operation.
std::vector<Operand> Facts::arguments_of(const Operand& operand, ScalarOp op) const {
  const Statement* statement = operand.is_name() ? definition_(operand.name()) : nullptr;
  const Scalar* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  const bool is_it =
      scalar != nullptr && scalar->op == op && scalar->type == ScalarType::i64;
  return is_it ? scalar->arguments : std::vector<Operand>();
}

bool Facts::is_less_or_equal(const Operand& a, const Operand& b) const {
  for (const Operand& least : arguments_of(b, ScalarOp::smax)) {
    if (is_less_or_equal(a, least)) return true;
  }
  return is_at_least(b, a, 0);
}

bool Facts::is_equal(const Operand& a, const Operand& b, std::int64_t difference) const {
  Sum sum;
  sum.wraps = true;
  sum.constant = -difference;
  add(sum, a, 1, 0);
  add(sum, b, -1, 0);
  return !sum.too_large && sum.constant == 0 &&
         std::all_of(sum.terms.begin(), sum.terms.end(),
                     [](const Sum::Term& term) { return term.factor == 0; });
}

/// Whether an index below `extent` is among what it is a sum, the least or the greatest of.
bool Facts::is_made_of_index(const Operand& operand, const Operand& extent, int depth) const {
  if (!operand.is_name() || depth > deepest_definition) return false;
  const Known here = recorded(operand.name());
  if (here.counts && here.bound == extent) return true;
  for (const ScalarOp op : {ScalarOp::add, ScalarOp::smin, ScalarOp::smax}) {
    for (const Operand& part : arguments_of(operand, op)) {
      if (is_made_of_index(part, extent, depth + 1)) return true;
    }
  }
  return false;
}

// Whether `last` is n - 1, and `moved` is not negative and made of an index below n: then n is more
// than 0.
bool Facts::is_held_index(const Operand& moved, const Operand& last) const {
  const std::vector<Operand> terms = arguments_of(last, ScalarOp::add);
  return terms.size() == 2 && terms[1] == i64_operand(-1) && is_made_of_index(moved, terms[0], 0) &&
         is_nonnegative(moved);
}

bool Facts::is_less(const Operand& a, const Operand& b) const { return is_less(a, b, 0); }

bool Facts::is_less(const Operand& a, const Operand& b, int depth) const {
  if (depth > deepest_definition) return false;
  if (a.is_name() && known(a.name()).bound == b) return true;
  for (const Operand& least : arguments_of(b, ScalarOp::smax)) {
    if (is_less(a, least, depth + 1)) return true;
  }
  const auto is_less_here = [&](const Operand& part) { return is_less(part, b, depth + 1); };
  const std::vector<Operand> greatest = arguments_of(a, ScalarOp::smax);
  // Where an index below b is moved, b is more than 0.
  const bool is_positive = std::any_of(greatest.begin(), greatest.end(), [&](const Operand& part) {
    return is_made_of_index(part, b, depth + 1);
  });
  if (!greatest.empty() && std::all_of(greatest.begin(), greatest.end(), [&](const Operand& part) {
        return (is_positive && part == i64_operand(0)) || is_less_here(part);
      })) {
    return true;
  }
  const std::vector<Operand> least = arguments_of(a, ScalarOp::smin);
  return std::any_of(least.begin(), least.end(), is_less_here) || is_at_least(b, a, 1);
}

}  // namespace dagaz::passes
