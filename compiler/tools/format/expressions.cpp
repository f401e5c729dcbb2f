// Expressions other than those that bind names (bindings.cpp).
#include "support/match.h"
#include "syntax/tree_builder.h"
#include "tools/format/formatter.h"

namespace dagaz::tools {

void Formatter::expression(const ast::Exp& exp) {
  const Align align(out_);
  comments_before(exp.range.begin);
  with_parentheses(exp, [&](const Range& range) { bare(exp, range); });
}

void Formatter::bare(const ast::Exp& exp, const Range& range) {
  const auto literal = [&] { out_.text(source_.text(range)); };
  const auto infix = [&] { infix_chain(exp, range); };
  const auto typed = [&](const ast::Exp& value, const ast::TypeExp& type) {
    expression(value);
    out_.space();
    token(source_.token_before(type.range.begin));
    out_.space();
    this->type(type);
  };
  match(
      exp.node, [&](const ast::IntegerLiteral&) { literal(); },
      [&](const ast::FloatLiteral&) { literal(); }, [&](const ast::BoolLiteral&) { literal(); },
      [&](const ast::StringLiteral&) { literal(); }, [&](const ast::Hole&) { literal(); },
      [&](const ast::Variable& e) { qualified(e.name); },
      [&](const ast::LocalOpen& e) { local_open(e, range); },
      [&](const ast::Tuple& e) { expressions(e.elements, range); },
      [&](const ast::Record& e) { record(e, range); },
      [&](const ast::Project& e) { projection(e); },
      [&](const ast::ArrayLiteral& e) { expressions(e.elements, range); },
      [&](const ast::Index& e) {
        expression(*e.array);
        out_.text("[");
        dimensions(e.dimensions);
        token(source_.token_before(range.end));
      },
      [&](const ast::Update& e) { update(e, range); },
      [&](const ast::RangeExp& e) { this->range(e); },
      [&](const ast::Ascription& e) { typed(*e.value, *e.type); },
      [&](const ast::Coercion& e) { typed(*e.value, *e.type); },
      [&](const ast::Apply& e) {
        const std::size_t base = out_.column();
        expression(*e.function);
        application(e.arguments, range, base);
      },
      [&](const ast::Binary&) { infix(); }, [&](const ast::Logical&) { infix(); },
      [&](const ast::Negate& e) { prefix("-", *e.value); },
      [&](const ast::Not& e) { prefix("!", *e.value); },
      [&](const ast::Lambda& e) {
        if (!broadcast_section(e)) lambda(e, range, out_.column());
      },
      [&](const ast::OperatorSection&) { section(exp, range); },
      [&](const ast::LeftSection&) { section(exp, range); },
      [&](const ast::RightSection&) { section(exp, range); },
      [&](const ast::PathSection&) { section(exp, range); },
      [&](const ast::Let&) { let_chain(exp, range); },
      [&](const ast::LetFunction&) { let_chain(exp, range); },
      [&](const ast::If&) { if_chain(exp, range); },
      [&](const ast::Match& e) { match_expression(e, range); },
      [&](const ast::Loop& e) { loop(e, range); },
      [&](const ast::Construct& e) {
        const std::size_t base = out_.column();
        out_.text("#");
        out_.text(names_.text(e.constructor.symbol));
        application(e.arguments, range, base);
      },
      [&](const ast::Assert& e) { assertion(e); },
      [&](const ast::Attributed& e) { attributed(e, range); },
      [&](const ast::Broadcast&) { infix(); });
}

void Formatter::section(const ast::Exp& exp, const Range& range) {
  out_.text("(");
  if (const auto* left = as<ast::LeftSection>(exp.node)) {
    expression(*left->left);
    out_.space();
    infix_operator(left->left->range.end);
  } else if (const auto* path = as<ast::PathSection>(exp.node)) {
    this->path(path->path);
  } else {
    infix_operator(range.begin + 1);
    if (const auto* right = as<ast::RightSection>(exp.node)) {
      out_.space();
      expression(*right->right);
    }
  }
  token(source_.token_before(range.end));
}

void Formatter::projection(const ast::Project& project) {
  expression(*project.record);
  // `1.2` would be a number.
  if (as<ast::IntegerLiteral>(project.record->node) && !in_parentheses(*project.record)) {
    out_.space();
  }
  out_.text(".");
  token(project.field.range);
}

void Formatter::assertion(const ast::Assert& e) {
  out_.text("assert");
  out_.space();
  expression(*e.condition);
  separate(on_new_line(e.value->range.begin), e.value->range.begin);
  expression(*e.value);
}

void Formatter::attributed(const ast::Attributed& e, const Range& range) {
  tokens({range.file, range.begin, source_.token_before(e.value->range.begin).end});
  separate(spans_lines(range), e.value->range.begin);
  expression(*e.value);
}

void Formatter::local_open(const ast::LocalOpen& open, const Range& range) {
  qualified(open.module);
  out_.text(".");
  // `M.(a, b)`: the tuple's parentheses are the only ones.
  if (open.body->range.end == range.end) return expression(*open.body);
  out_.text("(");
  expression(*open.body);
  token(source_.token_before(range.end));
}

void Formatter::expressions(const std::vector<ast::Exp*>& items, const Range& range) {
  std::vector<std::uint32_t> begins;
  for (const ast::Exp* item : items) begins.push_back(item->range.begin);
  list(range, begins, [&](std::size_t i) { expression(*items[i]); });
}

void Formatter::record(const ast::Record& record, const Range& range) {
  std::vector<std::uint32_t> begins;
  for (const auto& field : record.fields) begins.push_back(field.first.range.begin);
  list(range, begins, [&](std::size_t i) {
    const auto& [name, value] = record.fields[i];
    comments_before(name.range.begin);
    const Align align(out_);
    out_.text(source_.text(name.range));
    if (value->range == name.range) return;  // {name}
    out_.space();
    token(source_.token_before(value->range.begin));
    bound_value(*value);
  });
}

// `- -x`: two signs would be one token.
void Formatter::prefix(std::string_view sign, const ast::Exp& operand) {
  out_.text(sign);
  const bool is_signed = as<ast::Negate>(operand.node) || as<ast::Not>(operand.node);
  if (is_signed && !in_parentheses(operand)) out_.space();
  expression(operand);
}

void Formatter::range(const ast::RangeExp& range) {
  expression(*range.start);
  if (range.second != nullptr) {
    token(source_.token_from(range.start->range.end));
    expression(*range.second);
  }
  token(source_.token_before(range.end->range.begin));
  expression(*range.end);
}

// ---------------------------------------------------------------- application

// The arguments behind a function that began at column `base`.  They stand on its line if they
// stood on one line, or if only the last of them has more than one: `map (\x ->`.
void Formatter::application(const std::vector<ast::Exp*>& arguments, const Range& range,
                            std::size_t base) {
  if (arguments.empty()) return;
  const Range all = cover(arguments.front()->range, arguments.back()->range);
  const bool last_hangs =
      source_.line(range.begin) == source_.line(arguments.back()->range.begin);
  out_.space();
  const Align align(out_);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ast::Exp& argument = *arguments[i];
    const bool on_lines = spans_lines(all) && !last_hangs;
    if (i > 0) separate(on_lines, argument.range.begin);
    const auto* lambda = as<ast::Lambda>(argument.node);
    if (lambda != nullptr && !in_parentheses(argument) && !on_lines &&
        source_.text(argument.range).front() == '\\') {
      comments_before(argument.range.begin);
      this->lambda(*lambda, argument.range, base);
    } else {
      expression(argument);
    }
  }
}

