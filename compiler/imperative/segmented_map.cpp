// Perfect nests of maps.
//
// CPU: the whole space is one flat range cut into pieces; a piece walks its rows, the first and
// the last perhaps only in part, so that the innermost loop has unit steps and no division.
#include "imperative/contraction.h"
#include "plan/array_uses.h"

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
  const Operand cost = cost_of(e.body);
  for_each_point(extents_of(e.space), cost, "segmap", [&](const std::vector<Operand>& point) {
    set_indices(e.space, point);
    const PointTargets at = at_point(targets, point);
    lower_body(e.body, at.rows, [&](const std::vector<Value>& values) {
      put_point(s, 0, at, values);
    });
  });
}

void Lowering::run_versions(const ir::Schedule& schedule,
                            const std::function<void(const ir::Strategy&)>& run) {
  const std::function<void(std::size_t)> take = [&](std::size_t k) {
    DZ_CHECK(k < schedule.versions.size(), "a schedule without a last version");
    const ir::Version& version = schedule.versions[k];
    if (version.when.empty()) {
      run(version.strategy);
      return;
    }
    Operand holds = ir::Constant(ir::make_bool(true));
    for (const ir::Guard& guard : version.when) {
      const Operand enough = less(ir::i64_operand(guard.least - 1), guard.size);
      holds = holds.is_constant() ? enough : both(holds, enough);
    }
    const auto yes = [&] { run(version.strategy); };
    const auto no = [&] { take(k + 1); };
    if (mode_ == Mode::host) {
      host_branch(holds, yes, no);
    } else {
      branch(holds, yes, no);
    }
  };
  take(0);
}

void Lowering::lower(const ir::Statement& s, const ir::SegmentedMap& e) {
  const std::vector<Wish> targets = result_targets(s, 0);
  const auto outer = std::exchange(apart_, distance_of_additions(e));
  const PointCost outer_point = std::exchange(point_, point_cost_of(e));
  if (mode_ != Mode::host) {
    lower_point_by_point(s, e, targets);
  } else {
    run_versions(e.schedule, [&](const ir::Strategy& strategy) {
      match(strategy,
            [&](const ir::Pointwise&) { lower_point_by_point(s, e, targets); },
            [&](const ir::LaneBlocks& blocks) { Lanes::map(*this, s, e, blocks, targets); },
            [&](const ir::Contraction& plan) {
              ContractionLowering(*this, s, e, plan, targets).run();
            },
            [&](const ir::Interchanged& tiles) { lower_interchanged(s, e, tiles, targets); },
            [&](const ir::HeldBlocks& blocks) { accumulate_in_blocks(s, e, blocks, targets); },
            [&](const ir::Teams&) { DZ_UNREACHABLE("a map reduced by teams"); },
            [&](const ir::FusedStencil& stencil) {
              DZ_CHECK(stencil.maps == 1, "a stencil of several maps begins elsewhere");
              lower_inner_points(s, targets);
            });
    });
  }
  apart_ = outer;
  point_ = outer_point;
}

}  // namespace dagaz::imperative
