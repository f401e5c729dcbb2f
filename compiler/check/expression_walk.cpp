// See expression_walk.h.
#include "check/expression_walk.h"

#include "support/match.h"
#include "syntax/children.h"

namespace dagaz::check {

using Visit = std::function<void(ast::Exp*&)>;

static void visit_slices(std::vector<ast::IndexDimension>& dimensions, const Visit& visit) {
  for (ast::IndexDimension& d : dimensions) {
    for (ast::Exp** part : {&d.index, &d.start, &d.end, &d.stride}) {
      if (*part != nullptr) visit(*part);
    }
  }
}

static void visit_path(std::vector<ast::PathStep>& path, const Visit& visit) {
  for (ast::PathStep& step : path) {
    if (auto* slices = std::get_if<std::vector<ast::IndexDimension>>(&step.step)) {
      visit_slices(*slices, visit);
    }
  }
}

static void visit_all(std::vector<ast::Exp*>& exps, const Visit& visit) {
  for (ast::Exp*& e : exps) visit(e);
}

void for_each_child(ast::Exp& exp, const Visit& visit) {
  match(
      exp.node, [](ast::IntegerLiteral&) {}, [](ast::FloatLiteral&) {}, [](ast::BoolLiteral&) {},
      [](ast::StringLiteral&) {}, [](ast::Hole&) {}, [](ast::Variable&) {},
      [&](ast::LocalOpen& e) { visit(e.body); },
      [&](ast::Tuple& e) { visit_all(e.elements, visit); },
      [&](ast::Record& e) {
        for (auto& field : e.fields) visit(field.second);
      },
      [&](ast::Project& e) { visit(e.record); },
      [&](ast::ArrayLiteral& e) { visit_all(e.elements, visit); },
      [&](ast::Index& e) {
        visit_slices(e.dimensions, visit);
        visit(e.array);
      },
      [&](ast::Update& e) {
        visit(e.source);
        visit_path(e.path, visit);
        visit(e.value);
      },
      [&](ast::RangeExp& e) {
        visit(e.start);
        if (e.second != nullptr) visit(e.second);
        visit(e.end);
      },
      [&](ast::Ascription& e) { visit(e.value); }, [&](ast::Coercion& e) { visit(e.value); },
      [&](ast::Apply& e) {
        visit_all(e.arguments, visit);
        visit(e.function);
      },
      [&](ast::Binary& e) {
        visit(e.left);
        visit(e.right);
        visit(e.operation);
      },
      [&](ast::Logical& e) {
        visit(e.left);
        visit(e.right);
      },
      [&](ast::Negate& e) { visit(e.value); }, [&](ast::Not& e) { visit(e.value); },
      [&](ast::Lambda& e) { visit(e.function.body); },
      [&](ast::OperatorSection& e) { visit(e.operation); },
      [&](ast::LeftSection& e) {
        visit(e.left);
        visit(e.operation);
      },
      [&](ast::RightSection& e) {
        visit(e.right);
        visit(e.operation);
      },
      [&](ast::PathSection& e) { visit_path(e.path, visit); },
      [&](ast::Let& e) {
        visit(e.value);
        visit(e.body);
      },
      [&](ast::LetFunction& e) {
        visit(e.function.body);
        visit(e.body);
      },
      [&](ast::If& e) {
        visit(e.condition);
        visit(e.then_branch);
        visit(e.else_branch);
      },
      [&](ast::Match& e) {
        visit(e.value);
        for (ast::Case& c : e.cases) visit(c.body);
      },
      [&](ast::Loop& e) {
        visit(e.initial);
        match(
            e.form, [&](ast::ForLoop& f) { visit(f.bound); },
            [&](ast::ForInLoop& f) { visit(f.array); },
            [&](ast::WhileLoop& f) { visit(f.condition); });
        visit(e.body);
      },
      [&](ast::Construct& e) { visit_all(e.arguments, visit); },
      [&](ast::Assert& e) {
        visit(e.condition);
        visit(e.value);
      },
      [&](ast::Attributed& e) {
        if (e.argument != nullptr) visit(e.argument);
        visit(e.value);
      },
      [&](ast::Broadcast& e) {
        visit(e.function);
        visit_all(e.operands, visit);
      });
}

void for_each_child(const ast::Exp& exp, const std::function<void(const ast::Exp*)>& visit) {
  // The visitor gets read-only pointers, so nothing changes.
  for_each_child(const_cast<ast::Exp&>(exp), Visit([&](ast::Exp*& child) { visit(child); }));
}

void for_each_name(ast::Pattern& pattern, const std::function<void(ast::NamePattern&)>& visit) {
  match(
      pattern.node, [&](ast::NamePattern& p) { visit(p); }, [](ast::WildcardPattern&) {},
      [&](ast::TuplePattern& p) {
        for (ast::Pattern* element : p.elements) for_each_name(*element, visit);
      },
      [&](ast::RecordPattern& p) {
        for (auto& field : p.fields) for_each_name(*field.second, visit);
      },
      [&](ast::ConstructorPattern& p) {
        for (ast::Pattern* argument : p.arguments) for_each_name(*argument, visit);
      },
      [](ast::LiteralPattern&) {},
      [&](ast::AscribedPattern& p) { for_each_name(*p.pattern, visit); },
      [&](ast::AttributePattern& p) { for_each_name(*p.pattern, visit); });
}

const ast::Pattern& strip_pattern(const ast::Pattern& pattern) {
  const ast::Pattern* p = &pattern;
  while (true) {
    if (const auto* ascribed = as<ast::AscribedPattern>(p->node)) {
      p = ascribed->pattern;
    } else if (const auto* attributed = as<ast::AttributePattern>(p->node)) {
      p = attributed->pattern;
    } else {
      return *p;
    }
  }
}

BindingId parameter_name(const ast::Pattern& pattern) {
  const auto* name = as<ast::NamePattern>(strip_pattern(pattern).node);
  return name == nullptr ? BindingId() : name->id;
}

const ast::Exp* strip_expression(const ast::Exp* exp) {
  while (true) {
    if (const auto* e = as<ast::Ascription>(exp->node)) {
      exp = e->value;
    } else if (const auto* attributed = as<ast::Attributed>(exp->node)) {
      exp = attributed->value;
    } else if (const auto* assertion = as<ast::Assert>(exp->node)) {
      exp = assertion->value;
    } else {
      return exp;
    }
  }
}

const ast::Exp& result_expression(const ast::Exp& exp) {
  const ast::Exp* result = &exp;
  while (true) {
    if (const auto* let = as<ast::Let>(result->node)) {
      result = let->body;
    } else if (const auto* function = as<ast::LetFunction>(result->node)) {
      result = function->body;
    } else {
      return *result;
    }
  }
}

Range first_use(BindingId id, const ast::Exp& exp) {
  Range found;
  ast::for_each_expression(exp, [&](const ast::Exp& inner) {
    const auto* use = as<ast::Variable>(inner.node);
    const bool first = !found.valid() || inner.range.begin < found.begin;
    if (use != nullptr && use->id == id && first) found = inner.range;
  });
  return found;
}

bool has_binding(const ast::Exp& exp) {
  if (as<ast::Lambda>(exp.node) || as<ast::Let>(exp.node) || as<ast::LetFunction>(exp.node) ||
      as<ast::Loop>(exp.node) || as<ast::Match>(exp.node)) {
    return true;
  }
  bool found = false;
  check::for_each_child(exp, [&](const ast::Exp* child) { found = found || has_binding(*child); });
  return found;
}

}  // namespace dagaz::check
