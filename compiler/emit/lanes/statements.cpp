// Statements in lanes.  What is the same for all points of a block is left to the thread; what does
// not fit lanes is done point by point.
#include "emit/lanes/statements.h"

#include <algorithm>

#include "emit/context/location_scope.h"
#include "emit/control/failures.h"
#include "emit/lanes/arrays.h"
#include "emit/lanes/masks.h"
#include "emit/lanes/packing.h"
#include "emit/lanes/serial.h"
#include "emit/lanes/values.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "ir/fields.h"

namespace dagaz::emit {

// ---------------------------------------------------------------- bodies

std::vector<LaneResult> emit_body(Lanes& l, const ir::Body& body,
                                  const std::vector<std::optional<LaneArray>>& at) {
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (!at[k] || !body.results[k].is_name()) continue;
    const NameId result = body.results[k].name();
    l.known.destinations.try_emplace(result, *at[k]);
    const auto over = l.c.memory.overwritten.find(result);
    // Rows that are turned are read from where the points are neighbours.
    if (over != l.c.memory.overwritten.end() && !is_turned(l, *at[k], result)) {
      l.known.destinations.try_emplace(over->second, *at[k]);
    }
  }
  for (const ir::Statement& one : body.statements) {
    if (!one.results.empty() && l.prepared.contains(one.results[0].name)) continue;
    l.c.arrays.forget(one);
    emit_statement(l, one);
  }
  std::vector<LaneResult> results;
  for (const Operand& result : body.results) results.push_back(result_of(l, result));
  return results;
}

LaneResult result_of(const Lanes& l, const Operand& operand) {
  const ir::Type type = l.c.names().type(operand);
  if (type.kind == ir::TypeKind::accumulator) return {};
  if (type.is_array()) return {std::nullopt, array_of(l, operand.name())};
  return {scalar_of(l, operand), std::nullopt};
}

std::vector<LaneResult> emit_lambda(Lanes& l, const ir::Lambda& lambda,
                                    const std::vector<LaneResult>& arguments,
                                    const std::vector<std::optional<LaneArray>>& at) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    bind(l, lambda.parameters[k].name, arguments[k]);
  }
  return emit_body(l, lambda.body, at);
}

static bool is_serialised(const Lanes& l, const ir::Statement& statement) {
  const std::vector<NameId>& all = l.plan.serialised;
  return std::find(all.begin(), all.end(), statement.results[0].name) != all.end();
}

static bool varies(const Lanes& l, const ir::Statement& statement) {
  if (as<ir::Scratch>(statement.operation)) return true;  // each point fills its own
  for (const ir::Binder& result : statement.results) {
    if (l.c.names().type(result.name).kind == ir::TypeKind::accumulator) return true;
  }
  const auto names = ir::free_names(statement, l.c.names());
  return std::any_of(names.begin(), names.end(), [&](NameId name) {
    return l.known.scalars.contains(name) || l.known.arrays.contains(name) ||
           l.known.virtual_arrays.contains(name) || l.known.accumulators.contains(name);
  });
}

void emit_statement(Lanes& l, const ir::Statement& statement) {
  if (!varies(l, statement)) {
    emit_statement(l.c, statement);
    return;
  }
  if (is_serialised(l, statement)) {
    one_by_one(l, statement);
    return;
  }
  const LocationScope here(l.c, statement.location);
  std::visit(
      [&](const auto& operation) {
        if constexpr (requires { emit_operation(l, statement, operation); }) {
          emit_operation(l, statement, operation);
        } else {
          refuse(operation.mnemonic);
        }
      },
      statement.operation);
}

// ---------------------------------------------------------------- scalars and views

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Identity& e) {
  bind(l, s.results[0].name, result_of(l, e.value));
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Scalar& e) {
  std::vector<LaneScalar> arguments;
  for (const Operand& argument : e.arguments) arguments.push_back(scalar_of(l, argument));
  if (ir::domain_of(e.op) == ir::Domain::divisor && !arguments[1].is_uniform()) {
    const Operand one = ir::Constant(ir::make_integer(e.type, 1));
    arguments[1] = where_running(l, arguments[1], uniform(l, one));
  }
  bind(l, s.results[0].name, apply(l, e.op, e.type, e.result, arguments));
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Assert& e) {
  const LaneScalar all = uniform(l, ir::Constant(ir::make_bool(true)));
  const LaneScalar condition = where_running(l, scalar_of(l, e.condition), all);
  Operand holds = ir::Constant(ir::make_bool(true));
  for (std::int64_t row = 0; row < l.block.rows; ++row) {
    for (std::int64_t column = 0; column < l.block.columns; ++column) {
      const Operand lanes = with_lanes(l, piece_of(l, condition, row, column), ScalarType::boolean);
      const NameId one = l.c.variable("holds", ScalarType::boolean);
      l.c.emit(CombineLanes{one, ScalarOp::bit_and, ScalarType::boolean, lanes});
      holds = row + column == 0 ? Operand(one) : l.c.both(holds, one);
    }
  }
  Code failing = l.c.collect([&] {
    const Place conditions = spill(l, condition);
    std::vector<Place> arguments;
    for (const Operand& argument : e.arguments)
      arguments.push_back(spill(l, scalar_of(l, argument)));
    thread_loop(l.c, ir::i64_operand(l.block.points()), false, [&](const Operand& i) {
      const Operand one = load(l.c, conditions, {i}, ScalarType::boolean, "holds");
      l.c.emit(If{one, {}, l.c.collect([&] {
                    std::vector<Operand> values;
                    for (const Place& argument : arguments) {
                      values.push_back(load(l.c, argument, {i}, ScalarType::i64, "argument"));
                    }
                    fail(l.c, e.message, values, s.location);
                  })});
    });
  });
  l.c.emit(If{holds, {}, std::move(failing)});
}

