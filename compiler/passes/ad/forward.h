// Forward mode: next to every value, its tangents along up to 64 directions.
//
// Code is emitted once with all directions side by side, so that they share the primal.  A tangent
// that is zero whatever the inputs is left out.  Operators of reductions, scans and histograms
// become operators on (value, tangents); sums keep their own, cheaper, operator per tangent.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "passes/ad/activity.h"
#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

class Forward {
 public:
  Forward(Environment& environment, int directions)
      : environment_(&environment),
        directions_(directions),
        dependence_(environment.names()) {}

  /// The tangent (emitted) of an original name that is free in what follows.
  void seed(ir::NameId original, int direction, ir::Operand tangent);
  /// The value of an original name at the outermost level of the statements, from outside: what
  /// follows uses it, and the code that computes it again is dead unless tangents need its parts.
  void provide(ir::NameId original, ir::Operand value) { provided_.emplace(original, value); }
  /// Emits the statements and their tangents.
  void run(const std::vector<ir::Statement>& statements);

  /// The emitted tangent of an original operand; nothing if it is zero.
  std::optional<ir::Operand> tangent(const ir::Operand& original, int direction) const;
  ir::Operand tangent_or_zero(const ir::Operand& original, int direction);

 private:
  // A tangent: of which value of a list, in which direction.
  struct Slot {
    std::size_t index;
    int direction;
  };
  using Slots = std::vector<Slot>;
  Slots slots(const std::vector<ir::Operand>& originals) const;
  Slots slots(const std::vector<ir::NameId>& originals) const;
  Slots slots(const std::vector<ir::Binder>& originals) const;
  Slots slots_of(const std::vector<Directions>& directions) const;
  void bind_tangent(ir::NameId original, int direction, ir::Operand tangent);
  // Fresh names for the tangents of binders, bound as their tangents.
  std::vector<ir::Binder> bind_fresh(const std::vector<ir::Binder>& originals, const Slots& slots);
  std::vector<ir::Operand> tangents(const std::vector<ir::Operand>& originals, const Slots& slots);
  std::vector<ir::NameId> tangent_names(const std::vector<ir::NameId>& originals,
                                        const Slots& slots);
  ir::Body extended_body(const ir::Body& body, const Slots& slots);
  // Values followed by their tangents in the slots.
  std::vector<ir::Binder> dual_binders(const std::vector<ir::Binder>& originals,
                                       const Slots& slots);
  std::vector<ir::Operand> dual_operands(const std::vector<ir::Operand>& originals,
                                         const Slots& slots);
  std::vector<ir::NameId> dual_names(const std::vector<ir::NameId>& originals,
                                     const Slots& slots);
  std::vector<ir::Type> dual_types(const std::vector<ir::Type>& originals, const Slots& slots);

  void emit(const std::vector<ir::Statement>& statements);
  void statement(const ir::Statement& statement);
  // One tangent per direction, from the directions in which any operand has one.
  void each_direction(const ir::Statement& statement, Directions active,
                      const std::function<ir::Operand(int)>& make);

  void rule(const ir::Statement& statement, const ir::Scalar& scalar);
  void rule(const ir::Statement& statement, const ir::Update& update);
  void rule(const ir::Statement& statement, const ir::Branch& branch);
  void rule(const ir::Statement& statement, const ir::Loop& loop);
  void rule(const ir::Statement& statement, const ir::Call& call);
  void rule(const ir::Statement& statement, const ir::MapScanReduce& map);
  void rule(const ir::Statement& statement, const ir::Histogram& histogram);
  void rule(const ir::Statement& statement, const ir::Scatter& scatter);
  void rule(const ir::Statement& statement, const ir::WithAccumulator& with);
  void rule(const ir::Statement& statement, const ir::Accumulate& accumulate);
  void rule(const ir::Statement& statement, const ir::FlatMap& flat_map);
  void rule(const ir::Statement& statement, const ir::CustomDerivative& custom);

  // rules/forward_map.cpp, forward_histogram.cpp
  struct DualMap;
  struct DualHistogram;
  // An operator on values followed by their tangents.
  ir::Lambda dual_operator(const ir::Lambda& op, const Slots& slots);
  // Neutral elements of an operator, followed by zeros.
  std::vector<ir::Operand> dual_neutral(const std::vector<ir::Operand>& originals,
                                        const Slots& slots);

  Environment* environment_;
  int directions_;
  Dependence dependence_;
  std::unordered_map<ir::NameId, std::vector<std::optional<ir::Operand>>> tangents_;
  std::unordered_map<ir::NameId, ir::Operand> provided_;
};

}  // namespace dagaz::passes::ad
