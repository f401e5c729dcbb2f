// What a simplification rule is, and the laws that every rule obeys.
//
// The simplifier walks a function once in order of execution, and offers each statement to the
// rules of its operation.  By then all operands are simplified, and so are nested scopes.  A rule
// changes the operation in place (`rewritten`), gives operands that stand for the results
// (`replaced`), or does nothing (`none`).
//
// Laws:
//  1. A rule preserves the value exactly; on floats too (x + 0 is not x when x is -0).  Powers,
//  whose
//     values are approximations anyway, stay within 2 ulp (power_rules.cpp).
//  2. It never makes the program slower or larger beyond a constant.
//  3. It terminates: each rule shrinks the operation, moves it towards a normal form (constants on
//     the right, fewest views), or removes a use of a view.
//  4. It keeps guards: a statement that looks through a definition takes over the definition's
//     tokens (`look_through`); what may fail is not evaluated where it was not before.
//  5. It respects consumption: no new use of an array that is consumed, no new sharing of memory
//     that is consumed or that leaves the function.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/ops.h"
#include "ir/program.h"
#include "support/match.h"

namespace dagaz::passes {

using namespace ir;  // NOLINT: private header of the rules

class Simplifier;

enum class Outcome { none, rewritten, replaced };

/// What rules see of the simplifier, for one statement.
class Rules {
 public:
  explicit Rules(Simplifier& simplifier) : simplifier_(simplifier) {}

  // What is known.
  Names& names() const;
  const Type& type(NameId name) const { return names().type(name); }
  Type type(const Operand& operand) const { return names().type(operand); }
  /// The statement that binds `operand`, if it is known and still in place.  Emitting anything
  /// may move it: copy what is needed first.
  const Statement* definition(const Operand& operand) const;
  /// Its operation, if it is a T.
  template <typename T>
  const T* defined_as(const Operand& operand) const {
    const Statement* source = definition(operand);
    return source == nullptr ? nullptr : as<T>(source->operation);
  }
  /// Uses of a name in the function, never too few.
  int uses(NameId name) const;
  /// Whether `operand` may stand for `name` without sharing memory in new ways.
  bool may_stand_for(const Operand& operand, NameId name) const;
  bool may_be_consumed(NameId name) const;
  /// Whether a name used in the statement's scopes is bound outside them.
  bool is_bound_outside_scopes(NameId name) const;
  /// Whether it is bound in the body of a map around, or is one of its parameters.
  bool is_bound_in_a_map(NameId name) const;
  /// Whether derivatives are still to be made of this code, or may be.
  bool is_to_be_differentiated() const;
  /// Whether the name was bound in the same run of the same scope.
  bool in_current_scope(NameId name) const;
  /// What is known about integers: proofs of 0 ≤ x and x < y.
  bool is_known_nonnegative(const Operand& operand) const;
  bool is_known_less(const Operand& a, const Operand& b) const;
  bool is_known_less_or_equal(const Operand& a, const Operand& b) const;

  // What rules do.
  /// Adds a scalar operation in front of the statement, simplified.
  Operand scalar(ScalarOp op, ScalarType type, std::vector<Operand> arguments,
                 std::string_view base = "t");
  Operand convert(ScalarOp op, ScalarType from, ScalarType to, Operand value);
  /// Adds an operation with one result in front of the statement, with its tokens and location.
  Operand emit(Operation operation, std::string_view base);
  std::vector<Operand> emit_results(Operation operation, std::string_view base);
  /// The same for an array that will stand for `name`: whoever writes that will write this.
  Operand emit_in_place_of(NameId name, Operation operation);
  /// A new parameter for a scope of the statement.
  NameId fresh_parameter(const std::string& base, Type type);
  /// Adds the statements of a scope in front of the statement, its parameters replaced; gives its
  /// results.  The scope's names must not be bound elsewhere any more.
  std::vector<Operand> inline_body(Body body, const std::vector<NameId>& parameters,
                                   const std::vector<Operand>& arguments);
  /// Nothing is known about the memory of what `body` binds: it is new code.
  void assume_written(const Body& body);
  /// The statement now also depends on what guards the definition of `name`.
  void look_through(NameId name);
  /// Whether what guards the statement also guards `operand`, so that one may stand for the other.
  bool is_guarded_like_statement(const Operand& operand) const;
  /// Lets `operands` stand for the statement's results; what they lack of its guards is added.
  Outcome replace(const std::vector<Operand>& operands);
  Outcome replace(const Operand& operand) { return replace(std::vector<Operand>{operand}); }
  /// The same for one result, which has to be removed from the statement.
  void replace_result(NameId result, const Operand& operand);
  /// Lets `operand` stand for a name that is bound inside, or for a result without guards.
  void replace_name(NameId name, const Operand& operand);

