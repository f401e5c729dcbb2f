// The adjoints of a scope: for each name of the original code, the sum of what it was given so far.
//
// Adjoints are used linearly: once a contribution is added, the old sum is dead.  So an array
// adjoint that is `owned` may be updated in place.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "passes/ad/activity.h"
#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// Whether nobody else refers to a value, so that it may be updated in place.
enum class Ownership { owned, shared };

/// The sum of contributions so far to the adjoint of one name.
struct Adjoint {
  /// The dense value; nothing stands for zero.
  std::optional<ir::Operand> value;
  Ownership ownership = Ownership::shared;
  /// Of an array that was made of zeros for its parts: the rows that parts were added to, by
  /// constants; the others are still zero.  Nothing where any may be another number.
  std::vector<ir::Operand> rows;
  /// For an array used by the iterations of a map: contributions go to this accumulator instead.
  std::optional<ir::NameId> accumulator;
  /// For an array of which every iteration gives a whole array: contributions are kept apart, to
  /// be summed over the iterations one by one.
  bool deferred = false;
  std::vector<ir::Operand> contributions;
};

using AdjointTable = std::unordered_map<ir::NameId, Adjoint>;

/// Names and operands are those of original code, contributions are emitted.  What is not active
/// takes no contributions.
class Adjoints {
 public:
  explicit Adjoints(Environment& environment)
      : environment_(&environment), varied_(environment.names()) {}

  /// Declares a name as differentiated.
  void activate(ir::NameId original) { varied_.seed(original, 1); }
  /// Finds what depends on the activated names.
  void analyse(const std::vector<ir::Statement>& statements) { varied_.run(statements); }
  bool is_active(const ir::Operand& original) const { return varied_.of(original) != 0; }
  /// The names of values among `free` that adjoints may be added to.
  std::vector<ir::NameId> active_among(const std::vector<ir::NameId>& free) const;

  /// Whether there is a dense adjoint.
  bool has(const ir::Operand& original) const;
  void add(const ir::Operand& original, ir::Operand contribution, Ownership ownership);
  /// Adds to array[indices…]; `value` is a scalar, or an array for the dimensions left.
  void add_at(ir::NameId original, const std::vector<ir::Operand>& indices, ir::Operand value);
  /// Adds to the part of an array.
  void add_slice(ir::NameId original, const std::vector<ir::SliceDimension>& dimensions,
                 ir::Operand value);

  /// The adjoint of a name bound in the scope, which is then forgotten; nothing if zero.
  std::optional<Adjoint> take(ir::NameId original);
  /// The dense adjoint; zeros if there is none.
  ir::Operand take_or_zero(ir::NameId original);
  /// The same, safe to update in place.
  ir::Operand take_owned(ir::NameId original);

  /// The entry of a name, made if there is none.
  Adjoint& of(ir::NameId original) { return table_[original]; }
  void set(ir::NameId original, Adjoint adjoint) {
    table_.insert_or_assign(original, std::move(adjoint));
  }
  /// A dense array that is owned.
  void set_owned(ir::NameId original, ir::Operand value, std::vector<ir::Operand> rows = {});
  /// What a nested scope that was handed the adjoint of a name gives back.
  void replace(ir::NameId original, ir::NameId after);
  /// The adjoint of a name whose earlier sum went into an accumulator.
  void set_summed(ir::NameId original, ir::Operand sum);
  /// Enters a scope with the adjoints of another table, or leaves it; gives those until then.
  AdjointTable exchange(AdjointTable table) { return std::exchange(table_, std::move(table)); }

 private:
  void accumulate(ir::NameId original, const std::vector<ir::SliceDimension>& dimensions,
                  ir::Operand value);

  Environment* environment_;
  Dependence varied_;
  AdjointTable table_;
};

}  // namespace dagaz::passes::ad
