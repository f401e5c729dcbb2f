// Expressions with sizes.  See sizes.h.
#include <algorithm>

#include "check/expression_walk.h"
#include "check/library_files.h"
#include "check/print_type.h"
#include "check/sizes.h"
#include "support/match.h"
#include "syntax/children.h"

namespace dagaz::check {

Sizes::Sizes(Context& context, Scope& scope)
    : context_(context),
      solver_(context),
      type_expressions_(context, scope, *this, TypeExpressions::Pass::with_sizes) {}

Diagnostic& Sizes::error(DiagnosticKind kind, const Range& range, std::string message) {
  const bool is_sure = broken_ == nullptr || kind == DiagnosticKind::size_mismatch ||
                       kind == DiagnosticKind::broadcast_shape;
  return (is_sure ? context_.diagnostics : dropped_).report(kind, range, std::move(message));
}

const Size* Sizes::read(ast::Exp& exp) {
  check(exp);
  if (has_binding(exp)) {
    error(DiagnosticKind::existential_size, exp.range, "size expression with binding is forbidden");
  }
  return solver_.normal(size_of(&exp));
}

WrittenType Sizes::check_type(ast::TypeExp& type) {
  solver_.clear();
  WrittenType result = type_expressions_.evaluate(type);
  result.type = normal(result.type);
  finish_type_exp(type);
  return result;
}

/// Reads a written type whose open sizes may become anything.
WrittenType Sizes::written(ast::TypeExp& type, Names* open, bool of_parameter) {
  WrittenType result = type_expressions_.evaluate(type);
  for (const Names* names : {&result.anonymous, &result.existentials}) {
    for (const BindingId name : *names) {
      SizeConstraint c;
      c.kind = SizeKind::free;
      c.name = name;
      c.level = solver_.level;
      c.usage = {type.range, "anonymous size in type expression"};
      c.any_argument = of_parameter;
      solver_.constrain(std::move(c));
      if (open != nullptr) open->push_back(name);
    }
  }
  return result;
}

const Type* Sizes::fresh_sizes(const Type* type, const Range& range, Liftedness absorbs) {
  return solver_.with_fresh_sizes(context_.types.erase(type), SizeKind::instantiated,
                                  {range, ""}, absorbs);
}

// ---------------------------------------------------------------- mismatches

bool Sizes::unify(const Type* expected, const Type* actual, const Range& range, Site site,
                  const ast::Exp* callee) {
  static constexpr const char* uses[] = {
      "use as function argument", "type ascription", "size coercion", "return type annotation",
      "explicit type ascription", "type of first array element", "use in range expression",
      "type of update target", "matching initial loop values to pattern",
      "matching loop body to pattern", "inferred variant", "empty array literal",
      "size expression"};
  expected = context_.types.not_unique(expected);
  actual = context_.types.not_unique(actual);
  if (solver_.unify(expected, actual, {range, uses[static_cast<std::size_t>(site)]})) return true;
  report_mismatch(expected, actual, range, site, callee);
  return false;
}

static std::string site_text(const Context& context, Site site, const ast::Exp* callee) {
  switch (site) {
    case Site::argument:
      if (callee != nullptr && as<ast::Variable>(callee->node) != nullptr) {
        return "cannot apply `" + print_expression(context, callee) + "` to this argument: ";
      }
      return "cannot apply the function to this argument: ";
    case Site::ascription: return "the value does not have the ascribed type: ";
    case Site::coercion: return "the coercion is impossible: ";
    case Site::result: return "the body does not have the declared result type: ";
    case Site::pattern: return "the pattern cannot match the value: ";
    case Site::array_element: return "elements of an array must have the same shape: ";
    case Site::update: return "the new value does not fit: ";
    case Site::loop_initial: return "the initial value does not fit the loop parameter: ";
    case Site::loop_body: return "the loop body's result does not fit the loop parameter: ";
    case Site::range:
    case Site::constructor:
    case Site::empty_array:
    case Site::other: return "";
  }
  return "";
}

/// Says where an unknown size comes from.
void Sizes::explain_size(Diagnostic& d, const Size* size) {
  for_each_name(size, [&](BindingId name) {
    const SizeConstraint* c = solver_.find(name);
    const std::string text = "`" + std::string(context_.text(name)) + "`";
    if (c != nullptr && c->kind == SizeKind::unknown && c->usage.range.valid()) {
      d.labels.push_back({c->usage.range, text + " is an unknown size: " + c->usage.what});
    }
  });
}

/// The expression before the culprit that told a size of the function that is applied.
const ast::Exp* Sizes::argument_with(const Size* size) {
  const std::string wanted = print_size(context_, size);
  for (const auto& [argument, type] : earlier_arguments_) {
    bool found = false;
    for_each_dimension(normal(type), [&](const Size* s, SizePosition, const Names&) {
      found = found || print_size(context_, s) == wanted;
    });
    if (found) return argument;
  }
  return nullptr;
}

/// Says where the two sizes of an equation that failed come from.
void Sizes::explain_equation(Diagnostic& d, const Size* expected, const Size* actual, Site site) {
  const ast::Exp* told_by = site == Site::argument ? argument_with(expected) : nullptr;
  if (told_by != nullptr) {
    d.labels.push_back(
        {told_by->range, "`" + print_size(context_, expected) + "` is a size of this"});
  }
  explain_size(d, expected);
  explain_size(d, actual);
  Names bound;
  for (const Size* size : {expected, actual}) {
    if (size == expected && told_by != nullptr) continue;
    for_each_name(size, [&](BindingId name) {
      const SizeKind kind = solver_.kind(name);
      const bool is_of_program = kind == SizeKind::parameter || kind == SizeKind::none;
      if (is_of_program && !contains(bound, name)) bound.push_back(name);
    });
  }
  for (const BindingId name : bound) {
    const Range& range = context_.range_of(name);
    const bool is_seen = range.valid() && range.begin < range.end &&
                         !is_of_library(context_, range);
    if (!is_seen) continue;
    d.labels.push_back({range, "`" + std::string(context_.text(name)) + "` is bound here"});
  }
}

/// What the solver calls sizes that have no name in the program.
static constexpr std::string_view invented_name = "d";

/// Sizes of the function that is applied are not those of the same name around it, and what nobody
/// named has no name.  Gives the name that two had, if there is such.
std::string Sizes::distinguish(const Type* expected, const Type* actual) {
  std::string renamed;
  Names all;
  for (const Type* type : {expected, actual}) {
    for_each_dimension(type, [&](const Size* size, SizePosition, const Names&) {
      for_each_name(size, [&](BindingId name) {
        if (!contains(all, name)) all.push_back(name);
      });
    });
  }
  const auto is_open = [&](BindingId name) {
    const SizeKind kind = solver_.kind(name);
    return kind == SizeKind::free || kind == SizeKind::instantiated || kind == SizeKind::copy;
  };
  for (const BindingId name : all) {
    if (!is_open(name)) continue;
    const std::string text(context_.text(name));
    const bool is_taken = std::any_of(all.begin(), all.end(), [&](BindingId other) {
      return other != name && context_.text(other) == text;
    });
    if (text == invented_name) context_.result.bindings[name].name = context_.names.intern("_");
    if (!is_taken) continue;
    renamed = text;
    context_.result.bindings[name].name = context_.names.intern(text + "'");
  }
  return renamed;
}

/// Whether each call of `function` decides `size` anew.
static bool decided_by_call(const Type* function, const Size* size) {
  while (const auto* arrow = as<Arrow>(function->node)) {
    bool found = arrow->parameter.valid() && mentions(size, arrow->parameter);
    for (const BindingId name : arrow->existentials) found = found || mentions(size, name);
    if (found) return true;
    function = arrow->to;
  }
  return false;
}

void Sizes::hint_at_sizes(Diagnostic& d, const Type* actual, Site site) {
  const SizeSolver::Failure& failure = solver_.failure();
  const bool constants = as<ConstantSize>(failure.expected->node) != nullptr &&
                         as<ConstantSize>(failure.actual->node) != nullptr;
  if (constants || site == Site::coercion) return;
  if (site == Site::argument && decided_by_call(actual, failure.actual)) {
    d.hints.push_back("each call of this function decides the size of its result, but one size "
                      "for all calls is expected: arrays are regular");
    return;
  }
  if (as<AppliedSize>(failure.expected->node) && as<AppliedSize>(failure.actual->node)) {
    d.hints.push_back("sizes are compared as they are written, without arithmetic");
  }
  d.hints.push_back("if the sizes are always equal, say so with a size coercion `:>`, which is "
                    "checked when the program runs");
}

void Sizes::report_mismatch(const Type* expected, const Type* actual, const Range& range,
                            Site site, const ast::Exp* callee) {
  const SizeSolver::Failure failure = solver_.failure();
  if (broken_ != nullptr && failure.expected == nullptr) return;  // the types differ
  const std::string renamed = distinguish(normal(expected), normal(actual));
  std::string message = site_text(context_, site, callee);
  const auto kind =
      failure.consumption ? DiagnosticKind::consumption_mismatch : DiagnosticKind::size_mismatch;
  if (failure.expected != nullptr) {
    message += "sizes `" + print_size(context_, failure.expected) + "` and `" +
               print_size(context_, failure.actual) + "` do not match";
    if (!failure.message.empty()) message += " (" + failure.message + ")";
  } else {
    message += failure.message.empty() ? "the types do not match" : failure.message;
  }
  Diagnostic& d = error(kind, range, std::move(message));
  d.labels.push_back({range, "expected `" + print_type(context_, normal(expected)) + "`, found `" +
                                 print_type(context_, normal(actual)) + "`"});
  if (failure.expected != nullptr) {
    explain_equation(d, failure.expected, failure.actual, site);
    hint_at_sizes(d, actual, site);
  }
  if (!renamed.empty()) {
    d.hints.push_back("`" + renamed + "'` is a size of the function that is applied, which has " +
                      "that name too");
  }
}

// ---------------------------------------------------------------- expressions

bool Sizes::has_broken_part(const ast::Exp& exp) const {
  if (broken_ == nullptr) return false;
  bool found = false;
  ast::for_each_expression(exp, [&](const ast::Exp& e) { found = found || is_broken(e); });
  return found;
}

const Size* Sizes::size_of(const ast::Exp* exp) const {
  if (has_broken_part(*exp)) return context_.types.any();
  return size_of_expression(context_.types, exp);
}

/// The type that its surroundings see, with any sizes, and what can be said of its parts.
const Type* Sizes::check_broken(ast::Exp& exp) {
  if (as<ast::Apply>(exp.node) || as<ast::Binary>(exp.node) || as<ast::If>(exp.node)) {
    check::for_each_child(exp, [&](ast::Exp*& child) { check(*child); });
  }
  exp.existentials.clear();
  return fresh_sizes(exp.type, exp.range, Liftedness::lifted);
}

const Type* Sizes::check(ast::Exp& exp) {
  if (as<ast::Let>(exp.node) || as<ast::LetFunction>(exp.node)) return check_lets(exp);
  exp.type = context_.types.not_unique(is_broken(exp) ? check_broken(exp) : check_node(exp));
  return exp.type;
}

const Type* Sizes::check_node(ast::Exp& exp) {
  return match(
      exp.node, [&](ast::IntegerLiteral&) { return exp.type; },
      [&](ast::FloatLiteral&) { return exp.type; }, [&](ast::BoolLiteral&) { return exp.type; },
      [&](ast::StringLiteral& e) {
        return context_.types.array(
            context_.types.constant(static_cast<std::int64_t>(e.bytes.size())),
            context_.types.primitive(Primitive::u8));
      },
      [&](ast::Hole&) { return fresh_sizes(exp.type, exp.range, Liftedness::lifted); },
      [&](ast::Variable& e) { return check_variable(e, exp); },
      [&](ast::LocalOpen& e) { return check(*e.body); },
      [&](ast::Tuple& e) {
        std::vector<const Type*> elements;
        for (ast::Exp* element : e.elements) elements.push_back(check(*element));
        return context_.types.tuple(elements);
      },
      [&](ast::Record& e) { return check_record(e); },
      [&](ast::Project& e) { return check_project(e); },
      [&](ast::ArrayLiteral& e) { return check_array(e, exp); },
      [&](ast::Index& e) { return check_index(e, exp); },
      [&](ast::Update& e) { return check_update(e); },
      [&](ast::RangeExp& e) { return check_range(e, exp); },
      [&](ast::Ascription& e) { return check_ascription(e); },
      [&](ast::Coercion& e) { return check_coercion(e, exp.range); },
      [&](ast::Apply& e) { return check_apply(e, exp); },
      [&](ast::Binary& e) { return check_binary(e, exp); },
      [&](ast::Logical& e) {
        check(*e.left);
        check(*e.right);
        return exp.type;
      },
      [&](ast::Negate& e) { return check(*e.value); },
      [&](ast::Not& e) { return check(*e.value); },
      [&](ast::Lambda& e) { return check_lambda(e, exp); },
      [&](ast::OperatorSection& e) { return check(*e.operation); },
      [&](ast::LeftSection& e) { return check_left_section(e, exp); },
      [&](ast::RightSection& e) { return check_right_section(e, exp); },
      [&](ast::PathSection& e) { return check_path_section(e, exp); },
      [&](ast::Let&) { return check_lets(exp); },
      [&](ast::LetFunction&) { return check_lets(exp); },
      [&](ast::If& e) { return check_if(e, exp); },
      [&](ast::Match& e) { return check_match(e, exp); },
      [&](ast::Loop& e) { return check_loop(e, exp); },
      [&](ast::Construct& e) { return check_construct(e, exp); },
      [&](ast::Assert& e) {
        check(*e.condition);
        return check(*e.value);
      },
      [&](ast::Attributed& e) {
        if (e.argument != nullptr) check(*e.argument);
        return check(*e.value);
      },
      [&](ast::Broadcast& e) { return check_broadcast(e, exp); });
}

const Type* Sizes::field(const Type* record, Symbol name) {
  if (const auto* r = as<Record>(record->node)) {
    for (const auto& f : r->fields) {
      if (f.first == name) return f.second;
    }
  }
  return context_.types.unit();  // an earlier error
}

const Type* Sizes::check_record(ast::Record& record) {
  std::vector<std::pair<Symbol, const Type*>> fields;
  for (auto& [name, value] : record.fields) fields.emplace_back(name.symbol, check(*value));
  return context_.types.record(std::move(fields));
}

const Type* Sizes::check_project(const ast::Project& project) {
  return field(check(*project.record), project.field.symbol);
}

const Type* Sizes::check_array(ast::ArrayLiteral& array, ast::Exp& exp) {
  const auto length = static_cast<std::int64_t>(array.elements.size());
  if (array.elements.empty()) {
    const Type* type = fresh_sizes(exp.type, exp.range, Liftedness::unlifted);
    const auto* outer = as<Array>(type->node);
    if (outer == nullptr) return type;
    const Type* result = context_.types.array(context_.types.constant(0), outer->element);
    unify(result, type, exp.range, Site::empty_array);
    return result;
  }
  const Type* element = check(*array.elements[0]);
  for (std::size_t i = 1; i < array.elements.size(); ++i) {
    const Type* other = check(*array.elements[i]);
    if (other != element) unify(element, other, array.elements[i]->range, Site::array_element);
  }
  return context_.types.array(context_.types.constant(length), element);
}

ast::Exp* Sizes::operator_exp(std::string_view name, const Range& range) {
  const Symbol symbol = context_.names.intern(name);
  const BindingId id = context_.operators.at(symbol);
  const Type* i64 = context_.types.i64();
  const Instance* instance = context_.types.arena().make(Instance{{}, {i64}});
  ast::QualifiedName spelling;
  spelling.name = {symbol, range};
  spelling.range = range;
  return context_.program.arena.make(
      ast::Exp{range, ast::Variable{spelling, id, instance},
               context_.types.arrow(i64, context_.types.arrow(i64, i64)), {}});
}

const Size* Sizes::difference(ast::Exp* end, ast::Exp* start, bool inclusive) {
  const Size* result = context_.types.applied(operator_exp("-", end->range),
                                              {size_of(end), size_of(start)});
  if (!inclusive) return result;
  return context_.types.applied(operator_exp("+", end->range),
                                {result, context_.types.constant(1)});
}

const Type* Sizes::check_range(ast::RangeExp& range, ast::Exp& exp) {
  const Type* element = check(*range.start);
  if (range.second != nullptr) check(*range.second);
  check(*range.end);
  const auto is = [](const ast::Exp* e, std::int64_t value) {
    return e != nullptr && integer_literal(e) == value;
  };
  if (range.second != nullptr) {
    const auto* x = as<ast::Variable>(range.start->node);
    const auto* y = as<ast::Variable>(range.second->node);
    const auto first = integer_literal(range.start);
    if ((x != nullptr && y != nullptr && x->id == y->id) ||
        (first && integer_literal(range.second) == first)) {
      error(DiagnosticKind::empty_range, exp.range,
            "first and second element of range are identical, this will produce an empty array");
    }
  }
  const auto* primitive = as<PrimitiveType>(element->node);
  const bool is_size = primitive != nullptr && primitive->primitive == Primitive::i64;
  const bool up_to = range.kind == ast::RangeEnd::up_to;
  const bool inclusive = range.kind == ast::RangeEnd::inclusive;
  const auto end_size = [&] { return size_of(range.end); };
  const Size* size = nullptr;
  if (is_size && up_to && is(range.start, 0) &&
      (range.second == nullptr || is(range.second, 1))) {
    size = unless_binding({range.end}, exp.range, end_size, &exp.existentials);
  } else if (is_size && range.second == nullptr && (up_to || inclusive)) {
    size = unless_binding({range.start, range.end}, exp.range,
                          [&] { return difference(range.end, range.start, inclusive); },
                          &exp.existentials);
  } else if (is_size && inclusive && is(range.start, 1) && is(range.second, 2)) {
    size = unless_binding({range.end}, exp.range, end_size, &exp.existentials);
  } else {
    const BindingId name = solver_.unknown(exp.range, "this range's length is not known", "range");
    exp.existentials.push_back(name);
    size = context_.types.named_size(name);
  }
  return context_.types.array(size, element);
}

const Type* Sizes::check_construct(ast::Construct& construct, ast::Exp& exp) {
  const Type* type = fresh_sizes(exp.type, exp.range, Liftedness::lifted);
  std::vector<const Type*> arguments;
  for (ast::Exp* argument : construct.arguments) arguments.push_back(check(*argument));
  const auto* sum = as<Sum>(type->node);
  if (sum == nullptr) return type;
  for (const auto& [name, payload] : sum->constructors) {
    if (name != construct.constructor.symbol) continue;
    for (std::size_t i = 0; i < payload.size() && i < arguments.size(); ++i) {
      unify(payload[i], arguments[i], construct.arguments[i]->range, Site::constructor);
    }
  }
  return type;
}

const Type* Sizes::check_ascription(ast::Ascription& ascription) {
  const Type* declared = context_.types.not_unique(written(*ascription.type).type);
  const Type* actual = normal(check(*ascription.value));
  unify(declared, actual, ascription.value->range, Site::ascription);
  return actual;
}

namespace {

/// Gives sizes other than the kept ones new variables.
class Loosen : public Rewriter {
 public:
  Loosen(Context& context, SizeSolver& solver, const std::vector<BindingId>& kept,
         const Range& range)
      : Rewriter(context), solver_(solver), kept_(kept), range_(range) {}