  Statement* statement = nullptr;

 private:
  std::vector<Operand> process(Statement added);
  void record_aliases(const Statement& added);

  Simplifier& simplifier_;
};

inline bool is_i64(const Operand& operand, std::int64_t value) {
  return operand == i64_operand(value);
}
inline bool is_constant_bool(const Operand& operand, bool value) {
  return operand == Operand(make_bool(value));
}

/// Powers whose exponent is a constant, and those of two (power_rules.cpp).
Outcome constant_powers(Scalar& node, Rules& rules);

/// Maps between reshapes (reshaped_maps.cpp).
Outcome reshaped_map(Reshape& node, Rules& rules);

/// Loops that write each element of an array once (loops_as_maps.cpp).
Outcome loop_as_map(Loop& node, Rules& rules);

/// Elements at one place of all rows (steady_reads.cpp).
Outcome steady_reads(MapScanReduce& node, Rules& rules);

// Values that are the same for all elements (equal_elements.cpp).
Outcome reductions_of_equal(MapScanReduce& node, Rules& rules);
Outcome scan_of_equal(MapScanReduce& node, Rules& rules);

// Arrays of a few elements (small_array_rules.cpp).
/// Overwriting an element of a small literal at a known position gives another literal; likewise
/// parts and copies of small literals.
Outcome update_of_literal(const Update& node, Rules& rules);
Outcome slice_of_literal(const Slice& node, Rules& rules);
Outcome copy_of_literal(const Copy& node, Rules& rules);

// The rules of each operation: before its scopes are simplified (known conditions, trip
// counts and inputs), and after.
Outcome apply_before(Branch& node, Rules& rules);
Outcome apply_before(Loop& node, Rules& rules);
Outcome apply_before(MapScanReduce& node, Rules& rules);
Outcome apply_before(Histogram& node, Rules& rules);
Outcome apply_before(Scatter& node, Rules& rules);
Outcome apply_before(FlatMap& node, Rules& rules);

Outcome apply(Identity& node, Rules& rules);
Outcome apply(Scalar& node, Rules& rules);
Outcome apply(Assert& node, Rules& rules);
Outcome apply(Index& node, Rules& rules);
Outcome apply(Slice& node, Rules& rules);
Outcome apply(Update& node, Rules& rules);
Outcome apply(ArrayLiteral& node, Rules& rules);
Outcome apply(Iota& node, Rules& rules);
Outcome apply(Replicate& node, Rules& rules);
Outcome apply(Concat& node, Rules& rules);
Outcome apply(Reshape& node, Rules& rules);
Outcome apply(Permute& node, Rules& rules);
Outcome apply(Copy& node, Rules& rules);
Outcome apply(Branch& node, Rules& rules);
Outcome apply(Loop& node, Rules& rules);
Outcome apply(MapScanReduce& node, Rules& rules);
Outcome apply(Histogram& node, Rules& rules);
Outcome apply(Scatter& node, Rules& rules);
Outcome apply(FlatMap& node, Rules& rules);

}  // namespace dagaz::passes
