// Sizes of one definition, inferred when the types without sizes are known.  One walk gives each
// expression its type with sizes; where two types must be equal their sizes are unified.  A size
// that no size in scope can express becomes an unknown size: a new name, listed in
// `existentials` of the expression that computes it.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "check/context.h"
#include "check/infer.h"
#include "check/rewrite.h"
#include "check/size_solver.h"
#include "check/size_tools.h"
#include "check/type_expression.h"

namespace dagaz::check {

/// Why two types must be equal, for messages.
enum class Site {
  argument, ascription, coercion, result, pattern, array_element, range, update, loop_initial,
  loop_body, constructor, empty_array, other
};

class Sizes : private SizeReader {
 public:
  Sizes(Context& context, Scope& scope);

  /// Infers the sizes of a definition and fills all slots of its tree.  `inferred` are the type
  /// parameters besides the written ones.  Returns its scheme, or null after errors.
  const Scheme* check_definition(ast::Function& function, const ast::Name& name, BindingId id,
                                 const std::vector<TypeNameId>& inferred, bool is_recursive);
  /// The same for a definition in which type inference failed at `broken`: reports what is wrong
  /// with the sizes of the rest.
  void check_rest(ast::Function& function, const ast::Name& name, BindingId id,
                  bool is_recursive, const BrokenExpressions& broken);
  /// Reads a written type outside of any definition.
  WrittenType check_type(ast::TypeExp& type);

 private:
  using Liftedness = ast::Liftedness;
  using Names = std::vector<BindingId>;

  const Size* read(ast::Exp& exp) override;

  // size_expression.cpp: sets and returns Exp::type.
  const Type* check(ast::Exp& exp);
  const Type* check_node(ast::Exp& exp);
  const Type* check_record(ast::Record& record);
  const Type* check_array(ast::ArrayLiteral& array, ast::Exp& exp);
  const Type* check_range(ast::RangeExp& range, ast::Exp& exp);
  const Type* check_project(const ast::Project& project);
  const Type* check_construct(ast::Construct& construct, ast::Exp& exp);
  const Type* check_ascription(ast::Ascription& ascription);
  const Type* check_coercion(ast::Coercion& coercion, const Range& range);
  const Type* field(const Type* record, Symbol name);
  /// The size `end - start`, or `end - start + 1`.
  const Size* difference(ast::Exp* end, ast::Exp* start, bool inclusive);
  ast::Exp* operator_exp(std::string_view name, const Range& range);

  // size_slice.cpp
  enum class Slicing { exact, flexible };
  const Type* slice(const Type* array, const std::vector<ast::IndexDimension>& dimensions,
                    Slicing slicing, const Range& range, Names* created);
  const Size* slice_size(const Size* size, const ast::IndexDimension& dimension, Slicing slicing,
                         const Range& range, Names* created);
  const Size* unless_binding(std::initializer_list<const ast::Exp*> parts, const Range& range,
                             const std::function<const Size*()>& known, Names* created);
  void check_dimensions(std::vector<ast::IndexDimension>& dimensions);
  const Type* check_index(ast::Index& index, ast::Exp& exp);
  const Type* check_update(ast::Update& update);
  const Type* update_fields(const Type* type, const std::vector<ast::PathStep>& path,
                            std::size_t step, const Type* value, const Range& range);
  const Type* check_path_section(ast::PathSection& section, const ast::Exp& exp);

  // size_binding.cpp
  const Type* check_lets(ast::Exp& exp);
  void check_let(ast::Let& let, bool broken);
  void leave_let(ast::Exp& exp);
  void check_let_function(ast::LetFunction& let);
  const Type* check_lambda(ast::Lambda& lambda, ast::Exp& exp);
  const Type* check_if(ast::If& e, ast::Exp& exp);
  const Type* check_match(ast::Match& e, ast::Exp& exp);
  const Type* branches(const Type* a, const Type* b, const Range& range, Names& created);
  Names hidden_names(const std::vector<ast::Pattern*>& parameters);
  const Type* check_body(ast::Function& function, const Type* declared);
  const Type* function_type(const std::vector<ast::Pattern*>& parameters, const Type* result,
                            const Names& existentials);
  void verify_parameters(const std::vector<ast::Pattern*>& parameters);
  /// Sizes that the arguments of a function of type `function` tell.
  Names size_names_of_parameters(const Type* function);
  void bind_type_parameters(const std::vector<ast::TypeParameter>& parameters);
  void check_parameters(ast::Function& function);
  const Scheme* check_binding(ast::Function& function, Symbol name, const Range& range,
                              BindingId id, const std::vector<TypeNameId>& inferred,
                              bool is_recursive);

  // size_pattern.cpp
  /// Checks `pattern` against `expected` (null: nothing is known) and returns its type.
  const Type* check_pattern(ast::Pattern& pattern, const Type* expected);
  const Type* check_pattern_node(ast::Pattern& pattern, const Type* expected);
  void bind_pattern(ast::Pattern& pattern);
  /// A pattern with sizes `[n]` bound by it.
  void check_sized_pattern(const std::vector<ast::TypeParameter>& sizes, ast::Pattern& pattern,
                           const Type* expected);

