// The printer behind format.h.  It walks the tree and writes its tokens in the order of the source;
// where a phrase spans several lines there, it gets its layout for several.  Each choice between
// layouts depends only on line breaks that the chosen layout has too, so that formatting twice
// changes nothing.  Comments are written when the first token behind them is due; one that stands
// behind code on its line stays there where the layout breaks the line anyway.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ast.h"
#include "tools/format/source_text.h"
#include "tools/format/writer.h"

namespace dagaz::tools {

class Formatter {
 public:
  Formatter(const SourceText& source, const NameTable& names) : source_(source), names_(names) {}
  std::string file(const ast::File& file);

 private:
  enum class Blanks { drop, keep };

  // ---- comments, lines, tokens
  bool comment_due(std::uint32_t offset) const;
  /// Writes the comments before the byte.
  void comments_before(std::uint32_t offset, Blanks blanks = Blanks::drop);
  /// Ends the line, behind a comment that stands behind code and before the byte.
  void end_line(std::uint32_t offset);
  /// Ends the line and writes the comments before the byte, where the next line begins.
  void next_line(std::uint32_t offset, Blanks blanks = Blanks::drop);
  /// A line end or a space.
  void separate(bool on_lines, std::uint32_t offset);
  /// Comments before a bracket that closes, or another token that no phrase begins with.
  void comments_before_token(std::uint32_t offset);
  void token(const Range& token);
  /// The tokens in the range, with a space behind each comma.
  void tokens(const Range& range);
  bool spans_lines(const Range& range) const { return source_.spans_lines(range); }
  /// Whether the byte stands on another line than the token before it.
  bool on_new_line(std::uint32_t offset) const;
  /// `node` without its parentheses.
  template <typename Node>
  Range inside(const Node& node) const;
  template <typename Node>
  bool in_parentheses(const Node& node) const {
    return source_.parentheses(&node) != nullptr;
  }
  /// The parentheses of `node` and, between them, what `print` writes of the range inside.
  template <typename Node, typename F>
  void with_parentheses(const Node& node, const F& print);
  /// `[a, b]` on one line or, if the range has several, an item a line.
  template <typename F>
  void list(const Range& range, const std::vector<std::uint32_t>& items, const F& print_item);

  // ---- names and functions
  void qualified(const ast::QualifiedName& name);
  /// A name that is bound, with parentheses if it is an operator.
  void binding(const ast::Name& name);
  void type_parameter(const ast::TypeParameter& parameter);
  void type_parameters(const std::vector<ast::TypeParameter>& parameters);
  void function_head(const ast::Name& name, const ast::Function& function);
  void parameters(const std::vector<ast::Pattern*>& parameters);
  /// What follows a `=` or `->`: on the next line if it spans lines or stood there.
  void bound_value(const ast::Exp& value);

  // ---- expressions
  void expression(const ast::Exp& exp);
  void bare(const ast::Exp& exp, const Range& range);
  bool is_let(const ast::Exp& exp) const;
  void let_chain(const ast::Exp& exp, const Range& range);
  void let_head(const ast::Let& let);
  void if_chain(const ast::Exp& exp, const Range& range);
  void match_expression(const ast::Match& match, const Range& range);
  void loop(const ast::Loop& loop, const Range& range);
  void loop_form(const ast::Loop& loop);
  void lambda(const ast::Lambda& lambda, const Range& range, std::size_t base);
  bool broadcast_section(const ast::Lambda& lambda);
  void application(const std::vector<ast::Exp*>& arguments, const Range& range, std::size_t base);
  void section(const ast::Exp& exp, const Range& range);
  void projection(const ast::Project& project);
  void assertion(const ast::Assert& e);
  void attributed(const ast::Attributed& e, const Range& range);
  void infix_chain(const ast::Exp& exp, const Range& range);
  /// The operator behind the byte, in backticks if it is a name.
  void infix_operator(std::uint32_t offset);
  void update(const ast::Update& update, const Range& range);
  void path(const std::vector<ast::PathStep>& path);
  void dimensions(const std::vector<ast::IndexDimension>& dimensions);
  void range(const ast::RangeExp& range);
  void prefix(std::string_view sign, const ast::Exp& operand);
  void record(const ast::Record& record, const Range& range);
  void expressions(const std::vector<ast::Exp*>& items, const Range& range);
  void local_open(const ast::LocalOpen& open, const Range& range);

