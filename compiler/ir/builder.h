// Appends statements with fresh names: the way passes create code.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ops.h"
#include "ir/program.h"

namespace dagaz::ir {

/// Collects statements for one scope.  Scalar helpers fold constants and trivial identities, so
/// that size arithmetic does not pile up.
class Builder {
 public:
  explicit Builder(Names& names) : names_(&names) {}

  Names& names() { return *names_; }
  /// Location, tokens and mode request given to the statements that follow.
  void set_location(LocationId location) { location_ = location; }
  LocationId location() const { return location_; }
  void set_tokens(std::vector<NameId> tokens) { tokens_ = std::move(tokens); }

  /// Appends a finished statement.
  void add(Statement statement) { statements_.push_back(std::move(statement)); }
  void add_all(std::vector<Statement> statements);
  /// Appends `operation` and returns the names of its results, with types from types_of.
  std::vector<NameId> add_results(Operation operation, std::string_view base);
  /// The same for an operation with one result.
  NameId add(Operation operation, std::string_view base);

  // Scalars.
  Operand scalar(ScalarOp op, ScalarType type, std::vector<Operand> arguments,
                 std::string_view base = "t");
  /// A conversion to `result`.
  Operand convert(ScalarOp op, ScalarType from, ScalarType result, Operand value,
                  std::string_view base = "t");
  Operand add_i64(Operand a, Operand b);
  Operand sub_i64(Operand a, Operand b);
  Operand mul_i64(Operand a, Operand b);
  /// The product of `sizes`; 1 for none.
  Operand product(const std::vector<Operand>& sizes);
  Operand select(ScalarType type, Operand condition, Operand yes, Operand no);

  // Arrays.
  /// array[indices…]; the operand itself if there are none.
  Operand index(NameId array, std::vector<Operand> indices, std::string_view base = "x");
  /// The value as a name (constants get a statement).
  NameId as_name(Operand value, std::string_view base = "x");

  // Second-order operations: `build` fills the lambda's body, given its parameters, and returns
  // the results.
  using BodyFunction =
      std::function<std::vector<Operand>(Builder&, const std::vector<NameId>& parameters)>;
  Lambda lambda(const std::vector<Type>& parameter_types, const std::vector<std::string>& bases,
                const BodyFunction& build);
  /// map over `arrays`; results are arrays of `width`.
  std::vector<NameId> map(Operand width, const std::vector<NameId>& arrays,
                          const BodyFunction& build, std::string_view base = "ys");
  /// A map over the indices 0 … width-1.
  std::vector<NameId> map_indices(Operand width, const BodyFunction& build,
                                  std::string_view base = "ys");
  std::vector<NameId> reduce(Operand width, const std::vector<NameId>& arrays, ReduceOperator op,
                             std::string_view base = "r");
  std::vector<NameId> scan(Operand width, const std::vector<NameId>& arrays, ScanOperator op,
                           std::string_view base = "s");
  /// if condition then … else …; both branches must give the same types.
  std::vector<NameId> branch(Operand condition,
                             const std::function<std::vector<Operand>(Builder&)>& then_build,
                             const std::function<std::vector<Operand>(Builder&)>& else_build,
                             std::string_view base = "b");

  /// A builder for a nested scope, with this one's location and tokens.
  Builder nested() const;
  const std::vector<Statement>& statements() const { return statements_; }
  /// The statements so far, leaving the builder empty.
  std::vector<Statement> take();
  Body take_body(std::vector<Operand> results);

 private:
  Names* names_;
  std::vector<Statement> statements_;
  std::vector<NameId> tokens_;
  LocationId location_;
};

/// x + y at `element`, as an operator (element-wise over `shape` if there is one); with the
/// matching zero: what adjoints are summed with.
Lambda addition(ScalarType element, const std::vector<Operand>& shape, Names& names);
/// The identity on values of these types.
Lambda identity_lambda(const std::vector<Type>& types, Names& names);

}  // namespace dagaz::ir
