// The second-order operations on arrays: map, reduce, scan, histograms and scatters.
#include "elaborate/array_intrinsics.h"
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

// ---------------------------------------------------------------- map

namespace {

/// The type of a row when the checker's type does not tell: that of a result, if its sizes are
/// known outside, which is where names older than `mark` are.
TypeRef row_outside(Elaborator& e, TypeRef inside, std::size_t mark) {
  if (!e.open_type(inside, mark).sizes.empty()) {
    e.refuse_irregular_map();
  }
  return inside;
}

}  // namespace

ValueRef Elaborator::map(ir::Operand width, const std::vector<ValueRef>& arrays, TypeRef row,
                         const std::function<ValueRef(const std::vector<ValueRef>&)>& function,
                         const std::vector<std::string>& hints) {
  std::vector<ir::NameId> inputs;
  std::vector<ir::NameId> parameters;
  std::vector<ValueRef> elements;
  for (const ValueRef array : arrays) {
    const TypeRef element = array_shape(array).element;
    std::vector<ir::NameId> bound;
    for (ir::Type& type : leaf_types(element)) {
      const std::size_t leaf = parameters.size() + bound.size();
      bound.push_back(names().fresh(leaf < hints.size() ? hints[leaf] : hint, std::move(type)));
    }
    for (const ir::Operand& leaf : leaf_of(array).leaves) inputs.push_back(array_name(leaf));
    elements.push_back(arena.from_leaves(element, bound));
    parameters.insert(parameters.end(), bound.begin(), bound.end());
  }
  const std::size_t mark = names().size();
  ir::Lambda body;
  for (const ir::NameId parameter : parameters) body.parameters.push_back({parameter});
  {
    const Temporarily<Request> cleared(request, Request{});
    body.body = nested_body([&] {
      const ValueRef value = function(elements);
      if (row == nullptr) row = row_outside(*this, arena.type_of(value), mark - parameters.size());
      return leaves_of(value);
    });
  }
  body.result_types = leaf_types(row);
  const TypeRef type = arena.array(width, row);
  if (type->leaf_count == 0) return arena.from_leaves(type, std::vector<ir::NameId>());
  const bool sequential = request.sequential;
  return arena.from_leaves(
      type, emit(ir::MapScanReduce{width, inputs, std::move(body), {}, {}, std::nullopt,
                                   sequential}));
}

static ValueRef build_map(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef function = call.arguments[0];
  const ValueRef array = call.arguments[1];
  TypeRef row = nullptr;
  if (call.here.instance != nullptr && call.here.instance->types.size() > 1) {
    row = e.try_evaluate_type(call.here.instance->types[1], call.here.frame);
  }
  const ir::Operand width = e.array_shape(array).size;
  return e.map(
      width, {array}, row,
      [&](const std::vector<ValueRef>& elements) {
        return e.apply(function, {elements.front()}, call.range);
      },
      e.parameter_hints(function, 0, e.array_shape(array).element));
}

// ---------------------------------------------------------------- reduce and scan

ir::Lambda Elaborator::operator_lambda(ValueRef function, TypeRef type, const Range& where) {
  std::vector<ir::Type> types = leaf_types(type);
  const std::vector<ir::Type> results = types;
  types.insert(types.end(), results.begin(), results.end());
  return lambda(types, results, [&](const std::vector<ir::NameId>& parameters) {
    const auto middle = parameters.begin() + static_cast<std::ptrdiff_t>(results.size());
    const ValueRef a = arena.from_leaves(type, std::vector<ir::NameId>(parameters.begin(), middle));
    const ValueRef b = arena.from_leaves(type, std::vector<ir::NameId>(middle, parameters.end()));
    return leaves_of(apply(function, {a, b}, where));
  });
}

static std::vector<ir::NameId> input_names(Elaborator& e, ValueRef array) {
  std::vector<ir::NameId> result;
  for (const ir::Operand& leaf : e.leaf_of(array).leaves) result.push_back(e.array_name(leaf));
  return result;
}

static ValueRef reduce_with(Elaborator& e, const IntrinsicCall& call, bool commutative) {
  const ValueRef neutral = call.arguments[1];
  const ValueRef array = call.arguments[2];
  const ArrayShape& shape = e.array_shape(array);
  const TypeRef element = e.arena.type_of(neutral);
  if (element->leaf_count == 0) return neutral;
  const bool sequential = e.request.sequential;
  ir::ReduceOperator op{e.operator_lambda(call.arguments[0], element, call.range),
                        leaves_of(neutral), commutative};
  ir::MapScanReduce reduction{shape.size, input_names(e, array),
                              ir::identity_lambda(leaf_types(shape.element), e.names()), {}, {},
                              std::nullopt, sequential};
  reduction.reductions.push_back(std::move(op));
  return e.arena.from_leaves(element, e.emit(std::move(reduction)));
}

static ValueRef build_reduce(Elaborator& e, const IntrinsicCall& call) {
  return reduce_with(e, call, false);
}

static ValueRef build_reduce_comm(Elaborator& e, const IntrinsicCall& call) {
  return reduce_with(e, call, true);
}

