// See local_checks.h.
#include "check/local_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check/expression_walk.h"
#include "check/print_type.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

bool is_first_order(const Context& context, const Type* type) {
  return match(
      type->node, [](const PrimitiveType&) { return true; },
      [&](const Array& a) { return is_first_order(context, a.element); },
      [&](const Record& r) {
        return std::all_of(r.fields.begin(), r.fields.end(),
                           [&](const auto& f) { return is_first_order(context, f.second); });
      },
      [&](const Sum& s) {
        for (const auto& c : s.constructors) {
          for (const Type* payload : c.second) {
            if (!is_first_order(context, payload)) return false;
          }
        }
        return true;
      },
      [](const Arrow&) { return false; },
      [&](const Named& n) {
        return context.type_names[n.name].liftedness != ast::Liftedness::lifted;
      },
      [](const MetaType&) { return true; });
}

namespace {

bool supports_equality(const Type* type) {
  return match(
      type->node, [](const PrimitiveType&) { return true; },
      [](const Array& a) { return supports_equality(a.element); },
      [](const Record& r) {
        return std::all_of(r.fields.begin(), r.fields.end(),
                           [](const auto& f) { return supports_equality(f.second); });
      },
      [](const Sum& s) {
        for (const auto& c : s.constructors) {
          for (const Type* payload : c.second) {
            if (!supports_equality(payload)) return false;
          }
        }
        return true;
      },
      [](const Arrow&) { return false; }, [](const Named&) { return false; },
      [](const MetaType&) { return true; });
}

/// The largest magnitude of positive and negative integers of type `p`.
struct IntegerBounds { std::uint64_t positive; std::uint64_t negative; };
IntegerBounds integer_bounds(Primitive p) {
  const auto bits = [&]() -> unsigned {
    switch (p) {
      case Primitive::i8:
      case Primitive::u8: return 8;
      case Primitive::i16:
      case Primitive::u16: return 16;
      case Primitive::i32:
      case Primitive::u32: return 32;
      default: return 64;
    }
  }();
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  if (!is_signed(p)) return {all, 0};
  return {all >> 1, (all >> 1) + 1};
}

bool overflows(double value, Primitive p) {
  const double magnitude = std::fabs(value);
  switch (p) {
    case Primitive::f16: return magnitude >= 65520.0;
    case Primitive::f32: return std::isinf(static_cast<float>(magnitude));
    default: return std::isinf(magnitude);
  }
}

class LocalChecks {
 public:
  explicit LocalChecks(Context& context) : context_(context) {}

  void function(const ast::Function& f) {
    for (const ast::Pattern* parameter : f.parameters) pattern(*parameter);
    expression(*f.body);
  }

 private:
  void expression(const ast::Exp& exp);
  void pattern(const ast::Pattern& pattern);
  void result_of(const ast::Exp& exp, const char* what);
  void array(const ast::ArrayLiteral& array, const ast::Exp& exp);
  void integer(const ast::IntegerLiteral& literal, const Type* type, bool negative,
               const Range& range);
  void real(double value, const Type* type, const Range& range);
  void out_of_bounds(const Type* type, const Range& range);
  void equality(const ast::Variable& variable, const Range& range);
  void loop(const ast::Loop& loop);

  Diagnostic& error(DiagnosticKind kind, const Range& range, std::string message) {
    return context_.diagnostics.report(kind, range, std::move(message));
  }
  std::string text(const Type* type) const { return print_type(context_, type); }

