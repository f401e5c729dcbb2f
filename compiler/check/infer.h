// Types without sizes: names are resolved, every expression gets a type, and uses of polymorphic
// values get their type arguments.  Sizes come afterwards (sizes.h), when all types are known, so
// that the order of the program text matters for neither.
//
// A mistake is reported where it is found; the expression then has a type of which nothing is
// known, so that one mistake gives one message.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "check/context.h"
#include "check/scope.h"
#include "check/type_expression.h"
#include "check/type_solver.h"

namespace dagaz::check {

using BrokenExpressions = std::unordered_set<const ast::Exp*>;

class Inference : private SizeReader {
 public:
  Inference(Context& context, Scope& scope);

  /// What a definition generalises to, besides what is written.
  struct Generalised {
    std::vector<TypeNameId> type_parameters;
    bool is_recursive = false;
  };

  /// Infers the definition of `name`, which is in scope in `function` if it has parameters and
  /// `may_recur`.  Afterwards all types in it are resolved.
  Generalised infer_definition(ast::Function& function, const ast::Name& name, BindingId id,
                               bool may_recur);
  /// Forgets what the names stand for, so that the definition can be inferred once more.
  void forget_names();
  /// Whether what was inferred cannot be used further.
  bool failed() const { return poisoned_; }
  /// After a failure: the expressions at whose own level it lies.  All others have types that fit
  /// together.  Null if a failure lies outside of any expression.
  const BrokenExpressions* broken() const { return all_broken_ ? nullptr : &broken_; }
  /// Resolves the names of a written type outside of any definition.
  WrittenType infer_type(ast::TypeExp& type);

 private:
  using Liftedness = ast::Liftedness;

  const Size* read(ast::Exp& exp) override;

  // infer_expression.cpp
  const Type* infer(ast::Exp& exp);
  const Type* infer_node(ast::Exp& exp);
  const Type* infer_literal(ast::LiteralSuffix suffix, PrimitiveSet allowed, const Range& range);
  const Type* infer_hole(const Range& range);
  std::vector<const Type*> infer_all(const std::vector<ast::Exp*>& exps);
  const Type* infer_construct(ast::Construct& e, const Range& range);
  const Type* infer_attributed(ast::Attributed& e, ast::Exp& exp);
  const Type* infer_record(ast::Record& record);
  const Type* infer_array(ast::ArrayLiteral& array);
  const Type* infer_range(ast::RangeExp& range);
  const Type* infer_index(ast::Index& index);
  const Type* infer_update(ast::Update& update);
  const Type* infer_path_section(ast::PathSection& section, const Range& range);
  const Type* infer_project(ast::Project& project, const Range& range);
  const Type* infer_ascription(ast::Exp& value, ast::TypeExp& type);
  const Type* infer_lambda(ast::Lambda& lambda);
  const Type* infer_lets(ast::Exp& exp);
  void infer_let(ast::Let& let);
  void infer_let_function(ast::LetFunction& let);
  const Type* infer_if(ast::If& e);
  const Type* infer_match(ast::Match& match);
  const Type* infer_loop(ast::Loop& loop);
  void infer_dimensions(std::vector<ast::IndexDimension>& dimensions);
  /// Demands that following `path` in a value of type `source` leads to a `target`.
  void follow_path(const Type* source, std::vector<ast::PathStep>& path, const Type* target);
  const Type* array_of_rank(std::size_t rank, const Type* element);
  void require(ast::Exp& exp, PrimitiveSet allowed, const char* use);
  void require_type(ast::Exp& exp, const Type* type, const char* use);

  // infer_application.cpp
  const Type* infer_variable(ast::Exp& exp);
  void resolve_projections(ast::Exp& exp, std::size_t first_field);
  const Type* instantiate(ast::Variable& variable, const Range& range);
  const Type* infer_apply(ast::Exp& exp);
  /// The type of an application to one argument; null after a diagnostic.
  const Type* apply(const Type* function, const Type* argument, const ast::Exp* function_exp,
                    const ast::Exp* argument_exp, std::size_t position, const Range& range);
  void forget_consequences(const Diagnostics::Mark& before_parts,
                           const Diagnostics::Mark& after_parts);
  bool refuse_derivative(const ast::Apply& apply, const Type* function);
  const Type* infer_binary(ast::Binary& binary, const Range& range);
  bool refuse_fat_arrow(ast::Binary& binary);
  void hint_at_operator(Diagnostic& d, const ast::Binary& binary);
  const Type* infer_left_section(ast::LeftSection& section, const Range& range);
  const Type* infer_right_section(ast::RightSection& section, const Range& range);
  const Type* infer_local_open(ast::Exp& exp);
  const Type* infer_broadcast(ast::Exp& exp);

