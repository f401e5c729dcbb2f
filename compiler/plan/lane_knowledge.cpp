#include "plan/lane_knowledge.h"

#include <algorithm>
#include <utility>

#include "ir/cost.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

LaneValue LaneKnowledge::uniform(const Operand& operand) {
  const ir::Type type = around_.names.type(operand);
  if (!type.is_scalar()) refuse();
  LaneValue value;
  value.affine = type.element == ScalarType::i64;
  value.base = step_of(operand);
  return value;
}

LaneValue LaneKnowledge::value_of(const Operand& operand) {
  if (operand.is_name()) {
    const auto found = known_.scalars.find(operand.name());
    if (found != known_.scalars.end()) return found->second;
  }
  return uniform(operand);
}

void LaneKnowledge::require_uniform(const Operand& operand) {
  if (operand.is_name() && known_.scalars.contains(operand.name())) refuse();
}

/// Where the points of a block are neighbours.
LaneValue LaneKnowledge::own_points() const {
  LaneValue start;
  start.affine = true;
  start.by_row = rows_ > 1;
  start.by_point = true;
  start.row_step = rows_ > 1 ? Step(blocks_.columns * blocks_.width) : Step(0);
  start.point_step = 1;
  return start;
}

LaneValue LaneKnowledge::any_of(bool by_row, bool by_point, ScalarType type) const {
  LaneValue value;
  value.by_row = by_row && rows_ > 1;
  value.by_point = by_point;
  value.affine = value.is_uniform() && type == ScalarType::i64;
  return value;
}

LaneValue LaneKnowledge::apply(ScalarOp op, ScalarType type, ScalarType result,
                               const std::vector<LaneValue>& arguments) {
  if (type == ScalarType::i64) {
    if (const auto affine = apply_affine(op, arguments)) return *affine;
  }
  bool by_row = false;
  bool by_point = false;
  for (const LaneValue& argument : arguments) {
    by_row = by_row || argument.by_row;
    by_point = by_point || argument.by_point;
  }
  if (by_point) count_operations(in_turn_ ? ir::cost_of(op) : 1);
  return any_of(by_row, by_point, result);
}

LaneValue LaneKnowledge::moved(const LaneValue& start, const LaneValue& index, const Step& stride) {
  LaneValue factor;
  factor.affine = true;
  factor.base = stride;
  const LaneValue distance =
      apply(ScalarOp::mul, ScalarType::i64, ScalarType::i64, {index, factor});
  return apply(ScalarOp::add, ScalarType::i64, ScalarType::i64, {start, distance});
}

void LaneKnowledge::bind(NameId name, const LaneValue& value) {
  if (!value.is_uniform()) known_.scalars.insert_or_assign(name, value);
}

void LaneKnowledge::bind(NameId name, const LaneArrayValue& array) {
  if (!array.start.is_uniform()) {
    known_.arrays.insert_or_assign(name, array);
  } else {
    around_.layouts.set(name, array.layout);
  }
}

void LaneKnowledge::bind(NameId name, const LaneResult& result) {
  if (result.scalar) {
    bind(name, *result.scalar);
  } else if (result.array) {
    bind(name, *result.array);
  }
}

void LaneKnowledge::bind_index(NameId name, bool along_rows, bool along_points) {
  LaneValue index;
  index.affine = true;
  index.by_row = along_rows;
  index.by_point = along_points;
  index.row_step = along_rows ? 1 : 0;
  // Where stretches begin is known only when the program runs.
  index.point_step = along_points ? (walks_stretches(blocks_) ? Step() : Step(1)) : Step(0);
  bind(name, index);
}

LaneArrayValue LaneKnowledge::array_of(NameId name) {
  if (const auto found = known_.arrays.find(name); found != known_.arrays.end()) {
    return found->second;
  }
  if (around_.sequence(name) != nullptr || known_.sequences.contains(name)) refuse();
  LaneValue start;
  start.affine = true;
  return {around_.layouts.of(name), start};
}

LaneArrayValue LaneKnowledge::part_of(const LaneArrayValue& array,
                                      const std::vector<LaneValue>& indices) {
  LaneArrayValue part{without_outermost(array.layout, indices.size()), array.start,
                      array.is_written};
  for (std::size_t k = 0; k < indices.size(); ++k) {
    part.start = moved(part.start, indices[k], array.layout.strides[k]);
  }
  return part;
}

LaneArrayValue LaneKnowledge::new_array(const ir::Type& type) {
  for (const Operand& size : type.shape) require_uniform(size);
  const Step points = rows_ * blocks_.columns * blocks_.width;
  return {row_major(type.shape, points), own_points()};
}

// An array that each point may write to: the one that only this point has.
LaneArrayValue LaneKnowledge::own_array(NameId name) {
  LaneArrayValue array = array_of(name);
  if (known_.arrays.contains(name)) return array;
  const LaneArrayValue own = new_array(type_of(name));
  copy(own, array, type_of(name));
  return own;
}

LaneArrayValue LaneKnowledge::slice_of(const LaneArrayValue& array,
                                       const std::vector<ir::SliceDimension>& dimensions) {
  LaneArrayValue slice{{{}, false}, array.start, array.is_written};
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const ir::SliceDimension& dimension = dimensions[k];
    slice.start = moved(slice.start, value_of(dimension.start), array.layout.strides[k]);
    if (dimension.fixed) continue;
    require_uniform(dimension.count);
    require_uniform(dimension.stride);
    slice.layout.strides.push_back(array.layout.strides[k] * step_of(dimension.stride));
  }
  return slice;
}

