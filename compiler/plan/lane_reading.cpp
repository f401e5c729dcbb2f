// Values and statements; loops, branches and accumulation are lane_loops.cpp's.
#include "plan/lane_reading.h"

#include <algorithm>

#include "ir/alias.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

// ---------------------------------------------------------------- values

LaneValue LaneReading::uniform(const Operand& operand) {
  const ir::Type type = around_.names.type(operand);
  if (!type.is_scalar()) refuse();
  LaneValue value;
  value.affine = type.element == ScalarType::i64;
  value.base = step_of(operand);
  return value;
}

LaneValue LaneReading::value_of(const Operand& operand) {
  if (operand.is_name()) {
    const auto found = known_.scalars.find(operand.name());
    if (found != known_.scalars.end()) return found->second;
  }
  return uniform(operand);
}

void LaneReading::require_uniform(const Operand& operand) {
  if (operand.is_name() && known_.scalars.contains(operand.name())) refuse();
}

/// Where the points of a block are neighbours.
LaneValue LaneReading::own_points() const {
  LaneValue start;
  start.affine = true;
  start.by_row = rows_ > 1;
  start.by_point = true;
  start.row_step = rows_ > 1 ? Step(blocks_.columns * blocks_.width) : Step(0);
  start.point_step = 1;
  return start;
}

LaneValue LaneReading::any_of(bool by_row, bool by_point, ScalarType type) const {
  LaneValue value;
  value.by_row = by_row && rows_ > 1;
  value.by_point = by_point;
  value.affine = value.is_uniform() && type == ScalarType::i64;
  return value;
}

LaneValue LaneReading::apply(ScalarOp op, ScalarType type, ScalarType result,
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
  if (by_point) count_work(true);
  return any_of(by_row, by_point, result);
}

LaneValue LaneReading::moved(const LaneValue& start, const LaneValue& index, const Step& stride) {
  LaneValue factor;
  factor.affine = true;
  factor.base = stride;
  const LaneValue distance =
      apply(ScalarOp::mul, ScalarType::i64, ScalarType::i64, {index, factor});
  return apply(ScalarOp::add, ScalarType::i64, ScalarType::i64, {start, distance});
}

void LaneReading::bind(NameId name, const LaneValue& value) {
  if (!value.is_uniform()) known_.scalars.insert_or_assign(name, value);
}

void LaneReading::bind(NameId name, const LaneArrayValue& array) {
  if (!array.start.is_uniform()) {
    known_.arrays.insert_or_assign(name, array);
  } else {
    around_.layouts.set(name, array.layout);
  }
}

void LaneReading::bind(NameId name, const LaneResult& result) {
  if (result.scalar) {
    bind(name, *result.scalar);
  } else if (result.array) {
    bind(name, *result.array);
  }
}

void LaneReading::bind_index(NameId name, bool along_rows, bool along_points) {
  LaneValue index;
  index.affine = true;
  index.by_row = along_rows;
  index.by_point = along_points;
  index.row_step = along_rows ? 1 : 0;
  // Where stretches begin is known only when the program runs.
  index.point_step = along_points ? (walks_stretches(blocks_) ? Step() : Step(1)) : Step(0);
  bind(name, index);
}

// ---------------------------------------------------------------- arrays

LaneArrayValue LaneReading::array_of(NameId name) {
  if (const auto found = known_.arrays.find(name); found != known_.arrays.end()) {
    return found->second;
  }
  if (around_.sequence(name) != nullptr || known_.sequences.contains(name)) refuse();
  LaneValue start;
  start.affine = true;
  return {around_.layouts.of(name), start};
}

LaneArrayValue LaneReading::part_of(const LaneArrayValue& array,
                                    const std::vector<LaneValue>& indices) {
  LaneArrayValue part = array;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    part.start = moved(part.start, indices[k], array.layout.strides[k]);
  }
  const auto begin = part.layout.strides.begin();
  part.layout.strides.erase(begin, begin + static_cast<std::ptrdiff_t>(indices.size()));
  return part;
}

