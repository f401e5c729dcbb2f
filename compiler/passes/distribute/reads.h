// How the points of an operation read arrays: what decides whether ranks that share the points need
// whole arrays or only their part.
//
// Points often read through views that they make: row = a[i], then row[j].  Such views are followed
// back to the arrays from outside.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/program.h"
#include "passes/distribute/forms.h"

namespace dagaz::passes::distributing {

/// The dimensions of an array at which the shared index stands alone, in all reads of it.  Empty:
/// there is none.
using Positions = std::vector<std::size_t>;

struct ArrayReads {
  Positions positions;
  std::optional<Window> window;  // of the outermost dimension, in all reads
};
using Reads = std::unordered_map<ir::NameId, ArrayReads>;

/// What is shared among the points of an operation: an index of its space, or the elements of a
/// sum that each point makes.
struct SharedIndex {
  ir::NameId index = {};
  const ir::MapScanReduce* sum = nullptr;
  ir::Operand extent = {};
  const std::vector<ir::SpaceDimension>* space = nullptr;
};

/// For each array from outside that the operation mentions.
Reads reads_at(const ir::Operation& operation, const SharedIndex& shared,
               const Definitions& definitions, const ir::Names& names);

/// A part of an array, of `count` elements in its dimension `position`.
struct Part {
  ir::NameId array;
  std::size_t position;
  ir::NameId part;
  ir::Operand count;
  std::optional<Window> window = {};  // of which the part has the rows
};

/// Where points find their rows in the memory of a rank.
struct LocalRows {
  ir::NameId index;  // of the point among those of the rank
  ir::NameId first;  // the first of those
};

/// Makes reads of the array at the shared index, or in the part's window, reads of its part.
void read_part(ir::Body& body, const Part& part, const SharedIndex& shared, const LocalRows& local,
               const Definitions& definitions, ir::Names& names);

}  // namespace dagaz::passes::distributing
