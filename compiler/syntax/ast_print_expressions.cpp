// Expressions.  Chains of lets, of branches and of operators may be long; they are printed by
// loops.
#include <charconv>
#include <cmath>
#include <cstdint>

#include "support/match.h"
#include "syntax/ast_printer.h"
#include "syntax/tree_builder.h"

namespace dagaz::ast {

namespace {

std::string_view suffix_text(LiteralSuffix suffix) {
  switch (suffix) {
    case LiteralSuffix::none: return "";
    case LiteralSuffix::i8: return "i8";
    case LiteralSuffix::i16: return "i16";
    case LiteralSuffix::i32: return "i32";
    case LiteralSuffix::i64: return "i64";
    case LiteralSuffix::u8: return "u8";
    case LiteralSuffix::u16: return "u16";
    case LiteralSuffix::u32: return "u32";
    case LiteralSuffix::u64: return "u64";
    case LiteralSuffix::f16: return "f16";
    case LiteralSuffix::f32: return "f32";
    case LiteralSuffix::f64: return "f64";
  }
  return "";
}

// Whether the text of the expression ends where the expression does.
bool is_atom(const Exp& exp) {
  return as<IntegerLiteral>(exp.node) || as<FloatLiteral>(exp.node) ||
         as<BoolLiteral>(exp.node) || as<StringLiteral>(exp.node) || as<Hole>(exp.node) ||
         as<Variable>(exp.node) || as<LocalOpen>(exp.node) || as<Tuple>(exp.node) ||
         as<Record>(exp.node) || as<Project>(exp.node) || as<ArrayLiteral>(exp.node) ||
         as<Index>(exp.node) || as<OperatorSection>(exp.node) || as<LeftSection>(exp.node) ||
         as<RightSection>(exp.node) || as<PathSection>(exp.node);
}

bool is_open_ended(const Exp& exp) {
  return as<Let>(exp.node) || as<LetFunction>(exp.node) || as<If>(exp.node) ||
         as<Match>(exp.node) || as<Loop>(exp.node) || as<Lambda>(exp.node) ||
         as<Attributed>(exp.node) || as<Assert>(exp.node) || as<Ascription>(exp.node) ||
         as<Coercion>(exp.node);
}

}  // namespace

void Printer::operand(const Exp& exp) {
  if (is_atom(exp)) return expression(exp);
  out_ << "(";
  expression(exp);
  out_ << ")";
}

void Printer::closed(const Exp& exp) {
  if (is_open_ended(exp)) return operand(exp);
  expression(exp);
}

void Printer::expression(const Exp& exp) {
  if (as<Let>(exp.node) || as<LetFunction>(exp.node)) return let_chain(exp);
  if (as<If>(exp.node)) return if_chain(exp);
  if (as<Binary>(exp.node) || as<Logical>(exp.node)) return binary_chain(exp);
  simple(exp);
}

void Printer::let_chain(const Exp& exp) {
  const Exp* next = &exp;
  for (;;) {
    if (const auto* let = as<Let>(next->node)) {
      out_ << "let ";
      for (const TypeParameter& size : let->sizes) {
        type_parameter(size);
        out_ << ' ';
      }
      pattern(*let->pattern);
      out_ << " = ";
      closed(*let->value);
      next = let->body;
    } else if (const auto* function = as<LetFunction>(next->node)) {
      note_scheme(function->name, function->scheme);
      out_ << "let " << text(function->name.symbol);
      function_head(function->function);
      out_ << " ";
      closed(*function->function.body);
      next = function->body;
    } else {
      break;
    }
    out_ << " in\n";
  }
  expression(*next);
}

void Printer::if_chain(const Exp& exp) {
  const Exp* next = &exp;
  while (const auto* branch = as<If>(next->node)) {
    out_ << "if ";
    closed(*branch->condition);
    out_ << " then ";
    closed(*branch->then_branch);
    out_ << " else ";
    next = branch->else_branch;
  }
  expression(*next);
}

// `((a + b) - c) * d`, from the innermost operand outwards.
void Printer::binary_chain(const Exp& exp) {
  std::vector<const Exp*> spine;
  const Exp* innermost = &exp;
  for (;;) {
    if (const auto* binary = as<Binary>(innermost->node)) {
      spine.push_back(innermost);
      innermost = binary->left;
    } else if (const auto* logical = as<Logical>(innermost->node)) {
      spine.push_back(innermost);
      innermost = logical->left;
    } else {
      break;
    }
  }
  for (std::size_t i = 1; i < spine.size(); ++i) out_ << '(';
  operand(*innermost);
  for (std::size_t i = spine.size(); i-- > 0;) {
    out_ << ' ';
    if (const auto* binary = as<Binary>(spine[i]->node)) {
      infix(*binary->operation);
      out_ << ' ';
      operand(*binary->right);
    } else {
      const auto& logical = std::get<Logical>(spine[i]->node);
      out_ << (logical.kind == ShortCircuit::logical_and ? "&& " : "|| ");
      operand(*logical.right);
    }
    if (i > 0) out_ << ')';
  }
}

void Printer::simple(const Exp& exp) {
  const auto prefixed = [&](std::string_view prefix, const Exp& value) {
    out_ << prefix;
    operand(value);
  };
  const auto with_type = [&](const Exp& value, std::string_view sign, const TypeExp& wanted) {
    operand(value);
    out_ << sign;
    type(wanted);
  };
  match(
      exp.node, [&](const IntegerLiteral& e) { integer(e); },
      [&](const FloatLiteral& e) { real(e); },
      [&](const BoolLiteral& e) { out_ << (e.value ? "true" : "false"); },
      [&](const StringLiteral& e) { string(e); }, [&](const Hole&) { out_ << "???"; },
      [&](const Variable& e) { qualified(e.name); }, [&](const LocalOpen& e) { local_open(e); },
      [&](const Tuple& e) { list("(", e.elements, ")"); }, [&](const Record& e) { record(e); },
      [&](const Project& e) { projection(e); },
      [&](const ArrayLiteral& e) { list("[", e.elements, "]"); },
      [&](const Index& e) {
        postfix_base(*e.array);
        dimensions(e.dimensions);
      },
      [&](const Update& e) { update(e); }, [&](const RangeExp& e) { range(e); },
      [&](const Ascription& e) { with_type(*e.value, " : ", *e.type); },
      [&](const Coercion& e) { with_type(*e.value, " :> ", *e.type); },
      [&](const Apply& e) { application(e); }, [&](const Binary&) { binary_chain(exp); },
      [&](const Logical&) { binary_chain(exp); }, [&](const Negate& e) { prefixed("-", *e.value); },
      [&](const Not& e) { prefixed("!", *e.value); }, [&](const Lambda& e) { lambda(e); },
      [&](const OperatorSection&) { section(exp); }, [&](const LeftSection&) { section(exp); },
      [&](const RightSection&) { section(exp); }, [&](const PathSection&) { section(exp); },
      [&](const Let&) { let_chain(exp); }, [&](const LetFunction&) { let_chain(exp); },
      [&](const If&) { if_chain(exp); }, [&](const Match& e) { match_expression(e); },
      [&](const Loop& e) { loop(e); },
      [&](const Construct& e) {
        out_ << "#" << text(e.constructor.symbol);
        for (const Exp* argument : e.arguments) prefixed(" ", *argument);
      },
      [&](const Assert& e) {
        prefixed("assert ", *e.condition);
        out_ << " ";
        expression(*e.value);
      },
      [&](const Attributed& e) {
        attribute(e.attribute);
        out_ << " ";
        expression(*e.value);
      },
      [&](const Broadcast& e) { broadcast(e); });
}

void Printer::list(std::string_view open, const std::vector<Exp*>& items, std::string_view close) {
  out_ << open;
  separated(items, ", ", [&](const Exp* item) { expression(*item); });
  out_ << close;
}

void Printer::local_open(const LocalOpen& open) {
  qualified(open.module);
  out_ << ".(";
  expression(*open.body);
  out_ << ")";
}

void Printer::record(const Record& record) {
  out_ << "{";
  separated(record.fields, ", ", [&](const auto& field) {
    out_ << text(field.first.symbol) << " = ";
    expression(*field.second);
  });
  out_ << "}";
}

void Printer::projection(const Project& project) {
  // A name before the dot would be a module.
  const bool is_name = as<Variable>(project.record->node) != nullptr;
  if (is_name) out_ << "(";
  is_name ? expression(*project.record) : postfix_base(*project.record);
  out_ << (is_name ? ")." : ".") << text(project.field.symbol);
}

void Printer::update(const Update& update) {
  operand(*update.source);
  out_ << " with ";
  path(update.path, false);
  out_ << " = ";
  operand(*update.value);
}

void Printer::section(const Exp& exp) {
  out_ << "(";
  if (const auto* whole = as<OperatorSection>(exp.node)) {
    infix(*whole->operation);
  } else if (const auto* left = as<LeftSection>(exp.node)) {
    operand(*left->left);
    out_ << " ";
    infix(*left->operation);
  } else if (const auto* right = as<RightSection>(exp.node)) {
    infix(*right->operation);
    out_ << " ";
    operand(*right->right);
  } else {
    path(std::get<PathSection>(exp.node).path, true);
  }
  out_ << ")";
}

void Printer::integer(const IntegerLiteral& literal) {
  if (literal.too_large) {
    // The digits above 64 bits are lost, but not that there were some.
    out_ << "0x1";
    for (int shift = 60; shift >= 0; shift -= 4) {
      out_ << "0123456789abcdef"[(literal.value >> shift) & 0xf];
    }
  } else {
    out_ << literal.value;
  }
  out_ << suffix_text(literal.suffix);
}

void Printer::real(const FloatLiteral& literal) {
  if (std::isinf(literal.value)) {
    out_ << "1e999" << suffix_text(literal.suffix);
    return;
  }
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, literal.value).ptr;
  const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  out_ << digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out_ << ".0";
  out_ << suffix_text(literal.suffix);
}