LaneArrayValue LaneReading::target(const std::vector<ir::SpaceDimension>& space,
                                   const ir::Type& type, const Layout& layout) {
  std::vector<LaneValue> indices;
  for (const ir::SpaceDimension& dimension : space) {
    indices.push_back(value_of(dimension.index.name));
  }
  LaneArrayValue part = part_of({layout, uniform(ir::i64_operand(0))}, indices);
  DZ_CHECK(part.layout.strides.size() == type.rank(), "the layout of a result");
  return part;
}

LaneArrayValue LaneReading::new_array(const ir::Type& type) {
  for (const Operand& size : type.shape) require_uniform(size);
  const Step points = rows_ * blocks_.columns * blocks_.width;
  return {row_major(type.shape, points), own_points()};
}

// An array that each point may write to: the one that only this point has.
LaneArrayValue LaneReading::own_array(NameId name) {
  LaneArrayValue array = array_of(name);
  if (known_.arrays.contains(name)) return array;
  const LaneArrayValue own = new_array(type_of(name));
  copy(own, array, type_of(name));
  return own;
}

LaneArrayValue LaneReading::slice_of(const LaneArrayValue& array,
                                     const std::vector<ir::SliceDimension>& dimensions) {
  LaneArrayValue slice{{{}, false}, array.start};
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

LaneArrayValue LaneReading::result_array(NameId name) {
  const auto destination = known_.destinations.find(name);
  const LaneArrayValue array = destination == known_.destinations.end()
                                   ? new_array(type_of(name))
                                   : LaneArrayValue(destination->second);
  bind(name, array);
  return array;
}

void LaneReading::lay_out(NameId array) {
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

// How often code inside loops runs that are nested so deep.
static std::int64_t assumed_runs(std::int64_t depth) {
  constexpr std::int64_t iterations = 8;
  constexpr std::int64_t most = 3;
  std::int64_t runs = 1;
  for (std::int64_t k = 0; k < std::min(depth, most); ++k) runs *= iterations;
  return runs;
}

void LaneReading::count_work(bool in_unit_steps) {
  if (!in_unit_steps) {
    count_gathers(depth_, masked_ ? 2 : 1);  // a mask is consumed by each
    return;
  }
  if (depth_ > work_.depth) work_ = {depth_, 0, 0, work_.all_operations, work_.all_gathers};
  if (depth_ == work_.depth) ++work_.operations;
  work_.all_operations += assumed_runs(depth_);
}

void LaneReading::count_gathers(std::int64_t depth, std::int64_t vectors) {
  if (depth > work_.depth) work_ = {depth, 0, 0, work_.all_operations, work_.all_gathers};
  if (depth == work_.depth) work_.gathers += vectors;
  work_.all_gathers += vectors * assumed_runs(depth);
}

LaneValue LaneReading::load(const LaneArrayValue& element, ScalarType type) {
  const LaneValue& start = element.start;
  count_work(!start.by_point || start.is_consecutive());
  if (depth_ == work_.depth && start.by_row && start.by_point) ++work_.row_vectors;
  return any_of(start.by_row, start.by_point, type);
}

void LaneReading::store(const LaneArrayValue& element) {
  count_work(element.start.is_consecutive());
  if (!element.start.by_point) refuse();
}

void LaneReading::copy(const LaneArrayValue& target, const LaneArrayValue& source,
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

void LaneReading::put(const LaneArrayValue& target, const LaneResult& result,
                      const ir::Type& type) {
  if (result.scalar) {
    store(target);
  } else if (result.array) {
    copy(target, *result.array, type);
  }
}

void LaneReading::loop(const Operand& width, const std::function<void()>& body) {
  require_uniform(width);
  ++depth_;
  body();
  --depth_;
}

// ---------------------------------------------------------------- bodies

std::vector<LaneResult> LaneReading::read(
    const ir::Body& body, const std::vector<std::optional<LaneArrayValue>>& wanted) {
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (!wanted[k] || !body.results[k].is_name()) continue;
    known_.destinations.try_emplace(body.results[k].name(), *wanted[k]);
    const auto over = around_.overwritten_by(body.results[k].name());
    if (over) known_.destinations.try_emplace(*over, *wanted[k]);
  }
  for (const ir::Statement& one : body.statements) {
    if (!one.results.empty() && prepared_.contains(one.results[0].name)) continue;
    statement(one);
  }
  std::vector<LaneResult> results;
  for (const Operand& result : body.results) results.push_back(result_of(result));
  return results;
}

LaneResult LaneReading::result_of(const Operand& operand) {
  const ir::Type type = around_.names.type(operand);
  if (type.kind == ir::TypeKind::accumulator) return {};
  if (type.is_array()) return {std::nullopt, array_of(operand.name())};
  return {value_of(operand), std::nullopt};
}

std::vector<LaneResult> LaneReading::lambda(
    const ir::Lambda& lambda, const std::vector<LaneResult>& arguments,
    const std::vector<std::optional<LaneArrayValue>>& wanted) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    bind(lambda.parameters[k].name, arguments[k]);
  }
  return read(lambda.body, wanted);
}

