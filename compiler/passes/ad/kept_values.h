// What loops keep for their return sweeps, and what of it stands for values while the return sweep
// of an iteration executes its body again.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/names.h"
#include "passes/ad/loop_plan.h"

namespace dagaz::passes::ad {

/// What the forward sweep of a loop leaves for its return sweep: arrays over the iterations, and
/// how to get what is not in one.
struct SavedLoop {
  LoopPlan plan;
  std::vector<ir::Operand> entries;    // per loop value
  std::vector<ir::Operand> values;     // as in the plan
  std::vector<SavedLoop> inner;        // as in the plan
  std::vector<ir::Operand> iteration;  // of the loops around that keep for this one
  ir::Operand trips;                   // i64

  /// All arrays over iterations.
  std::vector<ir::Operand*> arrays();
};

struct KeptValues {
  /// By the key of the loop.
  std::unordered_map<ir::NameId, SavedLoop> loops;
  /// In the return sweep of an iteration: values of its body that were kept, arrays that it does
  /// not have, and keys of loops that it does not execute again.
  std::unordered_map<ir::NameId, ir::Operand> known;
  ir::NameSet unknown;
  ir::NameSet not_repeated;
  /// Arrays that hold their final values throughout a loop (#[true_dep]); updates change nothing.
  ir::NameSet final_arrays;
};

}  // namespace dagaz::passes::ad