static ValueRef build_scan(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef neutral = call.arguments[1];
  const ValueRef array = call.arguments[2];
  const ArrayShape& shape = e.array_shape(array);
  const TypeRef element = e.arena.type_of(neutral);
  if (element->leaf_count == 0) return array;
  const bool sequential = e.request.sequential;
  ir::ScanOperator op{e.operator_lambda(call.arguments[0], element, call.range),
                      leaves_of(neutral)};
  ir::MapScanReduce scanned{shape.size, input_names(e, array),
                            ir::identity_lambda(leaf_types(shape.element), e.names()), {}, {},
                            std::nullopt, sequential};
  scanned.scans.push_back(std::move(op));
  return e.arena.from_leaves(e.arena.array(shape.size, element), e.emit(std::move(scanned)));
}

// ---------------------------------------------------------------- histograms and scatters

namespace {

/// The outer `rank` sizes of an array and the type below them.
TypeRef below(Elaborator& e, ValueRef array, std::size_t rank, std::vector<ir::Operand>& shape) {
  TypeRef type = e.leaf_of(array).type;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto& dimension = std::get<ArrayShape>(type->node);
    shape.push_back(dimension.size);
    type = dimension.element;
  }
  return type;
}

ValueRef histogram(Elaborator& e, const IntrinsicCall& call, std::size_t rank) {
  const ValueRef destination = call.arguments[0];
  const ValueRef indices = call.arguments[3];
  const ValueRef values = call.arguments[4];
  ir::HistogramOperator op;
  const TypeRef element = below(e, destination, rank, op.shape);
  if (element->leaf_count == 0) return destination;
  for (const ir::Operand& leaf : e.leaf_of(destination).leaves) {
    op.destinations.push_back(e.consumable(leaf));
  }
  op.neutral = leaves_of(call.arguments[2]);
  op.op = e.operator_lambda(call.arguments[1], e.arena.type_of(call.arguments[2]), call.range);
  const ArrayShape& index_shape = e.array_shape(indices);
  ir::Histogram operation{index_shape.size, input_names(e, indices), {}, {}};
  for (const ir::NameId name : input_names(e, values)) operation.arrays.push_back(name);
  std::vector<ir::Type> types = leaf_types(index_shape.element);
  append_leaf_types(e.array_shape(values).element, types);
  operation.map = ir::identity_lambda(types, e.names());
  operation.operators.push_back(std::move(op));
  return e.arena.from_leaves(e.leaf_of(destination).type, e.emit(std::move(operation)));
}

ValueRef scatter(Elaborator& e, const IntrinsicCall& call, std::size_t rank) {
  const ValueRef destination = call.arguments[0];
  const ValueRef indices = call.arguments[1];
  const ValueRef values = call.arguments[2];
  std::vector<ir::Operand> shape;
  const TypeRef element = below(e, destination, rank, shape);
  if (element->leaf_count == 0) return destination;
  const ArrayShape& index_shape = e.array_shape(indices);
  ir::Scatter operation{index_shape.size, input_names(e, indices), {}, {}};
  for (const ir::NameId name : input_names(e, values)) operation.arrays.push_back(name);
  for (const ir::Operand& leaf : e.leaf_of(destination).leaves) {
    operation.targets.push_back({shape, e.consumable(leaf)});
  }
  std::vector<ir::Type> types = leaf_types(index_shape.element);
  const std::vector<ir::Type> index_types = types;
  append_leaf_types(e.array_shape(values).element, types);
  std::vector<ir::Type> results;
  for (std::size_t i = rank; i < types.size(); ++i) {
    results.insert(results.end(), index_types.begin(), index_types.end());
    results.push_back(types[i]);
  }
  operation.map = e.lambda(types, results, [&](const std::vector<ir::NameId>& parameters) {
    std::vector<ir::Operand> written;
    for (std::size_t i = rank; i < parameters.size(); ++i) {
      written.insert(written.end(), parameters.begin(),
                     parameters.begin() + static_cast<std::ptrdiff_t>(rank));
      written.push_back(parameters[i]);
    }
    return written;
  });
  return e.arena.from_leaves(e.leaf_of(destination).type, e.emit(std::move(operation)));
}

template <std::size_t rank>
ValueRef build_histogram(Elaborator& e, const IntrinsicCall& call) {
  return histogram(e, call, rank);
}

template <std::size_t rank>
ValueRef build_scatter(Elaborator& e, const IntrinsicCall& call) {
  return scatter(e, call, rank);
}

constexpr Intrinsic parallel_operations_built[] = {
    {"map", 2, build_map},
    {"reduce", 3, build_reduce},
    {"reduce_comm", 3, build_reduce_comm},
    {"scan", 3, build_scan},
    {"hist_1d", 5, build_histogram<1>},
    {"hist_2d", 5, build_histogram<2>},
    {"hist_3d", 5, build_histogram<3>},
    {"scatter", 3, build_scatter<1>},
    {"scatter_2d", 3, build_scatter<2>},
    {"scatter_3d", 3, build_scatter<3>},
};

}  // namespace

std::span<const Intrinsic> parallel_intrinsics() { return parallel_operations_built; }

}  // namespace dagaz::elaborate
