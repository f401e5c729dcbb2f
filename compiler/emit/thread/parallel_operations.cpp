// Parallel operations inside a thread: one loop each, with scalar accumulators in variables.
#include "emit/thread/parallel_operations.h"

#include "emit/lanes/map.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"
#include "emit/thread/combine.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"
#include "emit/versions.h"
#include "plan/spaces.h"

namespace dagaz::emit {

static std::vector<Operand> operands_of(const std::vector<Value>& values, std::size_t begin,
                                        std::size_t count) {
  std::vector<Operand> operands;
  for (std::size_t k = begin; k < begin + count; ++k) operands.push_back(values[k].operand);
  return operands;
}

static std::vector<Value> part_of(const std::vector<Value>& values, std::size_t begin,
                                  std::size_t count) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(begin + count)};
}

std::vector<Value> elements_at(Context& c, const std::vector<NameId>& arrays,
                               const Operand& index) {
  std::vector<Value> elements;
  for (const NameId array : arrays) elements.push_back(element_of(c, array, {index}));
  return elements;
}

// One iteration: map, scans, post, stores, reductions.
static void map_scan_reduce_step(Context& c, const ir::Statement& s, const ir::MapScanReduce& e,
                                 const std::vector<Running>& scans,
                                 const std::vector<Running>& reductions,
                                 const std::vector<Destination>& targets, const Operand& i) {
  const std::size_t scanned = running_values(scans).size();
  const std::size_t reduced = running_values(reductions).size();
  const auto rows = [&](std::size_t before, std::size_t from) {
    std::vector<Destination> destinations(before);
    for (std::size_t k = from; k < targets.size(); ++k) {
      const bool is_row = targets[k] && targets[k]->strides.size() > 1;
      destinations.push_back(is_row ? Destination(part_at(c, *targets[k], {i})) : std::nullopt);
    }
    return destinations;
  };
  const auto put = [&](const std::vector<Value>& values) {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (targets[k]) {
        write(c, *targets[k], {i}, values[k]);
      } else {
        assign(c, s.results[reduced + k].name, values[k]);
      }
    }
  };
  std::vector<Destination> map_destinations;
  if (!e.post) map_destinations = rows(scanned + reduced, scanned);
  emit_lambda(c, e.map, elements_at(c, e.arrays, i), map_destinations,
              [&](const std::vector<Value>& values) {
                combine_all(c, scans, values, 0);
                std::vector<Value> outputs = running_values(scans);
                const std::vector<Value> mapped =
                    part_of(values, scanned + reduced, values.size() - scanned - reduced);
                outputs.insert(outputs.end(), mapped.begin(), mapped.end());
                if (e.post) {
                  emit_lambda(c, *e.post, outputs, rows(0, 0), put);
                } else {
                  put(outputs);
                }
                combine_all(c, reductions, values, scanned);
              });
}

