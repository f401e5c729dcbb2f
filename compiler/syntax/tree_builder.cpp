// Rows of operators become trees by the shunting-yard method.
#include "syntax/tree_builder.h"

#include <algorithm>
#include <array>

#include "support/check.h"
#include "support/match.h"

namespace dagaz::syntax {

namespace {

constexpr int backtick_precedence = 1;
constexpr int update_precedence = 2;
constexpr int pipe_left_precedence = 5;

}  // namespace

int operator_precedence(std::string_view spelling) {
  struct Row {
    std::string_view prefix;
    int precedence;
  };
  // Longer prefixes first.
  constexpr std::array<Row, 25> rows{{
      {"|>", 4}, {"<|", 5}, {"||", 6}, {"&&", 7}, {"<=", 8}, {">=", 8}, {"==", 8},
      {"!=", 8}, {"<<", 10}, {">>", 10}, {"//", 12}, {"%%", 12}, {"**", 13},
      {"=", 8}, {">", 8}, {"<", 8}, {"!", 8}, {"&", 9}, {"^", 9}, {"|", 9},
      {"+", 11}, {"-", 11}, {"*", 12}, {"/", 12}, {"%", 12},
  }};
  for (const Row& row : rows) {
    if (spelling.starts_with(row.prefix)) return row.precedence;
  }
  return backtick_precedence;
}

bool is_right_associative(int precedence) { return precedence == pipe_left_precedence; }

ast::Exp* TreeBuilder::variable(ast::QualifiedName name) {
  const Range range = name.range;
  return exp(range, ast::Variable{std::move(name)});
}

ast::Exp* TreeBuilder::attributed(const Range& range, ast::Attribute attribute, ast::Exp* value) {
  ast::Exp* argument = nullptr;
  if (attribute.name.valid() && names_.text(attribute.name) == "bound" &&
      attribute.arguments.size() == 1 && attribute.arguments[0].name.valid()) {
    const ast::Attribute& bound = attribute.arguments[0];
    argument = variable({{}, {bound.name, bound.range}, bound.range});
  }
  return exp(range, ast::Attributed{std::move(attribute), value, argument});
}

ast::Name TreeBuilder::binding_name(const ast::QualifiedName& name) {
  if (!name.qualifiers.empty()) {
    diagnostics_.report(DiagnosticKind::syntax, name.range,
                        "a name that is being bound cannot be qualified");
  }
  return name.name;
}

ast::Exp* TreeBuilder::application(const Range& range, std::vector<ast::Exp*> items) {
  if (items.size() == 1) return items.front();
  ast::Exp* head = items.front();
  // `a[i] [j]` would apply an array; the space is almost certainly a mistake.
  if (as<ast::Index>(head->node) && as<ast::ArrayLiteral>(items[1]->node) &&
      !in_parentheses(*items[1])) {
    diagnostics_.report(DiagnosticKind::syntax, cover(head->range, items[1]->range),
                        "Incorrect syntax for multi-dimensional indexing")
        .hints.push_back("write the indices in one pair of brackets: `a[i, j]`");
  }
  if (auto* construct = as<ast::Construct>(head->node);
      construct != nullptr && construct->arguments.empty() && !in_parentheses(*head)) {
    construct->arguments.assign(items.begin() + 1, items.end());
    head->range = range;
    return head;
  }
  return exp(range, ast::Apply{head, {items.begin() + 1, items.end()}});
}

bool TreeBuilder::is_plain_variable(const ast::Exp& exp) const {
  return as<ast::Variable>(exp.node) != nullptr && !in_parentheses(exp);
}

ast::Exp* TreeBuilder::select(const Range& range, ast::Exp* atom, ast::Name field) {
  if (!is_plain_variable(*atom)) return exp(range, ast::Project{atom, field});
  ast::QualifiedName name = std::get<ast::Variable>(atom->node).name;
  name.qualifiers.push_back(name.name);
  name.name = field;
  name.range = range;
  return variable(std::move(name));
}

ast::Exp* TreeBuilder::local_open(const Range& range, ast::Exp* atom, ast::Exp* body) {
  if (!is_plain_variable(*atom)) {
    diagnostics_.report(DiagnosticKind::syntax, atom->range,
                        "only a module or a function with a name can stand before `.(`");
    return exp(range, ast::Hole{});
  }
  return exp(range, ast::LocalOpen{std::get<ast::Variable>(atom->node).name, body});
}

int TreeBuilder::precedence(const RowOperator& operation) const {
  switch (operation.kind) {
    case RowOperator::Kind::binary:
    case RowOperator::Kind::broadcast:
      return operator_precedence(names_.text(operator_name(operation).name.symbol));
    case RowOperator::Kind::backtick: return backtick_precedence;
    case RowOperator::Kind::update: return update_precedence;
    case RowOperator::Kind::two_dots:
    case RowOperator::Kind::range: return 0;
  }
  DZ_UNREACHABLE("kind of operator");
}

const ast::QualifiedName& TreeBuilder::operator_name(const RowOperator& operation) {
  return std::get<ast::Variable>(operation.operation->node).name;
}

ast::Exp* TreeBuilder::binary(RowOperator& operation, ast::Exp* left, ast::Exp* right) {
  const Range range = cover(left->range, right->range);
  if (operation.kind == RowOperator::Kind::update) {
    return exp(range, ast::Update{left, std::move(operation.path), right});
  }
  if (operation.kind == RowOperator::Kind::broadcast) {
    return exp(range, ast::Broadcast{operation.operation, {left, right}});
  }
  if (operator_name(operation).qualifiers.empty()) {
    const std::string_view spelling = names_.text(operator_name(operation).name.symbol);
    if (spelling == "&&") {
      return exp(range, ast::Logical{ast::ShortCircuit::logical_and, left, right});
    }
    if (spelling == "||") {
      return exp(range, ast::Logical{ast::ShortCircuit::logical_or, left, right});
    }
  }
  return exp(range, ast::Binary{operation.operation, left, right});
}

// The operands first … last, with no range operator between them.
ast::Exp* TreeBuilder::resolve(OperandRow& row, std::size_t first, std::size_t last) {
  std::vector<ast::Exp*> values{row.operands[first]};
  std::vector<RowOperator*> pending;
  const auto reduce = [&] {
    ast::Exp* right = values.back();
    values.pop_back();
    values.back() = binary(*pending.back(), values.back(), right);
    pending.pop_back();
  };
  for (std::size_t i = first; i < last; ++i) {
    RowOperator& next = row.operators[i];
    const int level = precedence(next);
    while (!pending.empty() && (precedence(*pending.back()) > level ||
                                (precedence(*pending.back()) == level &&
                                 !is_right_associative(level)))) {
      reduce();
    }
    pending.push_back(&next);
    values.push_back(row.operands[i + 1]);
  }
  while (!pending.empty()) reduce();
  return values.front();
}

ast::Exp* TreeBuilder::row(OperandRow row) {
  const std::size_t last = row.operands.size() - 1;
  std::vector<std::size_t> splits;
  for (std::size_t i = 0; i < last; ++i) {
    const RowOperator::Kind kind = row.operators[i].kind;
    if (kind == RowOperator::Kind::range || kind == RowOperator::Kind::two_dots) {
      splits.push_back(i);
    }
  }
  if (splits.empty()) return resolve(row, 0, last);

  const RowOperator& end = row.operators[splits.back()];
  const bool has_second = splits.size() == 2;
  const bool well_formed =
      end.kind == RowOperator::Kind::range &&
      (splits.size() == 1 ||
       (has_second && row.operators[splits[0]].kind == RowOperator::Kind::two_dots));
  if (!well_formed) {
    const bool lone_dots = end.kind == RowOperator::Kind::two_dots;
    diagnostics_.report(DiagnosticKind::syntax, end.range,
                        lone_dots ? "use '...' for ranges, not '..'"
                                  : "this is not the form of a range")
        .hints.push_back("a range is `a...b`, `a..<b`, `a..>b`, or with a second element "
                         "`a..b...c`");
    return exp(end.range, ast::Hole{});
  }
  ast::Exp* start = resolve(row, 0, splits[0]);
  ast::Exp* second = has_second ? resolve(row, splits[0] + 1, splits[1]) : nullptr;
  ast::Exp* stop = resolve(row, splits.back() + 1, last);
  return exp(cover(start->range, stop->range),
             ast::RangeExp{start, second, stop, end.range_end});
}

// `(.+ y)` is `\x -> x .+ y`, with parameters that no program can name.
ast::Exp* TreeBuilder::broadcast_section(const Range& range, RowOperator operation,
                                         ast::Exp* left, ast::Exp* right) {
  ast::Function function;
  const auto operand = [&](ast::Exp* given, std::string_view spelling) {
    if (given != nullptr) return given;
    const ast::Name parameter = name(spelling, operation.range);
    function.parameters.push_back(pattern(operation.range, ast::NamePattern{parameter, {}}));
    return variable({{}, parameter, operation.range});
  };
  ast::Exp* x = operand(left, left_operand_name);
  ast::Exp* y = operand(right, right_operand_name);
  function.body = binary(operation, x, y);
  return exp(range, ast::Lambda{std::move(function)});
}

ast::Exp* TreeBuilder::operator_section(const Range& range, RowOperator operation) {
  if (operation.kind == RowOperator::Kind::broadcast) {
    return broadcast_section(range, std::move(operation), nullptr, nullptr);
  }
  return exp(range, ast::OperatorSection{operation.operation});
}

ast::Exp* TreeBuilder::left_section(const Range& range, OperandRow operands,
                                    RowOperator operation) {
  const int level = precedence(operation);
  const bool ambiguous = std::any_of(
      operands.operators.begin(), operands.operators.end(), [&](const RowOperator& inner) {
        const int inner_level = precedence(inner);
        return inner_level < level || (inner_level == level && is_right_associative(level));
      });
  if (ambiguous) {
    diagnostics_.report(DiagnosticKind::syntax, operation.range,
                        "this operator binds tighter than one to its left")
        .hints.push_back("put parentheses around the operand of the section");
  }
  ast::Exp* left = row(std::move(operands));
  if (operation.kind == RowOperator::Kind::broadcast) {
    return broadcast_section(range, std::move(operation), left, nullptr);
  }
  return exp(range, ast::LeftSection{left, operation.operation});
}

ast::Exp* TreeBuilder::right_section(const Range& range, RowOperator operation,
                                     ast::Exp* right) {
  if (operation.kind == RowOperator::Kind::broadcast) {
    return broadcast_section(range, std::move(operation), nullptr, right);
  }
  return exp(range, ast::RightSection{operation.operation, right});
}

ast::Exp* TreeBuilder::let_chain(const std::vector<ast::Exp*>& heads, ast::Exp* body) {
  for (auto place = heads.rbegin(); place != heads.rend(); ++place) {
    ast::Exp* head = *place;
    head->range = cover(head->range, body->range);
    if (auto* let = as<ast::Let>(head->node)) {
      let->body = body;
    } else {
      std::get<ast::LetFunction>(head->node).body = body;
    }
    body = head;
  }
  return body;
}

ast::Exp* TreeBuilder::if_chain(std::vector<IfHead> heads, ast::Exp* last) {
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) {
    last = exp(cover(head->range, last->range),
               ast::If{head->condition, head->then_branch, last});
  }
  return last;
}