void Printer::string(const StringLiteral& literal) {
  out_ << '"';
  bool after_number = false;
  for (const char c : literal.bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (after_number && c >= '0' && c <= '9') out_ << "\\&";
    after_number = byte < 0x20 || byte == 0x7f;
    if (after_number) {
      out_ << '\\' << static_cast<int>(byte);
    } else {
      if (c == '"' || c == '\\') out_ << '\\';
      out_ << c;
    }
  }
  out_ << '"';
}

// What stands before `.field` or `[index]` must end in a letter or a closing bracket.
void Printer::postfix_base(const Exp& exp) {
  const bool fits = as<Variable>(exp.node) || as<Project>(exp.node) || as<Index>(exp.node) ||
                    as<Tuple>(exp.node) || as<LocalOpen>(exp.node);
  if (fits) return expression(exp);
  out_ << "(";
  expression(exp);
  out_ << ")";
}

void Printer::application(const Apply& apply) {
  // A constructor as the head would take the arguments.
  const bool is_constructor = as<Construct>(apply.function->node) != nullptr;
  if (is_constructor) out_ << "(";
  is_constructor ? expression(*apply.function) : operand(*apply.function);
  if (is_constructor) out_ << ")";
  for (const Exp* argument : apply.arguments) {
    const bool looks_like_index =
        as<ArrayLiteral>(argument->node) && argument == apply.arguments.front();
    out_ << (looks_like_index ? " (" : " ");
    operand(*argument);
    if (looks_like_index) out_ << ")";
  }
}

