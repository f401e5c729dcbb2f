// The interpreter's second-order operations, one element after another.
#include "ir/interpreter.h"

#include <iterator>

#include "ir/value_count.h"

namespace dagaz::ir {

namespace {

template <typename T>
std::vector<T> concatenated(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Takes the next `count` values.
std::vector<Value> next_values(std::vector<Value>& values, std::size_t& at, std::size_t count) {
  const auto begin = std::make_move_iterator(values.begin() + static_cast<std::ptrdiff_t>(at));
  at += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

Interpreter::Values Interpreter::element_arguments(const std::vector<NameId>& arrays,
                                                   std::size_t index) const {
  Values arguments;
  for (const NameId array : arrays) {
    arguments.push_back(is_accumulator(array) ? lookup(array) : row(lookup(array), index));
  }
  return arguments;
}

Value Interpreter::assemble(const std::vector<std::int64_t>& outer, Values rows,
                            const Type& row_type) const {
  Value result;
  result.element = row_type.element;
  result.shape = outer;
  const std::vector<std::int64_t> inner = rows.empty() ? shape_of(row_type) : rows.front().shape;
  result.shape.insert(result.shape.end(), inner.begin(), inner.end());
  for (const Value& one : rows) {
    if (one.shape != inner) fail("rows of different shapes");
    result.elements.insert(result.elements.end(), one.elements.begin(), one.elements.end());
  }
  return result;
}

void Interpreter::bind_point(const std::vector<SpaceDimension>& space,
                             std::span<const std::int64_t> point) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    bind(space[i].index.name, make_i64(point[i]));
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

void Interpreter::segment(std::int64_t count,
                          const std::function<Values(std::int64_t)>& element,
                          const ScansAndReductions& parts, std::vector<Values>& reduced,
                          std::vector<Values>& columns) {
  std::vector<Values> scan_state;
  for (const ScanOperator& scan : parts.scans) scan_state.push_back(values_of(scan.neutral));
  std::vector<Values> reduce_state;
  for (const ReduceOperator& one : parts.reductions) {
    reduce_state.push_back(values_of(one.neutral));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    Values mapped = element(i);
    std::size_t at = 0;
    Values results;
    for (std::size_t k = 0; k < parts.scans.size(); ++k) {
      const Values inputs = next_values(mapped, at, parts.scans[k].neutral.size());
      scan_state[k] = apply(parts.scans[k].op, concatenated(std::move(scan_state[k]), inputs));
      results = concatenated(std::move(results), scan_state[k]);
    }
    for (std::size_t k = 0; k < parts.reductions.size(); ++k) {
      const Values inputs = next_values(mapped, at, parts.reductions[k].neutral.size());
      reduce_state[k] =
          apply(parts.reductions[k].op, concatenated(std::move(reduce_state[k]), inputs));
    }
    results = concatenated(std::move(results), next_values(mapped, at, mapped.size() - at));
    if (parts.post != nullptr) results = apply(*parts.post, std::move(results));
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].push_back(std::move(results[k]));
  }
  std::size_t next = 0;
  for (Values& state : reduce_state) {
    for (Value& value : state) reduced[next++].push_back(std::move(value));
  }
}

Interpreter::Values Interpreter::operator()(const MapScanReduce& e) {
  const std::int64_t width = size(e.width);
  Values accumulators;
  for (const NameId array : e.arrays) {
    if (is_accumulator(array)) {
      accumulators.push_back(lookup(array));
    } else if (lookup(array).shape[0] != width) {
      fail("an array of another width than the map over it");
    }
  }
  const ScansAndReductions parts{e.scans, e.reductions, e.post ? &*e.post : nullptr};
  const std::vector<Type> types = element_types(parts, e.map.result_types);
  std::vector<Values> reduced(value_count(e.reductions));
  std::vector<Values> columns(types.size());
  const auto element = [&](std::int64_t i) {
    return apply(e.map, element_arguments(e.arrays, static_cast<std::size_t>(i)));
  };
  segment(width, element, parts, reduced, columns);
  Values results;
  for (Values& value : reduced) results.push_back(std::move(value.front()));
  std::size_t next_accumulator = 0;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (types[k].kind == TypeKind::accumulator) {
      results.push_back(accumulators[next_accumulator++]);
    } else {
      results.push_back(assemble({width}, std::move(columns[k]), types[k]));
    }
  }
  return results;
}

Interpreter::Values Interpreter::operator()(const FlatMap& e) {
  const std::int64_t width = size(e.width);
  const std::size_t count = e.map.result_types.size();
  std::vector<Values> columns(count);
  std::int64_t total = 0;
  Value sizes{ScalarType::i64, {width}, {}};
  Value starts = sizes;
  for (std::int64_t i = 0; i < width; ++i) {
    Values mapped = apply(e.map, element_arguments(e.arrays, static_cast<std::size_t>(i)));
    const std::int64_t length = integer_value(scalar_of_value(mapped[0]));
    sizes.elements.push_back(static_cast<std::uint64_t>(length));
    starts.elements.push_back(static_cast<std::uint64_t>(total));
    total += length;
    for (std::size_t k = 1; k < count; ++k) {
      const bool varies = k <= static_cast<std::size_t>(e.varying);
      if (varies && mapped[k].shape[0] != length) fail("a segment of another size");
      if (!varies) {
        columns[k].push_back(std::move(mapped[k]));
      } else {
        for (std::int64_t j = 0; j < length; ++j) {
          columns[k].push_back(row(mapped[k], static_cast<std::size_t>(j)));
        }
      }
    }
  }
  Values results{scalar_value(make_i64(total)), std::move(sizes), std::move(starts)};
  for (std::size_t k = 1; k < count; ++k) {
    const bool varies = k <= static_cast<std::size_t>(e.varying);
    const Type& type = e.map.result_types[k];
    results.push_back(assemble({varies ? total : width}, std::move(columns[k]),
                               varies ? row_of(type) : type));
  }
  return results;
}

// ---------------------------------------------------------------- writes

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
  Values destinations;
  for (const HistogramOperator& one : e.operators) {
    for (const NameId name : one.destinations) destinations.push_back(lookup(name));
  }
  const std::int64_t width = size(e.width);
  for (std::int64_t i = 0; i < width; ++i) {
    Values results = apply(e.map, element_arguments(e.arrays, static_cast<std::size_t>(i)));
    histogram_step(e.operators, std::move(results), {}, destinations);
  }
  return destinations;
}

Interpreter::Values Interpreter::operator()(const Scatter& e) {
  Values destinations;
  for (const ScatterTarget& target : e.targets) destinations.push_back(lookup(target.destination));
  const std::int64_t width = size(e.width);
  for (std::int64_t i = 0; i < width; ++i) {
    const Values results =
        apply(e.map, element_arguments(e.arrays, static_cast<std::size_t>(i)));
    scatter_step(e.targets, results, {}, destinations);
  }
  return destinations;
}

Interpreter::Values Interpreter::operator()(const WithAccumulator& e) {
  Values handles;
  const std::size_t first = accumulators_.size();
  for (const AccumulatorInput& input : e.inputs) {
    handles.push_back(scalar_value(make_i64(static_cast<std::int64_t>(accumulators_.size()))));
    accumulators_.push_back({lookup(input.array), &input});
  }
  Values results = apply(e.body, handles);
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    results[i] = std::move(accumulators_[first + i].array);
  }
  accumulators_.resize(first);
  return results;
}

