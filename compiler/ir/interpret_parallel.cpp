// The interpreter's second-order operations, one element after another.
#include "ir/interpreter.h"

#include <algorithm>
#include <iterator>

#include "ir/value_count.h"

namespace dagaz::ir {

namespace {

template <typename T>
std::vector<T> concatenated(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<Value>::iterator position(std::vector<Value>& values, std::size_t index) {
  return values.begin() + static_cast<std::ptrdiff_t>(index);
}

/// Takes the next `count` values.
std::vector<Value> next_values(std::vector<Value>& values, std::size_t& at, std::size_t count) {
  const auto begin = std::make_move_iterator(position(values, at));
  at += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

Interpreter::Values Interpreter::apply_to_elements(const Lambda& lambda,
                                                   const std::vector<NameId>& arrays,
                                                   std::size_t index) {
  DZ_CHECK(arrays.size() == lambda.parameters.size(), "the number of arguments");
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Value& array = bound_.at(arrays[i]);
    bound_.bind(lambda.parameters[i].name, is_accumulator(arrays[i]) ? array : row(array, index));
  }
  return run(lambda.body);
}

void Interpreter::add_row(Rows& rows, const Value& row) const {
  if (!rows.shape) rows.shape = row.shape;
  if (row.shape != *rows.shape) fail("rows of different shapes");
  rows.elements.append(row.elements);
}

Value Interpreter::array_of(Rows rows, std::span<const std::int64_t> outer,
                            const Type& row_type) const {
  const Point inner = rows.shape ? std::move(*rows.shape) : bound_.integers(row_type.shape);
  return {row_type.element, concatenated(Point(outer.begin(), outer.end()), inner),
          std::move(rows.elements)};
}

void Interpreter::bind_point(const std::vector<SpaceDimension>& space,
                             std::span<const std::int64_t> point) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    bound_.bind(space[i].index.name, make_i64(point[i]));
  }
}

// ---------------------------------------------------------------- map, scan, reduce

/// Types of the per-element results: those of `post`, or scan outputs and mapped values.
static std::vector<Type> element_types(const ScansAndReductions& parts,
                                       const std::vector<Type>& mapped) {
  if (parts.post != nullptr) return parts.post->result_types;
  std::vector<Type> types;
  for (const ScanOperator& scan : parts.scans) {
    types = concatenated(std::move(types), scan.op.result_types);
  }
  const std::size_t operands = value_count(parts.scans) + value_count(parts.reductions);
  types.insert(types.end(), mapped.begin() + static_cast<std::ptrdiff_t>(operands), mapped.end());
  return types;
}

static std::vector<Type> result_types_of(std::span<const ReduceOperator> reductions) {
  std::vector<Type> types;
  for (const ReduceOperator& one : reductions) {
    types = concatenated(std::move(types), one.op.result_types);
  }
  return types;
}

// Puts `op` of `state` and the next of `inputs` into `state`.
void Interpreter::combine(const Lambda& op, Values& state, Values& inputs, std::size_t& at) {
  const std::size_t count = state.size();
  for (std::size_t i = 0; i < count; ++i) state.push_back(std::move(inputs[at++]));
  state = apply(op, std::move(state));
}

void Interpreter::segment(std::int64_t count, FunctionRef<Values(std::int64_t)> element,
                          const ScansAndReductions& parts, std::vector<Rows>& reduced,
                          std::vector<Rows>& columns) {
  std::vector<Values> scan_state;
  for (const ScanOperator& scan : parts.scans) {
    scan_state.push_back(bound_.values_of(scan.neutral));
  }
  std::vector<Values> reduce_state;
  for (const ReduceOperator& one : parts.reductions) {
    reduce_state.push_back(bound_.values_of(one.neutral));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    // What the map gives becomes the element's results: a scan's inputs its outputs, and those of
    // reductions leave.
    Values results = element(i);
    std::size_t at = 0;
    for (std::size_t k = 0; k < parts.scans.size(); ++k) {
      const std::size_t first = at;
      combine(parts.scans[k].op, scan_state[k], results, at);
      std::copy(scan_state[k].begin(), scan_state[k].end(), position(results, first));
    }
    const std::size_t reduce_inputs = at;
    for (std::size_t k = 0; k < parts.reductions.size(); ++k) {
      combine(parts.reductions[k].op, reduce_state[k], results, at);
    }
    results.erase(position(results, reduce_inputs), position(results, at));
    if (parts.post != nullptr) results = apply(*parts.post, std::move(results));
    for (std::size_t k = 0; k < columns.size(); ++k) add_row(columns[k], results[k]);
  }
  std::size_t next = 0;
  for (const Values& state : reduce_state) {
    for (const Value& value : state) add_row(reduced[next++], value);
  }
}

Interpreter::Values Interpreter::operator()(const MapScanReduce& e) {
  const std::int64_t width = size(e.width);
  Values accumulators;
  for (const NameId array : e.arrays) {
    if (is_accumulator(array)) {
      accumulators.push_back(bound_.at(array));
    } else if (bound_.at(array).shape[0] != width) {
      fail("an array of another width than the map over it");
    }
  }
  const ScansAndReductions parts{e.scans, e.reductions, e.post ? &*e.post : nullptr};
  const std::vector<Type> types = element_types(parts, e.map.result_types);
  const std::vector<Type> reduced_types = result_types_of(e.reductions);
  std::vector<Rows> reduced(reduced_types.size());
  std::vector<Rows> columns(types.size());
  const auto element = [&](std::int64_t i) {
    return apply_to_elements(e.map, e.arrays, static_cast<std::size_t>(i));
  };
  segment(width, element, parts, reduced, columns);
  Values results;
  for (std::size_t k = 0; k < reduced.size(); ++k) {
    results.push_back(array_of(std::move(reduced[k]), {}, reduced_types[k]));
  }
  std::size_t next_accumulator = 0;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (types[k].kind == TypeKind::accumulator) {
      results.push_back(accumulators[next_accumulator++]);
    } else {
      results.push_back(array_of(std::move(columns[k]), {&width, 1}, types[k]));
    }
  }
  return results;
}