void Printer::lambda(const Lambda& lambda) {
  if (broadcast_section(lambda)) return;
  out_ << "\\";
  separated(lambda.function.parameters, " ", [&](const Pattern* item) { parameter(*item); });
  if (lambda.function.result_type != nullptr) {
    out_ << " : ";
    type_term(*lambda.function.result_type);
  }
  out_ << " -> ";
  expression(*lambda.function.body);
}

// Sections of broadcast operators are lambdas whose parameters no program can name.
bool Printer::broadcast_section(const Lambda& lambda) {
  const Pattern& first = *lambda.function.parameters.front();
  const auto* parameter = as<NamePattern>(first.node);
  const auto* body = as<Broadcast>(lambda.function.body->node);
  if (parameter == nullptr || body == nullptr) return false;
  const auto is_missing = [&](const Exp& exp, std::string_view spelling) {
    const auto* use = as<Variable>(exp.node);
    return use != nullptr && text(use->name.name.symbol) == spelling;
  };
  const bool left = is_missing(*body->operands[0], syntax::left_operand_name);
  const bool right = is_missing(*body->operands[1], syntax::right_operand_name);
  if (!left && !right) return false;
  out_ << "(";
  if (!left) {
    operand(*body->operands[0]);
    out_ << " ";
  }
  if (left) out_ << " ";
  out_ << ".";
  infix(*body->function);
  if (!right) {
    out_ << " ";
    operand(*body->operands[1]);
  }
  out_ << ")";
  return true;
}

