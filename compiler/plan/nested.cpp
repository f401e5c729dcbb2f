#include "plan/nested.h"

#include "ir/value_count.h"
#include "plan/host_operations.h"
#include "plan/lane_blocks.h"
#include "plan/thread_loops.h"
#include "plan/versions.h"

namespace dagaz::plan {

using ir::NameId;

static ir::Pointwise iterations(Planning& p, const ir::MapScanReduce& map) {
  if (!p.on_cpu()) return {};
  const ir::Pointwise chosen = thread_loop(map, p.options.target);
  return p.random ? p.random->iterations(chosen) : chosen;
}

// Notes that `result`, which the body makes of `argument`, may lie where that lies; so may its
// rows.
static void note_overwriting(Planning& p, const ir::Body& body, NameId result, NameId argument) {
  p.around.overwrite({{result, argument}});
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (map == nullptr) continue;
    for (std::size_t r = 0; r < one.results.size(); ++r) {
      const std::size_t place = ir::value_count(map->scans) + r;
      if (one.results[r].name != result || place >= map->map.body.results.size()) continue;
      const ir::Operand& row = map->map.body.results[place];
      for (std::size_t k = 0; k < map->arrays.size(); ++k) {
        if (map->arrays[k] != argument || !row.is_name()) continue;
        note_overwriting(p, map->map.body, row.name(), map->map.parameters[k].name);
      }
    }
  }
}

// What an operator on arrays makes may lie where its first arguments lie.
void plan_operator(Planning& p, ir::Lambda& op) {
  for (std::size_t k = 0; k < op.result_types.size(); ++k) {
    const ir::Operand& result = op.body.results[k];
    if (!op.result_types[k].is_array() || !result.is_name()) continue;
    note_overwriting(p, op.body, result.name(), op.parameters[k].name);
  }
  plan_nested(p, op.body);
}

// A map inside a task that has loops may run in lanes.
static void plan_nest(Planning& p, const ir::Statement& statement, ir::MapScanReduce& map) {
  const auto space = nest_as_space(p.around, map, statement.results, p.names);
  if (!space) return;
  const MapAt at{p.around, *space, statement.results, Around::task};
  std::vector<ir::Version> lanes;
  if (p.tunables().lanes != 0) lanes = map_in_lanes(at);
  map.schedule = p.random ? p.random->map(at, std::nullopt, {})
                          : versions(std::move(lanes), iterations(p, map));
  p.wanted.follow(statement.results, map.schedule, ir::Pointwise{},
                  completed_map(p, at, std::nullopt, {}));
}

static void plan_loop(Planning& p, const ir::Statement& statement, ir::MapScanReduce& map) {
  map.schedule = only(iterations(p, map));
  if (p.may_choose(statement.operation)) plan_nest(p, statement, map);
  for (std::size_t k = 0; k < map.arrays.size(); ++k) {
    const NameId row = map.map.parameters[k].name;
    p.around.continue_accumulator(row, map.arrays[k]);
    if (p.names.type(row).is_array()) {
      p.around.layouts.set(row, p.around.layouts.part_of(map.arrays[k], 1));
    }
  }
  plan_nested(p, map.map.body);
  for (ir::ScanOperator& one : map.scans) plan_operator(p, one.op);
  for (ir::ReduceOperator& one : map.reductions) plan_operator(p, one.op);
  if (map.post) plan_nested(p, map.post->body);
}

void plan_nested(Planning& p, ir::Statement& statement) {
  if (auto* map = as<ir::MapScanReduce>(statement.operation)) {
    plan_loop(p, statement, *map);
  } else if (auto* histogram = as<ir::Histogram>(statement.operation)) {
    plan_nested(p, histogram->map.body);
    for (ir::HistogramOperator& one : histogram->operators) plan_operator(p, one.op);
  } else if (auto* scatter = as<ir::Scatter>(statement.operation)) {
    plan_nested(p, scatter->map.body);
  } else {
    plan_control(p, statement, [&](ir::Body& body) { plan_nested(p, body); });
  }
}

void plan_nested(Planning& p, ir::Body& body) {
  for (ir::Statement& one : body.statements) {
    p.around.enter(one);
    plan_nested(p, one);
  }
}

void plan_control(Planning& p, ir::Statement& statement,
                  const std::function<void(ir::Body&)>& plan) {
  Surroundings& around = p.around;
  if (auto* with = as<ir::WithAccumulator>(statement.operation)) {
    for (std::size_t k = 0; k < with->inputs.size(); ++k) {
      const ir::AccumulatorInput& input = with->inputs[k];
      ir::Type row = p.names.type(input.array);
      row.shape.erase(row.shape.begin(),
                      row.shape.begin() + static_cast<std::ptrdiff_t>(input.shape.size()));
      around.open(with->body.parameters[k].name, {row, input.op ? &*input.op : nullptr});
    }
    for (ir::AccumulatorInput& input : with->inputs) {
      if (input.op) plan_operator(p, *input.op);
    }
    plan(with->body.body);
  } else if (auto* loop = as<ir::Loop>(statement.operation)) {
    for (const ir::LoopValue& value : loop->values) {
      around.continue_accumulator(value.parameter.name, value.initial);
    }
    plan(loop->body);
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      around.continue_accumulator(statement.results[k].name, loop->body.results[k]);
    }
  } else if (auto* branch = as<ir::Branch>(statement.operation)) {
    plan(branch->then_body);
    plan(branch->else_body);
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      around.continue_accumulator(statement.results[k].name, branch->then_body.results[k]);
    }
  }
}

}  // namespace dagaz::plan
