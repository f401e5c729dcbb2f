#include "emit/points.h"

#include "emit/gpu/kernels.h"
#include "emit/host/rows.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/thread/loops.h"
#include "plan/copies.h"

namespace dagaz::emit {

std::vector<Operand> extents_of(const std::vector<ir::SpaceDimension>& space) {
  std::vector<Operand> extents;
  for (const ir::SpaceDimension& dimension : space) extents.push_back(dimension.extent);
  return extents;
}

void set_indices(Context& c, const std::vector<ir::SpaceDimension>& space,
                 const std::vector<Operand>& point) {
  for (std::size_t k = 0; k < space.size(); ++k) c.move(space[k].index.name, point[k]);
}

void for_each_point(Context& c, const std::vector<Operand>& extents, const PointWork& work,
                    std::string_view kernel, const PointFunction& body) {
  if (c.mode != Mode::host) {
    nested_loops(c, extents, body);
  } else if (c.has_kernels()) {
    launch_points(c, extents, kernel, work.way.points, body);
  } else {
    parallel_points(c, extents, work, body);
  }
}

std::vector<Destination> result_targets(Context& c, const ir::Statement& s, std::size_t from) {
  std::vector<Destination> targets;
  for (std::size_t k = from; k < s.results.size(); ++k) {
    const NameId name = s.results[k].name;
    const ir::Type type = c.names().type(name);
    const bool is_memory = type.kind == ir::TypeKind::value;
    targets.push_back(is_memory ? Destination(result_array(c, name)) : std::nullopt);
  }
  return targets;
}

PointTargets at_point(Context& c, const std::vector<Destination>& targets,
                      std::vector<Operand> point) {
  PointTargets at{targets, std::move(point), {}};
  for (const Destination& target : targets) {
    const bool has_rows = target && target->strides.size() > at.point.size();
    at.rows.push_back(has_rows ? Destination(part_at(c, *target, at.point)) : std::nullopt);
  }
  return at;
}

void put_point(Context& c, const ir::Statement& s, std::size_t from, const PointTargets& at,
               const std::vector<Value>& values) {
  for (std::size_t k = 0; k < at.targets.size(); ++k) {
    if (at.rows[k] && values[k].place) {
      copy(c, *at.rows[k], *values[k].place, values[k].type);
    } else if (at.targets[k]) {
      write(c, *at.targets[k], at.point, values[k]);
    } else {
      assign(c, s.results[from + k].name, values[k]);
    }
  }
}

std::vector<Operand> with(std::vector<Operand> point, const Operand& last) {
  point.push_back(last);
  return point;
}

PointWork little_work(const Context& c, std::size_t dimensions) {
  return {ir::i64_operand(c.settings.copied),
          ir::Pointwise{.points = plan::copied_by_a_thread(c.settings, dimensions)}};
}

}  // namespace dagaz::emit
