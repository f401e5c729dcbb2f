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

void Lowering::for_each_point(const std::vector<Operand>& extents, const PointWork& work,
                              std::string_view kernel, const PointFunction& body) {
  if (mode_ != Mode::host) {
    nested_loops(extents, body);
  } else if (is_gpu()) {
    launch_points(extents, kernel, work.several, body);
  } else {
    parallel_points(extents, work.cost, body);
  }
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

std::vector<Destination> Lowering::result_targets(const ir::Statement& s, std::size_t from) {
  std::vector<Destination> targets;
  for (std::size_t k = from; k < s.results.size(); ++k) {
    const NameId name = s.results[k].name;
    const ir::Type type = names().type(name);
    const bool is_memory = type.kind == ir::TypeKind::value;
    targets.push_back(is_memory ? Destination(result_array(name)) : std::nullopt);
  }
  return targets;
}

PointTargets Lowering::at_point(const std::vector<Destination>& targets,
                                          std::vector<Operand> point) {
  PointTargets at{targets, std::move(point), {}};
  for (const Destination& target : targets) {
    const bool has_rows = target && target->strides.size() > at.point.size();
    at.rows.push_back(has_rows ? Destination(part_at(*this, *target, at.point)) : std::nullopt);
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
                                    const std::vector<Destination>& targets, int several) {
  const Operand cost = cost_of(e.schedule);
  for_each_point(
      extents_of(e.space), {cost, several}, "segmap", [&](const std::vector<Operand>& point) {
        set_indices(e.space, point);
        const PointTargets at = at_point(targets, point);
        lower_body(e.body, at.rows,
                   [&](const std::vector<Value>& values) { put_point(s, 0, at, values); });
      });
}

Operand Lowering::value_of(const ir::Product& wanted) {
  Operand value = ir::i64_operand(wanted.factor);
  for (const Operand& size : wanted.sizes) value = mul(value, size);
  return wanted.resident ? mul(value, resident_threads()) : value;
}

Operand Lowering::sum_of(const std::vector<ir::Product>& terms) {
  Operand sum = ir::i64_operand(0);
  for (const ir::Product& term : terms) sum = add(sum, value_of(term));
  return sum;
}

Operand Lowering::grain_for(const Operand& cost) {
  return maximum(ir::i64_operand(1), divide(ir::i64_operand(task_operations_),
                                            maximum(cost, ir::i64_operand(1))));
}

Operand Lowering::holds(const std::vector<ir::Guard>& guards) {
  Operand all = ir::Constant(ir::make_bool(true));
  for (const ir::Guard& guard : guards) {
    const bool is_number = guard.least.sizes.empty() && !guard.least.resident;
    const Operand size = value_of(guard.size);
    const Operand enough =
        is_number ? less(ir::i64_operand(guard.least.factor - 1), size)
                  : scalar(ScalarOp::sle, ScalarType::i64, {value_of(guard.least), size});
    all = all.is_constant() ? enough : both(all, enough);
  }
  return all;
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
    Operand any = holds(version.when);
    for (; schedule.versions[k + 1].strategy == version.strategy; ++k) {
      const Operand other = holds(schedule.versions[k + 1].when);
      any = scalar(ScalarOp::bit_or, ScalarType::boolean, {any, other});
    }
    const auto yes = [&] { run(version.strategy); };
    const auto no = [&] { take(k + 1); };
    if (mode_ == Mode::host) {
      host_branch(any, yes, no);
    } else {
      branch(any, yes, no);
    }
  };
  take(0);
}

void Lowering::lower(const ir::Statement& s, const ir::SegmentedMap& e) {
  const std::vector<Destination> targets = result_targets(s, 0);
  if (mode_ != Mode::host) {
    lower_point_by_point(s, e, targets, 1);
  } else {
    const ir::SegmentedMap* const outer = std::exchange(accumulating_, &e);
    run_versions(e.schedule, [&](const ir::Strategy& strategy) {
      match(strategy,
            [&](const ir::Pointwise& way) { lower_point_by_point(s, e, targets, way.points); },
            [&](const ir::LaneBlocks& blocks) { Lanes::map(*this, s, e, blocks, targets); },
            [&](const ir::Contraction& plan) {
              ContractionLowering(*this, s, e, plan, targets).run();
            },
            [&](const ir::Interchanged& tiles) { lower_interchanged(s, e, tiles, targets); },
            [&](const ir::HeldBlocks& blocks) { accumulate_in_blocks(s, e, blocks, targets); },
            [&](const ir::FusedStencil& stencil) {
              DZ_CHECK(stencil.maps == 1, "a stencil of several maps begins elsewhere");
              lower_inner_points(s, targets);
            },
            [&](const auto&) { DZ_UNREACHABLE("no strategy for a map"); });
    });
    accumulating_ = outer;
  }
}

}  // namespace dagaz::imperative