Interpreter::Values Interpreter::operator()(const FlatMap& e) {
  const std::int64_t width = size(e.width);
  const std::size_t count = e.map.result_types.size();
  std::vector<Rows> columns(count);
  std::int64_t total = 0;
  Value sizes{ScalarType::i64, {width}, {}};
  Value starts = sizes;
  for (std::int64_t i = 0; i < width; ++i) {
    const Values mapped = apply_to_elements(e.map, e.arrays, static_cast<std::size_t>(i));
    const std::int64_t length = integer_value(scalar_of_value(mapped[0]));
    sizes.elements.push_back(static_cast<std::uint64_t>(length));
    starts.elements.push_back(static_cast<std::uint64_t>(total));
    total += length;
    for (std::size_t k = 1; k < count; ++k) {
      const bool varies = k <= static_cast<std::size_t>(e.varying);
      if (varies && mapped[k].shape[0] != length) fail("a segment of another size");
      if (!varies) {
        add_row(columns[k], mapped[k]);
      } else {
        for (std::int64_t j = 0; j < length; ++j) {
          add_row(columns[k], row(mapped[k], static_cast<std::size_t>(j)));
        }
      }
    }
  }
  Values results{scalar_value(make_i64(total)), std::move(sizes), std::move(starts)};
  for (std::size_t k = 1; k < count; ++k) {
    const bool varies = k <= static_cast<std::size_t>(e.varying);
    const Type& type = e.map.result_types[k];
    results.push_back(array_of(std::move(columns[k]), {varies ? &total : &width, 1},
                               varies ? row_of(type) : type));
  }
  return results;
}

// ---------------------------------------------------------------- writes