  Context& context_;
};

void LocalChecks::result_of(const ast::Exp& exp, const char* what) {
  if (is_first_order(context_, exp.type)) return;
  error(DiagnosticKind::functional_value, exp.range,
        std::string(what) + " has type `" + text(exp.type) +
            "`, but its result may not be of function type");
}

void LocalChecks::array(const ast::ArrayLiteral&, const ast::Exp& exp) {
  const auto* type = as<Array>(exp.type->node);
  if (type == nullptr) return;
  if (!is_first_order(context_, type->element)) {
    error(DiagnosticKind::functional_value, exp.range,
          "type `" + text(type->element) + "` of array elements found to be functional");
    return;
  }
  const std::function<void(const Type*)> check = [&](const Type* t) {
    if (const auto* named = as<Named>(t->node)) {
      const TypeNameInfo& info = context_.type_names[named->name];
      if (info.liftedness != ast::Liftedness::unlifted) {
        error(DiagnosticKind::lifted_type, exp.range,
              "type `" + std::string(context_.text(info.name)) +
                  "` is lifted and cannot be an array element");
      }
    } else if (const auto* a = as<Array>(t->node)) {
      check(a->element);
    } else if (const auto* r = as<Record>(t->node)) {
      for (const auto& f : r->fields) check(f.second);
    } else if (const auto* s = as<Sum>(t->node)) {
      for (const auto& c : s->constructors) {
        for (const Type* payload : c.second) check(payload);
      }
    }
  };
  check(type->element);
}

void LocalChecks::out_of_bounds(const Type* type, const Range& range) {
  error(DiagnosticKind::literal_out_of_bounds, range,
        "literal out of bounds for inferred type `" + text(type) + "`");
}

void LocalChecks::integer(const ast::IntegerLiteral& literal, const Type* type, bool negative,
                          const Range& range) {
  const auto* p = as<PrimitiveType>(type->node);
  // With a suffix, the lexer has checked it.
  if (p == nullptr || literal.suffix != ast::LiteralSuffix::none) return;
  if (is_float(p->primitive)) {
    if (literal.too_large) {
      error(DiagnosticKind::literal_range, range,
            "integer literals of real types must fit 64 bits; write it with a decimal point");
    } else if (overflows(static_cast<double>(literal.value), p->primitive)) {
      out_of_bounds(type, range);
    }
    return;
  }
  const IntegerBounds bounds = integer_bounds(p->primitive);
  const std::uint64_t limit = negative ? bounds.negative : bounds.positive;
  // `-x` of an unsigned type wraps around unless it is a literal.
  if (literal.too_large || literal.value > limit) out_of_bounds(type, range);
}

void LocalChecks::real(double value, const Type* type, const Range& range) {
  const auto* p = as<PrimitiveType>(type->node);
  if (p != nullptr && overflows(value, p->primitive)) out_of_bounds(type, range);
}

void LocalChecks::equality(const ast::Variable& variable, const Range& range) {
  if (context_.values[variable.id].kind != ValueKind::equality) return;
  const Type* operand = variable.instance->types[0];
  if (!supports_equality(operand)) {
    error(DiagnosticKind::type_mismatch, range,
          "comparing equality of values of type `" + text(operand) +
              "`, which does not support equality");
  } else if (as<Array>(operand->node) != nullptr) {
    error(DiagnosticKind::deprecated, range,
          "comparing arrays with \"" + std::string(context_.text(variable.id)) +
              "\" is deprecated and will stop working in a future revision of the language");
  }
}

void LocalChecks::loop(const ast::Loop& e) {
  pattern(*e.pattern);
  if (is_first_order(context_, e.pattern->type)) return;
  error(DiagnosticKind::functional_value, e.pattern->range,
        "loop parameter inferred to have type `" + text(e.pattern->type) +
            "`, but a loop parameter may not be of function type");
}

void LocalChecks::pattern(const ast::Pattern& p) {
  match(
      p.node, [](const ast::NamePattern&) {}, [](const ast::WildcardPattern&) {},
      [&](const ast::TuplePattern& t) {
        for (const ast::Pattern* element : t.elements) pattern(*element);
      },
      [&](const ast::RecordPattern& r) {
        for (const auto& f : r.fields) pattern(*f.second);
      },
      [&](const ast::ConstructorPattern& c) {
        for (const ast::Pattern* argument : c.arguments) pattern(*argument);
      },
      [&](const ast::LiteralPattern& l) { expression(*l.literal); },
      [&](const ast::AscribedPattern& a) { pattern(*a.pattern); },
      [&](const ast::AttributePattern& a) { pattern(*a.pattern); });
}

void LocalChecks::expression(const ast::Exp& root) {
  const ast::Exp* exp = &root;
  // Chains of lets may be long.
  while (true) {
    if (const auto* let = as<ast::Let>(exp->node)) {
      expression(*let->value);
      exp = let->body;
    } else if (const auto* f = as<ast::LetFunction>(exp->node)) {
      function(f->function);
      exp = f->body;
    } else {
      break;
    }
  }
  if (const auto* i = as<ast::IntegerLiteral>(exp->node)) {
    integer(*i, exp->type, false, exp->range);
  } else if (const auto* r = as<ast::FloatLiteral>(exp->node)) {
    real(r->value, exp->type, exp->range);
  } else if (const auto* n = as<ast::Negate>(exp->node)) {
    if (const auto* literal = as<ast::IntegerLiteral>(n->value->node)) {
      integer(*literal, exp->type, true, exp->range);
      return;
    }
  } else if (const auto* v = as<ast::Variable>(exp->node)) {
    equality(*v, exp->range);
  } else if (as<ast::If>(exp->node)) {
    result_of(*exp, "this `if`");
  } else if (const auto* m = as<ast::Match>(exp->node)) {
    result_of(*exp, "this `match`");
    for (const ast::Case& c : m->cases) pattern(*c.pattern);
  } else if (const auto* a = as<ast::ArrayLiteral>(exp->node)) {
    array(*a, *exp);
  } else if (const auto* l = as<ast::Loop>(exp->node)) {
    loop(*l);
  } else if (const auto* lambda = as<ast::Lambda>(exp->node)) {
    for (const ast::Pattern* p : lambda->function.parameters) pattern(*p);
  }
  for_each_child(*exp, [&](const ast::Exp* child) { expression(*child); });
}

// ---------------------------------------------------------------- recursion

class RecursionCheck {
 public:
  RecursionCheck(Context& context, BindingId id, const ast::Function& function)
      : context_(context), id_(id), function_(function) {
    for (const ast::Pattern* p : function.parameters) {
      higher_order_.push_back(!is_first_order(context, p->type));
    }
  }