void Printer::broadcast(const Broadcast& broadcast) {
  const auto* named = as<Variable>(broadcast.function->node);
  if (named != nullptr && is_operator(text(named->name.name.symbol))) {
    operand(*broadcast.operands[0]);
    out_ << " .";
    infix(*broadcast.function);
    out_ << " ";
    operand(*broadcast.operands[1]);
    return;
  }
  out_ << "broadcast ";
  operand(*broadcast.function);
  for (const Exp* item : broadcast.operands) {
    out_ << " ";
    operand(*item);
  }
}

void Printer::loop(const Loop& loop) {
  out_ << "loop ";
  pattern(*loop.pattern);
  out_ << " = ";
  closed(*loop.initial);
  match(
      loop.form,
      [&](const ForLoop& form) {
        out_ << " for ";
        pattern(*form.index);
        out_ << " < ";
        closed(*form.bound);
      },
      [&](const ForInLoop& form) {
        out_ << " for ";
        pattern(*form.element);
        out_ << " in ";
        closed(*form.array);
      },
      [&](const WhileLoop& form) {
        out_ << " while ";
        closed(*form.condition);
      });
  out_ << " do ";
  expression(*loop.body);
}

void Printer::match_expression(const Match& match) {
  out_ << "match ";
  closed(*match.value);
  out_.indent();
  for (const Case& alternative : match.cases) {
    out_ << "\ncase ";
    // The arrow would be part of a type.
    const bool typed = as<AscribedPattern>(alternative.pattern->node) ||
                       as<AttributePattern>(alternative.pattern->node);
    typed ? parameter(*alternative.pattern) : pattern(*alternative.pattern);
    out_ << " -> ";
    closed(*alternative.body);
  }
  out_.dedent();
}

void Printer::path(const std::vector<PathStep>& path, bool is_section) {
  bool first = true;
  for (const PathStep& step : path) {
    if (const auto* indices = as<std::vector<IndexDimension>>(step.step)) {
      if (first && is_section) out_ << ".";
      dimensions(*indices);
    } else {
      if (!first || is_section) out_ << ".";
      out_ << text(std::get<Name>(step.step).symbol);
    }
    first = false;
  }
}

void Printer::dimensions(const std::vector<IndexDimension>& dimensions) {
  out_ << "[";
  separated(dimensions, ", ", [&](const IndexDimension& item) {
    if (!item.is_slice) return operand(*item.index);
    if (item.start != nullptr) operand(*item.start);
    out_ << ":";
    if (item.end != nullptr) operand(*item.end);
    if (item.stride == nullptr) return;
    out_ << ":";
    operand(*item.stride);
  });
  out_ << "]";
}

void Printer::range(const RangeExp& range) {
  operand(*range.start);
  if (range.second != nullptr) {
    out_ << "..";
    operand(*range.second);
  }
  switch (range.kind) {
    case RangeEnd::inclusive: out_ << "..."; break;
    case RangeEnd::up_to: out_ << "..<"; break;
    case RangeEnd::down_to: out_ << "..>"; break;
  }
  operand(*range.end);
}

}  // namespace dagaz::ast