static LaneScalar virtual_element(Lanes& l, const LaneVirtual& array, const LaneScalar& index) {
  if (!array.stride) return array.start;
  const ScalarType type = array.start.type;
  LaneScalar position = index;
  if (type != ScalarType::i64) {
    position = apply(l, ScalarOp::sign_extend, ScalarType::i64, type, {position});
  }
  const LaneScalar scaled =
      apply(l, ScalarOp::mul, type, type, {position, uniform(l, *array.stride)});
  return apply(l, ScalarOp::add, type, type, {scaled, array.start});
}

LaneResult element_of(Lanes& l, NameId array, const std::vector<LaneScalar>& indices) {
  if (const auto found = l.known.virtual_arrays.find(array);
      found != l.known.virtual_arrays.end()) {
    return {virtual_element(l, found->second, indices[0]), std::nullopt};
  }
  if (const VirtualArray* values = l.c.arrays.virtual_array(array)) {
    return {virtual_element(l, {uniform(l, values->start), values->stride}, indices[0]),
            std::nullopt};
  }
  const LaneArray part = part_of(l, array_of(l, array), indices);
  if (!part.place.strides.empty()) return {std::nullopt, part};
  return {load(l, part, l.c.names().type(array).element), std::nullopt};
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Index& e) {
  std::vector<LaneScalar> indices;
  for (const Operand& index : e.indices) indices.push_back(scalar_of(l, index));
  const NameId result = s.results[0].name;
  const auto& fetched = l.plan.fetched;
  if (std::find(fetched.begin(), fetched.end(), result) != fetched.end()) {
    fetch_ahead(l, part_of(l, array_of(l, e.array), indices), l.c.names().type(result).element);
  }
  bind(l, result, element_of(l, e.array, indices));
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Slice& e) {
  bind(l, s.results[0].name, slice_of(l, array_of(l, e.array), e.dimensions));
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Permute& e) {
  LaneArray array = array_of(l, e.array);
  array.place = permuted(array.place, e.permutation);
  bind(l, s.results[0].name, array);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Reshape& e) {
  LaneArray array = array_of(l, e.array);
  const auto place = reshaped(l.c, array.place, uniform_shape(l, l.c.shape_of(e.array)),
                              uniform_shape(l, e.shape));
  if (!place) refuse("a reshape that copies");
  array.place = *place;
  bind(l, s.results[0].name, array);
}

// ---------------------------------------------------------------- new arrays

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Iota& e) {
  const NameId name = s.results[0].name;
  if (!l.c.memory.element_only.contains(name)) refuse("an iota in memory");
  const LaneVirtual counted{scalar_of(l, e.start), uniform_operand(l, e.stride)};
  l.known.virtual_arrays.insert_or_assign(name, counted);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Replicate& e) {
  const NameId name = s.results[0].name;
  const LaneResult value = result_of(l, e.value);
  if (value.scalar && l.c.memory.element_only.contains(name)) {
    l.known.virtual_arrays.insert_or_assign(name, LaneVirtual{*value.scalar, std::nullopt});
    return;
  }
  const LaneArray array = result_array(l, name);
  const std::function<void(const LaneArray&, std::size_t)> fill = [&](const LaneArray& at,
                                                                      std::size_t from) {
    if (from == e.shape.size()) {
      put(l, at, value, l.c.names().type(e.value));
      return;
    }
    thread_loop(l.c, uniform_operand(l, e.shape[from]), false,
                [&](const Operand& i) { fill(part_of(l, at, {uniform(l, i)}), from + 1); });
  };
  fill(array, 0);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::ArrayLiteral& e) {
  const LaneArray array = result_array(l, s.results[0].name);
  for (std::size_t k = 0; k < e.elements.size(); ++k) {
    const LaneScalar position = uniform(l, ir::i64_operand(static_cast<std::int64_t>(k)));
    put(l, part_of(l, array, {position}), result_of(l, e.elements[k]), e.element);
  }
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Scratch&) {
  result_array(l, s.results[0].name);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Update& e) {
  const LaneArray whole = own_array(l, e.array);
  put(l, slice_of(l, whole, e.dimensions), result_of(l, e.value), l.c.names().type(e.value));
  bind(l, s.results[0].name, whole);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Concat& e) {
  const LaneArray whole = result_array(l, s.results[0].name);
  Operand start = ir::i64_operand(0);
  for (const NameId array : e.arrays) {
    const ir::Type& type = l.c.names().type(array);
    LaneArray part = whole;
    part.offset = add(l, whole.offset, uniform(l, l.c.mul(start, whole.place.strides[0])));
    copy(l, part, array_of(l, array), type);
    start = l.c.add(start, uniform_operand(l, type.shape[0]));
  }
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Copy& e) {
  const LaneArray source = array_of(l, e.array);
  copy(l, result_array(l, s.results[0].name), source, l.c.names().type(e.array));
}

}  // namespace dagaz::emit
