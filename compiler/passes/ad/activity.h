// Which values depend on which differentiated inputs.
//
// Every name gets a set of up to 64 directions: the inputs that may influence its derivative.  A
// value outside every direction needs no tangent, adjoint or zero.  Dependence through sizes,
// indices, conditions and booleans does not count, for it carries no derivative.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/ops.h"
#include "ir/program.h"

namespace dagaz::passes::ad {

/// A set of directions: bit j stands for direction j.
using Directions = std::uint64_t;
constexpr int max_directions = 64;

class Dependence {
 public:
  explicit Dependence(const ir::Names& names) : names_(&names) {}

  /// Adds directions to a name.
  void seed(ir::NameId name, Directions directions);
  /// Propagates through statements whose outside names are seeded.
  void run(const std::vector<ir::Statement>& statements);

  Directions of(ir::NameId name) const;
  Directions of(const ir::Operand& operand) const {
    return operand.is_name() ? of(operand.name()) : 0;
  }
  Directions of(const std::vector<ir::Operand>& operands) const;
  Directions of(const std::vector<ir::NameId>& names) const;
  /// What the results of an operator depend on, given its parameters' seeds: an operator mixes
  /// its components.
  Directions of_operator(const ir::Lambda& op, const std::vector<ir::Operand>& neutral,
                         Directions inputs);

 private:
  void statement(const ir::Statement& statement);
  void operation(const ir::Loop& loop, const std::vector<ir::Binder>& results);
  void operation(const ir::Branch& branch, const std::vector<ir::Binder>& results);
  void operation(const ir::MapScanReduce& map, const std::vector<ir::Binder>& results);
  void operation(const ir::Histogram& histogram, const std::vector<ir::Binder>& results);
  void operation(const ir::Scatter& scatter, const std::vector<ir::Binder>& results);
  void operation(const ir::WithAccumulator& with, const std::vector<ir::Binder>& results);
  void operation(const ir::FlatMap& flat_map, const std::vector<ir::Binder>& results);
  void operation(const ir::CustomDerivative& custom, const std::vector<ir::Binder>& results);
  void seed_rows(const ir::Lambda& lambda, const std::vector<ir::NameId>& arrays);

  const ir::Names* names_;
  std::unordered_map<ir::NameId, Directions> directions_;
  bool changed_ = false;
};

}  // namespace dagaz::passes::ad
