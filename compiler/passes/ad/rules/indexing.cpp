// Adjoints through places: guarded reads, and writes into accumulators.
#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

using namespace ir;

Operand Reverse::guarded_index(NameId array, const std::vector<Operand>& indices) {
  const Type type = names().type(array);
  Operand inside(make_bool(true));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    // As unsigned numbers, negative indices are beyond every size.
    const Operand below = out().scalar(ScalarOp::ult, ScalarType::i64, {indices[i], type.shape[i]},
                                       "inside");
    inside = inside.is_constant()
                 ? below
                 : out().scalar(ScalarOp::bit_and, ScalarType::boolean, {inside, below}, "inside");
  }
  Branch branch;
  branch.condition = inside;
  Type part = type;
  part.shape.erase(part.shape.begin(),
                   part.shape.begin() + static_cast<std::ptrdiff_t>(indices.size()));
  {
    NestedScope scope(*environment_);
    const NameId value = out().add(Index{array, indices}, "x");
    branch.then_body = scope.take({value});
  }
  {
    NestedScope scope(*environment_);
    const Operand zero = environment_->zero(part);
    branch.else_body = scope.take({zero});
  }
  branch.result_types = {part};
  return out().add(std::move(branch), "x");
}

void Reverse::accumulate(NameId original, Adjoint& adjoint,
                         const std::vector<SliceDimension>& dimensions, Operand value) {
  const NameId after = accumulate_nest(*adjoint.accumulator, {}, dimensions, value);
  // Emitting may have moved the table of adjoints.
  adjoints_[original].accumulator = after;
}

// `indices` are places in the dimensions before `dimensions`.
NameId Reverse::accumulate_nest(NameId accumulator, std::vector<Operand> indices,
                                std::span<const SliceDimension> dimensions, Operand value) {
  for (; !dimensions.empty() && dimensions[0].fixed; dimensions = dimensions.subspan(1)) {
    indices.push_back(dimensions[0].start);
  }
  if (dimensions.empty()) {
    return out().add(Accumulate{accumulator, std::move(indices), value}, "accumulator");
  }
  const SliceDimension& here = dimensions[0];
  const Type type = names().type(value);
  MapScanReduce map;
  map.width = here.count;
  const Type accumulator_type = names().type(accumulator);
  const NameId inner = names().fresh("accumulator", accumulator_type);
  const NameId index = names().fresh("i", scalar_of(ScalarType::i64));
  const NameId positions =
      out().add(Iota{ScalarType::i64, here.count, here.start, here.stride}, "positions");
  map.arrays = {accumulator, positions};
  map.map.parameters = {Binder{inner}, Binder{index}};
  Operand row;
  if (const auto uniform = environment_->uniform_row(value.name())) {
    row = *uniform;
  } else {
    const NameId element = names().fresh("value", row_of(type));
    map.arrays.push_back(value.name());
    map.map.parameters.push_back(Binder{element});
    row = element;
  }
  {
    NestedScope scope(*environment_);
    indices.push_back(index);
    const NameId result =
        accumulate_nest(inner, std::move(indices), dimensions.subspan(1), row);
    map.map.body = scope.take({result});
  }
  map.map.result_types = {accumulator_type};
  return out().add(std::move(map), "accumulator");
}

}  // namespace dagaz::passes::ad
