// What every part of differentiation shares: the place where code is emitted, and the map from
// names of the original code to what stands for them in the emitted code.  Original code is never
// edited; it is walked, as often as needed, and each walk emits it anew under fresh names.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/names.h"
#include "ir/ops.h"
#include "ir/program.h"

namespace dagaz::passes::ad {

/// Derivatives of the program's functions, made on demand, for calls inside differentiated code.
class FunctionDerivatives {
 public:
  virtual ~FunctionDerivatives() = default;
  /// The function called `name`, free of Differentiate.
  virtual const ir::Function& function(const std::string& name) = 0;
  /// The name of: (arguments, tangents) to (results, tangents), with `directions` tangents for each
  /// value.  Values that carry no derivative have none in these lists.
  virtual std::string forward_version(const std::string& name, int directions) = 0;
  /// The name of: (arguments, sizes known inside, result adjoints) to argument adjoints, likewise.
  virtual std::string reverse_version(const std::string& name) = 0;
};

class Environment {
 public:
  Environment(ir::Names& names, ir::Builder& out, FunctionDerivatives& functions)
      : names_(&names), out_(&out), functions_(&functions), scopes_{&out} {}

  ir::Names& names() { return *names_; }
  const ir::Names& names() const { return *names_; }
  ir::Builder& out() { return *out_; }
  FunctionDerivatives& functions() { return *functions_; }

  // Original names and what stands for them.
  void bind(ir::NameId original, ir::Operand emitted) { map_.insert_or_assign(original, emitted); }
  ir::Operand operand(const ir::Operand& original) const { return substitute(original, map_); }
  std::vector<ir::Operand> operands(const std::vector<ir::Operand>& originals) const;
  ir::NameId name(ir::NameId original) const;
  std::vector<ir::NameId> names_of(const std::vector<ir::NameId>& originals) const;
  /// A type of original code in terms of emitted names.
  ir::Type type(const ir::Type& original) const { return ir::substitute(original, map_); }
  ir::Type type_of(const ir::Operand& original) const { return type(names_->type(original)); }
  /// A fresh name for an original binder, bound to it.
  ir::NameId bind_fresh(ir::NameId original);
  std::vector<ir::Binder> bind_fresh(const std::vector<ir::Binder>& originals);
  std::vector<ir::SliceDimension> dimensions(
      const std::vector<ir::SliceDimension>& originals) const;

  /// Emits `statement` unchanged, under fresh names.
  void copy_statement(const ir::Statement& statement);
  void copy_statements(const std::vector<ir::Statement>& statements);
  /// `lambda` with outside names replaced and inside names fresh.
  ir::Lambda copy_lambda(const ir::Lambda& lambda);
  /// The statements of `lambda` emitted here with `arguments` (emitted operands); its results.
  std::vector<ir::Operand> inline_lambda(const ir::Lambda& lambda,
                                         const std::vector<ir::Operand>& arguments);
  /// Later statements get this one's location and tokens.
  void enter_statement(const ir::Statement& statement);
  /// Emits `operation` with results for the originals of `statement` followed by `extra` names.
  void emit_bound(const ir::Statement& statement, ir::Operation operation,
                  const std::vector<ir::Binder>& results);

  // Arithmetic on emitted values.
  /// The zero of a type; an array is a replicate.
  ir::Operand zero(const ir::Type& type);
  /// a + b of a type, element-wise for arrays; booleans are or-ed.
  ir::Operand add(const ir::Type& type, ir::Operand a, ir::Operand b);
  ir::Operand multiply(ir::ScalarType type, ir::Operand a, ir::Operand b);
  ir::Operand negate(ir::ScalarType type, ir::Operand a);
  /// An emitted operand of type `type` as a name.
  ir::NameId as_name(ir::Operand value, std::string_view base = "x");
  /// The operator x + y with its neutral element, for a reduction of values of `type`.
  ir::ReduceOperator addition(const ir::Type& type);
  /// array[index] for an emitted array.
  ir::Operand at(ir::NameId array, ir::Operand index);