  // infer_pattern.cpp
  /// The type of `pattern`; its names get ids and types but are not in scope yet.
  const Type* infer_pattern(ast::Pattern& pattern);
  const Type* infer_record_pattern(ast::RecordPattern& pattern, const Range& range);
  void bind_names(ast::Pattern& pattern);
  void check_distinct(const std::vector<ast::TypeParameter>& parameters,
                      const std::vector<ast::Pattern*>& patterns);
  void bind_type_parameters(std::vector<ast::TypeParameter>& parameters);
  /// Infers parameters and body; returns the type of the function.
  const Type* infer_function(ast::Function& function);
  const Type* result_type(ast::Function& function, const Type* body);
  WrittenType written(ast::TypeExp& type);

  // infer_definition.cpp
  void retry_broadcasts();
  bool try_broadcast(ast::Exp& exp, const Type* result);
  void hint_at_rows(Diagnostic& d, const ast::Broadcast& broadcast);
  void report_missing_operands(const ast::Broadcast& broadcast, const Type* rest);
  void report_broadcasts();
  void check_instances();
  void check_instance(const Type* type, Liftedness allowed, const Range& range, Symbol name);
  void report_ambiguous();
  void report_unused();
  /// What is not wrong but cannot be meant to stay: holes, attributes without effect.
  void report_unfinished();
  void generalise(const Type* type, Generalised& result);
  void default_primitives(const Type* type);
  void finish_types(ast::Exp& exp);
  void finish_function(ast::Function& function);
  void finish_pattern(ast::Pattern& pattern);
  const Type* finish(const Type* type);

  // Diagnostics.
  const Type* unusable(const Range& range) {
    poisoned_ = true;
    mark_broken();
    return solver_.fresh(range);
  }
  void mark_broken() {
    if (current_ == nullptr) {
      all_broken_ = true;
    } else {
      broken_.insert(current_);
    }
  }
  /// Adds to `d` why the types equated last differ, and what can be done about it.
  void explain(Diagnostic& d, const Type* actual, const Type* expected,
               bool of_operator = false);
  /// A constructor that is spelt nearly as one of the type that is expected.
  void hint_at_constructors(Diagnostic& d, const Type* actual, const Type* expected);
  void hint_at_fields(Diagnostic& d, const Type* record, const ast::Name& field);
  Diagnostic& error(DiagnosticKind kind, const Range& range, std::string message);
  /// Equates or reports that `exp` has the wrong type.
  bool expect(const Type* actual, const Type* expected, const Range& range, std::string what);
  std::string text(const Type* type) const { return solver_.print(type); }

  Context& context_;
  Scope& scope_;
  TypeSolver solver_;
  TypeExpressions type_expressions_;

  struct Instantiation {
    Range range;
    Symbol name;
    Liftedness allowed;
    const Type* type;
  };
  std::vector<Instantiation> instantiations_;
  /// Broadcasts whose operands' ranks were not known when they were met.
  struct Pending { ast::Exp* exp; const Type* result; };
  std::vector<Pending> pending_;
  /// Sizes in written types, which no walk over expressions meets.
  std::vector<ast::Exp*> size_expressions_;
  std::vector<BindingId> bound_;  // local names
  std::vector<ast::Exp*> resolved_;  // variables
  struct OpenHole { Range range; const Type* type; };
  std::vector<OpenHole> holes_;
  std::vector<const ast::Exp*> attributed_;
  BindingId defining_;
  /// Something that is used has an error of its own, which has been reported.
  bool poisoned_ = false;
  const ast::Exp* current_ = nullptr;  // the expression being inferred
  BrokenExpressions broken_;
  bool all_broken_ = false;
  bool is_recursive_ = false;
};

}  // namespace dagaz::check