  // size_causality.cpp
  class Causality;
  void check_causality(const ast::Exp& body);

  // size_loop.cpp
  class LoopSizes;
  const Type* check_loop(ast::Loop& loop, ast::Exp& exp);

  // size_application.cpp
  const Type* check_variable(ast::Variable& variable, ast::Exp& exp);
  const Type* instantiate(ast::Variable& variable, const Scheme& scheme, const Range& range);
  const Type* check_apply(ast::Apply& apply, ast::Exp& exp);
  const Type* check_binary(ast::Binary& binary, ast::Exp& exp);
  const Type* check_left_section(ast::LeftSection& section, ast::Exp& exp);
  const Type* check_right_section(ast::RightSection& section, ast::Exp& exp);
  const Type* check_broadcast(ast::Broadcast& broadcast, ast::Exp& exp);
  /// The type of applying a function of type `function` to `argument`.
  const Type* apply(const Type* function, ast::Exp* argument, const Type* argument_type,
                    const ast::Exp* callee, const Range& range, Names& created);
  using Shapes = std::vector<std::vector<const Size*>>;
  /// The shape of a broadcast's result: the first operand that is not stretched in a dimension
  /// decides its size.  False where the operands do not fit.
  bool plan_shape(const ast::Broadcast& e, const Shapes& shapes, BroadcastPlan& plan);
  void report_shapes(const ast::Broadcast& e, const Shapes& shapes, std::size_t culprit,
                     const Size* found, const Size* wanted, const Range& range);
  bool hint_at_rows_of_one(Diagnostic& d, const ast::Broadcast& e, const Shapes& shapes);
  const Type* with_new_existentials(const Type* type, const Names& existentials,
                                    const ast::Exp* callee, const Range& range, Names& created);

  // size_scope.cpp
  /// Replaces sizes for which `is_killed` gives a reason by new unknown sizes.
  const Type* hide_sizes(const Type* type, const std::function<bool(const Size*)>& is_killed,
                         const Range& range, const char* why, Names& created);
  /// Replaces sizes that mention one of `names`.
  const Type* leave_scope(const Type* type, const Names& names, const Range& range,
                          Names& created);
  const Type* hide_unknown(const Type* type);
  const Type* hide_pending(const Type* type, const Range& range, Names& created);

  // size_generalise.cpp
  void collapse_instances(int min_level);
  const Scheme* generalise(ast::Function& function, Symbol name, const Range& range,
                           const std::vector<TypeNameId>& inferred, const Type* result);
  const Type* place_existentials(const Names& names, const Type* type, Names& here);
  void report_ambiguous();
  void finish_function(ast::Function& function);
  void finish_pattern(ast::Pattern& pattern);
  void finish_type_exp(ast::TypeExp& type);
  void finish(ast::Exp& exp);
  void finish_node(ast::Exp& exp);
  void finish_size_expressions(const Type* type);
  void finish_size_expressions(const Size* size);
  const Size* finish_size(const Size* size);
  const Size* without_pending(const Size* size);
  const Type* without_pending(const Type* type);
  const Type* finish_type(const Type* type);

  bool unify(const Type* expected, const Type* actual, const Range& range, Site site,
             const ast::Exp* callee = nullptr);
  void report_mismatch(const Type* expected, const Type* actual, const Range& range, Site site,
                       const ast::Exp* callee);
  void explain_size(Diagnostic& d, const Size* size);
  const ast::Exp* argument_with(const Size* size);
  void explain_equation(Diagnostic& d, const Size* expected, const Size* actual, Site site);
  std::string distinguish(const Type* expected, const Type* actual);
  void hint_at_sizes(Diagnostic& d, const Type* actual, Site site);
  const Type* normal(const Type* type) { return solver_.normal(type); }
  const Type* fresh_sizes(const Type* type, const Range& range, Liftedness absorbs);
  WrittenType written(ast::TypeExp& type, Names* open = nullptr, bool of_parameter = false);
  bool is_broken(const ast::Exp& exp) const {
    return broken_ != nullptr && broken_->contains(&exp);
  }
  bool has_broken_part(const ast::Exp& exp) const;
  const Type* check_broken(ast::Exp& exp);
  /// The size that `exp` denotes; any size if a part of it is broken.
  const Size* size_of(const ast::Exp* exp) const;
  Diagnostic& error(DiagnosticKind kind, const Range& range, std::string message);

  Context& context_;
  SizeSolver solver_;
  TypeExpressions type_expressions_;
  /// Whether the result of the function generalised last has existential sizes.
  bool has_open_result_ = false;
  /// While a pattern that binds sizes is matched: what they stand for in the value.
  Substitution* bound_sizes_ = nullptr;
  /// While a function is applied: the arguments before, and their types.
  std::vector<std::pair<const ast::Exp*, const Type*>> earlier_arguments_;
  /// Expressions inside sizes that have their final types.
  std::unordered_set<const ast::Exp*> finished_;
  /// Null unless type inference failed; diagnostics that may be caused by that go to `dropped_`.
  const BrokenExpressions* broken_ = nullptr;
  Diagnostics dropped_;
};

}  // namespace dagaz::check
