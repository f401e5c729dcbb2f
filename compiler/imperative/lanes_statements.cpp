// Statements in lanes.  What is the same for all points of a block is left to the thread; what does
// not fit lanes is done point by point.
#include "imperative/lanes.h"

#include <algorithm>

#include "ir/fields.h"

namespace dagaz::imperative {

// ---------------------------------------------------------------- bodies

std::vector<Lanes::Result> Lanes::body(const ir::Body& body,
                                       const std::vector<std::optional<LaneArray>>& at) {
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (!at[k] || !body.results[k].is_name()) continue;
    known_.destinations.try_emplace(body.results[k].name(), *at[k]);
    const auto over = low_.memory.overwritten.find(body.results[k].name());
    if (over != low_.memory.overwritten.end()) {
      known_.destinations.try_emplace(over->second, *at[k]);
    }
  }
  for (const ir::Statement& one : body.statements) {
    if (!one.results.empty() && prepared_.contains(one.results[0].name)) continue;
    low_.forget_places(one);
    statement(one);
  }
  std::vector<Result> results;
  for (const Operand& result : body.results) results.push_back(result_of(result));
  return results;
}

Lanes::Result Lanes::result_of(const Operand& operand) const {
  const ir::Type type = low_.names().type(operand);
  if (type.kind == ir::TypeKind::accumulator) return {};
  if (type.is_array()) return {std::nullopt, array_of(operand.name())};
  return {scalar_of(operand), std::nullopt};
}

std::vector<Lanes::Result> Lanes::lambda(const ir::Lambda& lambda,
                                         const std::vector<Result>& arguments,
                                         const std::vector<std::optional<LaneArray>>& at) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    bind(lambda.parameters[k].name, arguments[k]);
  }
  return body(lambda.body, at);
}

bool Lanes::varies(const ir::Statement& statement) const {
  if (as<ir::Scratch>(statement.operation)) return true;  // each point fills its own
  for (const ir::Binder& result : statement.results) {
    if (low_.names().type(result.name).kind == ir::TypeKind::accumulator) return true;
  }
  const auto names = ir::free_names(statement, low_.names());
  return std::any_of(names.begin(), names.end(), [&](NameId name) {
    return known_.scalars.contains(name) || known_.arrays.contains(name) ||
           known_.virtual_arrays.contains(name);
  });
}

void Lanes::statement(const ir::Statement& statement) {
  if (!varies(statement)) {
    low_.lower_statement(statement);
    return;
  }
  if (is_serialised(statement)) {
    one_by_one(statement);
    return;
  }
  low_.location = statement.location;
  std::visit([&](const auto& operation) { lower(statement, operation); }, statement.operation);
}

bool Lanes::is_serialised(const ir::Statement& statement) const {
  const std::vector<NameId>& all = plan_.serialised;
  return std::find(all.begin(), all.end(), statement.results[0].name) != all.end();
}

// ---------------------------------------------------------------- scalars and views

void Lanes::lower(const ir::Statement& s, const ir::Identity& e) {
  bind(s.results[0].name, result_of(e.value));
}

void Lanes::lower(const ir::Statement& s, const ir::Scalar& e) {
  std::vector<LaneScalar> arguments;
  for (const Operand& argument : e.arguments) arguments.push_back(scalar_of(argument));
  bind(s.results[0].name, apply(e.op, e.type, e.result, arguments));
}

void Lanes::lower(const ir::Statement& s, const ir::Assert& e) {
  const LaneScalar condition = scalar_of(e.condition);
  Operand holds = ir::Constant(ir::make_bool(true));
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    for (std::int64_t column = 0; column < block_.columns; ++column) {
      const Operand lanes = with_lanes(piece(condition, row, column), ScalarType::boolean);
      const NameId one = low_.variable("holds", ScalarType::boolean);
      low_.emit(CombineLanes{one, ScalarOp::bit_and, ScalarType::boolean, lanes});
      holds = row + column == 0 ? Operand(one) : low_.both(holds, one);
    }
  }
  Code failing = low_.collect([&] {
    const Place conditions = spill(condition);
    std::vector<Place> arguments;
    for (const Operand& argument : e.arguments) arguments.push_back(spill(scalar_of(argument)));
    low_.thread_loop(ir::i64_operand(block_.points()), false, [&](const Operand& i) {
      const Operand one = low_.load(conditions, {i}, ScalarType::boolean, "holds");
      low_.emit(If{one, {}, low_.collect([&] {
                     std::vector<Operand> values;
                     for (const Place& argument : arguments) {
                       values.push_back(low_.load(argument, {i}, ScalarType::i64, "argument"));
                     }
                     low_.fail(e.message, values, s.location);
                   })});
    });
  });
  low_.emit(If{holds, {}, std::move(failing)});
}

