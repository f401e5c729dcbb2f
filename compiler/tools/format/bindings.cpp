// Expressions that bind names or branch: let, if, match, loop.
#include "support/match.h"
#include "tools/format/formatter.h"

namespace dagaz::tools {

bool Formatter::is_let(const ast::Exp& exp) const {
  return !in_parentheses(exp) && (as<ast::Let>(exp.node) || as<ast::LetFunction>(exp.node));
}

void Formatter::let_chain(const ast::Exp& exp, const Range& range) {
  const ast::Exp* next = &exp;
  bool on_lines = spans_lines(range);
  for (;;) {
    out_.text("let");
    out_.space();
    const ast::Exp* body = nullptr;
    if (const auto* let = as<ast::Let>(next->node)) {
      let_head(*let);
      body = let->body;
    } else {
      const auto& function = std::get<ast::LetFunction>(next->node);
      function_head(function.name, function.function);
      out_.space();
      token(source_.token_before(function.function.body->range.begin));
      bound_value(*function.function.body);
      body = function.body;
    }
    if (!is_let(*body)) {
      const Range in = source_.token_before(body->range.begin);
      separate(on_lines, in.begin);
      token(in);
      out_.space();
      return expression(*body);
    }
    if (on_lines) {
      next_line(body->range.begin, Blanks::keep);
    } else {
      out_.space();
    }
    next = body;
    on_lines = spans_lines(body->range);
  }
}

void Formatter::let_head(const ast::Let& let) {
  for (const ast::TypeParameter& size : let.sizes) {
    type_parameter(size);
    out_.space();
  }
  // `let x[i] = v` is made `let x = x with [i] = v`.
  const auto* update = as<ast::Update>(let.value->node);
  if (update != nullptr && update->source->range == let.pattern->range) {
    token(let.pattern->range);
    path(update->path);
    out_.space();
    token(source_.token_before(update->value->range.begin));
    return bound_value(*update->value);
  }
  pattern(*let.pattern);
  out_.space();
  token(source_.token_before(let.value->range.begin));
  bound_value(*let.value);
}

void Formatter::if_chain(const ast::Exp& exp, const Range& range) {
  const ast::Exp* next = &exp;
  bool on_lines = spans_lines(range);
  for (;;) {
    const auto& branch = std::get<ast::If>(next->node);
    const auto keyword = [&](const ast::Exp& before) {
      const Range word = source_.token_before(before.range.begin);
      separate(on_lines, word.begin);
      token(word);
      out_.space();
    };
    out_.text("if");
    out_.space();
    expression(*branch.condition);
    keyword(*branch.then_branch);
    expression(*branch.then_branch);
    keyword(*branch.else_branch);
    next = branch.else_branch;
    if (as<ast::If>(next->node) == nullptr || in_parentheses(*next)) return expression(*next);
    comments_before(next->range.begin);
    on_lines = spans_lines(next->range);
  }
}

void Formatter::match_expression(const ast::Match& match, const Range& range) {
  out_.text("match");
  out_.space();
  expression(*match.value);
  for (const ast::Case& alternative : match.cases) {
    if (spans_lines(range)) {
      next_line(alternative.range.begin, Blanks::keep);
    } else {
      out_.space();
    }
    out_.text("case");
    out_.space();
    pattern(*alternative.pattern);
    out_.space();
    token(source_.token_before(alternative.body->range.begin));
    bound_value(*alternative.body);
  }
}

void Formatter::loop_form(const ast::Loop& loop) {
  const auto keyword = [&](std::uint32_t offset) {
    token(source_.token_before(offset));
    out_.space();
  };
  match(
      loop.form,
      [&](const ast::ForLoop& form) {
        keyword(form.index->range.begin);
        pattern(*form.index);
        out_.space();
        keyword(form.bound->range.begin);
        expression(*form.bound);
      },
      [&](const ast::ForInLoop& form) {
        keyword(form.element->range.begin);
        pattern(*form.element);
        out_.space();
        keyword(form.array->range.begin);
        expression(*form.array);
      },
      [&](const ast::WhileLoop& form) {
        keyword(form.condition->range.begin);
        expression(*form.condition);
      });
}

static std::uint32_t form_begin(const ast::Loop& loop) {
  return match(
      loop.form, [](const ast::ForLoop& form) { return form.index->range.begin; },
      [](const ast::ForInLoop& form) { return form.element->range.begin; },
      [](const ast::WhileLoop& form) { return form.condition->range.begin; });
}

// Without initial values the parser repeats the pattern.
static bool initial_is_written(const ast::Loop& loop) {
  return loop.initial->range.begin >= loop.pattern->range.end;
}

// `loop p = initial`, `for …` on the next line and the body moved to the right.
void Formatter::loop(const ast::Loop& loop, const Range& range) {
  const bool on_lines = spans_lines(range);
  const bool has_initial = initial_is_written(loop);
  out_.text("loop");
  out_.space();
  {
    const Align align(out_);
    for (const ast::TypeParameter& size : loop.sizes) {
      type_parameter(size);
      out_.space();
    }
    pattern(*loop.pattern);
    if (has_initial) {
      out_.space();
      token(source_.token_before(loop.initial->range.begin));
      bound_value(*loop.initial);
    }
  }
  separate(on_lines && (has_initial || spans_lines(loop.pattern->range)),
           source_.token_before(form_begin(loop)).begin);
  loop_form(loop);
  out_.space();
  token(source_.token_before(loop.body->range.begin));
  const Indent indent(out_, 2);
  separate(on_lines, loop.body->range.begin);
  expression(*loop.body);
}

}  // namespace dagaz::tools
