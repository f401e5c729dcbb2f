// What the members of Lowering hand to each other: values, where they are wanted, open
// accumulators, running values of reductions.  Private to this folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "imperative/tree.h"
#include "imperative/place.h"
#include "ir/program.h"
#include "plan/cost.h"
#include "plan/operators.h"
#include "plan/target.h"

namespace dagaz::imperative {

enum class Mode { host, task, kernel };

using plan::block_threads;
using plan::warp_threads;

/// Thrown within this folder where no rule covers the program; `lower` makes it a diagnostic.
struct Unsupported {
  std::string what;
  ir::LocationId location;
};

/// A place wanted for a result, or none.
using Destination = std::optional<Place>;

/// A value of a body: scalars are operands, arrays have a place.
struct Value {
  Operand operand;
  ir::Type type;
  std::optional<Place> place;
};
using Finish = std::function<void(const std::vector<Value>&)>;
using PointFunction = std::function<void(const std::vector<Operand>&)>;
using BlockFunction = std::function<void(const Operand& part)>;
using RangeFunction = std::function<void(const Operand& begin, const Operand& end)>;

/// An array opened for accumulation.
struct Accumulator {
  Place place;
  std::vector<Operand> shape;  // the indexed dimensions
  ir::Type row;
  const ir::Lambda* op;        // null: writes overwrite
  const std::vector<Operand>* neutral;
  Mode opened;                 // other threads combine into it, too, unless code of this mode runs
};

/// What a point takes, in operations, and how many of them a thread of a GPU does
/// where the space has one dimension.
struct PointWork {
  PointWork(Operand the_cost, int the_several = 1)
      : cost(std::move(the_cost)), several(the_several) {}
  Operand cost;
  int several;
};

using plan::are_scalars;
using plan::innermost_lambda;
using plan::is_simple;
std::vector<Operand> extents_of(const std::vector<ir::SpaceDimension>& space);
std::vector<Operand> with(std::vector<Operand> point, const Operand& last);

/// The values of an operator's accumulators inside a loop; `next` is where a combination of
/// array values is computed.
struct Running {
  const ir::Lambda* op;
  bool positionwise;
  std::vector<Value> values;
  std::vector<Destination> next;
};
std::vector<Value> running_values(const std::vector<Running>& running);
bool has_arrays(const std::vector<Running>& running);
/// Where the results of one point go: `rows` has the parts of those targets that are arrays there.
struct PointTargets {
  const std::vector<Destination>& targets;
  std::vector<Operand> point;
  std::vector<Destination> rows;
};
/// An array for every thread of a kernel.
struct Expansion {
  NameId block;
  ir::Type type;
};
/// An array result of host control flow: variables that every path sets.
struct Join {
  NameId block;
  NameId offset;
};
/// Segments cut into `count` pieces of `chunk` elements; `outer` are the segments' dimensions.
struct Pieces {
  std::vector<Operand> outer;
  Operand width;
  Operand count;
  Operand chunk;
};

/// Partial results that are combined, `stride` apart.
struct Groups {
  Operand count;
  Operand stride;
};
/// A kernel whose blocks work on parts of their own.
struct BlockKernel {
  Operand grid;
  Code code;
};
using GroupFunction = std::function<void(const std::vector<Operand>& outer, const Operand& first,
                                         const Groups& group)>;

}  // namespace dagaz::imperative