bool LaneReading::varies(const ir::Statement& statement) const {
  if (as<ir::Scratch>(statement.operation)) return true;  // each point fills its own
  for (const ir::Binder& result : statement.results) {
    if (type_of(result.name).kind == ir::TypeKind::accumulator) return true;
  }
  const auto names = ir::free_names(statement, around_.names);
  return std::any_of(names.begin(), names.end(), [&](NameId name) {
    return known_.scalars.contains(name) || known_.arrays.contains(name) ||
           known_.sequences.contains(name) || known_.accumulators.contains(name);
  });
}

// What refuses lanes inside is serialised alone where that can be; else the whole statement is.
void LaneReading::statement(const ir::Statement& statement) {
  if (!legal_) return;
  if (!varies(statement)) {
    around_.enter(statement);
    return;
  }
  const LaneWork work = work_;
  const std::int64_t depth = depth_;
  const std::int64_t rows = rows_;
  const bool masked = masked_;
  const std::size_t serialised = blocks_.serialised.size();
  const std::size_t inner = blocks_.inner_rows.size();
  match(statement.operation,
        [&](const auto& operation) {
          if constexpr (requires { this->read(statement, operation); }) {
            read(statement, operation);
          } else {
            refuse();
          }
        });
  if (legal_) return;
  legal_ = true;
  work_ = work;
  depth_ = depth;
  rows_ = rows;
  masked_ = masked;
  blocks_.serialised.resize(serialised);
  blocks_.inner_rows.resize(inner);
  serialise(statement);
}

static std::int64_t loops_in(const ir::Body& body);

// How deep loops are nested in an operation.
static std::int64_t loops_in(const ir::Operation& operation) {
  std::int64_t inside = 0;
  ir::for_each_scope(operation, [&](const ir::Body& body) {
    inside = std::max(inside, loops_in(body));
  });
  const bool is_straight = as<ir::Scalar>(operation) || as<ir::Identity>(operation) ||
                           as<ir::Assert>(operation) || as<ir::Index>(operation) ||
                           as<ir::Slice>(operation) || as<ir::Permute>(operation) ||
                           as<ir::Reshape>(operation) || as<ir::Update>(operation) ||
                           as<ir::Branch>(operation) || as<ir::Accumulate>(operation) ||
                           as<ir::WithAccumulator>(operation);
  return inside + (is_straight ? 0 : 1);
}

static std::int64_t loops_in(const ir::Body& body) {
  std::int64_t deepest = 0;
  for (const ir::Statement& one : body.statements) {
    deepest = std::max(deepest, loops_in(one.operation));
  }
  return deepest;
}

// What the statement writes over has to be each point's own.
void LaneReading::own_what_it_consumes(const ir::Statement& s) {
  const std::vector<NameId> used = ir::free_names(s, around_.names);
  const bool shares_arrays = std::any_of(used.begin(), used.end(), [&](NameId name) {
    return type_of(name).is_array() && !known_.arrays.contains(name);
  });
  if (!shares_arrays) return;
  for (const NameId name : ir::consumed_by(s, around_.names, around_.functions)) {
    if (type_of(name).is_array()) bind(name, own_array(name));
  }
}

