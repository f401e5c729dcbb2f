// Arrays in lanes, and memory.  An array that belongs to each point has the points of the block as
// innermost dimension, so that its elements are vectors in memory.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

LaneArray array_of(const Lanes& l, NameId name);
LaneArray part_of(Lanes& l, const LaneArray& array, const std::vector<LaneScalar>& indices);
/// The part of `target` that belongs to the points at `indices`.
LaneArray part_at(Lanes& l, const Place& target, const std::vector<NameId>& indices);
LaneArray slice_of(Lanes& l, const LaneArray& array,
                   const std::vector<ir::SliceDimension>& dimensions);
/// Where the points of the block are neighbours.
LaneScalar own_points(const Lanes& l);
LaneArray new_array(Lanes& l, const ir::Type& type, std::string_view base);
/// An array that each point may write to: the one that only this point has.
LaneArray own_array(Lanes& l, NameId name);
/// Whether both begin in the same place at every point.
bool start_together(const LaneArray& a, const LaneArray& b);
/// Where a result is made.
LaneArray result_array(Lanes& l, NameId name);

LaneScalar load(Lanes& l, const LaneArray& element, ScalarType type);
/// Fetches what is ahead of one point of each vector, of the next one with the next elements.
void fetch_ahead(Lanes& l, const LaneArray& element, ScalarType type);
void store(Lanes& l, const LaneArray& element, const LaneScalar& value);
void copy(Lanes& l, const LaneArray& target, const LaneArray& source, const ir::Type& type);
void put(Lanes& l, const LaneArray& target, const LaneResult& result, const ir::Type& type);
/// Every point's value, in an array of the thread's own.
Place spill(Lanes& l, const LaneScalar& scalar);
/// A loop that all points run alike.
void uniform_loop(Lanes& l, const Operand& width, const std::function<void(Operand)>& body);

}  // namespace dagaz::emit