Interpreter::Values Interpreter::destinations_of(
    const std::vector<HistogramOperator>& operators) {
  Values destinations;
  for (const HistogramOperator& one : operators) {
    for (const NameId name : one.destinations) destinations.push_back(last_value_of(name));
  }
  return destinations;
}

Interpreter::Values Interpreter::destinations_of(const std::vector<ScatterTarget>& targets) {
  Values destinations;
  for (const ScatterTarget& target : targets) {
    destinations.push_back(last_value_of(target.destination));
  }
  return destinations;
}

void Interpreter::histogram_step(const std::vector<HistogramOperator>& operators, Values results,
                                 std::span<const std::int64_t> outer, Values& destinations) {
  std::size_t at = 0;
  std::size_t destination = 0;
  for (const HistogramOperator& one : operators) {
    std::vector<std::int64_t> indices(outer.begin(), outer.end());
    for (std::size_t k = 0; k < one.shape.size(); ++k) {
      indices.push_back(integer_value(scalar_of_value(results[at++])));
    }
    Values values = next_values(results, at, one.destinations.size());
    const auto offset = offset_of(destinations[destination], indices);
    if (offset) {
      Values old;
      for (std::size_t k = 0; k < one.destinations.size(); ++k) {
        const Value& array = destinations[destination + k];
        old.push_back(part_at(array, *offset_of(array, indices), indices.size()));
      }
      const Values combined = apply(one.op, concatenated(std::move(old), values));
      for (std::size_t k = 0; k < one.destinations.size(); ++k) {
        Value& array = destinations[destination + k];
        write_at(array, *offset_of(array, indices), combined[k]);
      }
    }
    destination += one.destinations.size();
  }
}

void Interpreter::scatter_step(const std::vector<ScatterTarget>& targets, const Values& results,
                               std::span<const std::int64_t> outer, Values& destinations) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::vector<std::int64_t> indices(outer.begin(), outer.end());
    for (std::size_t k = 0; k < targets[i].shape.size(); ++k) {
      indices.push_back(integer_value(scalar_of_value(results[at++])));
    }
    const Value& value = results[at++];
    const auto offset = offset_of(destinations[i], indices);
    if (offset) write_at(destinations[i], *offset, value);
  }
}

Interpreter::Values Interpreter::operator()(const Histogram& e) {
  Values destinations = destinations_of(e.operators);
  const std::int64_t width = size(e.width);
  for (std::int64_t i = 0; i < width; ++i) {
    Values results = apply_to_elements(e.map, e.arrays, static_cast<std::size_t>(i));
    histogram_step(e.operators, std::move(results), {}, destinations);
  }
  return destinations;
}

Interpreter::Values Interpreter::operator()(const Scatter& e) {
  Values destinations = destinations_of(e.targets);
  const std::int64_t width = size(e.width);
  for (std::int64_t i = 0; i < width; ++i) {
    const Values results = apply_to_elements(e.map, e.arrays, static_cast<std::size_t>(i));
    scatter_step(e.targets, results, {}, destinations);
  }
  return destinations;
}

Interpreter::Values Interpreter::operator()(const WithAccumulator& e) {
  Values handles;
  const std::size_t first = accumulators_.size();
  for (const AccumulatorInput& input : e.inputs) {
    handles.push_back(scalar_value(make_i64(static_cast<std::int64_t>(accumulators_.size()))));
    accumulators_.push_back({last_value_of(input.array), &input});
  }
  Values results = apply(e.body, handles);
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    results[i] = std::move(accumulators_[first + i].array);
  }
  accumulators_.resize(first);
  return results;
}

Interpreter::Values Interpreter::operator()(const Accumulate& e) {
  const auto handle = static_cast<std::size_t>(bound_.integer(e.accumulator));
  const std::vector<std::int64_t> indices = bound_.integers(e.indices);
  const auto offset = offset_of(accumulators_[handle].array, indices);
  if (offset) {
    Value value = last_value_of(e.value);
    const AccumulatorInput& input = *accumulators_[handle].input;
    if (input.op) {
      Value old = part_at(accumulators_[handle].array, *offset, indices.size());
      value = apply(*input.op, {std::move(old), std::move(value)}).front();
    }
    write_at(accumulators_[handle].array, *offset, value);
  }
  return only(bound_.at(e.accumulator));
}

