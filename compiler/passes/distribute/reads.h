// How the points of an operation read arrays: what decides whether ranks that share the points need
// whole arrays or only their part.
//
// Points often read through views that they make: row = a[i], then row[j].  Such views are followed
// back to the arrays from outside.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/program.h"

namespace dagaz::passes::distributing {

/// The dimensions of an array at which the shared index stands alone, in all reads of it.  Empty:
/// there is none.
using Positions = std::vector<std::size_t>;

/// What is shared among the points of an operation: an index of its space, or the elements of a
/// sum that each point makes.
struct SharedIndex {
  ir::NameId index = {};
  const ir::MapScanReduce* sum = nullptr;
};

/// For each array from outside that the operation mentions.
std::unordered_map<ir::NameId, Positions> reads_at(const ir::Operation& operation,
                                                   const SharedIndex& shared,
                                                   const ir::Names& names);

/// A part of an array, of `count` elements in its dimension `position`.
struct Part {
  ir::NameId array;
  std::size_t position;
  ir::NameId part;
  ir::Operand count;
};
/// Makes reads of the array at the shared index reads of its part, at index `local`.
void read_part(ir::Body& body, const Part& part, const SharedIndex& shared, ir::NameId local,
               ir::Names& names);

}  // namespace dagaz::passes::distributing