LaneScalar Lanes::virtual_element(const LaneVirtual& array, const LaneScalar& index) {
  if (!array.stride) return array.start;
  const ScalarType type = array.start.type;
  LaneScalar position = index;
  if (type != ScalarType::i64) {
    position = apply(ScalarOp::sign_extend, ScalarType::i64, type, {position});
  }
  const LaneScalar scaled = apply(ScalarOp::mul, type, type, {position, uniform(*array.stride)});
  return apply(ScalarOp::add, type, type, {scaled, array.start});
}

Lanes::Result Lanes::element(NameId array, const std::vector<LaneScalar>& indices) {
  if (const auto found = known_.virtual_arrays.find(array); found != known_.virtual_arrays.end()) {
    return {virtual_element(found->second, indices[0]), std::nullopt};
  }
  if (const VirtualArray* values = low_.arrays.virtual_array(array)) {
    return {virtual_element({uniform(values->start), values->stride}, indices[0]), std::nullopt};
  }
  const LaneArray part = part_of(array_of(array), indices);
  if (!part.place.strides.empty()) return {std::nullopt, part};
  return {load(part, low_.names().type(array).element), std::nullopt};
}

void Lanes::lower(const ir::Statement& s, const ir::Index& e) {
  std::vector<LaneScalar> indices;
  for (const Operand& index : e.indices) indices.push_back(scalar_of(index));
  bind(s.results[0].name, element(e.array, indices));
}

LaneArray Lanes::slice_of(const LaneArray& array,
                          const std::vector<ir::SliceDimension>& dimensions) {
  LaneArray slice{array.place, array.offset};
  slice.place.strides.clear();
  slice.place.unit.reset();
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const ir::SliceDimension& dimension = dimensions[k];
    slice.offset = add(slice.offset, times(scalar_of(dimension.start), array.place.strides[k]));
    if (dimension.fixed) continue;
    uniform_operand(dimension.count);
    slice.place.strides.push_back(
        low_.mul(array.place.strides[k], uniform_operand(dimension.stride)));
  }
  return slice;
}

void Lanes::lower(const ir::Statement& s, const ir::Slice& e) {
  bind(s.results[0].name, slice_of(array_of(e.array), e.dimensions));
}

void Lanes::lower(const ir::Statement& s, const ir::Permute& e) {
  LaneArray array = array_of(e.array);
  array.place = permuted(array.place, e.permutation);
  bind(s.results[0].name, array);
}

void Lanes::lower(const ir::Statement& s, const ir::Reshape& e) {
  LaneArray array = array_of(e.array);
  const auto place = reshaped(low_, array.place, uniform_shape(low_.shape_of(e.array)),
                              uniform_shape(e.shape));
  if (!place) refuse("a reshape that copies");
  array.place = *place;
  bind(s.results[0].name, array);
}

// ---------------------------------------------------------------- new arrays

LaneArray Lanes::result_array(NameId name) {
  const auto destination = known_.destinations.find(name);
  const LaneArray array = destination == known_.destinations.end()
                              ? new_array(low_.names().type(name), low_.names().base(name))
                              : destination->second;
  bind(name, array);
  return array;
}

void Lanes::lower(const ir::Statement& s, const ir::Iota& e) {
  const NameId name = s.results[0].name;
  if (!low_.memory.element_only.contains(name)) refuse("an iota in memory");
  const LaneVirtual counted{scalar_of(e.start), uniform_operand(e.stride)};
  known_.virtual_arrays.insert_or_assign(name, counted);
}