// ---------------------------------------------------------------- differentiation

Interpreter::Values Interpreter::operator()(const Differentiate&) {
  fail("derivatives are removed before a program is interpreted");
}

Interpreter::Values Interpreter::operator()(const CustomDerivative& e) {
  Values results = apply(e.function, last_values_of(e.arguments));
  results.erase(results.begin(), results.begin() + e.tape);
  return results;
}

// ---------------------------------------------------------------- stage flat

// A segment is a run along the innermost dimension of the space; a map has segments of one point.
Interpreter::Values Interpreter::segments(const std::vector<SpaceDimension>& space,
                                          const Body& body, const ScansAndReductions& parts,
                                          const std::vector<Type>& result_types) {
  Point extents;
  for (const SpaceDimension& dimension : space) extents.push_back(size(dimension.extent));
  const bool along_innermost = !parts.scans.empty() || !parts.reductions.empty();
  Point outer = extents;
  if (along_innermost) outer.pop_back();
  const std::int64_t inner = along_innermost ? extents.back() : 1;
  const std::vector<Type> reduced_types = result_types_of(parts.reductions);
  const std::vector<Type> types = element_types(parts, result_types);
  std::vector<Rows> reduced(reduced_types.size());
  std::vector<Rows> columns(types.size());
  for_each_coordinate(outer, [&](std::span<const std::int64_t> coordinates) {
    const auto element = [&](std::int64_t i) {
      Point point(coordinates.begin(), coordinates.end());
      if (along_innermost) point.push_back(i);
      bind_point(space, point);
      return run(body);
    };
    segment(inner, element, parts, reduced, columns);
  });
  Values results;
  for (std::size_t k = 0; k < reduced.size(); ++k) {
    results.push_back(array_of(std::move(reduced[k]), outer, reduced_types[k]));
  }
  for (std::size_t k = 0; k < types.size(); ++k) {
    results.push_back(array_of(std::move(columns[k]), extents, types[k]));
  }
  return results;
}

Interpreter::Values Interpreter::operator()(const SegmentedMap& e) {
  return segments(e.space, e.body, {{}, {}, nullptr}, e.result_types);
}
Interpreter::Values Interpreter::operator()(const SegmentedReduce& e) {
  return segments(e.space, e.body, {{}, e.operators, nullptr}, e.result_types);
}
Interpreter::Values Interpreter::operator()(const SegmentedScan& e) {
  const ScansAndReductions parts{e.operators, {}, e.post ? &*e.post : nullptr};
  return segments(e.space, e.body, parts, e.result_types);
}

Interpreter::Values Interpreter::operator()(const SegmentedHistogram& e) {
  Values destinations = destinations_of(e.operators);
  Point extents;
  for (const SpaceDimension& dimension : e.space) extents.push_back(size(dimension.extent));
  for_each_coordinate(extents, [&](std::span<const std::int64_t> point) {
    bind_point(e.space, point);
    Values results = run(e.body);
    histogram_step(e.operators, std::move(results), point.first(point.size() - 1), destinations);
  });
  return destinations;
}

Interpreter::Values Interpreter::operator()(const SegmentedScatter& e) {
  Values destinations = destinations_of(e.targets);
  Point extents;
  for (const SpaceDimension& dimension : e.space) extents.push_back(size(dimension.extent));
  for_each_coordinate(extents, [&](std::span<const std::int64_t> point) {
    bind_point(e.space, point);
    const Values results = run(e.body);
    scatter_step(e.targets, results, point.first(point.size() - 1), destinations);
  });
  return destinations;
}

}  // namespace dagaz::ir
