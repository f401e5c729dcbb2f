// Statements; loops, branches and accumulation are lane_loops.cpp's.
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

// ---------------------------------------------------------------- bodies

std::vector<LaneResult> LaneReading::read(
    const ir::Body& body, const std::vector<std::optional<LaneArrayValue>>& wanted) {
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (!wanted[k] || !body.results[k].is_name()) continue;
    known_.destinations.try_emplace(body.results[k].name(), *wanted[k]);
    // Rows that are turned are read from where the points are neighbours.
    if (can_turn(*wanted[k], type_of(body.results[k].name()))) continue;
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
  const std::size_t turned = blocks_.turned.size();
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
  blocks_.turned.resize(turned);
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
      if (around_.is_element_only(result.name)) refuse();  // there is no memory to put it in
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
    if (waits || !may_come_first(one.operation, rows.has_value())) {
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