// The body of one on several lines begins to the right of column `base`.
void Formatter::lambda(const ast::Lambda& lambda, const Range& range, std::size_t base) {
  const ast::Function& function = lambda.function;
  out_.text("\\");
  parameters(function.parameters);
  if (function.result_type != nullptr) {
    out_.space();
    token(source_.token_before(function.result_type->range.begin));
    out_.space();
    type(*function.result_type);
  }
  out_.space();
  token(source_.token_before(function.body->range.begin));
  const Indent restore(out_, 0);
  if (spans_lines(range)) out_.indentation = base + 2;
  separate(spans_lines(range), function.body->range.begin);
  expression(*function.body);
}

// `(.+ y)`, which the parser makes a function of parameters that no program can name.
bool Formatter::broadcast_section(const ast::Lambda& lambda) {
  const auto* name = as<ast::NamePattern>(lambda.function.parameters.front()->node);
  if (name == nullptr || names_.text(name->name.symbol).front() != '(') return false;
  const auto& broadcast = std::get<ast::Broadcast>(lambda.function.body->node);
  const Range& operation = broadcast.function->range;
  out_.text("(");
  const ast::Exp& left = *broadcast.operands.front();
  const ast::Exp& right = *broadcast.operands.back();
  if (left.range != operation) {
    expression(left);
    out_.space();
  }
  token(operation);
  if (right.range != operation) {
    out_.space();
    expression(right);
  }
  token(source_.token_from(right.range != operation ? right.range.end : operation.end));
  return true;
}

