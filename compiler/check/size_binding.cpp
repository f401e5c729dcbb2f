// Bindings, functions and branches with sizes.  See sizes.h.
#include <algorithm>

#include "check/expression_walk.h"
#include "check/print_type.h"
#include "check/sizes.h"
#include "support/match.h"

namespace dagaz::check {

// ---------------------------------------------------------------- let

void Sizes::check_let(ast::Let& let, bool broken) {
  const Type* value = check(*let.value);
  ++solver_.level;
  if (broken) return;
  check_sized_pattern(let.sizes, *let.pattern, value);
  bind_pattern(*let.pattern);
}

void Sizes::check_let_function(ast::LetFunction& let) {
  let.scheme =
      check_binding(let.function, let.name.symbol, let.name.range, let.id, {}, false);
  context_.values[let.id].scheme = let.scheme;
}

/// Gives a `let` the type of its body, without the names that it binds.
void Sizes::leave_let(ast::Exp& exp) {
  exp.existentials.clear();
  if (is_broken(exp)) {
    const auto* let = as<ast::Let>(exp.node);
    exp.type = (let != nullptr ? let->body : std::get<ast::LetFunction>(exp.node).body)->type;
    return;
  }
  if (auto* function = as<ast::LetFunction>(exp.node)) {
    exp.type = leave_scope(normal(function->body->type), {function->id}, exp.range,
                           exp.existentials);
    return;
  }
  auto& let = std::get<ast::Let>(exp.node);
  Names names;
  for_each_name(*let.pattern, [&](ast::NamePattern& name) { names.push_back(name.id); });
  const Type* body = normal(let.body->type);
  const auto* primitive = as<PrimitiveType>(let.value->type->node);
  const bool is_size = primitive != nullptr && primitive->primitive == Primitive::i64;
  if (is_size && names.size() == 1 && mentions(body, names[0]) && !has_binding(*let.value)) {
    Substitution value(context_);
    value.add(names[0], size_of(let.value));
    exp.type = value.type(body);
    return;
  }
  for (const ast::TypeParameter& size : let.sizes) names.push_back(size.size_id);
  exp.type = leave_scope(body, names, exp.range, exp.existentials);
}

const Type* Sizes::check_lets(ast::Exp& exp) {
  std::vector<ast::Exp*> chain;
  const int outer_level = solver_.level;
  ast::Exp* current = &exp;
  while (true) {
    if (auto* let = as<ast::Let>(current->node)) {
      check_let(*let, is_broken(*current));
      chain.push_back(current);
      current = let->body;
      ++solver_.level;
    } else if (auto* function = as<ast::LetFunction>(current->node)) {
      if (!is_broken(*current)) check_let_function(*function);
      chain.push_back(current);
      current = function->body;
    } else {
      break;
    }
  }
  check(*current);
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) leave_let(**link);
  solver_.level = outer_level;
  return exp.type;
}

// ---------------------------------------------------------------- branches

const Type* Sizes::branches(const Type* a, const Type* b, const Range& range, Names& created) {
  const Type* result = solver_.unify_branches(
      context_.types.not_unique(a), context_.types.not_unique(b),
      {range, "unification of branch results"}, created);
  if (result != nullptr) return result;
  report_mismatch(a, b, range, Site::other, nullptr);
  return a;
}

const Type* Sizes::check_if(ast::If& e, ast::Exp& exp) {
  check(*e.condition);
  const Type* first = check(*e.then_branch);
  const Type* second = check(*e.else_branch);
  return branches(first, second, exp.range, exp.existentials);
}

