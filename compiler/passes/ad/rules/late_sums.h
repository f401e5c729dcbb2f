// Adjoints of matrices that a loop uses in each of its iterations, summed after the return loop.
//
//   for t < n do A̅ += map (\i -> map (\j -> u[i] * v[j]))
// becomes
//   for t < n do (us with [t] = u, vs with [t] = v);  A̅ += map (\i -> map (\j -> Σₜ us[t,i] * vs[t,j]))
//
// What an iteration adds to such an adjoint is as large as that, and made of little: of the steps
// of a recurrent network it is an outer product.  All iterations together are a product of
// matrices, which reads and writes the adjoint once, and is how libraries for such networks update
// weights (Appleyard, Kočiský, Blunsom: Optimizing Performance of Recurrent Neural Networks on
// GPUs, 2016).  An iteration stores arrays of fewer dimensions than the adjoint for it, as it does
// for the loop's values; where it would store more, it adds at once.
#pragma once

#include <utility>
#include <vector>

#include "passes/ad/rules/return_map.h"

namespace dagaz::passes::ad {

/// Whether what the iterations of a loop with this body, original code, add to the adjoint of
/// `name`, a name from outside, may wait until after the loop.
bool may_sum_late(ir::NameId name, const std::vector<ir::Statement>& body, const ir::Names& names);

class LateSums {
 public:
  LateSums(Reverse& r, ir::Operand trips) : r_(r), trips_(trips), sums_(r.environment, trips) {}

  /// To the adjoints of names from outside.
  using Contributions = std::vector<std::pair<ir::NameId, ir::Operand>>;

  /// Plans the sums of what an iteration of the return loop, emitted code, gives; returns what it
  /// has to add itself.  `kept`: what its body computes in any case.
  Contributions plan(const Contributions& contributions, const SumOverIterations::Varying& varying,
                     std::vector<ir::Statement>& statements, const std::vector<ir::Operand>& kept);
  /// Emitted at the end of the body: what it stores, in arrays that the loop carries.
  std::vector<ir::Operand> store(const ir::Operand& iteration);
  /// These arrays, made before the loop.
  std::vector<ir::LoopValue> values();
  /// Emitted after the loop, which gives the arrays: adds the sums to the adjoints.
  void emit(const std::vector<ir::NameId>& arrays, const ir::Statement& loop);

 private:
  Reverse& r_;
  ir::Operand trips_;
  SumOverIterations sums_;
  Sums plans_;
  std::vector<ir::NameId> parameters_;
};

}  // namespace dagaz::passes::ad