  bool has_higher_order() const {
    return std::find(higher_order_.begin(), higher_order_.end(), true) != higher_order_.end();
  }

  void visit(const ast::Exp& exp) {
    const auto* apply = as<ast::Apply>(exp.node);
    if (apply != nullptr && is_self(*apply->function)) {
      check_call(*apply, exp.range);
      for (const ast::Exp* argument : apply->arguments) visit(*argument);
      return;
    }
    if (is_self(exp)) {
      error(exp.range, "recursive reference to `" + name() +
                           "` must be a fully saturated application, as it has a higher-order "
                           "parameter");
      return;
    }
    for_each_child(exp, [&](const ast::Exp* child) { visit(*child); });
  }

 private:
  bool is_self(const ast::Exp& exp) const {
    const auto* variable = as<ast::Variable>(exp.node);
    return variable != nullptr && variable->id == id_;
  }
  std::string name() const { return std::string(context_.text(id_)); }
  void error(const Range& range, std::string message) {
    context_.diagnostics.report(DiagnosticKind::recursion, range, std::move(message));
  }

  void check_call(const ast::Apply& apply, const Range& range) {
    if (apply.arguments.size() != higher_order_.size()) {
      error(range, "recursive application of `" + name() +
                       "` is not fully saturated: expected " +
                       std::to_string(higher_order_.size()) + " arguments but got " +
                       std::to_string(apply.arguments.size()));
      return;
    }
    for (std::size_t i = 0; i < higher_order_.size(); ++i) {
      if (!higher_order_[i]) continue;
      const auto* variable = as<ast::Variable>(apply.arguments[i]->node);
      bool unchanged = false;
      for_each_name(*function_.parameters[i], [&](ast::NamePattern& parameter) {
        unchanged = unchanged || (variable != nullptr && variable->id == parameter.id);
      });
      if (unchanged) continue;
      error(apply.arguments[i]->range,
            "higher-order argument in recursive application of `" + name() +
                "` must be passed unchanged, i.e. be the corresponding parameter");
    }
  }

  Context& context_;
  BindingId id_;
  const ast::Function& function_;
  std::vector<bool> higher_order_;
};

}  // namespace

void check_locally(Context& context, const ast::Function& function) {
  LocalChecks(context).function(function);
}

void check_recursion(Context& context, BindingId id, const ast::Function& function,
                     const Range& range) {
  const Type* result = context.values[id].scheme->type;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (const auto* arrow = as<Arrow>(result->node)) result = arrow->to;
  }
  if (!is_first_order(context, result)) {
    Diagnostic& d = context.diagnostics.report(
        DiagnosticKind::recursion, range,
        "recursive function `" + std::string(context.text(id)) + "` returns type `" +
            print_type(context, result) + "`, which is not first-order");
    d.hints.push_back("write the function type as further parameters instead");
    return;
  }
  RecursionCheck check(context, id, function);
  if (check.has_higher_order()) check.visit(*function.body);
}

}  // namespace dagaz::check