void Lanes::lower(const ir::Statement& s, const ir::Replicate& e) {
  const NameId name = s.results[0].name;
  const Result value = result_of(e.value);
  if (value.scalar && low_.memory.element_only.contains(name)) {
    known_.virtual_arrays.insert_or_assign(name, LaneVirtual{*value.scalar, std::nullopt});
    return;
  }
  const LaneArray array = result_array(name);
  const std::function<void(const LaneArray&, std::size_t)> fill = [&](const LaneArray& at,
                                                                     std::size_t from) {
    if (from == e.shape.size()) {
      put(at, value, low_.names().type(e.value));
      return;
    }
    low_.thread_loop(uniform_operand(e.shape[from]), false, [&](const Operand& i) {
      fill(part_of(at, {uniform(i)}), from + 1);
    });
  };
  fill(array, 0);
}

void Lanes::lower(const ir::Statement& s, const ir::ArrayLiteral& e) {
  const LaneArray array = result_array(s.results[0].name);
  for (std::size_t k = 0; k < e.elements.size(); ++k) {
    const LaneScalar position = uniform(ir::i64_operand(static_cast<std::int64_t>(k)));
    put(part_of(array, {position}), result_of(e.elements[k]), e.element);
  }
}

void Lanes::lower(const ir::Statement& s, const ir::Scratch&) {
  result_array(s.results[0].name);
}

// An array that each point may write to: the one that only this point has.
LaneArray Lanes::own_array(NameId name) {
  const LaneArray array = array_of(name);
  if (known_.arrays.contains(name)) return array;
  const LaneArray own = new_array(low_.names().type(name), low_.names().base(name));
  copy(own, array, low_.names().type(name));
  return own;
}

void Lanes::lower(const ir::Statement& s, const ir::Update& e) {
  const LaneArray whole = own_array(e.array);
  put(slice_of(whole, e.dimensions), result_of(e.value), low_.names().type(e.value));
  bind(s.results[0].name, whole);
}

void Lanes::lower(const ir::Statement& s, const ir::Copy& e) {
  const LaneArray source = array_of(e.array);
  copy(result_array(s.results[0].name), source, low_.names().type(e.array));
}

// ---------------------------------------------------------------- parallel operations

std::vector<LaneScalar> Lanes::start(const std::vector<Operand>& neutral) {
  std::vector<LaneScalar> running;
  for (const Operand& one : neutral) {
    const LaneScalar initial = scalar_of(one);
    running.push_back(variables(initial.type, initial));
  }
  return running;
}

void Lanes::combine(const ir::Lambda& op, const std::vector<LaneScalar>& running,
                    const std::vector<LaneScalar>& values) {
  if (const std::int64_t rows = block_.rows; rows > 1 && !running[0].by_row) {
    // Running values from before there were rows take the rows in turn.
    block_.rows = 1;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<LaneScalar> of_row;
      for (const LaneScalar& one : values) of_row.push_back(row_of(one, row));
      combine(op, running, of_row);
    }
    block_.rows = rows;
    return;
  }
  const ir::Lambda fresh = low_.copy_of(op);
  std::vector<Result> arguments;
  for (const LaneScalar& one : running) arguments.push_back({one, std::nullopt});
  for (const LaneScalar& one : values) arguments.push_back({one, std::nullopt});
  step(running, lambda(fresh, arguments, {}));
}

void Lanes::finish(const std::vector<LaneScalar>& running, const Running& totals) {
  std::vector<Place> lanes;
  for (const LaneScalar& one : running) lanes.push_back(spill(one));
  low_.thread_loop(ir::i64_operand(block_.points()), false, [&](const Operand& i) {
    std::vector<Value> values;
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const ScalarType type = running[k].type;
      values.push_back({low_.load(lanes[k], {i}, type, "x"), ir::scalar_of(type), std::nullopt});
    }
    low_.combine(totals, values);
  });
}

