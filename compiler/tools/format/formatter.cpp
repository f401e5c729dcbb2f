// Comments, lines and tokens, and what functions of all kinds share.
#include "tools/format/formatter.h"

#include <cctype>

namespace dagaz::tools {

bool Formatter::comment_due(std::uint32_t offset) const {
  const auto& comments = source_.comments();
  return next_comment_ < comments.size() && comments[next_comment_].begin < offset;
}

static std::string_view trimmed(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\f\v") + 1);
}

void Formatter::comments_before(std::uint32_t offset, Blanks blanks) {
  while (comment_due(offset)) {
    const Range& comment = source_.comments()[next_comment_++];
    if (blanks == Blanks::keep && source_.follows_blank_line(comment.begin)) out_.blank_line();
    out_.comment(trimmed(source_.text(comment)));
  }
  if (blanks == Blanks::keep && source_.follows_blank_line(offset)) out_.blank_line();
}

void Formatter::end_line(std::uint32_t offset) {
  if (comment_due(offset) && !source_.begins_line(source_.comments()[next_comment_].begin)) {
    out_.space();
    out_.comment(trimmed(source_.text(source_.comments()[next_comment_++])));
  }
  out_.newline();
}

void Formatter::next_line(std::uint32_t offset, Blanks blanks) {
  end_line(offset);
  comments_before(offset, blanks);
}

void Formatter::separate(bool on_lines, std::uint32_t offset) {
  if (on_lines) {
    next_line(offset);
  } else {
    out_.space();
  }
}

void Formatter::comments_before_token(std::uint32_t offset) {
  if (comment_due(offset)) next_line(offset);
}

void Formatter::token(const Range& token) {
  comments_before_token(token.begin);
  out_.text(source_.text(token));
}

void Formatter::tokens(const Range& range) {
  for (const Range* next = &source_.token_from(range.begin);;
       next = &source_.token_from(next->end)) {
    token(*next);
    if (next->end >= range.end) return;
    if (source_.token_is(*next, ",")) out_.space();
  }
}

bool Formatter::on_new_line(std::uint32_t offset) const {
  return source_.line(source_.token_before(offset).begin) != source_.line(offset);
}

// ---------------------------------------------------------------- names and functions

void Formatter::qualified(const ast::QualifiedName& name) {
  for (const ast::Name& qualifier : name.qualifiers) {
    token(qualifier.range);
    out_.text(".");
  }
  token(name.name.range);
}

// As it is written: `val + : t` has no parentheses, and a word may stand in backticks.
void Formatter::binding(const ast::Name& name) {
  const Range& before = source_.token_before(name.range.begin);
  const bool in_backticks = source_.token_is(before, "`");
  const Range& bracket = in_backticks ? source_.token_before(before.begin) : before;
  const auto first = static_cast<unsigned char>(names_.text(name.symbol).front());
  const bool is_word = !in_backticks && (std::isalpha(first) != 0 || first == '_');
  const bool in_brackets = !is_word && source_.token_is(bracket, "(");
  comments_before_token(name.range.begin);
  if (in_brackets) out_.text("(");
  if (in_backticks) out_.text("`");
  out_.text(names_.text(name.symbol));
  if (in_backticks) out_.text("`");
  if (in_brackets) out_.text(")");
}

void Formatter::type_parameter(const ast::TypeParameter& parameter) {
  if (parameter.kind == ast::ParameterKind::size) return tokens(parameter.range);
  token(source_.token_from(parameter.range.begin));
  // `'a'` would be a character.
  const std::string_view name = names_.text(parameter.name.symbol);
  if (name.size() == 2 && name.ends_with("'")) out_.space();
  token(parameter.name.range);
}

// Those of one group stand on one line or each on its own.
void Formatter::type_parameters(const std::vector<ast::TypeParameter>& parameters) {
  if (parameters.empty()) return;
  const bool on_lines =
      spans_lines(cover(parameters.front().range, parameters.back().range));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) separate(on_lines, parameters[i].range.begin);
    type_parameter(parameters[i]);
  }
}

void Formatter::parameters(const std::vector<ast::Pattern*>& parameters) {
  const bool on_lines =
      spans_lines(cover(parameters.front()->range, parameters.back()->range));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) separate(on_lines, parameters[i]->range.begin);
    pattern(*parameters[i]);
  }
}

void Formatter::function_head(const ast::Name& name, const ast::Function& function) {
  const std::vector<ast::Pattern*>& params = function.parameters;
  const bool is_infix =
      params.size() == 2 && params.front()->range.begin < name.range.begin;
  if (is_infix) {
    pattern(*params.front());
    out_.space();
    infix_operator(params.front()->range.end);
    out_.space();
    pattern(*params.back());
  } else {
    binding(name);
    out_.space();
    const Align align(out_);
    type_parameters(function.type_parameters);
    if (!params.empty()) {
      if (!function.type_parameters.empty()) {
        separate(on_new_line(params.front()->range.begin), params.front()->range.begin);
      }
      parameters(params);
    }
  }
  if (function.result_type == nullptr) return;
  out_.space();
  token(source_.token_before(function.result_type->range.begin));
  out_.space();
  type(*function.result_type);
}

void Formatter::bound_value(const ast::Exp& value) {
  if (spans_lines(value.range) || on_new_line(value.range.begin)) {
    const Indent indent(out_, 2);
    next_line(value.range.begin);
    expression(value);
  } else {
    out_.space();
    expression(value);
  }
}

}  // namespace dagaz::tools
