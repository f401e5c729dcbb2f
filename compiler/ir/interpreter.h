// The interpreter's state and steps; interpret.cpp runs straight-line code and control,
// interpret_parallel.cpp the second-order operations.  Private to the interpreter.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/bindings.h"
#include "ir/interpret.h"
#include "ir/last_uses.h"
#include "ir/value.h"
#include "support/function_ref.h"

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

/// Rows of an array that is made one after another.
struct Rows {
  std::optional<std::vector<std::int64_t>> shape = {};  // of each; nothing before the first
  Elements elements = {};
};

/// Runs functions of one program.
class Interpreter {
 public:
  using Values = std::vector<Value>;

  Interpreter(const Program& program, const OnTrace& on_trace);
  Values call(const std::string& function, Values arguments);

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
  /// A function that was called.
  struct FunctionState {
    std::vector<NameId> bound;
    int active = 0;
  };
  using Point = std::vector<std::int64_t>;

  [[noreturn]] void fail(std::string message) const;
  [[noreturn]] void fail_for_memory() const;
  /// Fails where an array of this shape would be too large.
  void check_memory(std::span<const std::int64_t> shape) const;
  std::int64_t size(const Operand& operand) const;
  bool is_accumulator(NameId name) const {
    return program_.names.type(name).kind == TypeKind::accumulator;
  }

  // Scopes.
  /// The value of an operand, which leaves its name where this is its last use.  Only for operands
  /// that are evaluated once.
  Value last_value_of(const Operand& operand);
  Values last_values_of(const std::vector<Operand>& operands);
  static Values only(Value value);
  /// The result of a statement that computes or reads one scalar.
  std::optional<Constant> scalar_result(const Operation& operation);
  Constant computed(const Scalar& e);
  std::size_t offset_at(const Value& array, const std::vector<Operand>& indices);
  Values run(const Body& body);
  Values apply(const Lambda& lambda, Values arguments);
  /// To the elements of arrays at `index`, and to accumulators.
  Values apply_to_elements(const Lambda& lambda, const std::vector<NameId>& arrays,
                           std::size_t index);

  // Second-order operations.
  void add_row(Rows& rows, const Value& row) const;
  Value array_of(Rows rows, std::span<const std::int64_t> outer, const Type& row_type) const;
  void combine(const Lambda& op, Values& state, Values& inputs, std::size_t& at);
  void segment(std::int64_t count, FunctionRef<Values(std::int64_t)> element,
               const ScansAndReductions& parts, std::vector<Rows>& reduced,
               std::vector<Rows>& columns);
  Values segments(const std::vector<SpaceDimension>& space, const Body& body,
                  const ScansAndReductions& parts, const std::vector<Type>& result_types);
  void bind_point(const std::vector<SpaceDimension>& space, std::span<const std::int64_t> point);
  Values destinations_of(const std::vector<HistogramOperator>& operators);
  Values destinations_of(const std::vector<ScatterTarget>& targets);
  void histogram_step(const std::vector<HistogramOperator>& operators, Values results,
                      std::span<const std::int64_t> outer, Values& destinations);
  void scatter_step(const std::vector<ScatterTarget>& targets, const Values& results,
                    std::span<const std::int64_t> outer, Values& destinations) const;
  std::vector<std::int64_t> slice_shape(const std::vector<SliceDimension>& dimensions) const;
  /// Calls `visit` with the offset of each element of a slice, in order.
  void for_each_in_slice(const Value& array, const std::vector<SliceDimension>& dimensions,
                         FunctionRef<void(std::size_t)> visit) const;

  const Program& program_;
  const OnTrace& on_trace_;
  Bindings bound_;
  LastUses last_uses_;
  const std::vector<NameId>* used_last_ = nullptr;   // by the statement that runs, or the results
  std::vector<std::int64_t> indices_;                // of the read that runs
  std::vector<OpenAccumulator> accumulators_;
  std::unordered_map<std::string, const Function*> functions_;
  std::unordered_map<const Function*, FunctionState> called_;
  LocationId location_;
};

}  // namespace dagaz::ir
