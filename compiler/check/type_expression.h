// Written types to types.  The same walk serves twice: without sizes, resolving names, while types
// are inferred; and with sizes, when all types are known.
#pragma once

#include <vector>

#include "check/context.h"
#include "check/scope.h"

namespace dagaz::check {

/// What a written type means.
struct WrittenType {
  const Type* type = nullptr;
  /// Sizes left open in the value itself: `[]`, `?[n].`, sizes hidden by an abbreviation.
  std::vector<BindingId> existentials;
  /// Sizes left open in parameters of functions.
  std::vector<BindingId> anonymous;
  ast::Liftedness liftedness = ast::Liftedness::unlifted;
};

/// How size expressions inside a type are treated.
class SizeReader {
 public:
  virtual ~SizeReader() = default;
  /// The size that `exp` is.
  virtual const Size* read(ast::Exp& exp) = 0;
};

class TypeExpressions {
 public:
  enum class Pass { resolve_names, with_sizes };
  TypeExpressions(Context& context, Scope& scope, SizeReader& sizes, Pass pass)
      : context_(context), scope_(scope), sizes_(sizes), pass_(pass) {}

  WrittenType evaluate(ast::TypeExp& exp);
  /// Whether a type was named whose definition has an error.
  bool met_unusable() const { return met_unusable_; }

 private:
  using Liftedness = ast::Liftedness;

  void evaluate_name(ast::TypeName& name, WrittenType& result, const Range& range);
  void evaluate_tuple(const ast::TupleType& tuple, WrittenType& result);
  void evaluate_record(const ast::RecordType& record, WrittenType& result, const Range& range);
  void evaluate_sum(const ast::SumType& sum, WrittenType& result, const Range& range);
  void evaluate_array(const ast::ArrayType& array, WrittenType& result);
  void evaluate_unique(const ast::UniqueType& unique, WrittenType& result, const Range& range);
  void evaluate_arrow(ast::ArrowType& arrow, WrittenType& result);
  void check_distinct_parameters(const ast::ArrowType& arrow);
  void evaluate_existential(ast::ExistentialType& existential, WrittenType& result);
  void evaluate_application(ast::TypeApplication& application, WrittenType& result,
                            const Range& range);
  /// Evaluates a component and adds what it leaves open to `whole`.
  const Type* component(ast::TypeExp& exp, WrittenType& whole);
  const Size* dimension(const ast::Dimension& dimension, std::vector<BindingId>& open);
  /// The type that `id` applied to `arguments` is.
  void expand(TypeNameId id, std::vector<std::variant<const Size*, const Type*>> arguments,
              WrittenType& result);
  bool lookup(ast::TypeName& name);
  void report(DiagnosticKind kind, const Range& range, std::string message);

  Context& context_;
  Scope& scope_;
  SizeReader& sizes_;
  Pass pass_;
  bool met_unusable_ = false;
};

}  // namespace dagaz::check
