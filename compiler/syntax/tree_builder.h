// What the grammar's actions need beyond making a node: operator precedence, application lists,
// let chains, qualified names.  Operators are not in the grammar because a user operator has the
// precedence of its longest built-in prefix; a row of operands and operators is put into a tree
// here, with an explicit stack, so that its length is no danger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/diagnostic.h"
#include "support/name_table.h"
#include "syntax/ast.h"
#include "syntax/trivia.h"

namespace dagaz::syntax {

/// A decimal number, which may also be a field name.
struct Natural {
  ast::Name spelling;
  ast::IntegerLiteral literal;
};

/// What stands between two operands of a row.
struct RowOperator {
  enum class Kind { binary, broadcast, backtick, update, two_dots, range };
  Kind kind;
  Range range;
  ast::Exp* operation = nullptr;                           // binary, broadcast, backtick
  std::vector<ast::PathStep> path = {};                    // update
  ast::RangeEnd range_end = ast::RangeEnd::inclusive;      // range
};

/// `a + b * c …`: one operand more than operators.
struct OperandRow {
  std::vector<ast::Exp*> operands;
  std::vector<RowOperator> operators;
};

struct IfHead {
  Range range;
  ast::Exp* condition;
  ast::Exp* then_branch;
};

class TreeBuilder {
 public:
  /// `text` is that of the whole file.  Parentheses go to `trivia` unless it is null.
  TreeBuilder(std::string_view text, ast::Arena& arena, NameTable& names,
              Diagnostics& diagnostics, Trivia* trivia)
      : text_(text), arena_(arena), names_(names), diagnostics_(diagnostics), trivia_(trivia) {}

  template <typename Node>
  ast::Exp* exp(const Range& range, Node node) {
    return arena_.make(ast::Exp{range, std::move(node)});
  }
  template <typename Node>
  ast::Pattern* pattern(const Range& range, Node node) {
    return arena_.make(ast::Pattern{range, std::move(node)});
  }
  template <typename Node>
  ast::TypeExp* type(const Range& range, Node node) {
    return arena_.make(ast::TypeExp{range, std::move(node)});
  }
  template <typename Node>
  ast::ModuleExp* module(const Range& range, Node node) {
    return arena_.make(ast::ModuleExp{range, std::move(node)});
  }
  template <typename Node>
  ast::SignatureExp* signature(const Range& range, Node node) {
    return arena_.make(ast::SignatureExp{range, std::move(node)});
  }
  template <typename Node>
  ast::Declaration* declaration(const Range& range, Node node) {
    return arena_.make(ast::Declaration{range, {}, {}, std::move(node)});
  }

  ast::Name name(std::string_view spelling, const Range& range) {
    return {names_.intern(spelling), range};
  }
  /// The node, which now covers the parentheses around it.
  template <typename Node>
  Node* parenthesised(const Range& range, Node* node) {
    if (trivia_ != nullptr) trivia_->parentheses[node].push_back(node->range);
    node->range = range;
    return node;
  }

  ast::QualifiedName operator_name(std::string_view spelling, const Range& range) {
    return {{}, name(spelling, range), range};
  }
  ast::Exp* variable(ast::QualifiedName name);
  /// The name if it has no qualifiers; otherwise reports, because a binding cannot have any.
  ast::Name binding_name(const ast::QualifiedName& name);

  /// `f a b c`; a constructor at the head takes the arguments.
  ast::Exp* application(const Range& range, std::vector<ast::Exp*> items);
  ast::Exp* attributed(const Range& range, ast::Attribute attribute, ast::Exp* value);
  /// `atom.field`: extends a qualified name, or selects from a record.
  ast::Exp* select(const Range& range, ast::Exp* atom, ast::Name field);
  /// `M.(body)`; reports if `atom` is not a name.
  ast::Exp* local_open(const Range& range, ast::Exp* atom, ast::Exp* body);

  ast::Exp* row(OperandRow row);
  ast::Exp* operator_section(const Range& range, RowOperator operation);
  ast::Exp* left_section(const Range& range, OperandRow row, RowOperator operation);
  ast::Exp* right_section(const Range& range, RowOperator operation, ast::Exp* right);

  /// Each head is a Let or LetFunction without its body.
  ast::Exp* let_chain(const std::vector<ast::Exp*>& heads, ast::Exp* body);
  ast::Exp* if_chain(std::vector<IfHead> heads, ast::Exp* last);
  /// `let x.f[i] = value`, as a let head.
  ast::Exp* let_update(const Range& range, ast::Name name, std::vector<ast::PathStep> path,
                       ast::Exp* value);
  /// The names of a loop's pattern as the expression of their initial values.
  ast::Exp* pattern_as_expression(const ast::Pattern& pattern);

 private:
  ast::Exp* binary(RowOperator& operation, ast::Exp* left, ast::Exp* right);
  ast::Exp* resolve(OperandRow& row, std::size_t first, std::size_t last);
  int precedence(const RowOperator& operation) const;
  static const ast::QualifiedName& operator_name(const RowOperator& operation);
  /// Whether an expression that does not itself begin with a parenthesis stands in one.  The
  /// range of an expression includes its parentheses.
  bool in_parentheses(const ast::Exp& exp) const { return text_[exp.range.begin] == '('; }
  bool is_plain_variable(const ast::Exp& exp) const;
  ast::Exp* broadcast_section(const Range& range, RowOperator operation, ast::Exp* left,
                              ast::Exp* right);

  std::string_view text_;
  ast::Arena& arena_;
  NameTable& names_;
  Diagnostics& diagnostics_;
  Trivia* trivia_;
};

/// How tightly an operator binds (greater binds tighter), by its longest built-in prefix.
int operator_precedence(std::string_view spelling);
/// Whether operators of this precedence associate to the right.
bool is_right_associative(int precedence);

/// The spellings of the parameters that stand for the missing operands of a section of a
/// broadcast operator.  No program can write them.
inline constexpr std::string_view left_operand_name = "(left)";
inline constexpr std::string_view right_operand_name = "(right)";

}  // namespace dagaz::syntax
