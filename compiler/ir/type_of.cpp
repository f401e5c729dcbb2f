// Result types of each operation.
#include "ir/type_of.h"

#include "ir/names.h"
#include "ir/value_count.h"
#include "support/match.h"

namespace dagaz::ir {

namespace {

void append(std::vector<Type>& to, const std::vector<Type>& types) {
  to.insert(to.end(), types.begin(), types.end());
}

Type slice_type(Type type, const std::vector<SliceDimension>& dimensions) {
  type.shape.clear();
  for (const SliceDimension& dimension : dimensions) {
    if (!dimension.fixed) type.shape.push_back(dimension.count);
  }
  return type;
}

/// Arrays of `sizes` over `row`; an accumulator is handed through.
Type spread(const std::vector<Operand>& sizes, Type row) {
  if (row.kind == TypeKind::value) {
    row.shape.insert(row.shape.begin(), sizes.begin(), sizes.end());
  }
  return row;
}

std::vector<Type> spread_all(const std::vector<Operand>& sizes, const std::vector<Type>& rows,
                             std::size_t from) {
  std::vector<Type> types;
  for (std::size_t i = from; i < rows.size(); ++i) types.push_back(spread(sizes, rows[i]));
  return types;
}

std::vector<Operand> extents(const std::vector<SpaceDimension>& space) {
  std::vector<Operand> sizes;
  for (const SpaceDimension& dimension : space) sizes.push_back(dimension.extent);
  return sizes;
}

/// Result types of `function` at `arguments`: its parameters may stand as sizes.
std::vector<Type> applied(const Lambda& function, const std::vector<Operand>& arguments) {
  Substitution with;
  for (std::size_t i = 0; i < function.parameters.size() && i < arguments.size(); ++i) {
    with.emplace(function.parameters[i].name, arguments[i]);
  }
  std::vector<Type> types;
  for (const Type& type : function.result_types) types.push_back(substitute(type, with));
  return types;
}

class TypesOf {
 public:
  TypesOf(const Names& names, const std::vector<Binder>& results)
      : names_(names), results_(results) {}