  // ---- patterns and types
  void pattern(const ast::Pattern& pattern);
  void bare(const ast::Pattern& pattern, const Range& range);
  void type(const ast::TypeExp& type);
  void bare(const ast::TypeExp& type, const Range& range);
  void dimension(const ast::Dimension& dimension);
  void sum_type(const ast::SumType& sum, const Range& range);
  void arrow_type(const ast::TypeExp& type, const Range& range);
  void type_application(const ast::TypeApplication& application);

  // ---- declarations and modules
  /// Where a declaration or specification begins with its attributes.
  std::uint32_t start_with_attributes(std::uint32_t begin) const;
  void attributes_before(std::uint32_t begin, bool on_lines);
  /// `print_item(i)` for each of the ranges, blank lines between them unless both are single
  /// lines, one below the other.
  template <typename F>
  void items(const std::vector<Range>& ranges, const F& print_item);
  bool on_neighbouring_lines(const Range& previous, const Range& next) const;
  bool comment_stays_behind(std::uint32_t next) const;
  /// `{`, the items, `}`.
  template <typename F>
  void braces(const Range& range, const std::vector<Range>& ranges, const F& print_item);
  void comments_between(std::uint32_t offset);
  void declaration(const ast::Declaration& declaration);
  void bare(const ast::Declaration& declaration);
  void value(const ast::ValueDeclaration& value, const Range& range);
  void module_declaration(const ast::ModuleDeclaration& module);
  void signature_declaration(const ast::SignatureDeclaration& declaration, const Range& range);
  void module(const ast::ModuleExp& module);
  void bare(const ast::ModuleExp& module, const Range& range);
  void module_parameter(const ast::ModuleParameter& parameter);
  void signature(const ast::SignatureExp& signature);
  void bare(const ast::SignatureExp& signature, const Range& range);
  void signature_with(const ast::SignatureWith& with, bool on_lines);
  void signature_arrow(const ast::SignatureExp& signature, const Range& range);
  void spec(const ast::Spec& spec);

  const SourceText& source_;
  const NameTable& names_;
  Writer out_;
  std::size_t next_comment_ = 0;
};

template <typename Node>
Range Formatter::inside(const Node& node) const {
  const std::vector<Range>* layers = source_.parentheses(&node);
  return layers == nullptr ? node.range : layers->front();
}

template <typename Node, typename F>
void Formatter::with_parentheses(const Node& node, const F& print) {
  const std::vector<Range>* layers = source_.parentheses(&node);
  if (layers == nullptr) return print(node.range);
  const Indent restore(out_, 0);
  for (auto layer = layers->rbegin(); layer != layers->rend(); ++layer) {
    out_.text("(");
    out_.indentation = out_.column();
    comments_before(layer->begin);
  }
  print(layers->front());
  for (std::size_t i = 0; i < layers->size(); ++i) {
    const Range& outer = i + 1 < layers->size() ? (*layers)[i + 1] : node.range;
    comments_before_token(outer.end - 1);
    out_.text(")");
  }
}

// On several lines: `( a`, `, b`, `)`.  A comment before a comma stays on the line of the item
// before; one on lines of its own goes behind the comma.
template <typename F>
void Formatter::list(const Range& range, const std::vector<std::uint32_t>& items,
                     const F& print_item) {
  const Align align(out_);
  const bool on_lines = spans_lines(range) && !items.empty();
  const std::uint32_t close = range.end - 1;
  out_.text(source_.text(range).substr(0, 1));
  if (on_lines) out_.space();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      const Range& comma = source_.token_before(items[i]);
      if (on_lines) end_line(comma.begin);
      out_.text(",");
      out_.space();
    }
    print_item(i);
  }
  if (on_lines || comment_due(close)) {
    const Indent indent(out_, 2);
    next_line(close);
  }
  out_.text(source_.text(range).substr(close - range.begin));
}

}  // namespace dagaz::tools
