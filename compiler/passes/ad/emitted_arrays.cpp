#include "passes/ad/emitted_arrays.h"

#include <utility>

namespace dagaz::passes::ad {

using namespace ir;

NameId map_here(Environment& environment, const Operand& width, const std::vector<NameId>& arrays,
                const Element& element) {
  MapScanReduce map;
  map.width = width;
  map.arrays = arrays;
  std::vector<NameId> parameters;
  for (const NameId array : arrays) {
    parameters.push_back(environment.names().fresh(environment.names().base(array),
                                                   row_of(environment.names().type(array))));
    map.map.parameters.push_back(Binder{parameters.back()});
  }
  NestedScope scope(environment);
  const Operand value = element(parameters);
  map.map.result_types = {environment.names().type(value)};
  map.map.body = scope.take({value});
  scope.leave();
  return environment.out().add(std::move(map), "mapped");
}

NameId map_bins(Environment& environment, const std::vector<Operand>& shape,
                const std::vector<NameId>& arrays, const Element& element) {
  if (shape.size() <= 1) return map_here(environment, shape[0], arrays, element);
  return map_here(environment, shape[0], arrays, [&](const std::vector<NameId>& rows) {
    return map_bins(environment, {shape.begin() + 1, shape.end()}, rows, element);
  });
}

NameId reversed(Environment& environment, NameId array, const Operand& width) {
  if (environment.uniform_row(array)) return array;
  const Type type = environment.names().type(array);
  std::vector<SliceDimension> dimensions = {
      {false, environment.out().sub_i64(width, i64_operand(1)), width, i64_operand(-1)}};
  for (std::size_t i = 1; i < type.rank(); ++i) {
    dimensions.push_back({false, i64_operand(0), type.shape[i], i64_operand(1)});
  }
  return environment.out().add(Slice{array, dimensions}, "reversed");
}

NameId shifted(Environment& environment, NameId array, const Operand& first, const Operand& width) {
  const Type row = row_of(environment.names().type(array));
  MapScanReduce map;
  map.width = width;
  const NameId index = environment.names().fresh("i", scalar_of(ScalarType::i64));
  map.arrays = {environment.out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)},
                                      "positions")};
  map.map.parameters = {Binder{index}};
  {
    NestedScope scope(environment);
    const Operand start =
        environment.out().scalar(ScalarOp::eq, ScalarType::i64, {index, i64_operand(0)});
    Operand value;
    if (row.is_scalar()) {
      // Place 0 is read, and dropped, for the first element.
      const Operand before = environment.out().scalar(
          ScalarOp::smax, ScalarType::i64,
          {environment.out().sub_i64(index, i64_operand(1)), i64_operand(0)});
      value = environment.out().select(row.element, start, first,
                                       environment.out().index(array, {before}));
    } else {
      value = environment.out().branch(
          start, [&](Builder&) { return std::vector<Operand>{first}; },
          [&](Builder& inner) {
            const Operand before = inner.sub_i64(index, i64_operand(1));
            return std::vector<Operand>{inner.index(array, {before})};
          })[0];
    }
    map.map.body = scope.take({value});
  }
  map.map.result_types = {row};
  return environment.out().add(std::move(map), "shifted");
}

Operand choose(Environment& environment, const Operand& condition, const Operand& yes,
               const Operand& no) {
  const Type type = environment.names().type(no);
  if (type.is_scalar()) return environment.out().select(type.element, condition, yes, no);
  Branch branch;
  branch.condition = condition;
  branch.then_body.results = {yes};
  branch.else_body.results = {no};
  branch.result_types = {type};
  return Operand(environment.out().add(std::move(branch), "x"));
}

NameId choose_rows(Environment& environment, const Operand& width, NameId flags,
                   const Operand& value, NameId array) {
  return map_here(environment, width, {flags, array}, [&](const std::vector<NameId>& p) {
    return choose(environment, p[0], value, p[1]);
  });
}

Operand guarded_index(Environment& environment, NameId array, const std::vector<Operand>& indices) {
  const Type type = environment.names().type(array);
  Operand inside(make_bool(true));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    // As unsigned numbers, negative indices are beyond every size.
    const Operand below = environment.out().scalar(ScalarOp::ult, ScalarType::i64,
                                                   {indices[i], type.shape[i]}, "inside");
    inside = inside.is_constant() ? below
                                  : environment.out().scalar(ScalarOp::bit_and, ScalarType::boolean,
                                                             {inside, below}, "inside");
  }
  Branch branch;
  branch.condition = inside;
  Type part = type;
  part.shape.erase(part.shape.begin(),
                   part.shape.begin() + static_cast<std::ptrdiff_t>(indices.size()));
  {
    NestedScope scope(environment);
    const NameId value = environment.out().add(Index{array, indices}, "x");
    branch.then_body = scope.take({value});
  }
  {
    NestedScope scope(environment);
    const Operand zero = environment.zero(part);
    branch.else_body = scope.take({zero});
  }
  branch.result_types = {part};
  return environment.out().add(std::move(branch), "x");
}

NameId accumulate_nest(Environment& environment, NameId accumulator, std::vector<Operand> indices,
                       std::span<const SliceDimension> dimensions, Operand value) {
  for (; !dimensions.empty() && dimensions[0].fixed; dimensions = dimensions.subspan(1)) {
    indices.push_back(dimensions[0].start);
  }
  if (dimensions.empty()) {
    return environment.out().add(Accumulate{accumulator, std::move(indices), value}, "accumulator");
  }
  const SliceDimension& here = dimensions[0];
  const Type type = environment.names().type(value);
  MapScanReduce map;
  map.width = here.count;
  const Type accumulator_type = environment.names().type(accumulator);
  const NameId inner = environment.names().fresh("accumulator", accumulator_type);
  const NameId index = environment.names().fresh("i", scalar_of(ScalarType::i64));
  const NameId positions = environment.out().add(
      Iota{ScalarType::i64, here.count, here.start, here.stride}, "positions");
  map.arrays = {accumulator, positions};
  map.map.parameters = {Binder{inner}, Binder{index}};
  Operand row;
  if (const auto uniform = environment.uniform_row(value.name())) {
    row = *uniform;
  } else {
    const NameId element = environment.names().fresh("value", row_of(type));
    map.arrays.push_back(value.name());
    map.map.parameters.push_back(Binder{element});
    row = element;
  }
  {
    NestedScope scope(environment);
    indices.push_back(index);
    const NameId result =
        accumulate_nest(environment, inner, std::move(indices), dimensions.subspan(1), row);
    map.map.body = scope.take({result});
  }
  map.map.result_types = {accumulator_type};
  return environment.out().add(std::move(map), "accumulator");
}

}  // namespace dagaz::passes::ad