ast::Exp* TreeBuilder::let_update(const Range& range, ast::Name name,
                                  std::vector<ast::PathStep> path, ast::Exp* value) {
  ast::Exp* source = variable({{}, name, name.range});
  ast::Exp* updated =
      exp(cover(name.range, value->range), ast::Update{source, std::move(path), value});
  ast::Pattern* target = pattern(name.range, ast::NamePattern{name, {}});
  return exp(range, ast::Let{{}, target, updated, nullptr});
}

ast::Exp* TreeBuilder::pattern_as_expression(const ast::Pattern& pattern) {
  const Range range = pattern.range;
  return match(
      pattern.node,
      [&](const ast::NamePattern& p) { return variable({{}, p.name, p.name.range}); },
      [&](const ast::WildcardPattern&) {
        diagnostics_.report(DiagnosticKind::syntax, range,
                            "a loop without initial values cannot have `_` in its pattern");
        return exp(range, ast::Hole{});
      },
      [&](const ast::TuplePattern& p) {
        std::vector<ast::Exp*> elements;
        for (const ast::Pattern* element : p.elements) {
          elements.push_back(pattern_as_expression(*element));
        }
        return exp(range, ast::Tuple{std::move(elements)});
      },
      [&](const ast::RecordPattern& p) {
        std::vector<std::pair<ast::Name, ast::Exp*>> fields;
        for (const auto& [field, inner] : p.fields) {
          fields.emplace_back(field, pattern_as_expression(*inner));
        }
        return exp(range, ast::Record{std::move(fields)});
      },
      [&](const ast::ConstructorPattern& p) {
        std::vector<ast::Exp*> arguments;
        for (const ast::Pattern* argument : p.arguments) {
          arguments.push_back(pattern_as_expression(*argument));
        }
        return exp(range, ast::Construct{p.constructor, std::move(arguments)});
      },
      [&](const ast::LiteralPattern& p) { return p.literal; },
      [&](const ast::AscribedPattern& p) { return pattern_as_expression(*p.pattern); },
      [&](const ast::AttributePattern& p) { return pattern_as_expression(*p.pattern); });
}

}  // namespace dagaz::syntax
