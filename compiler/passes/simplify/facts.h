// What is known about integers of 64 bits: index variables run from 0 to below a bound, sizes are
// not negative, remainders are small.  Questions are answered on sums of products of two names,
// so that the usual bounds checks go away.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ir/ops.h"
#include "support/match.h"

namespace dagaz::passes {

/// How deep definitions are followed.
constexpr int deepest_definition = 6;

/// The value, if it is a constant of 64 bits that may be added and multiplied a few times.
std::optional<std::int64_t> small_constant(const ir::Operand& operand);

/// Facts about names.
class Facts {
 public:
  using Definition = std::function<const ir::Statement*(ir::NameId)>;
  explicit Facts(Definition definition) : definition_(std::move(definition)) {}

  /// 0 ≤ name, which counts elements.
  void set_size(ir::NameId name);
  /// 0 ≤ name < bound.
  void set_index(ir::NameId name, ir::Operand bound);
  /// What follows from `condition` having the value `holds`.
  void assume(const ir::Operand& condition, bool holds);

  /// All that becomes known from here on holds in one scope: `forget` with the mark ends it.
  std::size_t mark() const { return trail_.size(); }
  void forget(std::size_t mark);
  /// What `ask` answers by what was known at `mark`.
  template <typename Ask>
  bool as_of(std::size_t mark, const Ask& ask) {
    for (std::size_t i = trail_.size(); i-- > mark;) exchange(trail_[i]);
    const bool answer = ask();
    for (std::size_t i = mark; i < trail_.size(); ++i) exchange(trail_[i]);
    return answer;
  }

  bool is_nonnegative(const ir::Operand& operand) const;
  bool is_less(const ir::Operand& a, const ir::Operand& b) const;
  bool is_less_or_equal(const ir::Operand& a, const ir::Operand& b) const;

 private:
  /// A name, or a product of two with first ≤ second.
  struct Monomial {
    ir::NameId first;
    ir::NameId second;  // invalid: the name alone
    bool operator==(const Monomial&) const = default;
  };
  /// constant + Σ factor · monomial
  struct Sum {
    struct Term {
      Monomial monomial;
      std::int64_t factor;
    };
    std::int64_t constant = 0;
    std::vector<Term> terms = {};
    bool too_large = false;
    /// Definitions are followed where they may overflow: enough for equality, which both have.
    bool wraps = false;
    /// Definitions of what an end is recorded for are not followed.
    bool keeps_ends = false;
  };
  /// least ≤ name < bound, or ≤ most where no bound is known
  struct Known {
    std::optional<std::int64_t> least = std::nullopt;
    std::optional<ir::Operand> bound = std::nullopt;
    std::optional<ir::Operand> most = std::nullopt;
    bool counts = false;  // a size or an index: it counts elements in memory
    bool nonnegative() const { return least && *least >= 0; }
    bool has_end() const { return bound || most; }
    void raise(std::int64_t to) { least = std::max(to, least.value_or(to)); }
  };

  void add(Sum& to, const ir::Operand& operand, std::int64_t factor, int depth) const;
  void add_product(Sum& to, const ir::Operand& a, const ir::Operand& b,
                   std::int64_t factor) const;
  static void add_term(Sum& to, Monomial monomial, std::int64_t factor);
  std::optional<std::pair<ir::Operand, std::int64_t>> divided_exactly(ir::NameId name,
                                                                      std::int64_t factor) const;
  bool replace_by_largest(Sum& sum) const;
  bool is_nonnegative(Sum sum) const;
  bool is_at_least(const ir::Operand& b, const ir::Operand& a, std::int64_t more) const;
  bool is_nonnegative(const Monomial& monomial) const;
  Known recorded(ir::NameId name) const;
  Known known(ir::NameId name, int depth = 0) const;
  Known derived(const ir::Scalar& scalar, int depth) const;
  int bits(const ir::Operand& operand, int depth) const;
  int bits_of_result(const ir::Scalar& scalar, int depth) const;
  bool is_exact(ir::NameId name, const ir::Scalar& scalar, int depth) const;
  Known of_operand(const ir::Operand& operand, int depth) const;
  Known quotient(const ir::Scalar& scalar, int depth) const;
  void change(ir::NameId name, Known known);
  void assume_less(const ir::Operand& a, const ir::Operand& b);
  void assume_at_most(const ir::Operand& a, const ir::Operand& b);
  void assume_different(const ir::Operand& a, const ir::Operand& b);
  void assume_at_least(const ir::Operand& operand, std::int64_t least);
  std::optional<std::int64_t> least_of(const ir::Operand& operand) const;
  bool is_equal(const ir::Operand& a, const ir::Operand& b, std::int64_t difference) const;
  bool is_less(const ir::Operand& a, const ir::Operand& b, int depth) const;
  bool is_made_of_index(const ir::Operand& operand, const ir::Operand& extent, int depth) const;
  bool is_held_index(const ir::Operand& moved, const ir::Operand& last) const;
  std::vector<ir::Operand> arguments_of(const ir::Operand& operand, ir::ScalarOp op) const;
  void assume_scalar(const ir::Scalar& scalar, bool holds, int depth);
  void assume_at(const ir::Operand& condition, bool holds, int depth);

  struct Change {
    ir::NameId name;
    Known before;
  };

  void exchange(Change& change) { std::swap(known_[change.name.index], change.before); }

  Definition definition_;
  std::vector<Known> known_;
  std::vector<Change> trail_;
};

}  // namespace dagaz::passes
