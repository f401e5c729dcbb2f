// A difference is shown not to be negative by replacing each index by the bound that makes the
// form smallest: 0 where it is added, its upper bound where it is subtracted.
//
// Sums of sizes and indices are taken not to overflow: both count elements in memory.
#include "passes/simplify/facts.h"

#include <algorithm>

namespace dagaz::passes {

using namespace ir;

namespace {

/// How deep definitions are followed, and how many terms and steps a proof may have.
constexpr int deepest = 6;
constexpr std::size_t most_terms = 8;
constexpr int most_steps = 12;
constexpr std::int64_t largest_factor = 1 << 20;

}  // namespace

void Facts::set_nonnegative(NameId name) {
  if (name.index >= known_.size()) known_.resize(name.index + 1);
  known_[name.index].nonnegative = true;
}

void Facts::set_index(NameId name, Operand bound) {
  set_nonnegative(name);
  known_[name.index].has_bound = true;
  known_[name.index].bound = std::move(bound);
}

const Facts::Known* Facts::known(NameId name) const {
  return name.index < known_.size() ? &known_[name.index] : nullptr;
}

void Facts::add_name(Linear& to, NameId name, std::int64_t factor) const {
  for (auto& [term, coefficient] : to.terms) {
    if (term == name) {
      coefficient += factor;
      return;
    }
  }
  to.terms.emplace_back(name, factor);
  if (to.terms.size() > most_terms) to.too_large = true;
}

void Facts::add(Linear& to, const Operand& operand, std::int64_t factor, int depth) const {
  if (factor > largest_factor || factor < -largest_factor) {
    to.too_large = true;
    return;
  }
  if (operand.is_constant()) {
    const std::int64_t value = integer_value(operand.constant());
    if (value > (std::int64_t{1} << 40) || value < -(std::int64_t{1} << 40)) {
      to.too_large = true;
    } else {
      to.constant += factor * value;
    }
    return;
  }
  const Statement* statement = depth < deepest ? definition_(operand.name()) : nullptr;
  const Scalar* scalar = statement == nullptr ? nullptr : as<Scalar>(statement->operation);
  if (scalar != nullptr && scalar->type == ScalarType::i64) {
    if (scalar->op == ScalarOp::add || scalar->op == ScalarOp::sub) {
      add(to, scalar->arguments[0], factor, depth + 1);
      add(to, scalar->arguments[1], scalar->op == ScalarOp::add ? factor : -factor, depth + 1);
      return;
    }
    if (scalar->op == ScalarOp::mul && scalar->arguments[1].is_constant()) {
      const std::int64_t by = integer_value(scalar->arguments[1].constant());
      if (by < largest_factor && by > -largest_factor) {
        add(to, scalar->arguments[0], factor * by, depth + 1);
        return;
      }
    }
  }
  add_name(to, operand.name(), factor);
}

bool Facts::is_nonnegative(Linear form) const {
  for (int step = 0; step < most_steps && !form.too_large; ++step) {
    std::erase_if(form.terms, [](const auto& term) { return term.second == 0; });
    if (form.terms.empty()) return form.constant >= 0;
    // Upper bounds first: they bring in sizes, which may cancel others.
    const auto negative =
        std::find_if(form.terms.begin(), form.terms.end(), [this](const auto& term) {
          const Known* fact = known(term.first);
          return term.second < 0 && fact != nullptr && fact->has_bound;
        });
    if (negative != form.terms.end()) {
      const auto [name, factor] = *negative;
      form.terms.erase(negative);
      add(form, known(name)->bound, factor, 0);
      form.constant -= factor;
      continue;
    }
    const bool provable =
        std::all_of(form.terms.begin(), form.terms.end(), [this](const auto& term) {
          const Known* fact = known(term.first);
          return term.second > 0 && fact != nullptr && fact->nonnegative;
        });
    return provable && form.constant >= 0;
  }
  return false;
}

bool Facts::is_nonnegative(const Operand& operand) const {
  Linear form;
  add(form, operand, 1, 0);
  return is_nonnegative(std::move(form));
}

bool Facts::is_less_or_equal(const Operand& a, const Operand& b) const {
  Linear form;
  add(form, b, 1, 0);
  add(form, a, -1, 0);
  return is_nonnegative(std::move(form));
}

bool Facts::is_less(const Operand& a, const Operand& b) const {
  Linear form;
  add(form, b, 1, 0);
  add(form, a, -1, 0);
  form.constant -= 1;
  return is_nonnegative(std::move(form));
}

}  // namespace dagaz::passes