  /// The sum of the rows of an emitted array.
  ir::Operand sum_of_rows(ir::NameId array);

  /// The row of an emitted array that is a replicate of one value, if that is known.
  std::optional<ir::Operand> uniform_row(ir::NameId array) const;
  /// replicate [width] value, remembered for uniform_row.
  ir::NameId replicate(ir::Operand width, ir::Operand value, std::string_view base);
  /// The arrays 0, 1, 2, … of the scopes around.
  ir::NameSet ranges() const;
  /// What was emitted before, around everything.
  void look_into(const ir::Builder& around) { scopes_.push_back(&around); }
  /// Emitted names that are gone, and what stands for them.
  void replace(const ir::Substitution& gone);

 private:
  friend class NestedScope;
  ir::Names* names_;
  ir::Builder* out_;
  FunctionDerivatives* functions_;
  ir::Substitution map_;
  ir::Substitution uniform_;
  std::vector<const ir::Builder*> scopes_;
};

/// While alive, code is emitted into a new scope nested in the current one.
class NestedScope {
 public:
  explicit NestedScope(Environment& environment);
  ~NestedScope();
  NestedScope(const NestedScope&) = delete;
  NestedScope& operator=(const NestedScope&) = delete;
  /// What was emitted, with these results.
  ir::Body take(std::vector<ir::Operand> results) { return builder_.take_body(std::move(results)); }
  std::vector<ir::Statement> take_statements() { return builder_.take(); }
  /// Ends the scope early.
  void leave();

 private:
  Environment* environment_;
  ir::Builder builder_;
  ir::Builder* outer_;
};

/// The part of `array` at `indices`: all of it in the dimensions left.
std::vector<ir::SliceDimension> part_at(const std::vector<ir::Operand>& indices,
                                        const ir::Type& array);

/// So many rows of `array` from `start` on.
std::vector<ir::SliceDimension> rows_of(const ir::Type& array, const ir::Operand& start,
                                        const ir::Operand& count);

/// The first result's name, by which facts about a statement of original code are kept; not valid
/// if it has no result.
ir::NameId key_of(const ir::Statement& statement);

// Recognising operators and shapes of original code.

/// What there is not where derivatives are taken: derivatives, which are taken innermost first, and
/// the operations of a later stage.
template <typename T>
concept Absent = std::same_as<T, ir::Differentiate> || std::same_as<T, ir::SegmentedMap> ||
    std::same_as<T, ir::SegmentedReduce> || std::same_as<T, ir::SegmentedScan> ||
    std::same_as<T, ir::SegmentedHistogram> || std::same_as<T, ir::SegmentedScatter>;

/// The scalar operation `op` of a lambda \x y -> op x y (or op y x, for commutative ones) on
/// scalars.
std::optional<ir::ScalarOp> binary_scalar_operator(const ir::Lambda& lambda);
/// The element-wise operator of \xs ys -> map2 f xs ys on arrays, i.e. f.
const ir::Lambda* vectorised_operator(const ir::Lambda& lambda);
/// x + y on scalars or element-wise on arrays.
bool is_addition(const ir::Lambda& lambda);
bool is_identity(const ir::Lambda& lambda);
/// No scans, reductions or post-processing.
bool is_pure_map(const ir::MapScanReduce& operation);
/// Whether values of this type can carry derivatives: all but tokens.  Booleans do, as far as they
/// are only passed on or negated.
bool carries_derivative(const ir::Type& type);
/// The sizes of a function's results that are not among its parameters, each once, in order.
std::vector<ir::Operand> sizes_known_inside(const ir::Function& function);
/// What one of them is where a call has results of the given types.
ir::Operand size_at_call(const ir::Function& function, const ir::Operand& size,
                         const std::vector<ir::Type>& results);
std::vector<ir::Type> types_of_binders(const std::vector<ir::Binder>& binders,
                                       const ir::Names& names);

}  // namespace dagaz::passes::ad
