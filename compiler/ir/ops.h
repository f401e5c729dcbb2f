// Every operation of the array IR: one documented struct each, in A-normal form.
//
// Each struct lists its members once, in DZ_FIELDS.  The type of a member says its role:
//   NameId, Operand            a use
//   Binder                     a name bound by this operation (a parameter)
//   Body, Lambda               a nested scope
//   vectors, optionals and structs with DZ_FIELDS of these: walked through
//   Schedule                   refers to names inside; renamed with them, but no use (schedule.h)
//   anything else              an attribute
// Free names, substitution, renaming, printing, parsing, equality and hashing follow from the
// lists (fields.h).  Which operations may occur at which stage is a table in verify.cpp.
#pragma once

#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/field_list.h"
#include "ir/scalar.h"
#include "ir/schedule.h"
#include "ir/type.h"
#include "support/match.h"

namespace dagaz::ir {

struct Statement;

struct LocationTag {};
/// An index into Program::locations.
using LocationId = Id<LocationTag>;

/// A name bound here.
struct Binder {
  NameId name;
  bool operator==(const Binder&) const = default;
};

/// A list of statements whose special members are defined once, in ops.cpp.
struct Statements : std::vector<Statement> {
  using List = std::vector<Statement>;
  Statements() noexcept;
  Statements(std::initializer_list<Statement> statements);
  template <std::input_iterator Iterator>
  Statements(Iterator first, Iterator last);
  Statements(List&& list) noexcept;  // NOLINT: the same thing
  Statements(const List& list);      // NOLINT
  Statements(const Statements& other);
  Statements(Statements&& other) noexcept;
  Statements& operator=(const Statements& other);
  Statements& operator=(Statements&& other) noexcept;
  ~Statements();
};

/// Statements in order, then the values of the whole.
struct Body {
  Statements statements;
  std::vector<Operand> results;
};

/// An anonymous function; it may use names from around it.  `result_types` may mention its
/// parameters' sizes but nothing bound in the body.
struct Lambda {
  std::vector<Binder> parameters;
  Body body;
  std::vector<Type> result_types;
};

// ---------------------------------------------------------------- scalars and arrays

/// The operand itself; removed by simplification.
struct Identity {
  static constexpr std::string_view mnemonic = "identity";
  Operand value;
  DZ_FIELDS(value)
};

/// A scalar operation at operand type `type`.
struct Scalar {
  static constexpr std::string_view mnemonic = "scalar";
  ScalarOp op;
  ScalarType type;
  ScalarType result;
  std::vector<Operand> arguments;
  DZ_FIELDS(op, type, result, arguments)
};

/// An array of the given elements (scalars or arrays of the same type `element`).
struct ArrayLiteral {
  static constexpr std::string_view mnemonic = "array";
  Type element;
  std::vector<Operand> elements;
  DZ_FIELDS(element, elements)
};

/// array[i, j, …]: fixes the outermost dimensions; fewer indices than the rank give a view.
/// Not checked: a token of an Assert guards it.
struct Index {
  static constexpr std::string_view mnemonic = "index";
  NameId array;
  std::vector<Operand> indices;
  DZ_FIELDS(array, indices)
};

/// One dimension of a slice: a fixed index, or `count` elements from `start` in steps of `stride`.
struct SliceDimension {
  bool fixed;
  Operand start;   // or the fixed index
  Operand count;   // 1 where fixed
  Operand stride;  // 1 where fixed
  bool operator==(const SliceDimension&) const = default;
  DZ_FIELDS(fixed, start, count, stride)
};

/// A view of part of an array; one SliceDimension for each dimension.
struct Slice {
  static constexpr std::string_view mnemonic = "slice";
  NameId array;
  std::vector<SliceDimension> dimensions;
  DZ_FIELDS(array, dimensions)
};

/// `array` with the part at `dimensions` replaced by `value`.  Consumes `array`.
struct Update {
  static constexpr std::string_view mnemonic = "update";
  NameId array;
  std::vector<SliceDimension> dimensions;
  Operand value;
  DZ_FIELDS(array, dimensions, value)
};

/// start, start + stride, …: `count` numbers of an integer type.
struct Iota {
  static constexpr std::string_view mnemonic = "iota";
  ScalarType type;
  Operand count;
  Operand start;
  Operand stride;
  DZ_FIELDS(type, count, start, stride)
};

/// `value`, a scalar or an array, repeated along new outer dimensions `shape`.
struct Replicate {
  static constexpr std::string_view mnemonic = "replicate";
  std::vector<Operand> shape;
  Operand value;
  DZ_FIELDS(shape, value)
};

/// The arrays one after another along the outermost dimension; `width` is the sum of theirs.
struct Concat {
  static constexpr std::string_view mnemonic = "concat";
  Operand width;
  std::vector<NameId> arrays;
  DZ_FIELDS(width, arrays)
};

/// The same elements in row-major order under another shape, of the same number of elements.
struct Reshape {
  static constexpr std::string_view mnemonic = "reshape";
  NameId array;
  std::vector<Operand> shape;
  DZ_FIELDS(array, shape)
};

/// Result dimension k is dimension permutation[k] of `array`.
struct Permute {
  static constexpr std::string_view mnemonic = "permute";
  NameId array;
  std::vector<int> permutation;
  DZ_FIELDS(array, permutation)
};

/// A fresh array with the same elements, which aliases nothing.
struct Copy {
  static constexpr std::string_view mnemonic = "copy";
  NameId array;
  DZ_FIELDS(array)
};

/// An array whose elements are unspecified; to be written before it is read.
struct Scratch {
  static constexpr std::string_view mnemonic = "scratch";
  ScalarType type;
  std::vector<Operand> shape;
  DZ_FIELDS(type, shape)
};

// ---------------------------------------------------------------- control

/// Results are those of the branch taken.
struct Branch {
  static constexpr std::string_view mnemonic = "branch";
  Operand condition;
  Body then_body;
  Body else_body;
  std::vector<Type> result_types;  // may mention nothing bound inside; sizes that differ between
                                   // the branches are results themselves, earlier in the list:
                                   // then the size is the statement's own result name
  DZ_FIELDS(condition, then_body, else_body, result_types)
};

struct LoopValue {
  Binder parameter;
  Operand initial;
  DZ_FIELDS(parameter, initial)
};
/// `index` runs from 0 to `bound`-1, at the integer type of `bound`.
struct ForForm {
  Binder index;
  Operand bound;
  DZ_FIELDS(index, bound)
};
/// Runs while the boolean loop parameter `condition` holds.
struct WhileForm {
  NameId condition;
  DZ_FIELDS(condition)
};
/// What the user said about a loop with attributes, or flattening knows of one that it made.
struct LoopAttributes {
  int stripmine = 0;                    // 0: not given; -1: #[keep]
  std::optional<Operand> bound;         // #[bound(n)] of a while loop
  std::vector<bool> true_dependence;    // per loop value; empty: none
  bool unroll = false;
  bool independent = false;             // iterations write to rows of their own, and read no others
  bool operator==(const LoopAttributes&) const = default;
  DZ_FIELDS(stripmine, bound, true_dependence, unroll, independent)
};
/// A sequential loop.  The body's results are the next values of the parameters; those after the
/// last iteration are the results.  An array size that changes between iterations is a loop value
/// itself, which the types of later parameters mention.  Consumes initial arrays that the body
/// consumes.
struct Loop {
  static constexpr std::string_view mnemonic = "loop";
  std::vector<LoopValue> values;
  std::variant<ForForm, WhileForm> form;
  Body body;
  LoopAttributes attributes;
  DZ_FIELDS(values, form, body, attributes)
};

/// A call of a function of the program, by name.  Recursive functions are called, those with the
/// attribute `noinline`, and those that made too much code where they were inlined.
struct Call {
  static constexpr std::string_view mnemonic = "call";
  std::string function;
  std::vector<Operand> arguments;
  std::vector<Type> result_types;  // in terms of names around the call and of its own results
  DZ_FIELDS(function, arguments, result_types)
};

/// Ends the program with an error unless `condition` holds.  `message` holds a {} for each of
/// `arguments`, which are i64.  The result is a token.
struct Assert {
  static constexpr std::string_view mnemonic = "assert";
  Operand condition;
  std::string message;
  std::vector<Operand> arguments;
  DZ_FIELDS(condition, message, arguments)
};

// ---------------------------------------------------------------- second-order operations

/// An associative operator with neutral element; the lambda takes 2·k values and returns k.
struct ScanOperator {
  Lambda op;
  std::vector<Operand> neutral;
  DZ_FIELDS(op, neutral)
};
struct ReduceOperator {
  Lambda op;
  std::vector<Operand> neutral;
  bool commutative = false;
  DZ_FIELDS(op, neutral, commutative)
};

/// The central operation, closed under fusion: a map over `arrays` (all of outer size `width`),
/// then any number of scans and reductions over its results, then a map.
///   map's results, in order:   scan inputs | reduce inputs | mapped values
///   post's parameters:         scan outputs (the element at this position) | mapped values
///   results of the statement:  reduced values | one array of `width` per result of `post`
/// Without `post`, its results would be its parameters.  Plain map, reduce and scan are the cases
/// without operators, with one reduction and the identity, with one scan and the identity.
/// A map may have no input arrays.  An accumulator may stand among `arrays`: it is handed to every
/// iteration whole, and the mapped value of accumulator type gives it back.
struct MapScanReduce {
  static constexpr std::string_view mnemonic = "map_scan_reduce";
  Operand width;
  std::vector<NameId> arrays;
  Lambda map;
  std::vector<ScanOperator> scans;
  std::vector<ReduceOperator> reductions;
  std::optional<Lambda> post;
  bool sequential = false;  // #[sequential]
  Schedule schedule = {};   // inside a thread
  DZ_FIELDS(width, arrays, map, scans, reductions, post, sequential, schedule)
};

/// One histogram: bins of shape `shape`, starting as `destinations` (consumed).
struct HistogramOperator {
  std::vector<Operand> shape;
  std::vector<NameId> destinations;
  std::vector<Operand> neutral;
  Lambda op;
  DZ_FIELDS(shape, destinations, neutral, op)
};
/// destinations[index] = op(destinations[index], value), for the index and values that `map`
/// computes from each element; indices outside the shape are ignored.
///   map's results: for each operator, rank(shape) i64 indices and one value per destination
/// Results: the destinations, in order.
struct Histogram {
  static constexpr std::string_view mnemonic = "histogram";
  Operand width;
  std::vector<NameId> arrays;
  Lambda map;
  std::vector<HistogramOperator> operators;
  DZ_FIELDS(width, arrays, map, operators)
};

/// One target of a scatter; `shape` are its indexed (outer) dimensions.
struct ScatterTarget {
  std::vector<Operand> shape;
  NameId destination;
  DZ_FIELDS(shape, destination)
};
/// destination[index] = value for what `map` computes from each element; indices outside are
/// ignored; which of several writes to one place wins is unspecified.  Consumes destinations.
///   map's results: for each target, rank(shape) i64 indices and one value
/// Results: the destinations, in order.
struct Scatter {
  static constexpr std::string_view mnemonic = "scatter";
  Operand width;
  std::vector<NameId> arrays;
  Lambda map;
  std::vector<ScatterTarget> targets;
  DZ_FIELDS(width, arrays, map, targets)
};

/// One accumulator: `array` (consumed), indexed by its `shape.size()` outer dimensions.  Without
/// `op`, writes overwrite.
struct AccumulatorInput {
  std::vector<Operand> shape;
  NameId array;
  std::optional<Lambda> op;
  std::vector<Operand> neutral;
  DZ_FIELDS(shape, array, op, neutral)
};
/// Opens arrays for accumulation inside `body`, whose parameters are the accumulators (of type kind
/// `accumulator`, with the whole shape of the array) and whose first results give them back.
/// Results: the arrays, then the other results of `body`.
struct WithAccumulator {
  static constexpr std::string_view mnemonic = "with_accumulator";
  std::vector<AccumulatorInput> inputs;
  Lambda body;
  DZ_FIELDS(inputs, body)
};
/// Combines `value` into the accumulator at `indices`; outside its shape nothing happens.  The
/// result is the accumulator.
struct Accumulate {
  static constexpr std::string_view mnemonic = "accumulate";
  NameId accumulator;
  std::vector<Operand> indices;
  Operand value;
  DZ_FIELDS(accumulator, indices, value)
};

/// For each element of `arrays` a segment of any size, concatenated.  `map` returns: the segment's
/// size (i64), `varying` arrays of that size, then uniform values.
/// The size is bound inside the body, so the result type of a varying array has 0 in its place.
/// Results: total size (i64) | sizes [width] | starts [width] | varying arrays [total] | uniform
/// arrays [width].
struct FlatMap {
  static constexpr std::string_view mnemonic = "flatmap";
  Operand width;
  std::vector<NameId> arrays;
  Lambda map;
  int varying = 0;
  DZ_FIELDS(width, arrays, map, varying)
};

// ---------------------------------------------------------------- differentiation

enum class DerivativeMode : std::uint8_t { forward, reverse };

/// Forward: results of `function` at `arguments`, then their tangents along `seeds` (one per
/// argument).  Reverse: results, then the adjoints of the arguments for the cotangents `seeds`
/// (one per result).  With `batch`, seeds and derivatives are arrays of `batch` of them.
struct Differentiate {
  static constexpr std::string_view mnemonic = "differentiate";
  DerivativeMode mode;
  Lambda function;
  std::vector<Operand> arguments;
  std::vector<Operand> seeds;
  std::optional<Operand> batch;
  DZ_FIELDS(mode, function, arguments, seeds, batch)
};

/// `function` at `arguments`; in reverse mode its derivative is `adjoint`, from (tape | results)
/// and result adjoints to argument adjoints.  The first `tape` results of `function` are the tape;
/// if there is none, `adjoint` gets the results.  Results: those of `function` without the tape.
/// Of a tape with as many values more than `adjoint` takes as there are results, these are the same
/// results, of which derivatives are taken.
struct CustomDerivative {
  static constexpr std::string_view mnemonic = "custom_derivative";
  Lambda function;
  Lambda adjoint;
  std::vector<Operand> arguments;
  int tape = 0;
  DZ_FIELDS(function, adjoint, arguments, tape)
};

// ---------------------------------------------------------------- stage flat

struct SpaceDimension {
  Binder index;
  Operand extent;
  DZ_FIELDS(index, extent)
};

/// A perfect nest: `body` for every point of the space.  Results: arrays over the space.
struct SegmentedMap {
  static constexpr std::string_view mnemonic = "segmented_map";
  std::vector<SpaceDimension> space;
  Body body;
  std::vector<Type> result_types;  // of one point
  Schedule schedule = {};
  DZ_FIELDS(space, body, result_types, schedule)
};

/// Reduces along the innermost dimension of the space.
///   body's results: reduce inputs | mapped values
/// Results: reduced values over the outer dimensions | mapped arrays over the space.
struct SegmentedReduce {
  static constexpr std::string_view mnemonic = "segmented_reduce";
  std::vector<SpaceDimension> space;
  Body body;
  std::vector<ReduceOperator> operators;
  std::vector<Type> result_types;  // of the body
  Schedule schedule = {};
  DZ_FIELDS(space, body, operators, result_types, schedule)
};

/// Scans along the innermost dimension; as MapScanReduce, `post` maps scan outputs and mapped
/// values.  Results: arrays over the space.
struct SegmentedScan {
  static constexpr std::string_view mnemonic = "segmented_scan";
  std::vector<SpaceDimension> space;
  Body body;
  std::vector<ScanOperator> operators;
  std::optional<Lambda> post;
  std::vector<Type> result_types;  // of the body
  Schedule schedule = {};
  DZ_FIELDS(space, body, operators, post, result_types, schedule)
};

/// As Histogram, with the indices and values computed by `body` at each point.  `destinations`
/// have the space's outer dimensions in front of `shape`.
struct SegmentedHistogram {
  static constexpr std::string_view mnemonic = "segmented_histogram";
  std::vector<SpaceDimension> space;
  Body body;
  std::vector<HistogramOperator> operators;
  std::vector<Type> result_types;  // of the body
  Schedule schedule = {};
  DZ_FIELDS(space, body, operators, result_types, schedule)
};

/// As Scatter, likewise.
struct SegmentedScatter {
  static constexpr std::string_view mnemonic = "segmented_scatter";
  std::vector<SpaceDimension> space;
  Body body;
  std::vector<ScatterTarget> targets;
  std::vector<Type> result_types;  // of the body
  Schedule schedule = {};
  DZ_FIELDS(space, body, targets, result_types, schedule)
};

/// An operation: one of these.  `match`, `as` and the std::variant functions work on it.
using Operations =
    std::variant<Identity, Scalar, ArrayLiteral, Index, Slice, Update, Iota, Replicate, Concat,
                 Reshape, Permute, Copy, Scratch, Branch, Loop, Call, Assert, MapScanReduce,
                 Histogram, Scatter, WithAccumulator, Accumulate, FlatMap, Differentiate,
                 CustomDerivative, SegmentedMap, SegmentedReduce, SegmentedScan,
                 SegmentedHistogram, SegmentedScatter>;

/// Its special members are defined once, in ops.cpp: a file that made its own would spend more time
/// on them than on the rest.
struct Operation : Operations {
  Operation();  // the first of them
  /// One of them, from an rvalue or an lvalue.
  template <Alternative<Operations> T>
  Operation(T&& node);  // NOLINT: an alternative is an operation
  Operation(const Operation& other);
  Operation(Operation&& other) noexcept;
  Operation& operator=(const Operation& other);
  Operation& operator=(Operation&& other) noexcept;
  ~Operation();
};

/// What AD was told about a statement: #[forward], #[reverse].
enum class ModeRequest : std::uint8_t { none, forward, reverse };

/// Binds the results of an operation.  It is not evaluated before the asserts whose `tokens` it
/// carries have passed.
struct Statement {
  std::vector<Binder> results;
  Operation operation;
  std::vector<NameId> tokens = {};
  LocationId location = {};
  ModeRequest mode = ModeRequest::none;
};

template <std::input_iterator Iterator>
Statements::Statements(Iterator first, Iterator last) : List(first, last) {}

}  // namespace dagaz::ir
