// Expressions, in the order of their evaluation (of an application: arguments from the right).
#include "check/consumption_checker.h"

#include <algorithm>
#include <optional>

#include "check/size_tools.h"
#include "support/check.h"
#include "support/match.h"
#include "syntax/children.h"

namespace dagaz::check {

namespace {

bool holds_functions(const AliasTree& tree) {
  if (tree->kind == AliasValue::Kind::function) return true;
  for (const auto& field : tree->fields) {
    if (holds_functions(field.second)) return true;
  }
  for (const auto& variant : tree->variants) {
    for (const AliasTree& payload : variant.second) {
      if (holds_functions(payload)) return true;
    }
  }
  return false;
}

}  // namespace

AliasTree ConsumptionChecker::expression(const ast::Exp& exp) {
  if (as<ast::Let>(exp.node) || as<ast::LetFunction>(exp.node)) return let_chain(exp);
  return simple(exp);
}

// A chain of any length, without recursion into the bodies.
AliasTree ConsumptionChecker::let_chain(const ast::Exp& exp) {
  std::vector<BindingId> bound;
  const ast::Exp* next = &exp;
  for (;;) {
    if (const auto* let = as<ast::Let>(next->node)) {
      AliasTree value;
      const Consumed consumed = contained([&] { value = expression(*let->value); });
      add_consumed(consumed);
      if (!consumed.empty() && holds_functions(value)) {
        diagnostics_.report(DiagnosticKind::contains_consumption, let->value->range,
                            "Let-bound expression of higher-order type contains consumption, "
                            "which is not allowed");
      }
      bind_pattern(*let->pattern, value, bound);
      next = let->body;
    } else if (const auto* function_let = as<ast::LetFunction>(next->node)) {
      const AliasTree tree = function(function_let->function, nullptr);
      bind(function_let->id, tree, false);
      next = function_let->body;
    } else {
      return leave_scope(expression(*next), std::move(bound));
    }
  }
}

AliasTree ConsumptionChecker::simple(const ast::Exp& exp) {
  return match(
      exp.node, [&](const ast::Variable& e) { return variable(exp, e); },
      [&](const ast::LocalOpen& e) { return expression(*e.body); },
      [&](const ast::Tuple& e) { return tuple(exp, e); },
      [&](const ast::Record& e) {
        std::vector<std::pair<Symbol, AliasTree>> fields;
        for (const auto& [name, value] : e.fields) {
          fields.emplace_back(name.symbol, expression(*value));
        }
        return record(exp, std::move(fields));
      },
      [&](const ast::Project& e) { return project(e); },
      [&](const ast::Index& e) {
        const AliasTree array = expression(*e.array);
        dimensions(e.dimensions);
        return with_aliases(trees_.of(exp.type), all_aliases(array));
      },
      [&](const ast::Update& e) { return update(e); },
      [&](const ast::Ascription& e) { return expression(*e.value); },
      [&](const ast::Coercion& e) { return expression(*e.value); },
      [&](const ast::Apply& e) { return application(e); },
      [&](const ast::Binary&) { return binary_chain(exp); },
      [&](const ast::Lambda& e) { return function(e.function, &exp); },
      [&](const ast::OperatorSection& e) { return expression(*e.operation); },
      [&](const ast::LeftSection& e) { return section(exp, *e.operation, *e.left, true); },
      [&](const ast::RightSection& e) { return section(exp, *e.operation, *e.right, false); },
      [&](const ast::PathSection& e) {
        path(e.path);
        return trees_.of(exp.type);
      },
      [&](const ast::If& e) { return branch(e); },
      [&](const ast::Match& e) { return match_cases(e); },
      [&](const ast::Loop& e) { return loop(exp, e); },
      [&](const ast::Construct& e) { return construct(exp, e); },
      [&](const ast::Assert& e) {
        expression(*e.condition);
        return expression(*e.value);
      },
      [&](const ast::Attributed& e) {
        if (e.argument != nullptr) expression(*e.argument);
        return expression(*e.value);
      },
      [&](const ast::Let&) { return let_chain(exp); },
      [&](const ast::LetFunction&) { return let_chain(exp); },
      // Values made anew: they share nothing.
      [&](const auto&) { return no_aliases(exp); });
}

AliasTree ConsumptionChecker::no_aliases(const ast::Exp& exp) {
  ast::for_each_child(exp, [&](const ast::Exp& child) { expression(child); });
  return with_aliases(trees_.of(exp.type), {});
}

/// Whether each use of a constant makes it anew, like a call: one of a size that the place of use
/// decides cannot be shared.
static bool is_made_anew(const ast::Variable& use) {
  if (use.instance == nullptr) return false;
  bool has_open_size = !use.instance->sizes.empty();
  for (const Type* argument : use.instance->types) {
    for_each_free_size(argument, [&](BindingId) { has_open_size = true; });
  }
  return has_open_size;
}

AliasTree ConsumptionChecker::variable(const ast::Exp& exp, const ast::Variable& use) {
  if (const auto entry = scope_.find(use.id); entry != scope_.end()) {
    check_not_consumed(exp.range, all_aliases(entry->second.tree));
    return entry->second.tree;
  }
  AliasTree tree = with_aliases(trees_.of(exp.type), {});
  if (const auto known = inferred_.find(use.id); known != inferred_.end()) {
    // What the body of the function promises, seen through its parameters.
    const auto refine = [&](const auto& self, const AliasTree& at, std::size_t parameters) {
      if (parameters == 0) return with_uniqueness(at, known->second.second);
      if (at->kind != AliasValue::Kind::function) return at;
      AliasValue copy = *at;
      copy.result = self(self, copy.result, parameters - 1);
      return AliasTree(std::make_shared<const AliasValue>(std::move(copy)));
    };
    tree = refine(refine, tree, known->second.first);
  }
  return is_made_anew(use) ? tree : with_global_self(tree, use.id);
}

// `a + b + c + …`, from the innermost operand outwards.
AliasTree ConsumptionChecker::binary_chain(const ast::Exp& exp) {
  std::vector<const ast::Exp*> spine;
  const ast::Exp* innermost = &exp;
  while (const auto* binary = as<ast::Binary>(innermost->node)) {
    spine.push_back(innermost);
    innermost = binary->left;
  }
  // The first operand is an argument of the innermost operator.
  std::optional<AliasTree> left;
  for (auto node = spine.rbegin(); node != spine.rend(); ++node) {
    const auto& binary = std::get<ast::Binary>((*node)->node);
    const AliasTree operation = expression(*binary.operation);
    const bool consumes_left = operation->consumes;
    const bool consumes_right = operation->result != nullptr && operation->result->consumes;
    if (!left || consumes_left) left = argument({}, *binary.left, consumes_left);
    const AliasTree right =
        argument({{binary.left, *left}}, *binary.right, consumes_right);
    left = call(binary.operation, operation, {*left, right});
  }
  return *left;
}

AliasTree ConsumptionChecker::application(const ast::Apply& apply) {
  const AliasTree callee = expression(*apply.function);
  std::vector<bool> consumes;
  const AliasValue* arrow = callee.get();
  for (std::size_t i = 0; i < apply.arguments.size(); ++i) {
    const bool known = arrow != nullptr && arrow->kind == AliasValue::Kind::function;
    consumes.push_back(known && arrow->consumes);
    arrow = known ? arrow->result.get() : nullptr;
  }
  std::vector<Argument> done;
  std::vector<AliasTree> arguments(apply.arguments.size());
  for (std::size_t i = apply.arguments.size(); i-- > 0;) {
    arguments[i] = argument(done, *apply.arguments[i], consumes[i]);
    done.insert(done.begin(), {apply.arguments[i], arguments[i]});
  }
  return call(apply.function, callee, arguments);
}

AliasTree ConsumptionChecker::section(const ast::Exp& exp, const ast::Exp& operation,
                                      const ast::Exp& operand, bool operand_is_left) {
  const AliasTree callee = expression(operation);
  const AliasTree given = expression(operand);
  AliasValue value = *with_aliases(trees_.of(exp.type), {});
  value.aliases = union_of(all_aliases(callee), all_aliases(given));
  if (callee->kind == AliasValue::Kind::function && callee->result != nullptr) {
    value.consumes = operand_is_left ? callee->result->consumes : callee->consumes;
    if (callee->result->result != nullptr) value.result = callee->result->result;
  }
  return std::make_shared<const AliasValue>(std::move(value));
}

AliasTree ConsumptionChecker::branch(const ast::If& branch) {
  expression(*branch.condition);
  AliasTree then_tree;
  AliasTree else_tree;
  Consumed consumed = contained([&] { then_tree = expression(*branch.then_branch); });
  consumed.merge(contained([&] { else_tree = expression(*branch.else_branch); }));
  add_consumed(consumed);
  return without(combined(then_tree, else_tree), consumed);
}

AliasTree ConsumptionChecker::match_cases(const ast::Match& match) {
  const AliasTree value = expression(*match.value);
  AliasTree result;
  Consumed consumed;
  for (const ast::Case& alternative : match.cases) {
    consumed.merge(contained([&] {
      std::vector<BindingId> bound;
      bind_pattern(*alternative.pattern, value, bound);
      const AliasTree tree = leave_scope(expression(*alternative.body), std::move(bound));
      result = result == nullptr ? tree : combined(result, tree);
    }));
  }
  add_consumed(consumed);
  return without(result, consumed);
}

// An update at an index happens in place; one of a field makes a new record of the same parts.
AliasTree ConsumptionChecker::update(const ast::Update& update) {
  path(update.path);
  const AliasTree value = expression(*update.value);
  const AliasTree source = expression(*update.source);
  const bool in_place =
      std::any_of(update.path.begin(), update.path.end(), [](const ast::PathStep& step) {
        return std::holds_alternative<std::vector<ast::IndexDimension>>(step.step);
      });
  if (in_place) {
    const AliasSet consumed = all_aliases(source);
    if (intersects(consumed, all_aliases(value))) {
      diagnostics_
          .report(DiagnosticKind::update_aliases_value, update.value->range,
                  "Source array for in-place update might alias update value")
          .hints.emplace_back("use `copy` to remove the aliases of the value");
    }
    consume(update.source->range, consumed);
    return with_aliases(source, {});
  }
  const auto replace = [&](const auto& self, const AliasTree& tree,
                           std::size_t step) -> AliasTree {
    if (step == update.path.size()) return value;
    AliasValue copy = *tree;
    for (auto& [name, field] : copy.fields) {
      if (name == std::get<ast::Name>(update.path[step].step).symbol) {
        field = self(self, field, step + 1);
      }
    }
    return std::make_shared<const AliasValue>(std::move(copy));
  };
  return replace(replace, source, 0);
}

AliasTree ConsumptionChecker::project(const ast::Project& project) {
  const AliasTree record = expression(*project.record);
  for (const auto& [name, field] : record->fields) {
    if (name == project.field.symbol) return field;
  }
  return record->kind == AliasValue::Kind::leaf ? record : number_tree();
}

AliasTree ConsumptionChecker::construct(const ast::Exp& exp, const ast::Construct& construct) {
  AliasValue value = *with_aliases(trees_.of(exp.type), {});
  std::vector<AliasTree> payload;
  for (const ast::Exp* argument : construct.arguments) payload.push_back(expression(*argument));
  for (auto& [name, parts] : value.variants) {
    if (name == construct.constructor.symbol && parts.size() == payload.size()) parts = payload;
  }
  return std::make_shared<const AliasValue>(std::move(value));
}

AliasTree ConsumptionChecker::tuple(const ast::Exp& exp, const ast::Tuple& tuple) {
  const AliasTree shape = trees_.of(exp.type);
  std::vector<std::pair<Symbol, AliasTree>> fields;
  for (std::size_t i = 0; i < tuple.elements.size(); ++i) {
    const AliasTree element = expression(*tuple.elements[i]);
    if (i < shape->fields.size()) fields.emplace_back(shape->fields[i].first, element);
  }
  return record(exp, std::move(fields));
}

// The fields in the order of the type.
AliasTree ConsumptionChecker::record(const ast::Exp& exp,
                                     std::vector<std::pair<Symbol, AliasTree>> fields) {
  AliasValue value = *trees_.of(exp.type);
  for (auto& [name, part] : value.fields) {
    for (const auto& [given, tree] : fields) {
      if (given == name) part = tree;
    }
  }
  return std::make_shared<const AliasValue>(std::move(value));
}

void ConsumptionChecker::path(const std::vector<ast::PathStep>& path) {
  for (const ast::PathStep& step : path) {
    if (const auto* indices = as<std::vector<ast::IndexDimension>>(step.step)) {
      dimensions(*indices);
    }
  }
}

void ConsumptionChecker::dimensions(const std::vector<ast::IndexDimension>& dimensions) {
  for (const ast::IndexDimension& dimension : dimensions) {
    for (const ast::Exp* part :
         {dimension.index, dimension.start, dimension.end, dimension.stride}) {
      if (part != nullptr) expression(*part);
    }
  }
}

}  // namespace dagaz::check
