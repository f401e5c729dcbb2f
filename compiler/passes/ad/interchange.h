// Sums over the iterations of a map of whole arrays that each iteration computes by a map nest.
//
//   Σᵢ map (\j -> map (\k -> f i j k))  =  map (\j -> map (\k -> Σᵢ f i j k))
//
// The right side writes each element once, needs no accumulator, and is a matrix product where the
// left side is a sum of outer products.  Values that an iteration computes before the nest are
// kept for all iterations.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

class SumOverMap {
 public:
  /// How to compute one sum.
  struct Plan {
    ir::Statement nest;
    std::vector<ir::Operation> views;  // applied to the sum, innermost first
  };

  SumOverMap(Environment& environment, ir::Operand width)
      : environment_(&environment), width_(width) {}

  /// The map whose iterations are summed over: its arrays and parameters, and its statements,
  /// which plans may give further results.
  void set_map(const ir::MapScanReduce& map, std::vector<ir::Statement>& statements);
  /// A plan for the sum of `contribution`, a value of the map's body; nothing if it is not
  /// computed by a nest of maps.
  std::optional<Plan> plan(const ir::Operand& contribution);
  /// The values of the body that plans need of every iteration: further results of the map.
  const std::vector<ir::NameId>& materialised() const { return materialised_; }
  /// The arrays of those values.
  void set_results(const std::vector<ir::NameId>& arrays);
  /// Emits the sum, after the map.
  ir::NameId emit(const Plan& plan);

 private:
  using PerIteration = std::unordered_map<ir::NameId, ir::NameId>;
  ir::Statement elements_of(const ir::Statement& source, std::size_t result);
  std::optional<ir::Statement> split_level(std::size_t position, std::size_t result);
  bool needs_only_iterations(const ir::Statement& nest, std::vector<ir::NameId>& needed) const;
  bool is_invariant(const ir::Operand& operand) const;
  ir::NameId emit_level(ir::MapScanReduce nest, std::size_t result, PerIteration arrays,
                        std::vector<ir::Statement> prefix);
  ir::Operand emit_core(ir::Body body, const PerIteration& arrays, const ir::Type& type);

  Environment* environment_;
  ir::Operand width_;
  PerIteration arrays_;                                        // parameters and their arrays
  std::vector<ir::Statement>* statements_ = nullptr;           // the body of the map
  std::unordered_map<ir::NameId, std::size_t> definitions_;    // where each name is bound in it
  std::vector<ir::NameId> materialised_;
};

}  // namespace dagaz::passes::ad
