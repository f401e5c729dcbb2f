// The tangents of names of the original code, along up to 64 directions.
//
// A tangent that is zero whatever the inputs is left out.  So the tangents of a list of values are
// a list of their own, laid out by slots: which value, in which direction.  What is dual holds
// values, then their tangents in such slots.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "passes/ad/activity.h"
#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// A tangent: of which value of a list, in which direction.
struct Slot {
  std::size_t index;
  int direction;
};
using Slots = std::vector<Slot>;

/// Names, operands and types given are those of original code; what is made is emitted.
class Tangents {
 public:
  Tangents(Environment& environment, int directions)
      : environment_(&environment), directions_(directions), dependence_(environment.names()) {}

  int directions() const { return directions_; }
  /// In which directions values may have tangents.
  const Dependence& dependence() const { return dependence_; }

  /// The tangent of a name that is free in what follows.
  void seed(ir::NameId original, int direction, ir::Operand tangent);
  /// Finds what depends on the seeded names.
  void analyse(const std::vector<ir::Statement>& statements) { dependence_.run(statements); }

  /// The tangent of an operand; nothing if it is zero.
  std::optional<ir::Operand> of(const ir::Operand& original, int direction) const;
  ir::Operand or_zero(const ir::Operand& original, int direction);
  void bind(ir::NameId original, int direction, ir::Operand tangent);
  /// Binds those of a value as those of a name that stands for it.
  void bind_as(ir::NameId original, const ir::Operand& value);
  /// Makes and binds one tangent per active direction for the statement's first result.
  void bind_each(const ir::Statement& statement, Directions active,
                 const std::function<ir::Operand(int)>& make);
  /// Fresh names for the tangents of binders, bound as their tangents.
  std::vector<ir::Binder> bind_fresh(const std::vector<ir::Binder>& originals, const Slots& slots);

  Slots slots(const std::vector<ir::Operand>& originals) const;
  Slots slots(const std::vector<ir::NameId>& originals) const;
  Slots slots(const std::vector<ir::Binder>& originals) const;
  /// Of values with tangents in these directions.
  Slots slots_of(const std::vector<Directions>& directions) const;
  std::vector<ir::Operand> in_slots(const std::vector<ir::Operand>& originals, const Slots& slots);
  std::vector<ir::NameId> names_in_slots(const std::vector<ir::NameId>& originals,
                                         const Slots& slots);

  // Values followed by their tangents in the slots.
  std::vector<ir::Binder> dual_binders(const std::vector<ir::Binder>& originals,
                                       const Slots& slots);
  std::vector<ir::Operand> dual_operands(const std::vector<ir::Operand>& originals,
                                         const Slots& slots);
  std::vector<ir::NameId> dual_names(const std::vector<ir::NameId>& originals, const Slots& slots);
  std::vector<ir::Type> dual_types(const std::vector<ir::Type>& originals, const Slots& slots);

 private:
  Environment* environment_;
  int directions_;
  Dependence dependence_;
  std::unordered_map<ir::NameId, std::vector<std::optional<ir::Operand>>> tangents_;
};

}  // namespace dagaz::passes::ad