void Lanes::lower(const ir::Statement& s, const ir::MapScanReduce& e) {
  std::vector<LaneScalar> running;
  const auto begin = [&](const auto& operators) {
    for (const auto& one : operators) {
      if (!are_scalars(one.op.result_types)) refuse("an operator on arrays");
      const std::vector<LaneScalar> values = start(one.neutral);
      running.insert(running.end(), values.begin(), values.end());
    }
  };
  begin(e.scans);
  const std::size_t scanned = running.size();
  begin(e.reductions);
  const std::size_t reduced = running.size() - scanned;
  std::vector<LaneArray> targets;
  for (std::size_t k = reduced; k < s.results.size(); ++k) {
    const bool is_array = low_.names().type(s.results[k].name).is_array();
    targets.push_back(is_array ? result_array(s.results[k].name) : LaneArray{});
  }
  const RowFunction iteration = [&](const LaneScalar& i) { step(s, e, running, targets, i); };
  const std::int64_t rows = rows_inside(s);
  const bool makes_arrays =
      running.empty() && std::any_of(targets.begin(), targets.end(), [](const LaneArray& one) {
        return one.place.block.valid();
      });
  if (rows == 1) {
    loop(e.width, [&](const Operand& i) { iteration(uniform(i)); });
  } else if (makes_arrays) {
    in_shared_rows(e.width, rows, iteration);
  } else {
    in_disjoint_rows(e.width, rows, iteration);
  }
  for (std::size_t k = 0; k < reduced; ++k) bind(s.results[k].name, running[scanned + k]);
}

// One iteration: map, scans, post, stores, reductions.
void Lanes::step(const ir::Statement& s, const ir::MapScanReduce& e,
                 const std::vector<LaneScalar>& running, const std::vector<LaneArray>& targets,
                 const LaneScalar& i) {
  std::size_t reduced = 0;
  for (const ir::ReduceOperator& one : e.reductions) reduced += one.neutral.size();
  const std::size_t scanned = running.size() - reduced;
  std::vector<std::optional<LaneArray>> rows;
  for (const LaneArray& target : targets) {
    const bool is_array = target.place.block.valid();
    rows.push_back(is_array ? std::optional(part_of(target, {i})) : std::nullopt);
  }
  std::vector<Result> elements;
  for (const NameId array : e.arrays) {
    const bool is_value = low_.names().type(array).kind == ir::TypeKind::value;
    elements.push_back(is_value ? element(array, {i}) : Result{});
  }
  for (std::size_t k = 0; k < e.arrays.size(); ++k) {
    if (low_.names().type(e.arrays[k]).kind != ir::TypeKind::accumulator) continue;
    low_.continue_accumulator(e.map.parameters[k].name, e.arrays[k]);
  }
  std::vector<std::optional<LaneArray>> wanted(scanned + reduced);
  if (!e.post) {
    wanted.insert(wanted.end(), rows.begin() + static_cast<std::ptrdiff_t>(scanned), rows.end());
  }
  const std::vector<Result> values = lambda(e.map, elements, wanted);
  const auto combine_all = [&](const auto& operators, std::size_t position) {
    for (const auto& one : operators) {
      const std::size_t count = one.neutral.size();
      std::vector<LaneScalar> inputs;
      for (std::size_t k = 0; k < count; ++k) inputs.push_back(*values[position + k].scalar);
      const auto from = running.begin() + static_cast<std::ptrdiff_t>(position);
      combine(one.op, {from, from + static_cast<std::ptrdiff_t>(count)}, inputs);
      position += count;
    }
  };
  combine_all(e.scans, 0);
  std::vector<Result> outputs;
  for (std::size_t k = 0; k < scanned; ++k) outputs.push_back({running[k], std::nullopt});
  outputs.insert(outputs.end(), values.begin() + static_cast<std::ptrdiff_t>(scanned + reduced),
                 values.end());
  if (e.post) outputs = lambda(*e.post, outputs, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const NameId name = s.results[reduced + k].name;
    const ir::Type& type = low_.names().type(name);
    if (rows[k]) {
      put(*rows[k], outputs[k], ir::row_of(type));
    } else {
      low_.continue_accumulator(name, e.map.body.results[scanned + reduced + k].name());
    }
  }
  combine_all(e.reductions, scanned);
}

}  // namespace dagaz::imperative
