// See expression_walk.h.
#include "check/expression_walk.h"

#include <functional>
#include <initializer_list>

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

namespace {

/// Visits what is directly inside.
struct Children {
  const Visit& visit;

  void all(std::vector<ast::Exp*>& exps) const {
    for (ast::Exp*& e : exps) visit(e);
  }
  void all(std::initializer_list<std::reference_wrapper<ast::Exp*>> exps) const {
    for (ast::Exp*& e : exps) visit(e);
  }

  void operator()(ast::IntegerLiteral&) const {}
  void operator()(ast::FloatLiteral&) const {}
  void operator()(ast::BoolLiteral&) const {}
  void operator()(ast::StringLiteral&) const {}
  void operator()(ast::Hole&) const {}
  void operator()(ast::Variable&) const {}
  void operator()(ast::LocalOpen& e) const { visit(e.body); }
  void operator()(ast::Tuple& e) const { all(e.elements); }
  void operator()(ast::Record& e) const {
    for (auto& field : e.fields) visit(field.second);
  }
  void operator()(ast::Project& e) const { visit(e.record); }
  void operator()(ast::ArrayLiteral& e) const { all(e.elements); }
  void operator()(ast::Index& e) const {
    visit_slices(e.dimensions, visit);
    visit(e.array);
  }
  void operator()(ast::Update& e) const {
    visit(e.source);
    visit_path(e.path, visit);
    visit(e.value);
  }
  void operator()(ast::RangeExp& e) const {
    visit(e.start);
    if (e.second != nullptr) visit(e.second);
    visit(e.end);
  }
  void operator()(ast::Ascription& e) const { visit(e.value); }
  void operator()(ast::Coercion& e) const { visit(e.value); }
  void operator()(ast::Apply& e) const {
    all(e.arguments);
    visit(e.function);
  }
  void operator()(ast::Binary& e) const { all({e.left, e.right, e.operation}); }
  void operator()(ast::Logical& e) const { all({e.left, e.right}); }
  void operator()(ast::Negate& e) const { visit(e.value); }
  void operator()(ast::Not& e) const { visit(e.value); }
  void operator()(ast::Lambda& e) const { visit(e.function.body); }
  void operator()(ast::OperatorSection& e) const { visit(e.operation); }
  void operator()(ast::LeftSection& e) const { all({e.left, e.operation}); }
  void operator()(ast::RightSection& e) const { all({e.right, e.operation}); }
  void operator()(ast::PathSection& e) const { visit_path(e.path, visit); }
  void operator()(ast::Let& e) const { all({e.value, e.body}); }
  void operator()(ast::LetFunction& e) const { all({e.function.body, e.body}); }
  void operator()(ast::If& e) const { all({e.condition, e.then_branch, e.else_branch}); }
  void operator()(ast::Match& e) const {
    visit(e.value);
    for (ast::Case& c : e.cases) visit(c.body);
  }
  void operator()(ast::Loop& e) const {
    visit(e.initial);
    match(
        e.form, [&](ast::ForLoop& f) { visit(f.bound); },
        [&](ast::ForInLoop& f) { visit(f.array); },
        [&](ast::WhileLoop& f) { visit(f.condition); });
    visit(e.body);
  }
  void operator()(ast::Construct& e) const { all(e.arguments); }
  void operator()(ast::Assert& e) const { all({e.condition, e.value}); }
  void operator()(ast::Attributed& e) const {
    if (e.argument != nullptr) visit(e.argument);
    visit(e.value);
  }
  void operator()(ast::Broadcast& e) const {
    visit(e.function);
    all(e.operands);
  }
};

}  // namespace

void for_each_child(ast::Exp& exp, const Visit& visit) { match(exp.node, Children{visit}); }

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