void LaneReading::serialise(const ir::Statement& s) {
  const std::vector<NameId> used = ir::free_names(s, around_.names);
  const bool adds_to_own = std::any_of(used.begin(), used.end(), [&](NameId name) {
    return known_.accumulators.contains(name);
  });
  if (adds_to_own) refuse();  // a point alone knows accumulators of all points only
  own_what_it_consumes(s);
  for (const ir::Binder& result : s.results) {
    const ir::Type& type = type_of(result.name);
    if (type.is_array()) {
      for (const Operand& size : type.shape) {
        for (const ir::Binder& other : s.results) {
          if (size == Operand(other.name)) refuse();
        }
      }
      result_array(result.name);
    } else if (type.is_scalar()) {
      bind(result.name, varying(type.element));
    }
  }
  blocks_.serialised.push_back(s.results[0].name);
  // As if each point gathered a vector of its own.
  const std::int64_t depth = depth_ + loops_in(s.operation);
  count_gathers(depth, rows_ * blocks_.columns * blocks_.width);
}

// ---------------------------------------------------------------- scalars and views

void LaneReading::read(const ir::Statement& s, const ir::Identity& e) {
  bind(s.results[0].name, result_of(e.value));
}

void LaneReading::read(const ir::Statement& s, const ir::Scalar& e) {
  std::vector<LaneValue> arguments;
  for (const Operand& argument : e.arguments) arguments.push_back(value_of(argument));
  if (masked_ && ir::domain_of(e.op) == ir::Domain::divisor && !arguments[1].is_uniform()) {
    arguments[1] = varying(e.type);  // chosen by the mask
  }
  bind(s.results[0].name, apply(e.op, e.type, e.result, arguments));
}

void LaneReading::read(const ir::Statement&, const ir::Assert& e) {
  value_of(e.condition);
  for (const Operand& argument : e.arguments) value_of(argument);
}

LaneValue LaneReading::element_of(const LaneSequence& sequence, const LaneValue& index) {
  if (!sequence.stride) return sequence.start;
  const ScalarType type = sequence.element;
  LaneValue position = index;
  if (type != ScalarType::i64) {
    position = apply(ScalarOp::sign_extend, ScalarType::i64, type, {position});
  }
  const LaneValue scaled = apply(ScalarOp::mul, type, type, {position, uniform(*sequence.stride)});
  return apply(ScalarOp::add, type, type, {scaled, sequence.start});
}

