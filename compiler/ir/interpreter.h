// The interpreter's state and steps; interpret.cpp runs straight-line code and control,
// interpret_parallel.cpp the second-order operations.  Private to the interpreter.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/interpret.h"
#include "ir/value.h"

namespace dagaz::ir {

/// Thrown when the interpreted program fails; caught by `interpret` itself.
struct InterpretFailure {
  RuntimeError error;
};

/// What follows the map of a MapScanReduce or of its segmented forms; `post` may be null.
struct ScansAndReductions {
  std::span<const ScanOperator> scans;
  std::span<const ReduceOperator> reductions;
  const Lambda* post;
};

/// Runs functions of one program.  All names share one table of values: a name is bound once in
/// the program, so only recursion has to save and restore.
class Interpreter {
 public:
  using Values = std::vector<Value>;

  Interpreter(const Program& program, const OnTrace& on_trace);
  Values call(const std::string& function, const Values& arguments);

  Values operator()(const Identity& e);
  Values operator()(const Scalar& e);
  Values operator()(const ArrayLiteral& e);
  Values operator()(const Index& e);
  Values operator()(const Slice& e);
  Values operator()(const Update& e);
  Values operator()(const Iota& e);
  Values operator()(const Replicate& e);
  Values operator()(const Concat& e);
  Values operator()(const Reshape& e);
  Values operator()(const Permute& e);
  Values operator()(const Copy& e);
  Values operator()(const Scratch& e);
  Values operator()(const Branch& e);
  Values operator()(const Loop& e);
  Values operator()(const Call& e);
  Values operator()(const Assert& e);
  Values operator()(const MapScanReduce& e);
  Values operator()(const Histogram& e);
  Values operator()(const Scatter& e);
  Values operator()(const WithAccumulator& e);
  Values operator()(const Accumulate& e);
  Values operator()(const FlatMap& e);
  Values operator()(const Differentiate& e);
  Values operator()(const CustomDerivative& e);
  Values operator()(const SegmentedMap& e);
  Values operator()(const SegmentedReduce& e);
  Values operator()(const SegmentedScan& e);
  Values operator()(const SegmentedHistogram& e);
  Values operator()(const SegmentedScatter& e);

 private:
  struct OpenAccumulator {
    Value array;
    const AccumulatorInput* input;
  };
  struct FunctionState {
    const Function* function;
    std::vector<NameId> bound;
    int active = 0;
  };
  using Point = std::vector<std::int64_t>;

  [[noreturn]] void fail(std::string message) const;
  [[noreturn]] void fail_for_memory() const;
  /// Fails where an array of this shape would be too large.
  void check_memory(std::span<const std::int64_t> shape) const;

  // Operands.
  const Value& lookup(NameId name) const { return values_[name.index]; }
  Value value_of(const Operand& operand) const;
  Values values_of(const std::vector<Operand>& operands) const;
  Constant scalar(const Operand& operand) const;
  std::int64_t integer(const Operand& operand) const { return integer_value(scalar(operand)); }
  bool holds(const Operand& operand) const { return scalar(operand).bits != 0; }
  std::vector<std::int64_t> integers(const std::vector<Operand>& operands) const;
  std::vector<std::int64_t> shape_of(const Type& type) const { return integers(type.shape); }
  std::int64_t size(const Operand& operand) const;
  bool is_accumulator(NameId name) const {
    return program_.names.type(name).kind == TypeKind::accumulator;
  }

  // Scopes.
  void bind(NameId name, Value value) { values_[name.index] = std::move(value); }
  /// In the memory of the scalar that has the name.
  void bind(NameId name, const Constant& scalar);
  static Values only(Value value);
  /// The result of a statement that computes or reads one scalar.
  std::optional<Constant> scalar_result(const Operation& operation);
  Constant computed(const Scalar& e);
  std::size_t offset_at(const Value& array, const std::vector<Operand>& indices);
  Values run(const Body& body);
  Values apply(const Lambda& lambda, Values arguments);

  // Second-order operations.
  Values element_arguments(const std::vector<NameId>& arrays, std::size_t index) const;
  Value assemble(const std::vector<std::int64_t>& outer, Values rows, const Type& row_type) const;
  void segment(std::int64_t count, const std::function<Values(std::int64_t)>& element,
               const ScansAndReductions& parts, std::vector<Values>& reduced,
               std::vector<Values>& columns);
  Values segments(const std::vector<SpaceDimension>& space, const Body& body,
                  const ScansAndReductions& parts, const std::vector<Type>& result_types);
  void bind_point(const std::vector<SpaceDimension>& space, std::span<const std::int64_t> point);
  void histogram_step(const std::vector<HistogramOperator>& operators, Values results,
                      std::span<const std::int64_t> outer, Values& destinations);
  void scatter_step(const std::vector<ScatterTarget>& targets, const Values& results,
                    std::span<const std::int64_t> outer, Values& destinations) const;
  std::optional<std::size_t> slice_offset(const Value& array,
                                          const std::vector<SliceDimension>& dimensions,
                                          std::span<const std::int64_t> at) const;
  std::vector<std::int64_t> slice_shape(const std::vector<SliceDimension>& dimensions) const;

  const Program& program_;
  const OnTrace& on_trace_;
  std::vector<Value> values_;
  std::vector<Constant> arguments_;      // of the scalar operation that runs
  std::vector<std::int64_t> indices_;    // of the read that runs
  std::vector<OpenAccumulator> accumulators_;
  std::unordered_map<std::string, FunctionState> functions_;
  LocationId location_;
};

}  // namespace dagaz::ir
