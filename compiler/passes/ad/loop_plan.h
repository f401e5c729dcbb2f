// What the iterations of a loop keep for its return sweep, decided before either sweep is emitted.
//
// From what an iteration keeps, the return sweep executes the rest of it again.  Kept are
//  - each loop value at the entry of the iteration; or, of an array that the body only reads and
//    updates in parts, what it reads of it:
//      loop x for i < n do x with [i] = f x[i-1]      n numbers, rather than n arrays
//  - what the loops inside keep, if it is little beside the loop values: then these loops are not
//    executed again;
//  - with #[keep], all that the body computes, and what the loops inside keep, whatever it is; what
//    the next iteration begins with is kept for that one.
// So the nest
//      for t < n do for i < l do h[i] = g h[i]         h: [l]s
// keeps n·l·s numbers, as many as h at each t, and evaluates g twice rather than three times.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::ad {

struct LoopPlan {
  /// How the return sweep gets a loop value at the entry of an iteration.
  enum class Entry {
    kept,
    final_value,  // it is what it is at the end (#[true_dep])
    recomputed,   // by the iterations before, once more: its size changes
    unknown,      // not at all: what is read of it is kept
  };
  /// A loop of the body that is not executed again.
  struct Inner;

  std::vector<Entry> entries;      // per loop value
  std::vector<ir::NameId> values;  // names of the body whose values are kept
  /// Loop values that are kept after the last iteration, too: what the body computes for the next
  /// iteration, as a name.
  std::vector<std::pair<std::size_t, ir::NameId>> handed_on;
  ir::NameSet unknown;             // names of the body whose values the return sweep does not have
  std::vector<Inner> inner;
};
struct LoopPlan::Inner {
  ir::NameId key;
  LoopPlan plan;
};

/// The loop in the body of `around` that a part of its plan is about.
const ir::Statement& inner_loop(const ir::Loop& around, const LoopPlan::Inner& inner);

/// The plan of a `for` loop; `is_active` says of names whether they depend on what is
/// differentiated.  An iteration keeps at most `beyond_values` times what the loop's values take.
LoopPlan plan_loop(const ir::Loop& loop, const ir::Names& names,
                   const std::function<bool(ir::NameId)>& is_active, std::int64_t beyond_values);
/// The plan that keeps nothing but loop values.
LoopPlan plan_of_loop_values(const ir::Loop& loop, const ir::Names& names);

}  // namespace dagaz::passes::ad
