// Sums over the iterations of a map, or of a loop, of whole arrays that each iteration computes by a map nest.
//
//   Σᵢ map (\j -> map (\k -> f i j k))  =  map (\j -> map (\k -> Σᵢ f i j k))
//
// The right side writes each element once, needs no accumulator, and is a matrix product where the
// left side is a sum of outer products.  Where f is linear in what differs between iterations, that
// is summed instead (linear_core.h).  Values that an iteration computes before the nest are
// kept for all iterations (sum_nest.h says which).
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "passes/ad/environment.h"
#include "passes/ad/sum_nest.h"
#include "passes/ad/summed_body.h"

namespace dagaz::passes::ad {

class SumOverIterations {
 public:
  /// How to compute one sum.
  struct Plan {
    SumNest nest;
    std::vector<ir::Operation> views;  // applied to the sum, innermost first
  };

  SumOverIterations(Environment& environment, ir::Operand width)
      : environment_(&environment),
        width_(width),
        site_(environment.names(), environment.functions()) {}

  /// The map whose iterations are summed over: its arrays and parameters, its statements, to which
  /// plans may add results, and what leaves it in any case.
  void set_map(const ir::MapScanReduce& map, std::vector<ir::Statement>& statements,
               const std::vector<ir::Operand>& kept);
  /// The body of a loop over whose iterations is summed: its names that differ between them, with
  /// the arrays of all their values where there are some.
  using Varying = std::vector<std::pair<ir::NameId, std::optional<ir::NameId>>>;
  void set_loop(const Varying& varying, std::vector<ir::Statement>& statements,
                const std::vector<ir::Operand>& kept);
  /// A plan for the sum of `contribution`, a value of the body; nothing if it is not computed by a
  /// nest of maps, or if a loop would have to store arrays of as many dimensions as it has.
  std::optional<Plan> plan(const ir::Operand& contribution);
  /// The values of the body that plans need of every iteration: further results of a map.
  const std::vector<ir::NameId>& materialised() const { return materialised_; }
  /// The map runs over a part of its iterations: the arrays it maps over there.
  void set_part(const ir::MapScanReduce& map);
  /// The arrays of those values.
  void set_results(const std::vector<ir::NameId>& arrays);
  const std::vector<ir::NameId>& results() const { return results_; }
  /// Emits the sum, after the map.
  ir::NameId emit(Plan plan);

 private:
  /// Names of the nest that differ between iterations, and the arrays of all their values.
  using PerIteration = std::unordered_map<ir::NameId, ir::NameId>;

  /// A name of a nest's core, summed over the iterations at a level of the nest.
  struct EarlySum {
    ir::NameId name;
    std::size_t level;
  };

  std::vector<ir::NameId> needed(const SumNest& nest) const;
  void plan_early_sums(const SumNest& nest);
  void sum_early(std::size_t level, const PerIteration& arrays);
  ir::NameId emit_level(SumNest& nest, std::size_t level, PerIteration arrays);
  void emit_views(std::vector<ir::Statement>& views, PerIteration& arrays);
  void enter_row(ir::NameId array, const ir::Binder& parameter, PerIteration& arrays,
                 ir::MapScanReduce& map);
  ir::Operand emit_core(SumNest& nest, const PerIteration& arrays);

  Environment* environment_;
  ir::Operand width_;
  SummedBody site_;
  bool is_loop_ = false;
  PerIteration arrays_;  // of the site's parameters and kept values
  std::vector<ir::NameId> materialised_;
  std::vector<ir::NameId> results_;
  // Of the nest that is being emitted.
  std::vector<EarlySum> early_;
  ir::Substitution totals_;
};

}  // namespace dagaz::passes::ad
