// Perfect nests of maps.
//
// CPU: the whole space is one flat range cut into pieces; a piece walks its rows, the first and
// the last perhaps only in part, so that the innermost loop has unit steps and no division.
#include "imperative/fission.h"
#include "imperative/lanes.h"

namespace dagaz::imperative {

std::vector<Operand> extents_of(const std::vector<ir::SpaceDimension>& space) {
  std::vector<Operand> extents;
  for (const ir::SpaceDimension& dimension : space) extents.push_back(dimension.extent);
  return extents;
}

void Lowering::set_indices(const std::vector<ir::SpaceDimension>& space,
                           const std::vector<Operand>& point) {
  for (std::size_t k = 0; k < space.size(); ++k) move(space[k].index.name, point[k]);
}

void Lowering::for_each_point(const std::vector<Operand>& extents, const Operand& cost,
                              std::string_view kernel, const PointFunction& body) {
  if (mode_ != Mode::host) {
    nested_loops(extents, body);
  } else if (is_gpu()) {
    launch_points(extents, kernel, body);
  } else {
    parallel_points(extents, cost, body);
  }
}

void Lowering::for_each_point(const std::vector<Operand>& extents, std::int64_t cost,
                              std::string_view kernel, const PointFunction& body) {
  for_each_point(extents, ir::i64_operand(cost), kernel, body);
}

void Lowering::nested_loops(const std::vector<Operand>& extents, const PointFunction& body) {
  std::vector<Operand> point;
  const std::function<void()> next = [&] {
    if (point.size() == extents.size()) {
      body(point);
      return;
    }
    thread_loop(extents[point.size()], true, [&](const Operand& index) {
      point.push_back(index);
      next();
      point.pop_back();
    });
  };
  next();
}

void Lowering::parallel_points(const std::vector<Operand>& extents, const Operand& cost,
                               const PointFunction& body) {
  if (extents.empty()) {
    parallel_for(ir::i64_operand(1), cost,
                 [&](const Operand&, const Operand&) { body({}); });
    return;
  }
  parallel_rows(extents, cost, [&](const std::vector<Operand>& outer, const Operand& low,
                                   const Operand& high) {
    thread_loop(sub(high, low), true,
                [&](const Operand& i) { body(with(outer, add(low, i))); });
  });
}

void Lowering::parallel_rows(const std::vector<Operand>& extents, const Operand& cost,
                             const RowFunction& body) {
  if (extents.size() == 1) {
    parallel_for(extents[0], cost, [&](const Operand& begin, const Operand& end) {
      body({}, begin, end);
    });
    return;
  }
  const Operand width = extents.back();
  const std::vector<Operand> outer(extents.begin(), extents.end() - 1);
  parallel_for(product(extents), cost, [&](const Operand& begin, const Operand& end) {
    const Operand first = divide(begin, width);
    const Operand rows = sub(divide_up(end, width), first);
    thread_loop(rows, false, [&](const Operand& r) {
      const Operand row = add(first, r);
      const Operand start = mul(row, width);
      const Operand low = maximum(sub(begin, start), ir::i64_operand(0));
      const Operand high = minimum(sub(end, start), width);
      body(unflatten(row, outer), low, high);
    });
  });
}

std::vector<Wish> Lowering::result_targets(const ir::Statement& s, std::size_t from) {
  std::vector<Wish> targets;
  for (std::size_t k = from; k < s.results.size(); ++k) {
    const NameId name = s.results[k].name;
    const ir::Type type = names().type(name);
    const bool is_memory = type.kind == ir::TypeKind::value;
    targets.push_back(is_memory ? Wish(result_array(name)) : std::nullopt);
  }
  return targets;
}

PointTargets Lowering::at_point(const std::vector<Wish>& targets,
                                          std::vector<Operand> point) {
  PointTargets at{targets, std::move(point), {}};
  for (const Wish& target : targets) {
    const bool has_rows = target && target->strides.size() > at.point.size();
    at.rows.push_back(has_rows ? Wish(part_at(*this, *target, at.point)) : std::nullopt);
  }
  return at;
}

// A row that was made where it goes is recognised by its place.
void Lowering::put_point(const ir::Statement& s, std::size_t from, const PointTargets& at,
                         const std::vector<Value>& values) {
  for (std::size_t k = 0; k < at.targets.size(); ++k) {
    if (at.rows[k] && values[k].place) {
      copy(*at.rows[k], *values[k].place, values[k].type);
    } else if (at.targets[k]) {
      write(*at.targets[k], at.point, values[k]);
    } else {
      assign(s.results[from + k].name, values[k]);
    }
  }
}

void Lowering::lower_point_by_point(const ir::Statement& s, const ir::SegmentedMap& e,
                                    const std::vector<Wish>& targets) {
  if (mode_ == Mode::host && is_interchangeable(e)) {
    lower_interchanged(s, e, targets);
    return;
  }
  if (accumulates_in_blocks(e)) {
    accumulate_in_blocks(s, e, targets);
    return;
  }
  if (lower_inner_points(s, targets)) return;
  const Operand cost = cost_of(e.body);
  for_each_point(extents_of(e.space), cost, "segmap", [&](const std::vector<Operand>& point) {
    set_indices(e.space, point);
    const PointTargets at = at_point(targets, point);
    lower_body(e.body, at.rows, [&](const std::vector<Value>& values) {
      put_point(s, 0, at, values);
    });
  });
}

bool Lowering::lower_in_lanes(const ir::Statement& s, const ir::SegmentedMap& e,
                              const std::vector<Wish>& targets) {
  return Lanes::lower_map(*this, s, e, targets, [&] { lower_point_by_point(s, e, targets); });
}

// Worthwhile if it brings at least one part into lanes.
bool Lowering::lower_split(const ir::Statement& s, const ir::SegmentedMap& e,
                           const std::vector<Wish>& targets) {
  bool any = false;
  Code code = collect([&] {
    for (const MapPart& part : split_by_reduction(e, names())) {
      ir::Statement one{{}, part.map, s.tokens, s.location};
      std::vector<Wish> wanted;
      for (const std::size_t k : part.results) {
        one.results.push_back(s.results[k]);
        wanted.push_back(targets[k]);
      }
      if (lower_in_lanes(one, part.map, wanted)) {
        any = true;
      } else {
        lower_point_by_point(one, part.map, wanted);
      }
    }
  });
  if (any) append(std::move(code));
  return any;
}

void Lowering::lower(const ir::Statement& s, const ir::SegmentedMap& e) {
  if (mode_ == Mode::host) {
    place_parts(s);
    place_points_within(s);
    place_next_states(s);
  }
  take_place(s, e);
  find_overwritten(e);
  const std::vector<Wish> targets = result_targets(s, 0);
  const auto outer = std::exchange(apart_, distance_of_additions(e));
  const PointCost outer_point = std::exchange(point_, point_cost_of(e));
  if (is_gpu() || mode_ != Mode::host) {
    lower_point_by_point(s, e, targets);
  } else if (!lower_in_lanes(s, e, targets) && !lower_split(s, e, targets)) {
    lower_point_by_point(s, e, targets);
  }
  apart_ = outer;
  point_ = outer_point;
}

}  // namespace dagaz::imperative
