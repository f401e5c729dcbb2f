// The printer behind ast_print.h.  A part that is not self-contained where it stands is put in
// parentheses, without regard to precedence.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/name_table.h"
#include "support/text_writer.h"
#include "syntax/ast.h"
#include "syntax/ast_print.h"

namespace dagaz::ast {

class Printer {
 public:
  explicit Printer(const NameTable& names, const Notes* notes = nullptr)
      : names_(names), notes_(notes) {}

  void file(const File& file);
  void declaration(const Declaration& declaration);
  void expression(const Exp& exp);
  void pattern(const Pattern& pattern);
  void type(const TypeExp& type);
  std::string take() { return out_.take(); }

 private:
  // ---- names
  std::string_view text(Symbol symbol) const { return names_.text(symbol); }
  static bool is_operator(std::string_view spelling);
  void qualified(const QualifiedName& name);
  /// With parentheses if it is an operator.
  void binding(const Name& name);
  void infix(const Exp& operation);
  void attribute(const Attribute& attribute);
  template <typename List, typename F>
  void separated(const List& list, std::string_view separator, const F& print_item);

  // ---- expressions
  /// In parentheses unless it is an atom.
  void operand(const Exp& exp);
  /// In parentheses if it could swallow what follows.
  void closed(const Exp& exp);
  void let_chain(const Exp& exp);
  void if_chain(const Exp& exp);
  void binary_chain(const Exp& exp);
  void simple(const Exp& exp);
  void list(std::string_view open, const std::vector<Exp*>& items, std::string_view close);
  void local_open(const LocalOpen& open);
  void record(const Record& record);
  void projection(const Project& project);
  void update(const Update& update);
  void section(const Exp& exp);
  void integer(const IntegerLiteral& literal);
  void real(const FloatLiteral& literal);
  void string(const StringLiteral& literal);
  void postfix_base(const Exp& exp);
  void application(const Apply& apply);
  void lambda(const Lambda& lambda);
  bool broadcast_section(const Lambda& lambda);
  void broadcast(const Broadcast& broadcast);
  void loop(const Loop& loop);
  void match_expression(const Match& match);
  void path(const std::vector<PathStep>& path, bool is_section);
  void dimensions(const std::vector<IndexDimension>& dimensions);
  void range(const RangeExp& range);

  // ---- functions, patterns, types
  /// A comment with the type of what is defined next.
  void note_scheme(const Name& name, const check::Scheme* scheme);
  /// What stands behind a name in a pattern: its type, if that is printed.
  void note_type(const check::Type* type);
  void function_head(const Function& function);
  void parameter(const Pattern& pattern);
  void type_parameter(const TypeParameter& parameter);
  void type_parameters(const std::vector<TypeParameter>& parameters);
  void dimension(const Dimension& dimension);
  /// In parentheses if it has an arrow or `?` at the top.
  void type_term(const TypeExp& type);
  /// In parentheses unless it is a name, tuple or record.
  void type_primary(const TypeExp& type);

  // ---- declarations and modules
  void documentation(const std::string& documentation);
  void value(const ValueDeclaration& value);
  void declarations(const std::vector<Declaration*>& declarations);
  void module(const ModuleExp& module);
  void module_atom(const ModuleExp& module);
  void module_parameter(const ModuleParameter& parameter);
  void signature(const SignatureExp& signature);
  void simple_signature(const SignatureExp& signature);
  void spec(const Spec& spec);
  void liftedness(Liftedness liftedness);

  const NameTable& names_;
  const Notes* notes_;  // null: print the program as it was written
  TextWriter out_;
};

template <typename List, typename F>
void Printer::separated(const List& list, std::string_view separator, const F& print_item) {
  bool first = true;
  for (const auto& item : list) {
    if (!first) out_ << separator;
    first = false;
    print_item(item);
  }
}

}  // namespace dagaz::ast
