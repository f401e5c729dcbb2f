// See print_type.h.
#include "check/print_type.h"

#include "check/expression_walk.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

namespace {

class Printer {
 public:
  Printer(const Context& context, const ResolveMeta& resolve, const DescribeMeta& describe)
      : context_(context), resolve_(resolve), describe_(describe) {}

  std::string out;

  /// `tight`: the place takes an atom only, so larger things get parentheses.
  void type(const Type* type, bool tight);
  void size(const Size* size, bool tight);
  void expression(const ast::Exp* exp, bool tight);

 private:
  void record(const Record& r);
  void sum(const Sum& s, bool tight);
  void arrow(const Arrow& a, bool tight);
  void named(const Named& n, bool tight);
  bool is_operator(const ast::Exp* function) const;

  const Context& context_;
  const ResolveMeta& resolve_;
  const DescribeMeta& describe_;
};

void Printer::record(const Record& r) {
  const bool is_tuple = context_.types.tuple_length(r) >= 0;
  out += is_tuple ? "(" : "{";
  bool first = true;
  for (const auto& [name, field] : r.fields) {
    if (!first) out += ", ";
    first = false;
    if (!is_tuple) out += std::string(context_.text(name)) + ": ";
    type(field, false);
  }
  out += is_tuple ? ")" : "}";
}

void Printer::sum(const Sum& s, bool tight) {
  if (tight) out += "(";
  bool first = true;
  for (const auto& [name, payload] : s.constructors) {
    if (!first) out += " | ";
    first = false;
    out += "#" + std::string(context_.text(name));
    for (const Type* part : payload) {
      out += " ";
      type(part, true);
    }
  }
  if (tight) out += ")";
}

void Printer::arrow(const Arrow& a, bool tight) {
  if (tight) out += "(";
  const bool used = a.parameter.valid() && mentions(a.to, a.parameter);
  if (used) out += "(" + std::string(context_.text(a.parameter)) + ": ";
  if (a.consumes) out += "*";
  type(a.from, !used && (as<Arrow>(a.from->node) || as<Sum>(a.from->node)));
  if (used) out += ")";
  out += " -> ";
  if (!a.existentials.empty()) {
    out += "?";
    for (const BindingId e : a.existentials) out += "[" + std::string(context_.text(e)) + "]";
    out += ".";
  }
  type(a.to, false);
  if (tight) out += ")";
}

void Printer::named(const Named& n, bool tight) {
  if (n.unique) out += "*";
  const bool parentheses = tight && !n.arguments.empty();
  if (parentheses) out += "(";
  out += print_type_name(context_, n.name);
  for (const auto& argument : n.arguments) {
    out += " ";
    if (const Size* const* s = as<const Size*>(argument)) {
      out += "[";
      size(*s, false);
      out += "]";
    } else {
      type(std::get<const Type*>(argument), true);
    }
  }
  if (parentheses) out += ")";
}

void Printer::type(const Type* the_type, bool tight) {
  if (resolve_) the_type = resolve_(the_type);
  match(
      the_type->node, [&](const PrimitiveType& p) { out += primitive_name(p.primitive); },
      [&](const Array& a) {
        if (a.unique) out += "*";
        out += "[";
        if (as<AnonymousSize>(a.size->node) == nullptr) size(a.size, false);
        out += "]";
        type(a.element, true);
      },
      [&](const Record& r) { record(r); }, [&](const Sum& s) { sum(s, tight); },
      [&](const Arrow& a) { arrow(a, tight); }, [&](const Named& n) { named(n, tight); },
      [&](const MetaType& m) {
        out += describe_ ? describe_(m.index) : "t" + std::to_string(m.index);
      });
}

bool Printer::is_operator(const ast::Exp* function) const {
  const auto* variable = as<ast::Variable>(function->node);
  if (variable == nullptr || !variable->id.valid()) return false;
  const std::string_view name = context_.text(variable->id);
  return !name.empty() && std::string_view("+-*/%=!><|&^").find(name[0]) != name.npos;
}

void Printer::size(const Size* the_size, bool tight) {
  match(
      the_size->node, [&](const ConstantSize& s) { out += std::to_string(s.value); },
      [&](const NamedSize& s) { out += context_.text(s.name); },
      [&](const AppliedSize& s) {
        if (tight) out += "(";
        if (s.arguments.size() == 2 && is_operator(s.function)) {
          size(s.arguments[0], true);
          out += " ";
          expression(s.function, false);
          out += " ";
          size(s.arguments[1], true);
        } else {
          expression(s.function, true);
          for (const Size* argument : s.arguments) {
            out += " ";
            size(argument, true);
          }
        }
        if (tight) out += ")";
      },
      [&](const ExpressionSize& s) { expression(s.expression, tight); },
      [&](const AnonymousSize&) { out += "?"; }, [&](const MetaSize&) { out += "?"; });
}

void Printer::expression(const ast::Exp* exp, bool tight) {
  if (const auto* variable = as<ast::Variable>(exp->node)) {
    if (variable->name.name.symbol.valid()) {
      for (const ast::Name& q : variable->name.qualifiers) {
        out += std::string(context_.text(q.symbol)) + ".";
      }
      out += context_.text(variable->name.name.symbol);
    } else {
      out += context_.text(variable->id);
    }
  } else if (const auto* projection = as<ast::Project>(exp->node)) {
    expression(projection->record, true);
    out += "." + std::string(context_.text(projection->field.symbol));
  } else if (const auto value = integer_literal(exp)) {
    out += std::to_string(*value);
  } else if (as<ast::Apply>(exp->node) || as<ast::Binary>(exp->node)) {
    if (const auto* apply = as<ast::Apply>(exp->node)) {
      if (tight) out += "(";
      expression(apply->function, true);
      for (const ast::Exp* argument : apply->arguments) {
        out += " ";
        expression(argument, true);
      }
      if (tight) out += ")";
    } else {
      const auto& binary = std::get<ast::Binary>(exp->node);
      if (tight) out += "(";
      expression(binary.left, true);
      out += " ";
      expression(binary.operation, false);
      out += " ";
      expression(binary.right, true);
      if (tight) out += ")";
    }
  } else {
    out += "…";
  }
}

}  // namespace

std::string print_open_type(const Context& context, const Type* type, const ResolveMeta& resolve,
                            const DescribeMeta& describe) {
  Printer printer(context, resolve, describe);
  printer.type(type, false);
  return printer.out;
}

std::string print_type(const Context& context, const Type* type) {
  return print_open_type(context, type, nullptr, nullptr);
}

std::string print_size(const Context& context, const Size* size) {
  const ResolveMeta none;
  const DescribeMeta nothing;
  Printer printer(context, none, nothing);
  printer.size(size, false);
  return printer.out;
}

std::string print_expression(const Context& context, const ast::Exp* exp) {
  const ResolveMeta none;
  const DescribeMeta nothing;
  Printer printer(context, none, nothing);
  printer.expression(exp, false);
  return printer.out;
}

std::string print_type_name(const Context& context, TypeNameId id) {
  return std::string(context.text(context.type_names[id].name));
}

std::string print_scheme(const Context& context, const Scheme& scheme) {
  std::string result;
  for (const BindingId size : scheme.size_parameters) {
    result += "[" + std::string(context.text(size)) + "]";
  }
  for (const TypeNameId type : scheme.type_parameters) {
    if (!result.empty()) result += " ";
    result += "'" + print_type_name(context, type);
  }
  if (!result.empty()) result += ". ";
  return result + print_type(context, scheme.type);
}

}  // namespace dagaz::check