void emit_operation(Context& c, const ir::Statement& s, const ir::MapScanReduce& e) {
  DZ_CHECK(c.mode != Mode::host, "a parallel operation that was not flattened");
  const auto point_by_point = [&](const ir::Pointwise& way) {
    const std::vector<Running> scans = start_scans(c, e.scans);
    std::vector<Running> reductions;
    std::size_t reduced = 0;
    for (const ir::ReduceOperator& one : e.reductions) {
      std::vector<Destination> wanted;
      for (std::size_t k = 0; k < one.neutral.size(); ++k) {
        wanted.push_back(c.arrays.destination_of(s.results[reduced + k].name));
      }
      reductions.push_back(start_running(c, one.op, one.neutral, wanted));
      reduced += one.neutral.size();
    }
    std::vector<Destination> targets;
    for (std::size_t k = reduced; k < s.results.size(); ++k) {
      const bool is_array = c.names().type(s.results[k].name).is_array();
      targets.push_back(is_array ? Destination(result_array(c, s.results[k].name)) : std::nullopt);
    }
    const bool independent = !has_arrays(scans) && !has_arrays(reductions);
    const auto step = [&](const Operand& i) {
      map_scan_reduce_step(c, s, e, scans, reductions, targets, i);
    };
    if (independent) {
      thread_loop(c, e.width, way, step);
    } else {
      thread_loop(c, e.width, false, step);
    }
    const std::vector<Value> totals = running_values(reductions);
    for (std::size_t k = 0; k < totals.size(); ++k) assign(c, s.results[k].name, totals[k]);
  };
  const auto* only = as<ir::Pointwise>(e.schedule.versions.front().strategy);
  if (only != nullptr && e.schedule.versions.size() == 1) {
    point_by_point(*only);
    return;
  }
  std::vector<Destination> targets;
  for (const ir::Binder& result : s.results) {
    // All versions write to the same place.
    targets.push_back(result_array(c, result.name));
    c.arrays.want(result.name, *targets.back());
  }
  run_versions(c, e.schedule, [&](const ir::Strategy& strategy) {
    if (const auto* blocks = as<ir::LaneBlocks>(strategy)) {
      map_in_lanes(c, s, plan::as_space(e, c.names()), *blocks, targets);
    } else {
      point_by_point(std::get<ir::Pointwise>(strategy));
    }
  });
}

// ---------------------------------------------------------------- histograms and scatters

void emit_operation(Context& c, const ir::Statement& s, const ir::Histogram& e) {
  DZ_CHECK(c.mode != Mode::host, "a histogram that was not flattened");
  std::vector<std::vector<Place>> targets;
  std::size_t result = 0;
  for (const ir::HistogramOperator& one : e.operators) {
    targets.emplace_back();
    for (const NameId destination : one.destinations) {
      targets.back().push_back(c.arrays.place_of(destination));
      c.arrays.bind(s.results[result++].name, c.arrays.place_of(destination));
    }
  }
  thread_loop(c, e.width, false, [&](const Operand& i) {
    emit_lambda(c, e.map, elements_at(c, e.arrays, i), {}, [&](const std::vector<Value>& values) {
      histogram_step(c, e.operators, targets, values);
    });
  });
}

void histogram_step(Context& c, const std::vector<ir::HistogramOperator>& operators,
                    const std::vector<std::vector<Place>>& targets,
                    const std::vector<Value>& values) {
  std::size_t position = 0;
  for (std::size_t k = 0; k < operators.size(); ++k) {
    const ir::HistogramOperator& one = operators[k];
    const std::vector<Operand> indices = operands_of(values, position, one.shape.size());
    position += one.shape.size();
    const std::vector<Value> updates = part_of(values, position, one.destinations.size());
    position += one.destinations.size();
    c.branch(is_inside(c, indices, one.shape),
             [&] { combine_at(c, one.op, targets[k], indices, updates); });
  }
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Scatter& e) {
  DZ_CHECK(c.mode != Mode::host, "a scatter that was not flattened");
  std::vector<Place> targets;
  for (std::size_t k = 0; k < e.targets.size(); ++k) {
    targets.push_back(c.arrays.place_of(e.targets[k].destination));
    c.arrays.bind(s.results[k].name, targets[k]);
  }
  thread_loop(c, e.width, false, [&](const Operand& i) {
    emit_lambda(c, e.map, elements_at(c, e.arrays, i), {}, [&](const std::vector<Value>& values) {
      scatter_step(c, e.targets, targets, values);
    });
  });
}

void scatter_step(Context& c, const std::vector<ir::ScatterTarget>& targets,
                  const std::vector<Place>& places, const std::vector<Value>& values) {
  std::size_t position = 0;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const std::vector<Operand> indices = operands_of(values, position, targets[k].shape.size());
    position += targets[k].shape.size();
    const Value value = values[position++];
    c.branch(is_inside(c, indices, targets[k].shape), [&] { write(c, places[k], indices, value); });
  }
}

}  // namespace dagaz::emit