const Type* Sizes::check_match(ast::Match& e, ast::Exp& exp) {
  const Type* value = check(*e.value);
  std::vector<const Type*> results;
  Names created;
  for (ast::Case& c : e.cases) {
    check_pattern(*c.pattern, normal(value));
    bind_pattern(*c.pattern);
    check(*c.body);
    Names names;
    for_each_name(*c.pattern, [&](ast::NamePattern& name) { names.push_back(name.id); });
    results.push_back(leave_scope(normal(c.body->type), names, c.body->range, created));
  }
  if (results.size() == 1) {
    exp.existentials = created;
    return results[0];
  }
  const Type* result = results.back();
  for (std::size_t i = results.size() - 1; i-- > 0;) {
    exp.existentials.clear();
    result = branches(results[i], result, e.cases[i].range, exp.existentials);
  }
  return result;
}

// ---------------------------------------------------------------- functions

void Sizes::bind_type_parameters(const std::vector<ast::TypeParameter>& parameters) {
  for (const ast::TypeParameter& p : parameters) {
    if (p.size_id.valid()) solver_.add_parameter(p.size_id);
  }
}

void Sizes::check_parameters(ast::Function& function) {
  bind_type_parameters(function.type_parameters);
  ++solver_.level;
  for (ast::Pattern* parameter : function.parameters) {
    check_pattern(*parameter, nullptr);
    bind_pattern(*parameter);
    ++solver_.level;
  }
}

/// Names that parameter patterns bind without being the name of a parameter: callers cannot see
/// them.
Sizes::Names Sizes::hidden_names(const std::vector<ast::Pattern*>& parameters) {
  Names result;
  for (ast::Pattern* parameter : parameters) {
    const BindingId visible = parameter_name(*parameter);
    for_each_name(*parameter, [&](ast::NamePattern& name) {
      if (name.id != visible) result.push_back(name.id);
    });
  }
  return result;
}

const Type* Sizes::function_type(const std::vector<ast::Pattern*>& parameters, const Type* result,
                                 const Names& existentials) {
  Names here = existentials;
  for (auto p = parameters.rbegin(); p != parameters.rend(); ++p) {
    const Type* from = (*p)->type;
    result = context_.types.arrow(
        {parameter_name(**p), context_.types.not_unique(from), has_unique(from), here, result});
    here.clear();
  }
  return result;
}

const Type* Sizes::check_body(ast::Function& function, const Type* declared) {
  check(*function.body);
  const Names hidden = hidden_names(function.parameters);
  Names ignored;
  const Type* body = leave_scope(normal(function.body->type), hidden, function.body->range,
                                 ignored);
  if (declared == nullptr) return body;
  BindingId culprit;
  for_each_free_size(declared, [&](BindingId name) {
    if (contains(hidden, name)) culprit = name;
  });
  if (culprit.valid()) {
    error(DiagnosticKind::inaccessible_size, function.result_type->range,
          "the return type annotation refers to the name `" +
              std::string(context_.text(culprit)) +
              "` which is bound to an inner component of a function parameter");
    return body;
  }
  unify(declared, body, result_expression(*function.body).range, Site::result);
  return body;
}

/// Parameters must not have sizes that only inner names of other parameters tell.
void Sizes::verify_parameters(const std::vector<ast::Pattern*>& parameters) {
  Names forbidden;
  for (ast::Pattern* parameter : parameters) {
    for_each_name(*parameter, [&](ast::NamePattern& name) { forbidden.push_back(name.id); });
  }
  for (ast::Pattern* parameter : parameters) {
    BindingId culprit;
    for_each_free_size(normal(parameter->type), [&](BindingId name) {
      if (contains(forbidden, name)) culprit = name;
    });
    if (culprit.valid()) {
      const std::string name(context_.text(culprit));
      Diagnostic& d = error(DiagnosticKind::inaccessible_size, parameter->range,
                            "this parameter refers to size `" + name +
                                "`, which will not be accessible to the caller");
      d.labels.push_back({context_.range_of(culprit), "`" + name + "` is bound here"});
      d.hints.push_back("give the parameter a type that does not refer to `" + name + "`");
      return;
    }
    std::erase(forbidden, parameter_name(*parameter));
  }
}