LaneResult LaneReading::element(NameId array, const std::vector<LaneValue>& indices) {
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

void LaneReading::read(const ir::Statement& s, const ir::Index& e) {
  std::vector<LaneValue> indices;
  for (const Operand& index : e.indices) indices.push_back(value_of(index));
  bind(s.results[0].name, element(e.array, indices));
}

void LaneReading::read(const ir::Statement& s, const ir::Slice& e) {
  bind(s.results[0].name, slice_of(array_of(e.array), e.dimensions));
}

void LaneReading::read(const ir::Statement& s, const ir::Permute& e) {
  LaneArrayValue array = array_of(e.array);
  array.layout = permuted(array.layout, e.permutation);
  bind(s.results[0].name, array);
}

void LaneReading::read(const ir::Statement& s, const ir::Reshape& e) {
  LaneArrayValue array = array_of(e.array);
  for (const Operand& size : type_of(e.array).shape) require_uniform(size);
  for (const Operand& size : e.shape) require_uniform(size);
  const auto layout = reshaped(array.layout, type_of(e.array).shape, e.shape);
  if (!layout) {
    refuse();
    return;
  }
  array.layout = *layout;
  bind(s.results[0].name, array);
}

// ---------------------------------------------------------------- new arrays

void LaneReading::read(const ir::Statement& s, const ir::Iota& e) {
  const NameId name = s.results[0].name;
  require_uniform(e.stride);
  if (!around_.is_element_only(name)) refuse();
  known_.sequences.insert_or_assign(name, LaneSequence{e.type, value_of(e.start), e.stride});
}

void LaneReading::read(const ir::Statement& s, const ir::Replicate& e) {
  const NameId name = s.results[0].name;
  const LaneResult value = result_of(e.value);
  if (value.scalar && around_.is_element_only(name)) {
    const ScalarType element = type_of(name).element;
    known_.sequences.insert_or_assign(name, LaneSequence{element, *value.scalar, std::nullopt});
    return;
  }
  LaneArrayValue element = result_array(name);
  for (const Operand& size : e.shape) require_uniform(size);
  element.layout.strides.erase(
      element.layout.strides.begin(),
      element.layout.strides.begin() + static_cast<std::ptrdiff_t>(e.shape.size()));
  put(element, value, around_.names.type(e.value));
}

void LaneReading::read(const ir::Statement& s, const ir::ArrayLiteral& e) {
  const LaneArrayValue array = result_array(s.results[0].name);
  for (std::size_t k = 0; k < e.elements.size(); ++k) {
    const LaneValue position = uniform(ir::i64_operand(static_cast<std::int64_t>(k)));
    put(part_of(array, {position}), result_of(e.elements[k]), e.element);
  }
}

void LaneReading::read(const ir::Statement& s, const ir::Concat& e) {
  const LaneArrayValue whole = result_array(s.results[0].name);
  for (const NameId array : e.arrays) {
    const ir::Type& type = type_of(array);
    for (const Operand& size : type.shape) require_uniform(size);
    LaneArrayValue part = whole;
    part.start = moved(whole.start, uniform(ir::i64_operand(0)), whole.layout.strides[0]);
    copy(part, array_of(array), type);
  }
}

void LaneReading::read(const ir::Statement& s, const ir::Scratch&) {
  result_array(s.results[0].name);
}

void LaneReading::read(const ir::Statement& s, const ir::Update& e) {
  const LaneArrayValue whole = own_array(e.array);
  put(slice_of(whole, e.dimensions), result_of(e.value), around_.names.type(e.value));
  bind(s.results[0].name, whole);
}

void LaneReading::read(const ir::Statement& s, const ir::Copy& e) {
  const LaneArrayValue source = array_of(e.array);
  copy(result_array(s.results[0].name), source, type_of(e.array));
}

// ---------------------------------------------------------------- packing

// Arrays of rank 1 that a parallel operation reads element by element, with the width of the
// outermost loop that reads them again: inside a loop (`depth` 1), or also in the body itself (0).
static void collect_inputs(const ir::Body& body, int depth, const std::optional<Operand>& again,
                           const ir::Names& names,
                           std::unordered_map<NameId, Operand>& inputs) {
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map) continue;
    for (const NameId array : map->arrays) {
      const ir::Type& type = names.type(array);
      if (depth <= 0 && type.kind == ir::TypeKind::value && type.rank() == 1) {
        inputs.try_emplace(array, again.value_or(map->width));
      }
    }
    collect_inputs(map->map.body, depth - 1, again.value_or(map->width), names, inputs);
  }
}

void LaneReading::pack_rows(const ir::Body& body, const std::optional<NameId>& rows) {
  std::unordered_set<NameId> later;
  if (rows) later.insert(*rows);
  std::unordered_map<NameId, Operand> inputs;
  collect_inputs(body, rows ? 0 : 1, std::nullopt, around_.names, inputs);
  for (const ir::Statement& one : body.statements) {
    const auto names = ir::free_names(one, around_.names);
    const bool waits = std::any_of(names.begin(), names.end(),
                                   [&](NameId name) { return later.contains(name); });
    const bool is_view = as<ir::Index>(one.operation) || as<ir::Slice>(one.operation) ||
                         as<ir::Permute>(one.operation);
    if (waits || !is_view) {
      for (const ir::Binder& result : one.results) later.insert(result.name);
      continue;
    }
    statement(one);
    const NameId name = one.results[0].name;
    prepared_.insert(name);
    const auto array = known_.arrays.find(name);
    const auto input = inputs.find(name);
    if (array == known_.arrays.end() || input == inputs.end()) continue;
    const LaneValue& start = array->second.start;
    if (start.by_row || !start.by_point || start.is_consecutive()) continue;
    require_uniform(type_of(name).shape[0]);
    LaneValue neighbours;
    neighbours.affine = true;
    neighbours.by_point = true;
    neighbours.point_step = 1;
    const Step span = blocks_.columns * blocks_.width;
    array->second = LaneArrayValue{{{span}, false}, neighbours};
    blocks_.packed.push_back(name);
    packed_widths_.push_back(input->second);
  }
}

}  // namespace dagaz::plan