  const Type* loosen(const Type* type) {
    return match(
        type->node, [&](const PrimitiveType&) { return type; },
        [&](const Array& a) {
          const Size* size = loosen_size(a.size);
          return context_.types.array(size, loosen(a.element), a.unique);
        },
        [&](const Record& r) {
          Record copy = r;
          for (auto& f : copy.fields) f.second = loosen(f.second);
          return context_.types.arena().make(Type{std::move(copy)});
        },
        [&](const Sum& s) {
          Sum copy = s;
          for (auto& constructor : copy.constructors) {
            for (auto& payload : constructor.second) payload = loosen(payload);
          }
          return context_.types.arena().make(Type{std::move(copy)});
        },
        [&](const Arrow& a) {
          Arrow copy = a;
          copy.from = loosen(a.from);
          copy.to = loosen(a.to);
          return context_.types.arrow(std::move(copy));
        },
        [&](const Named& n) {
          Named copy = n;
          for (auto& argument : copy.arguments) {
            if (const Size* const* s = as<const Size*>(argument)) {
              argument = loosen_size(*s);
            } else {
              argument = loosen(std::get<const Type*>(argument));
            }
          }
          return context_.types.named(std::move(copy));
        },
        [&](const MetaType&) { return type; });
  }

 private:
  const Size* loosen_size(const Size* size) {
    const auto* named = as<NamedSize>(size->node);
    if (named != nullptr && contains(kept_, named->name)) return size;
    return context_.types.named_size(solver_.fresh(
        SizeKind::free,
        {range_, "a size coercion where the underlying expression size cannot be determined"},
        "coerce"));
  }

  SizeSolver& solver_;
  const std::vector<BindingId>& kept_;
  Range range_;
};

}  // namespace

const Type* Sizes::check_coercion(ast::Coercion& coercion, const Range& range) {
  Names open;
  const Type* declared = context_.types.not_unique(written(*coercion.type, &open).type);
  const Type* actual = normal(check(*coercion.value));
  const Type* loose = Loosen(context_, solver_, open, range).loosen(declared);
  unify(actual, loose, range, Site::coercion);
  return normal(declared);
}

}  // namespace dagaz::check
