// Causality: a size that the program computes must be known before an expression whose type
// mentions it is evaluated.  Arguments are evaluated last to first, before the function; a `let`
// evaluates its value before its body; other parts do not see each other's sizes.  See sizes.h.
#include <algorithm>

#include "check/expression_walk.h"
#include "check/print_type.h"
#include "check/sizes.h"
#include "support/match.h"

namespace dagaz::check {

class Sizes::Causality {
 public:
  explicit Causality(Sizes& sizes) : sizes_(sizes), solver_(sizes.solver_) {}

  /// Checks `exp` and returns the sizes that are known once it has been evaluated.
  Names visit(const ast::Exp& exp) {
    Names produced = visit_node(exp);
    produced.insert(produced.end(), exp.existentials.begin(), exp.existentials.end());
    return produced;
  }

 private:
  static void append(Names& names, const Names& more) {
    names.insert(names.end(), more.begin(), more.end());
  }

  /// Visits `exp` when `before` is known as well.
  Names visit_after(const Names& before, const ast::Exp& exp) {
    const std::size_t outer = known_.size();
    append(known_, before);
    Names produced = visit(exp);
    known_.resize(outer);
    return produced;
  }

  Names visit_node(const ast::Exp& exp) {
    if (as<ast::Let>(exp.node)) return visit_lets(exp);
    if (const auto* e = as<ast::Match>(exp.node)) return visit_match(*e);
    if (const auto* e = as<ast::Apply>(exp.node)) return visit_apply(e->arguments, e->function);
    if (const auto* e = as<ast::Broadcast>(exp.node)) {
      return visit_apply(e->operands, e->function);
    }
    if (const auto* e = as<ast::Binary>(exp.node)) {
      Names known = visit(*e->left);
      append(known, visit_after(known, *e->right));
      visit_after(known, *e->operation);
      return known;
    }
    if (const auto* e = as<ast::Construct>(exp.node)) {
      Names known;
      for (const ast::Exp* argument : e->arguments) append(known, visit_after(known, *argument));
      require(known, exp, "`#" + std::string(sizes_.context_.text(e->constructor.symbol)) + "`");
      return known;
    }
    if (const auto* e = as<ast::Lambda>(exp.node)) {
      visit_function(e->function);
      return {};
    }
    if (const auto* e = as<ast::LetFunction>(exp.node)) {
      visit(*e->function.body);
      return visit(*e->body);
    }
    visit_leaf(exp);
    Names produced;
    for_each_child(exp, [&](const ast::Exp* child) { append(produced, visit(*child)); });
    return produced;
  }

  /// Expressions that need all sizes of their type.
  void visit_leaf(const ast::Exp& exp) {
    if (const auto* e = as<ast::Variable>(exp.node)) {
      require({}, exp, "`" + std::string(sizes_.context_.text(e->id)) + "`");
    } else if (as<ast::PathSection>(exp.node)) {
      require({}, exp, "this projection section");
    } else if (as<ast::LeftSection>(exp.node) || as<ast::RightSection>(exp.node)) {
      require({}, exp, "this operator section");
    } else if (as<ast::Hole>(exp.node)) {
      require({}, exp, "this hole");
    } else if (const auto* array = as<ast::ArrayLiteral>(exp.node)) {
      if (array->elements.empty()) require({}, exp, "this empty array");
    }
  }

  Names visit_lets(const ast::Exp& exp) {
    const std::size_t outer = known_.size();
    Names produced;
    const ast::Exp* current = &exp;
    while (const auto* let = as<ast::Let>(current->node)) {
      const Names value = visit(*let->value);
      append(known_, value);
      append(produced, value);
      append(produced, current->existentials);
      current = let->body;
    }
    append(produced, visit(*current));
    known_.resize(outer);
    return produced;
  }

  Names visit_match(const ast::Match& e) {
    Names known = visit(*e.value);
    Names produced = known;
    for (const ast::Case& c : e.cases) append(produced, visit_after(known, *c.body));
    return produced;
  }

  Names visit_apply(const std::vector<ast::Exp*>& arguments, const ast::Exp* function) {
    Names known;
    for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument) {
      append(known, visit_after(known, **argument));
    }
    visit_after(known, *function);
    return known;
  }

  void visit_function(const ast::Function& function) {
    for (const ast::Pattern* parameter : function.parameters) {
      require_type({}, parameter->type, parameter->range, "this parameter");
    }
    visit(*function.body);
  }

  void require(const Names& known, const ast::Exp& exp, const std::string& what) {
    require_type(known, exp.type, exp.range, what);
  }

  void require_type(const Names& known, const Type* type, const Range& range,
                    const std::string& what) {
    if (reported_) return;
    BindingId culprit;
    for_each_free_size(type, [&](BindingId name) {
      const SizeConstraint* c = solver_.find(name);
      if (c == nullptr || c->kind != SizeKind::unknown || !c->usage.range.valid()) return;
      if (!contains(known, name) && !contains(known_, name)) culprit = name;
    });
    if (!culprit.valid()) return;
    reported_ = true;
    const std::string name(sizes_.context_.text(culprit));
    Diagnostic& d = sizes_.error(
        DiagnosticKind::causality, range,
        "Causality check: size `" + name + "` needed for type of " + what + ": `" +
            print_type(sizes_.context_, type) + "`, but it is computed later");
    d.labels.push_back({solver_.find(culprit)->usage.range, "`" + name + "` is computed here"});
    d.hints.push_back("bind the expression producing `" + name + "` with `let` beforehand");
  }

  Sizes& sizes_;
  SizeSolver& solver_;
  Names known_;
  bool reported_ = false;
};

void Sizes::check_causality(const ast::Exp& body) {
  const auto& constraints = solver_.all();
  const bool any = std::any_of(
      constraints.begin(), constraints.end(),
      [](const SizeConstraint& c) { return c.kind == SizeKind::unknown && c.usage.range.valid(); });
  if (any) Causality(*this).visit(body);
}

}  // namespace dagaz::check