Interpreter::Values Interpreter::operator()(const Accumulate& e) {
  const auto handle = static_cast<std::size_t>(integer(e.accumulator));
  const std::vector<std::int64_t> indices = integers(e.indices);
  const auto offset = offset_of(accumulators_[handle].array, indices);
  if (offset) {
    Value value = value_of(e.value);
    const AccumulatorInput& input = *accumulators_[handle].input;
    if (input.op) {
      Value old = part_at(accumulators_[handle].array, *offset, indices.size());
      value = apply(*input.op, {std::move(old), std::move(value)}).front();
    }
    write_at(accumulators_[handle].array, *offset, value);
  }
  return only(lookup(e.accumulator));
}

// ---------------------------------------------------------------- differentiation

Interpreter::Values Interpreter::operator()(const Differentiate&) {
  fail("derivatives are removed before a program is interpreted");
}

Interpreter::Values Interpreter::operator()(const CustomDerivative& e) {
  Values results = apply(e.function, values_of(e.arguments));
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
  std::vector<Type> reduced_types;
  for (const ReduceOperator& reduction : parts.reductions) {
    reduced_types = concatenated(std::move(reduced_types), reduction.op.result_types);
  }
  const std::vector<Type> types = element_types(parts, result_types);
  std::vector<Values> reduced(reduced_types.size());
  std::vector<Values> columns(types.size());
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
    results.push_back(assemble(outer, std::move(reduced[k]), reduced_types[k]));
  }
  for (std::size_t k = 0; k < types.size(); ++k) {
    results.push_back(assemble(extents, std::move(columns[k]), types[k]));
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
  Values destinations;
  for (const HistogramOperator& one : e.operators) {
    for (const NameId name : one.destinations) destinations.push_back(lookup(name));
  }
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
  Values destinations;
  for (const ScatterTarget& target : e.targets) destinations.push_back(lookup(target.destination));
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