const Type* Sizes::check_lambda(ast::Lambda& lambda, ast::Exp& exp) {
  ast::Function& function = lambda.function;
  const int outer_level = solver_.level++;
  check_parameters(function);
  const Type* expected = fresh_sizes(function.body->type, function.body->range,
                                     Liftedness::lifted);
  const Type* declared = nullptr;
  if (function.result_type != nullptr) {
    declared = written(*function.result_type).type;
    unify(expected, declared, function.body->range, Site::result);
  }
  const Type* body = check_body(function, declared);
  unify(expected, body, function.body->range, Site::result);
  for (ast::Pattern* parameter : function.parameters) parameter->type = normal(parameter->type);
  const Type* result = normal(declared != nullptr ? declared : body);

  // Sizes that the body computes are decided anew by each call.
  Names visible = size_names_of_parameters(function_type(function.parameters, result, {}));
  for (ast::Pattern* parameter : function.parameters) {
    if (parameter_name(*parameter).valid()) visible.push_back(parameter_name(*parameter));
  }
  Names hidden;
  for_each_free_size(result, [&](BindingId name) {
    const SizeConstraint* c = solver_.find(name);
    if (c != nullptr && c->kind == SizeKind::unknown && c->level >= solver_.level &&
        !contains(visible, name) && !contains(hidden, name)) {
      hidden.push_back(name);
    }
  });
  solver_.level = outer_level;
  verify_parameters(function.parameters);
  Names existentials;
  result = leave_scope(result, hidden, exp.range, existentials);
  return function_type(function.parameters, result, existentials);
}

Sizes::Names Sizes::size_names_of_parameters(const Type* function) {
  Names result;
  const std::function<void(const Type*)> on_parameter = [&](const Type* type) {
    if (as<Arrow>(type->node)) return;
    if (const auto* r = as<Record>(type->node)) {
      for (const auto& f : r->fields) on_parameter(f.second);
      return;
    }
    for_each_free_size(type, [&](BindingId name) { result.push_back(name); });
  };
  while (const auto* arrow = as<Arrow>(function->node)) {
    on_parameter(arrow->from);
    function = arrow->to;
  }
  return result;
}

const Scheme* Sizes::check_binding(ast::Function& function, Symbol name, const Range& range,
                                   BindingId id, const std::vector<TypeNameId>& inferred,
                                   bool is_recursive) {
  const int outer_level = solver_.level++;
  check_parameters(function);
  const Type* declared = nullptr;
  Names open;
  if (function.result_type != nullptr) declared = written(*function.result_type, &open).type;
  if (is_recursive) {
    if (declared == nullptr) {
      context_.values[id].sizes_unknown = true;
    } else {
      Scheme self;
      for (const ast::TypeParameter& p : function.type_parameters) {
        if (p.size_id.valid()) self.size_parameters.push_back(p.size_id);
      }
      self.type = rename_bound(context_, function_type(function.parameters, declared, open));
      context_.values[id].scheme = context_.types.scheme(std::move(self));
    }
  }
  const Type* body = check_body(function, declared);
  for (ast::Pattern* parameter : function.parameters) parameter->type = normal(parameter->type);
  const Type* result = normal(declared != nullptr ? declared : body);
  verify_parameters(function.parameters);
  const Scheme* scheme = generalise(function, name, range, inferred, hide_unknown(result));
  if (is_recursive) context_.values[id].sizes_unknown = false;
  solver_.level = outer_level;
  if (function.parameters.empty() && !scheme->size_parameters.empty()) {
    // A constant cannot decide a size for itself and leave another to its user.
    const auto* arrow = as<Arrow>(scheme->type->node);
    if (arrow == nullptr && has_open_result_) {
      error(DiagnosticKind::existential_size, range,
            "a size-polymorphic value binding may not have a type with an existential size: `" +
                print_scheme(context_, *scheme) + "`");
    }
  }
  return scheme;
}

}  // namespace dagaz::check
