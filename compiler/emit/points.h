// The points of a space, wherever code runs: loops of a thread, parallel loops of a CPU, kernels of
// a GPU; and where the results of a point go.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

using PointFunction = std::function<void(const std::vector<Operand>&)>;

std::vector<Operand> extents_of(const std::vector<ir::SpaceDimension>& space);
std::vector<Operand> with(std::vector<Operand> point, const Operand& last);

/// What a point takes, in operations, and how the points of a thread run, whose schedule this is.
struct PointWork {
  PointWork(Operand the_cost, ir::Pointwise the_way = {})
      : cost(std::move(the_cost)), way(the_way) {}
  Operand cost;
  ir::Pointwise way;
};
/// Of a copy and the like, over a space of so many dimensions.
PointWork little_work(const Context& c, std::size_t dimensions);

/// Where the results of one point go: `rows` has the parts of those targets that are arrays there.
struct PointTargets {
  const std::vector<Destination>& targets;
  std::vector<Operand> point;
  std::vector<Destination> rows;
};

void set_indices(Context& c, const std::vector<ir::SpaceDimension>& space,
                 const std::vector<Operand>& point);
/// `body` at every point, in parallel where this is host code.
void for_each_point(Context& c, const std::vector<Operand>& extents, const PointWork& work,
                    std::string_view kernel, const PointFunction& body);
std::vector<Destination> result_targets(Context& c, const ir::Statement& s, std::size_t from);
PointTargets at_point(Context& c, const std::vector<Destination>& targets,
                      std::vector<Operand> point);
/// A row that was made where it goes is recognised by its place.
void put_point(Context& c, const ir::Statement& s, std::size_t from, const PointTargets& at,
               const std::vector<Value>& values);

}  // namespace dagaz::emit
