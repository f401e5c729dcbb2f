// One typing rule per operation: operand types, arity and types of lambdas, and agreement of the
// results with types_of.
#include "ir/verify_types.h"

#include <algorithm>

#include "ir/print.h"
#include "ir/type_of.h"

namespace dagaz::ir {

bool compatible(const Type& a, const Type& b) {
  if (a.element != b.element || a.kind != b.kind || a.rank() != b.rank()) return false;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (a.shape[i].is_constant() && b.shape[i].is_constant() && a.shape[i] != b.shape[i]) {
      return false;
    }
  }
  return true;
}

namespace {

const Type i64_type = scalar_of(ScalarType::i64);
const Type bool_type = scalar_of(ScalarType::boolean);

class TypeRules {
 public:
  TypeRules(const Program& program, std::vector<std::string>& errors)
      : program_(program), names_(program.names), errors_(errors) {}

  void operator()(const Identity&) {}
  void operator()(const Scalar& e) {
    require(static_cast<int>(e.arguments.size()) == arity_of(e.op), "number of arguments");
    require(allows(operands_of(e.op), e.type), "operand type of the scalar operation");
    for (std::size_t i = 0; i < e.arguments.size(); ++i) {
      is(e.arguments[i], scalar_of(operand_type(e.op, e.type, static_cast<int>(i))));
    }
    require(e.result == result_type(e.op, e.type, e.result), "Scalar::result");
  }
  void operator()(const ArrayLiteral& e) {
    for (const Operand& element : e.elements) is(element, e.element);
  }
  void operator()(const Index& e) {
    is_array(e.array);
    require(e.indices.size() <= names_.type(e.array).rank(), "too many indices");
    all_i64(e.indices);
  }
  void operator()(const Slice& e) { slice(e.array, e.dimensions); }
  void operator()(const Update& e) {
    slice(e.array, e.dimensions);
    Type part = names_.type(e.array);
    part.shape.clear();
    for (const SliceDimension& dimension : e.dimensions) {
      if (!dimension.fixed) part.shape.push_back(dimension.count);
    }
    is(e.value, part);
  }
  void operator()(const Iota& e) {
    is(e.count, i64_type);
    require(is_integer(e.type), "the type of an iota");
    is(e.start, scalar_of(e.type));
    is(e.stride, scalar_of(e.type));
  }
  void operator()(const Replicate& e) {
    all_i64(e.shape);
    require(names_.type(e.value).kind == TypeKind::value, "what is replicated");
  }
  void operator()(const Concat& e) {
    is(e.width, i64_type);
    require(!e.arrays.empty(), "a concat of nothing");
    for (const NameId array : e.arrays) {
      is_array(array);
      if (!errors_.empty()) return;
      require(compatible(row_of(names_.type(array)), row_of(names_.type(e.arrays.front()))),
              "rows of a concat");
    }
  }
  void operator()(const Reshape& e) {
    require(names_.type(e.array).kind == TypeKind::value, "what is reshaped");
    all_i64(e.shape);
  }
  void operator()(const Permute& e) {
    std::vector<int> sorted = e.permutation;
    std::sort(sorted.begin(), sorted.end());
    require(sorted.size() == names_.type(e.array).rank(), "the rank of a permutation");
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      require(sorted[i] == static_cast<int>(i), "a permutation");
    }
  }
  void operator()(const Copy& e) { is_array(e.array); }
  void operator()(const Scratch& e) { all_i64(e.shape); }
  void operator()(const Branch& e) {
    is(e.condition, bool_type);
    gives(e.then_body.results, e.result_types, "the first branch");
    gives(e.else_body.results, e.result_types, "the second branch");
  }
  void operator()(const Loop& e) {
    std::vector<Type> types;
    for (const LoopValue& value : e.values) {
      types.push_back(names_.type(value.parameter.name));
      is(value.initial, types.back());
    }
    gives(e.body.results, types, "the loop's body");
    if (const auto* form = std::get_if<ForForm>(&e.form)) {
      const Type bound = names_.type(form->bound);
      require(bound.is_scalar() && is_integer(bound.element), "a loop's bound");
      is(form->index.name, bound);
    } else {
      const NameId condition = std::get<WhileForm>(e.form).condition;
      is(condition, bool_type);
      require(std::any_of(e.values.begin(), e.values.end(),
                          [&](const LoopValue& v) { return v.parameter.name == condition; }),
              "the condition of a while loop is one of its values");
    }
    const auto& dependence = e.attributes.true_dependence;
    require(dependence.empty() || dependence.size() == e.values.size(), "true_dependence");
  }
  void operator()(const Call& e) {
    const auto callee =
        std::find_if(program_.functions.begin(), program_.functions.end(),
                     [&](const Function& function) { return function.name == e.function; });
    if (callee == program_.functions.end()) {
      errors_.push_back("no function `" + e.function + "`");
      return;
    }
    require(callee->parameters.size() == e.arguments.size(), "number of arguments");
    require(callee->result_types.size() == e.result_types.size(), "number of results");
    for (std::size_t i = 0; i < e.arguments.size() && errors_.empty(); ++i) {
      is(e.arguments[i], names_.type(callee->parameters[i].name));
    }
  }
  void operator()(const Assert& e) {
    is(e.condition, bool_type);
    all_i64(e.arguments);
  }
  void operator()(const MapScanReduce& e) {
    is(e.width, i64_type);
    lambda_over(e.arrays, e.map);
    std::size_t at = 0;
    std::vector<Type> post_parameters;
    for (const ScanOperator& scan : e.scans) {
      at = operates(scan.op, scan.neutral, e.map.result_types, at);
      post_parameters.insert(post_parameters.end(), scan.op.result_types.begin(),
                             scan.op.result_types.end());
    }
    for (const ReduceOperator& one : e.reductions) {
      at = operates(one.op, one.neutral, e.map.result_types, at);
    }
    if (!errors_.empty()) return;
    post_parameters.insert(post_parameters.end(),
                           e.map.result_types.begin() + static_cast<std::ptrdiff_t>(at),
                           e.map.result_types.end());
    if (e.post) takes(*e.post, post_parameters);
  }
  void operator()(const Histogram& e) {
    is(e.width, i64_type);
    lambda_over(e.arrays, e.map);
    histogram(e.operators, e.map.result_types, 0);
  }
  void operator()(const Scatter& e) {
    is(e.width, i64_type);
    lambda_over(e.arrays, e.map);
    scatter(e.targets, e.map.result_types, 0);
  }
  void operator()(const WithAccumulator& e) {
    require(e.body.parameters.size() == e.inputs.size(), "one parameter per accumulator");
    require(e.body.result_types.size() >= e.inputs.size(), "the accumulators are given back");
    if (!errors_.empty()) return;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
      const AccumulatorInput& input = e.inputs[i];
      Type type = names_.type(input.array);
      require(type.is_array() && input.shape.size() <= type.rank(), "an accumulator's array");
      Type value = type;
      if (!errors_.empty()) return;
      value.shape.erase(value.shape.begin(),
                        value.shape.begin() + static_cast<std::ptrdiff_t>(input.shape.size()));
      type.kind = TypeKind::accumulator;
      is(e.body.parameters[i].name, type);
      require(compatible(e.body.result_types[i], type), "the type of an accumulator given back");
      if (input.op) takes(*input.op, {value, value});
    }
    lambda(e.body);
  }
  void operator()(const Accumulate& e) {
    Type type = names_.type(e.accumulator);
    require(type.kind == TypeKind::accumulator && e.indices.size() <= type.rank(),
            "an accumulator and its indices");
    if (!errors_.empty()) return;
    all_i64(e.indices);
    type.kind = TypeKind::value;
    type.shape.erase(type.shape.begin(),
                     type.shape.begin() + static_cast<std::ptrdiff_t>(e.indices.size()));
    is(e.value, type);
  }
  void operator()(const FlatMap& e) {
    is(e.width, i64_type);
    // The sizes of segments are known inside only.
    Lambda map{e.map.parameters, {{}, e.map.body.results}, e.map.result_types};
    const std::size_t last = std::min(map.result_types.size(), map.body.results.size());
    for (std::size_t i = 1; i < last && i <= static_cast<std::size_t>(e.varying); ++i) {
      const Type segment = names_.type(map.body.results[i]);
      require(segment.is_array() && map.result_types[i].is_array(), "a varying result");
      if (!errors_.empty()) return;
      map.result_types[i].shape.front() = segment.shape.front();
    }
    lambda_over(e.arrays, map);
    require(!e.map.result_types.empty() && compatible(e.map.result_types.front(), i64_type),
            "a segment's size");
    require(static_cast<int>(e.map.result_types.size()) > e.varying, "varying results");
  }
  void operator()(const Differentiate& e) {
    takes(e.function, types(e.arguments));
    const std::size_t seeds = e.mode == DerivativeMode::forward ? e.arguments.size()
                                                                : e.function.result_types.size();
    require(e.seeds.size() == seeds, "number of seeds");
  }
  void operator()(const CustomDerivative& e) {
    takes(e.function, types(e.arguments));
    lambda(e.adjoint);
    require(e.tape >= 0 && static_cast<std::size_t>(e.tape) <= e.function.result_types.size(),
            "the length of the tape");
  }
  void operator()(const SegmentedMap& e) {
    space(e.space);
    gives(e.body.results, e.result_types, "the body");
  }
  void operator()(const SegmentedReduce& e) {
    space(e.space);
    gives(e.body.results, e.result_types, "the body");
    std::size_t at = 0;
    for (const ReduceOperator& one : e.operators) {
      at = operates(one.op, one.neutral, e.result_types, at);
    }
  }
  void operator()(const SegmentedScan& e) {
    space(e.space);
    gives(e.body.results, e.result_types, "the body");
    std::size_t at = 0;
    std::vector<Type> parameters;
    for (const ScanOperator& one : e.operators) {
      at = operates(one.op, one.neutral, e.result_types, at);
      parameters.insert(parameters.end(), one.op.result_types.begin(), one.op.result_types.end());
    }
    if (!errors_.empty()) return;
    parameters.insert(parameters.end(), e.result_types.begin() + static_cast<std::ptrdiff_t>(at),
                      e.result_types.end());
    if (e.post) takes(*e.post, parameters);
  }
  void operator()(const SegmentedHistogram& e) {
    space(e.space);
    gives(e.body.results, e.result_types, "the body");
    histogram(e.operators, e.result_types, e.space.size() - 1);
  }
  void operator()(const SegmentedScatter& e) {
    space(e.space);
    gives(e.body.results, e.result_types, "the body");
    scatter(e.targets, e.result_types, e.space.size() - 1);
  }

  void require(bool condition, std::string_view what) {
    if (!condition) errors_.push_back("wrong: " + std::string(what));
  }

 private:
  static bool allows(Operands operands, ScalarType type) {
    switch (operands) {
      case Operands::integers: return is_integer(type);
      case Operands::floats: return is_float(type);
      case Operands::booleans: return type == ScalarType::boolean;
      case Operands::integers_or_booleans: return !is_float(type);
      case Operands::numbers: return type != ScalarType::boolean;
      case Operands::any: return true;
    }
    return false;
  }

  void is(const Operand& operand, const Type& type) {
    const Type actual = names_.type(operand);
    if (compatible(actual, type)) return;
    errors_.push_back("`" + print(operand, names_) + "` has type " + print(actual, names_) +
                      " where " + print(type, names_) + " is expected");
  }
  void is_array(NameId name) { require(names_.type(name).is_array(), "not an array"); }
  void all_i64(const std::vector<Operand>& operands) {
    for (const Operand& operand : operands) is(operand, i64_type);
  }
  std::vector<Type> types(const std::vector<Operand>& operands) const {
    std::vector<Type> result;
    for (const Operand& operand : operands) result.push_back(names_.type(operand));
    return result;
  }
  void slice(NameId array, const std::vector<SliceDimension>& dimensions) {
    is_array(array);
    require(dimensions.size() == names_.type(array).rank(), "number of slice dimensions");
    for (const SliceDimension& dimension : dimensions) {
      all_i64({dimension.start, dimension.count, dimension.stride});
    }
  }
  void gives(const std::vector<Operand>& results, const std::vector<Type>& expected,
             std::string_view who) {
    require(results.size() == expected.size(), std::string(who) + ": number of results");
    for (std::size_t i = 0; i < results.size() && i < expected.size(); ++i) {
      is(results[i], expected[i]);
    }
  }
  void lambda(const Lambda& lambda) {
    gives(lambda.body.results, lambda.result_types, "a lambda's body");
  }
  void takes(const Lambda& function, const std::vector<Type>& arguments) {
    lambda(function);
    require(function.parameters.size() == arguments.size(), "number of lambda parameters");
    for (std::size_t i = 0; i < arguments.size() && i < function.parameters.size(); ++i) {
      is(function.parameters[i].name, arguments[i]);
    }
  }
  void lambda_over(const std::vector<NameId>& arrays, const Lambda& map) {
    std::vector<Type> rows;
    for (const NameId array : arrays) {
      const Type& type = names_.type(array);
      require(type.is_array() || type.kind == TypeKind::accumulator, "what is mapped over");
      rows.push_back(type.is_array() ? row_of(type) : type);
    }
    takes(map, rows);
  }
  /// Checks an operator against its inputs among `inputs` from `at` on; where the next ones start.
  std::size_t operates(const Lambda& op, const std::vector<Operand>& neutral,
                       const std::vector<Type>& inputs, std::size_t at) {
    const std::size_t count = neutral.size();
    if (at + count > inputs.size()) {
      require(false, "operators have more operands than there are results");
      return at;
    }
    const auto begin = inputs.begin() + static_cast<std::ptrdiff_t>(at);
    std::vector<Type> parameters(begin, begin + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) is(neutral[i], parameters[i]);
    require(op.result_types.size() == count, "number of results of an operator");
    parameters.insert(parameters.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    takes(op, parameters);
    return at + count;
  }
  /// What is stored at indices of `dimensions` outer dimensions of `array`.
  Type stored(NameId array, std::size_t dimensions) {
    Type type = names_.type(array);
    require(type.is_array() && type.rank() >= dimensions, "the rank of a destination");
    if (!errors_.empty()) return type;
    type.shape.erase(type.shape.begin(),
                     type.shape.begin() + static_cast<std::ptrdiff_t>(dimensions));
    return type;
  }
  void histogram(const std::vector<HistogramOperator>& operators, const std::vector<Type>& results,
                 std::size_t outer) {
    std::size_t at = 0;
    for (const HistogramOperator& one : operators) {
      all_i64(one.shape);
      at = indices(one.shape.size(), results, at);
      std::vector<Type> values;
      for (const NameId destination : one.destinations) {
        values.push_back(stored(destination, outer + one.shape.size()));
      }
      at = matches(values, results, at);
      if (!errors_.empty()) return;
      operates(one.op, one.neutral, values, 0);
    }
    require(at == results.size(), "results without a destination");
  }
  void scatter(const std::vector<ScatterTarget>& targets, const std::vector<Type>& results,
               std::size_t outer) {
    std::size_t at = 0;
    for (const ScatterTarget& target : targets) {
      all_i64(target.shape);
      at = indices(target.shape.size(), results, at);
      at = matches({stored(target.destination, outer + target.shape.size())}, results, at);
    }
    require(at == results.size(), "results without a destination");
  }
  std::size_t indices(std::size_t count, const std::vector<Type>& results, std::size_t at) {
    return matches(std::vector<Type>(count, i64_type), results, at);
  }
  std::size_t matches(const std::vector<Type>& expected, const std::vector<Type>& results,
                      std::size_t at) {
    for (const Type& type : expected) {
      require(at < results.size() && compatible(results[at], type), "a written value or index");
      ++at;
    }
    return at;
  }
  void space(const std::vector<SpaceDimension>& space) {
    for (const SpaceDimension& dimension : space) {
      is(dimension.index.name, i64_type);
      is(dimension.extent, i64_type);
    }
  }

  const Program& program_;
  const Names& names_;
  std::vector<std::string>& errors_;
};

}  // namespace

std::vector<std::string> type_errors(const Statement& statement, const Program& program) {
  std::vector<std::string> errors;
  TypeRules rules(program, errors);
  std::visit([&](const auto& operation) { rules(operation); }, statement.operation);
  if (!errors.empty()) return errors;
  const std::vector<Type> types =
      types_of(statement.operation, program.names, statement.results);
  if (types.size() != statement.results.size()) return {"wrong: number of results"};
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Binder& result = statement.results[i];
    if (!compatible(program.names.type(result.name), types[i])) {
      errors.push_back("`" + program.names.text(result.name) + "` should have type " +
                       print(types[i], program.names));
    }
  }
  return errors;
}

}  // namespace dagaz::ir