LaneArrayValue LaneKnowledge::result_array(NameId name) {
  const auto destination = known_.destinations.find(name);
  LaneArrayValue array = destination == known_.destinations.end()
                             ? new_array(type_of(name))
                             : LaneArrayValue(destination->second);
  array.is_written = true;
  bind(name, array);
  return array;
}

void LaneKnowledge::lay_out(NameId array) {
  std::vector<Operand> shape = type_of(array).shape;
  std::rotate(shape.begin(), shape.begin() + 1, shape.end());
  Layout layout = row_major(shape);
  std::rotate(layout.strides.begin(), layout.strides.end() - 1, layout.strides.end());
  layout.in_row_major_order = false;
  LaneValue start;
  start.affine = true;
  known_.arrays.insert_or_assign(array, LaneArrayValue{layout, start});
  blocks_.laid_out.push_back(array);
}

std::int64_t LaneKnowledge::assumed_runs(std::int64_t depth) const {
  constexpr std::int64_t deepest = 3;  // deeper ones weigh so much already that nothing else does
  std::int64_t runs = 1;
  for (std::int64_t k = 0; k < std::min(depth, deepest); ++k) {
    runs *= around_.tunables().unknown_extent;
  }
  return runs;
}

void LaneKnowledge::count_work(bool in_unit_steps) {
  if (in_unit_steps) {
    count_operations(1);
  } else {
    count_gathers(depth_, masked_ ? 2 : 1);  // a mask is consumed by each
  }
}

void LaneKnowledge::count_operations(std::int64_t cost) {
  if (depth_ > work_.depth) work_ = {depth_, 0, 0, work_.all_operations, work_.all_gathers};
  if (depth_ == work_.depth) work_.operations += cost;
  work_.all_operations += assumed_runs(depth_);
}

void LaneKnowledge::count_gathers(std::int64_t depth, std::int64_t vectors) {
  if (depth > work_.depth) work_ = {depth, 0, 0, work_.all_operations, work_.all_gathers};
  if (depth == work_.depth) work_.gathers += vectors;
  work_.all_gathers += vectors * assumed_runs(depth);
}

LaneValue LaneKnowledge::load(const LaneArrayValue& element, ScalarType type) {
  const LaneValue& start = element.start;
  // Vectors that hold what is close are no gathers, but no gain either; what points write so they
  // scatter.
  const bool is_close =
      start.is_close(around_.tunables().close_lanes) && !masked_ && !element.is_written;
  if (!is_close) count_work(!start.by_point || start.is_consecutive());
  if (depth_ == work_.depth && start.by_row && start.by_point) ++work_.row_vectors;
  return any_of(start.by_row, start.by_point, type);
}

void LaneKnowledge::store(const LaneArrayValue& element) {
  count_work(element.start.is_consecutive());
  if (!element.start.by_point) refuse();
}

void LaneKnowledge::copy(const LaneArrayValue& target, const LaneArrayValue& source,
                         const ir::Type& type) {
  if (type.shape.empty()) {
    load(source, type.element);
    store(target);
    return;
  }
  // Copies are no reason to run in lanes, nor against it.
  const LaneWork work = work_;
  LaneArrayValue to = target;
  LaneArrayValue from = source;
  for (const Operand& size : type.shape) require_uniform(size);
  to.layout.strides.clear();
  from.layout.strides.clear();
  copy(to, from, ir::scalar_of(type.element));
  work_ = work;
}

void LaneKnowledge::put(const LaneArrayValue& target, const LaneResult& result,
                        const ir::Type& type) {
  if (result.scalar) {
    store(target);
  } else if (result.array) {
    copy(target, *result.array, type);
  }
}

void LaneKnowledge::loop(const Operand& width, const std::function<void()>& body) {
  require_uniform(width);
  const bool outer = std::exchange(in_turn_, false);
  ++depth_;
  body();
  --depth_;
  in_turn_ = outer;
}

LaneResult LaneKnowledge::result_of(const Operand& operand) {
  const ir::Type type = around_.names.type(operand);
  if (type.kind == ir::TypeKind::accumulator) return {};
  if (type.is_array()) return {std::nullopt, array_of(operand.name())};
  return {value_of(operand), std::nullopt};
}

LaneValue LaneKnowledge::element_of(const LaneSequence& sequence, const LaneValue& index) {
  if (!sequence.stride) return sequence.start;
  const ScalarType type = sequence.element;
  LaneValue position = index;
  if (type != ScalarType::i64) {
    position = apply(ScalarOp::sign_extend, ScalarType::i64, type, {position});
  }
  const LaneValue scaled = apply(ScalarOp::mul, type, type, {position, uniform(*sequence.stride)});
  return apply(ScalarOp::add, type, type, {scaled, sequence.start});
}

LaneResult LaneKnowledge::element(NameId array, const std::vector<LaneValue>& indices) {
  if (const auto found = known_.sequences.find(array); found != known_.sequences.end()) {
    return {element_of(found->second, indices[0]), std::nullopt};
  }
  if (const Sequence* same = around_.sequence(array)) {
    return {element_of({same->element, uniform(same->start), same->stride}, indices[0]),
            std::nullopt};
  }
  const LaneArrayValue part = part_of(array_of(array), indices);
  if (!part.layout.strides.empty()) return {std::nullopt, part};
  return {load(part, type_of(array).element), std::nullopt};
}

}  // namespace dagaz::plan
