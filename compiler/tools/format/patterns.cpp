// Patterns and types.
#include "support/match.h"
#include "tools/format/formatter.h"

namespace dagaz::tools {

void Formatter::pattern(const ast::Pattern& pattern) {
  const Align align(out_);
  comments_before(pattern.range.begin);
  with_parentheses(pattern, [&](const Range& range) { bare(pattern, range); });
}

void Formatter::bare(const ast::Pattern& pattern, const Range& range) {
  match(
      pattern.node, [&](const ast::NamePattern& p) { binding(p.name); },
      [&](const ast::WildcardPattern&) { out_.text("_"); },
      [&](const ast::TuplePattern& p) {
        std::vector<std::uint32_t> begins;
        for (const ast::Pattern* element : p.elements) begins.push_back(element->range.begin);
        list(range, begins, [&](std::size_t i) { this->pattern(*p.elements[i]); });
      },
      [&](const ast::RecordPattern& p) {
        std::vector<std::uint32_t> begins;
        for (const auto& field : p.fields) begins.push_back(field.first.range.begin);
        list(range, begins, [&](std::size_t i) {
          const auto& [name, value] = p.fields[i];
          const Align align(out_);
          comments_before(name.range.begin);
          // Those that bind the field's own name, `{a, b: t}`, begin with it.
          if (value->range.begin != name.range.begin) {
            token(name.range);
            out_.space();
            token(source_.token_before(value->range.begin));
            out_.space();
          }
          this->pattern(*value);
        });
      },
      [&](const ast::ConstructorPattern& p) {
        out_.text("#");
        out_.text(names_.text(p.constructor.symbol));
        for (const ast::Pattern* argument : p.arguments) {
          out_.space();
          this->pattern(*argument);
        }
      },
      [&](const ast::LiteralPattern&) { tokens(range); },
      [&](const ast::AscribedPattern& p) {
        this->pattern(*p.pattern);
        token(source_.token_before(p.type->range.begin));
        out_.space();
        type(*p.type);
      },
      [&](const ast::AttributePattern& p) {
        tokens({range.file, range.begin, source_.token_before(p.pattern->range.begin).end});
        out_.space();
        this->pattern(*p.pattern);
      });
}

// ---------------------------------------------------------------- types

void Formatter::type(const ast::TypeExp& type) {
  const Align align(out_);
  comments_before(type.range.begin);
  with_parentheses(type, [&](const Range& range) { bare(type, range); });
}

void Formatter::bare(const ast::TypeExp& type, const Range& range) {
  match(
      type.node, [&](const ast::TypeName& t) { qualified(t.name); },
      [&](const ast::TupleType& t) {
        std::vector<std::uint32_t> begins;
        for (const ast::TypeExp* element : t.elements) begins.push_back(element->range.begin);
        list(range, begins, [&](std::size_t i) { this->type(*t.elements[i]); });
      },
      [&](const ast::RecordType& t) {
        std::vector<std::uint32_t> begins;
        for (const auto& field : t.fields) begins.push_back(field.first.range.begin);
        list(range, begins, [&](std::size_t i) {
          const auto& [name, field] = t.fields[i];
          const Align align(out_);
          comments_before(name.range.begin);
          token(name.range);
          token(source_.token_before(field->range.begin));
          out_.space();
          this->type(*field);
        });
      },
      [&](const ast::SumType& t) { sum_type(t, range); },
      [&](const ast::ArrayType& t) {
        dimension(t.dimension);
        this->type(*t.element);
      },
      [&](const ast::UniqueType& t) {
        out_.text("*");
        // `**` would be an operator.
        if (as<ast::UniqueType>(t.type->node) && !in_parentheses(*t.type)) out_.space();
        this->type(*t.type);
      },
      [&](const ast::ArrowType&) { arrow_type(type, range); },
      [&](const ast::ExistentialType& t) {
        tokens({range.file, range.begin, source_.token_before(t.type->range.begin).end});
        this->type(*t.type);
      },
      [&](const ast::TypeApplication& t) { type_application(t); });
}

void Formatter::dimension(const ast::Dimension& dimension) {
  comments_before(dimension.range.begin);
  out_.text("[");
  if (dimension.size != nullptr) expression(*dimension.size);
  token(source_.token_before(dimension.range.end));
}

void Formatter::type_application(const ast::TypeApplication& application) {
  type(*application.function);
  for (const ast::TypeArgument& argument : application.arguments) {
    out_.space();
    match(
        argument.value, [&](const ast::Dimension& size) { dimension(size); },
        [&](const ast::TypeExp* inner) { type(*inner); });
  }
}

// On several lines the first constructor stands where the others do, behind no bar.
void Formatter::sum_type(const ast::SumType& sum, const Range& range) {
  const bool on_lines = spans_lines(range);
  for (std::size_t i = 0; i < sum.constructors.size(); ++i) {
    const auto& [name, payload] = sum.constructors[i];
    if (i > 0) {
      const Range bar = source_.token_before(name.range.begin);
      separate(on_lines, bar.begin);
      token(bar);
      out_.space();
    } else if (on_lines) {
      out_.text("  ");
    }
    token(name.range);
    for (const ast::TypeExp* item : payload) {
      out_.space();
      type(*item);
    }
  }
}

void Formatter::arrow_type(const ast::TypeExp& type, const Range& range) {
  const ast::TypeExp* next = &type;
  bool on_lines = spans_lines(range);
  while (const auto* arrow = as<ast::ArrowType>(next->node)) {
    if (arrow->parameter) {
      out_.text("(");
      token(arrow->parameter->range);
      token(source_.token_before(arrow->from->range.begin));
      out_.space();
      this->type(*arrow->from);
      token(source_.token_from(arrow->from->range.end));
    } else {
      this->type(*arrow->from);
    }
    const Range sign = source_.token_before(arrow->to->range.begin);
    separate(on_lines, sign.begin);
    token(sign);
    out_.space();
    next = arrow->to;
    if (in_parentheses(*next)) break;
    comments_before(next->range.begin);
    on_lines = spans_lines(next->range);
  }
  this->type(*next);
}

}  // namespace dagaz::tools
