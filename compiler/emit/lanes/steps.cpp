#include "emit/lanes/steps.h"

#include <algorithm>

#include "emit/lanes/packing.h"
#include "emit/lanes/running.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "plan/lane_values.h"
#include "plan/places.h"

namespace dagaz::emit {

namespace {

/// An operator over steps, and which of its values are such.
struct OverSteps {
  ir::Lambda op;
  std::vector<std::size_t> kept;
};

std::vector<OverSteps> over_steps(Context& c, const ir::SegmentedReduce& e,
                                  const std::vector<int>& places) {
  std::vector<OverSteps> operators;
  int position = 0;
  for (const ir::ReduceOperator& one : e.operators) {
    std::vector<std::size_t> kept;
    for (std::size_t value = 0; value < one.neutral.size(); ++value, ++position) {
      const bool is_place = std::find(places.begin(), places.end(), position) != places.end();
      if (is_place) kept.push_back(value);
    }
    operators.push_back({plan::over_steps(one.op, kept, c.names()), kept});
  }
  return operators;
}

/// The values of each operator that lanes meet at a step.
std::vector<std::vector<LaneScalar>> met_at(Lanes& l, const ir::SegmentedReduce& e,
                                            const PointsOfLanes& points, const Operand& step) {
  bind_points(l, e.space, points, step);
  prepare(l, e.body, std::nullopt);
  const std::vector<LaneResult> results = emit_body(l, e.body, {});
  std::vector<std::vector<LaneScalar>> values;
  auto next = results.begin();
  for (const ir::ReduceOperator& one : e.operators) {
    values.emplace_back();
    for (std::size_t value = 0; value < one.neutral.size(); ++value, ++next) {
      values.back().push_back(*next->scalar);
    }
  }
  return values;
}

void keep_steps(const OverSteps& over, std::vector<LaneScalar>& values, const LaneScalar& step) {
  for (const std::size_t value : over.kept) values[value] = step;
}

LaneScalar number_of(const Lanes& l, const Operand& step) {
  const NameId number = l.c.variable("step", ScalarType::i32);
  l.c.emit(Assign{number, ScalarOp::zero_extend, ScalarType::i64, ScalarType::i32, {step}});
  return uniform(l, number);
}

/// The places that were met at `steps`, from those of the first step on.
LaneScalar places_at(Lanes& l, const LaneScalar& steps, const LaneScalar& first) {
  const LaneScalar wide =
      apply(l, ScalarOp::zero_extend, ScalarType::i32, ScalarType::i64, {steps});
  const std::int64_t apart = plan::walks_stretches(l.plan) ? 1 : l.block.span();
  return add(l, times(l, wide, ir::i64_operand(apart)), first);
}

}  // namespace

void reduce_by_steps(Context& c, const ir::SegmentedReduce& e, const ir::LaneBlocks& plan,
                     const PointsOfLanes& points, const std::vector<Running>& totals) {
  Lanes lanes = lanes_of_points(c, plan);
  const std::vector<OverSteps> operators = over_steps(c, e, plan.places);
  const ir::Statement copied = copy_of(c, ir::Operation(e));
  const auto& beginning = *as<ir::SegmentedReduce>(copied.operation);
  const Operand none = ir::i64_operand(0);
  c.branch(c.less(none, points.count), [&] {
    const auto first = met_at(lanes, beginning, points, none);
    std::vector<std::vector<LaneScalar>> running;
    for (std::size_t k = 0; k < first.size(); ++k) {
      std::vector<LaneScalar> begun = first[k];
      keep_steps(operators[k], begun, number_of(lanes, none));
      for (LaneScalar& one : begun) one = new_variables(lanes, one.type, one);
      running.push_back(std::move(begun));
    }
    thread_loop(c, c.sub(points.count, ir::i64_operand(1)), false, [&](const Operand& before) {
      const Operand step = c.add(before, ir::i64_operand(1));
      auto values = met_at(lanes, e, points, step);
      const LaneScalar number = number_of(lanes, step);
      for (std::size_t k = 0; k < values.size(); ++k) {
        keep_steps(operators[k], values[k], number);
        combine(lanes, operators[k].op, running[k], values[k]);
      }
    });
    for (std::size_t k = 0; k < running.size(); ++k) {
      for (const std::size_t value : operators[k].kept) {
        running[k][value] = places_at(lanes, running[k][value], first[k][value]);
      }
      finish_running(lanes, running[k], totals[k]);
    }
  });
}

}  // namespace dagaz::emit