// ---------------------------------------------------------------- operators

void Formatter::infix_operator(std::uint32_t offset) {
  const Range& first = source_.token_from(offset);
  token(first);
  if (!source_.token_is(first, "`")) return;
  for (const Range* next = &source_.token_from(first.end);;
       next = &source_.token_from(next->end)) {
    token(*next);
    if (source_.token_is(*next, "`")) return;
  }
}

// The operands of an infix operation; null if `exp` is none.
static const ast::Exp* left_of(const ast::Exp& exp) {
  if (const auto* e = as<ast::Binary>(exp.node)) return e->left;
  if (const auto* e = as<ast::Logical>(exp.node)) return e->left;
  if (const auto* e = as<ast::Broadcast>(exp.node)) return e->operands.front();
  return nullptr;
}
static const ast::Exp* right_of(const ast::Exp& exp) {
  if (const auto* e = as<ast::Binary>(exp.node)) return e->right;
  if (const auto* e = as<ast::Logical>(exp.node)) return e->right;
  if (const auto* e = as<ast::Broadcast>(exp.node)) return e->operands.back();
  return nullptr;
}

// From the first operand on, by a loop: rows of operators are long.
void Formatter::infix_chain(const ast::Exp& exp, const Range& range) {
  std::vector<std::pair<const ast::Exp*, bool>> operations{{&exp, spans_lines(range)}};
  const ast::Exp* left = left_of(exp);
  while (left_of(*left) != nullptr && !in_parentheses(*left)) {
    operations.emplace_back(left, spans_lines(left->range));
    left = left_of(*left);
  }
  expression(*left);
  for (auto next = operations.rbegin(); next != operations.rend(); ++next) {
    const auto& [operation, on_lines] = *next;
    const std::uint32_t behind_left = left_of(*operation)->range.end;
    separate(on_lines, source_.token_from(behind_left).begin);
    infix_operator(behind_left);
    out_.space();
    expression(*right_of(*operation));
  }
}

// `x with a = 1`, and further ones below the first `with`.
void Formatter::update(const ast::Update& update, const Range& range) {
  std::vector<std::pair<const ast::Update*, bool>> updates{{&update, spans_lines(range)}};
  const ast::Exp* source = update.source;
  for (const ast::Update* inner; !in_parentheses(*source) &&
                                 (inner = as<ast::Update>(source->node)) != nullptr;) {
    updates.emplace_back(inner, spans_lines(source->range));
    source = inner->source;
  }
  expression(*source);
  for (auto next = updates.rbegin(); next != updates.rend(); ++next) {
    const auto& [step, on_lines] = *next;
    const Range with = source_.token_from(step->source->range.end);
    {
      const Indent indent(out_, 2);
      separate(on_lines && next != updates.rbegin(), with.begin);
      token(with);
    }
    out_.space();
    path(step->path);
    out_.space();
    token(source_.token_before(step->value->range.begin));
    out_.space();
    expression(*step->value);
  }
}

// Dots stay as they were written, `[i]a` and `[i].a` are the same path, and so does space between
// names: `0 .1` is a path, `0.1` a number.
void Formatter::path(const std::vector<ast::PathStep>& path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto* name = as<ast::Name>(path[i].step);
    const Range& first = source_.token_from(path[i].range.begin);
    const bool between_names =
        i > 0 && name != nullptr && as<ast::Name>(path[i - 1].step) != nullptr;
    if (between_names && path[i - 1].range.end < first.begin) out_.space();
    if (source_.token_is(first, ".")) token(first);
    if (name != nullptr) {
      token(name->range);
    } else {
      out_.text("[");
      dimensions(std::get<std::vector<ast::IndexDimension>>(path[i].step));
      token(source_.token_before(path[i].range.end));
    }
  }
}

void Formatter::dimensions(const std::vector<ast::IndexDimension>& dimensions) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (i > 0) {
      out_.text(",");
      out_.space();
    }
    const ast::IndexDimension& dimension = dimensions[i];
    const auto part = [&](const ast::Exp* exp) {
      if (exp != nullptr) expression(*exp);
    };
    part(dimension.index);
    part(dimension.start);
    if (dimension.is_slice) out_.text(":");
    part(dimension.end);
    if (dimension.stride != nullptr) out_.text(":");
    part(dimension.stride);
  }
}

}  // namespace dagaz::tools