  std::vector<Type> operator()(const Identity& e) const { return {names_.type(e.value)}; }
  std::vector<Type> operator()(const Scalar& e) const {
    return {scalar_of(result_type(e.op, e.type, e.result))};
  }
  std::vector<Type> operator()(const ArrayLiteral& e) const {
    return {array_over(i64_operand(static_cast<std::int64_t>(e.elements.size())), e.element)};
  }
  std::vector<Type> operator()(const Index& e) const {
    Type type = names_.type(e.array);
    DZ_CHECK(e.indices.size() <= type.rank(), "too many indices into " + names_.text(e.array));
    type.shape.erase(type.shape.begin(),
                     type.shape.begin() + static_cast<std::ptrdiff_t>(e.indices.size()));
    return {type};
  }
  std::vector<Type> operator()(const Slice& e) const {
    return {slice_type(names_.type(e.array), e.dimensions)};
  }
  std::vector<Type> operator()(const Update& e) const { return {names_.type(e.array)}; }
  std::vector<Type> operator()(const Iota& e) const { return {array_of(e.type, {e.count})}; }
  std::vector<Type> operator()(const Replicate& e) const {
    return {spread(e.shape, names_.type(e.value))};
  }
  std::vector<Type> operator()(const Concat& e) const {
    return {array_over(e.width, row_of(names_.type(e.arrays.front())))};
  }
  std::vector<Type> operator()(const Reshape& e) const {
    return {array_of(names_.type(e.array).element, e.shape)};
  }
  std::vector<Type> operator()(const Permute& e) const {
    const Type& type = names_.type(e.array);
    std::vector<Operand> shape;
    for (const int dimension : e.permutation) {
      shape.push_back(type.shape[static_cast<std::size_t>(dimension)]);
    }
    return {array_of(type.element, std::move(shape))};
  }
  std::vector<Type> operator()(const Copy& e) const { return {names_.type(e.array)}; }
  std::vector<Type> operator()(const Scratch& e) const { return {array_of(e.type, e.shape)}; }
  std::vector<Type> operator()(const Branch& e) const { return e.result_types; }
  std::vector<Type> operator()(const Loop& e) const {
    Substitution with;
    for (std::size_t i = 0; i < e.values.size() && i < results_.size(); ++i) {
      with.emplace(e.values[i].parameter.name, results_[i].name);
    }
    std::vector<Type> types;
    for (const LoopValue& value : e.values) {
      types.push_back(substitute(names_.type(value.parameter.name), with));
    }
    return types;
  }
  std::vector<Type> operator()(const Call& e) const { return e.result_types; }
  std::vector<Type> operator()(const Assert&) const { return {token_type()}; }
  std::vector<Type> operator()(const MapScanReduce& e) const {
    std::vector<Type> types;
    for (const ReduceOperator& reduction : e.reductions) {
      append(types, reduction.op.result_types);
    }
    if (e.post) {
      append(types, spread_all({e.width}, e.post->result_types, 0));
      return types;
    }
    for (const ScanOperator& scan : e.scans) {
      append(types, spread_all({e.width}, scan.op.result_types, 0));
    }
    const std::size_t mapped = value_count(e.scans) + value_count(e.reductions);
    append(types, spread_all({e.width}, e.map.result_types, mapped));
    return types;
  }
  std::vector<Type> operator()(const Histogram& e) const {
    return histogram_types(e.operators);
  }
  std::vector<Type> operator()(const Scatter& e) const { return scatter_types(e.targets); }
  std::vector<Type> operator()(const WithAccumulator& e) const {
    std::vector<Type> types;
    for (const AccumulatorInput& input : e.inputs) types.push_back(names_.type(input.array));
    append(types, spread_all({}, e.body.result_types, e.inputs.size()));
    return types;
  }
  std::vector<Type> operator()(const Accumulate& e) const { return {names_.type(e.accumulator)}; }
  std::vector<Type> operator()(const FlatMap& e) const {
    const Type i64 = scalar_of(ScalarType::i64);
    std::vector<Type> types{i64, array_over(e.width, i64), array_over(e.width, i64)};
    const auto varying = static_cast<std::size_t>(e.varying);
    for (std::size_t i = 1; i < e.map.result_types.size(); ++i) {
      Type type = e.map.result_types[i];
      if (i <= varying) {
        DZ_CHECK(!results_.empty(), "the results of a flatmap have to be named first");
        type.shape.front() = results_.front().name;
        types.push_back(std::move(type));
      } else {
        types.push_back(array_over(e.width, type));
      }
    }
    return types;
  }
  std::vector<Type> operator()(const Differentiate& e) const {
    const std::vector<Type> primal = applied(e.function, e.arguments);
    std::vector<Type> derivatives;
    if (e.mode == DerivativeMode::forward) {
      derivatives = primal;
    } else {
      for (const Operand& argument : e.arguments) derivatives.push_back(names_.type(argument));
    }
    std::vector<Type> types = primal;
    for (Type& derivative : derivatives) {
      types.push_back(e.batch ? array_over(*e.batch, derivative) : std::move(derivative));
    }
    return types;
  }
  std::vector<Type> operator()(const CustomDerivative& e) const {
    const std::vector<Type> all = applied(e.function, e.arguments);
    return {all.begin() + e.tape, all.end()};
  }
  std::vector<Type> operator()(const SegmentedMap& e) const {
    return spread_all(extents(e.space), e.result_types, 0);
  }
  std::vector<Type> operator()(const SegmentedReduce& e) const {
    std::vector<Operand> outer = extents(e.space);
    outer.pop_back();
    std::vector<Type> types;
    for (const ReduceOperator& reduction : e.operators) {
      append(types, spread_all(outer, reduction.op.result_types, 0));
    }
    append(types, spread_all(extents(e.space), e.result_types, value_count(e.operators)));
    return types;
  }
  std::vector<Type> operator()(const SegmentedScan& e) const {
    if (e.post) return spread_all(extents(e.space), e.post->result_types, 0);
    std::vector<Type> types;
    for (const ScanOperator& scan : e.operators) {
      append(types, spread_all(extents(e.space), scan.op.result_types, 0));
    }
    append(types, spread_all(extents(e.space), e.result_types, value_count(e.operators)));
    return types;
  }
  std::vector<Type> operator()(const SegmentedHistogram& e) const {
    return histogram_types(e.operators);
  }
  std::vector<Type> operator()(const SegmentedScatter& e) const {
    return scatter_types(e.targets);
  }

 private:
  std::vector<Type> histogram_types(const std::vector<HistogramOperator>& operators) const {
    std::vector<Type> types;
    for (const HistogramOperator& one : operators) {
      for (const NameId destination : one.destinations) types.push_back(names_.type(destination));
    }
    return types;
  }
  std::vector<Type> scatter_types(const std::vector<ScatterTarget>& targets) const {
    std::vector<Type> types;
    for (const ScatterTarget& target : targets) types.push_back(names_.type(target.destination));
    return types;
  }

  const Names& names_;
  const std::vector<Binder>& results_;
};

}  // namespace

std::vector<Type> types_of(const Operation& operation, const Names& names,
                           const std::vector<Binder>& results) {
  return std::visit(TypesOf(names, results), operation);
}

}  // namespace dagaz::ir
