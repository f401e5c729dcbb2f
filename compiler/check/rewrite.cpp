// See rewrite.h.
#include "check/rewrite.h"

#include <algorithm>

#include "check/expression_walk.h"
#include "check/size_tools.h"
#include "support/match.h"

namespace dagaz::check {

// ---------------------------------------------------------------- sizes

const Size* Rewriter::size(const Size* size) {
  return match(
      size->node, [&](const ConstantSize&) { return size; },
      [&](const NamedSize& s) {
        const Size* replacement = replace_size(s.name);
        return replacement == nullptr ? size : replacement;
      },
      [&](const AppliedSize& s) {
        const ast::Exp* function = expression(s.function);
        bool changed = function != s.function;
        std::vector<const Size*> arguments;
        arguments.reserve(s.arguments.size());
        for (const Size* argument : s.arguments) {
          arguments.push_back(this->size(argument));
          changed = changed || arguments.back() != argument;
        }
        return changed ? context_.types.applied(function, std::move(arguments)) : size;
      },
      [&](const ExpressionSize& s) {
        const ast::Exp* exp = expression(s.expression);
        if (exp == s.expression) return size;
        return size_of_expression(context_.types, exp);
      },
      [&](const AnonymousSize&) { return size; }, [&](const MetaSize&) { return size; });
}

/// Whether `exp` mentions a name that is replaced.
bool Rewriter::changes(const ast::Exp* exp) {
  if (const auto* variable = as<ast::Variable>(exp->node)) {
    if (replace_size(variable->id) != nullptr) return true;
  }
  bool found = false;
  for_each_child(*exp, [&](const ast::Exp* child) { found = found || changes(child); });
  return found;
}

const ast::Exp* Rewriter::expression(const ast::Exp* exp) {
  if (!changes(exp)) return exp;
  if (const auto* variable = as<ast::Variable>(exp->node)) {
    const Size* replacement = replace_size(variable->id);
    if (const auto* named = as<NamedSize>(replacement->node)) {
      ast::Exp copy = *exp;
      std::get<ast::Variable>(copy.node).id = named->name;
      return context_.program.arena.make(std::move(copy));
    }
    return expression_of_size(context_.types, context_.program.arena, replacement, exp->range);
  }
  ast::Exp* copy = context_.program.arena.make(*exp);
  for_each_child(*copy, [&](ast::Exp*& child) {
    child = const_cast<ast::Exp*>(expression(child));
  });
  if (copy->type != nullptr) copy->type = type(copy->type);
  return copy;
}

// ---------------------------------------------------------------- types

const Type* Rewriter::type(const Type* type) {
  return match(
      type->node, [&](const PrimitiveType&) { return type; },
      [&](const Array& a) {
        const Size* new_size = size(a.size);
        const Type* element = this->type(a.element);
        if (new_size == a.size && element == a.element) return type;
        return context_.types.array(new_size, element, a.unique);
      },
      [&](const Record& r) {
        bool changed = false;
        Record copy = r;
        for (auto& field : copy.fields) {
          const Type* new_type = this->type(field.second);
          changed = changed || new_type != field.second;
          field.second = new_type;
        }
        return changed ? context_.types.arena().make(Type{std::move(copy)}) : type;
      },
      [&](const Sum& s) {
        bool changed = false;
        Sum copy = s;
        for (auto& constructor : copy.constructors) {
          for (auto& payload : constructor.second) {
            const Type* new_type = this->type(payload);
            changed = changed || new_type != payload;
            payload = new_type;
          }
        }
        return changed ? context_.types.arena().make(Type{std::move(copy)}) : type;
      },
      [&](const Arrow& a) { return rewrite_arrow(type, a); },
      [&](const Named& n) { return rewrite_named(type, n); },
      [&](const MetaType&) { return type; });
}

const Type* Rewriter::rewrite_arrow(const Type* type, const Arrow& arrow) {
  const Type* from = this->type(arrow.from);
  const std::size_t outer = existentials.size();
  const Type* to = this->type(arrow.to);
  Arrow copy = arrow;
  if (arrow.parameter.valid()) copy.parameter = rename(arrow.parameter);
  for (BindingId& e : copy.existentials) e = rename(e);
  const bool same_names =
      copy.parameter == arrow.parameter && copy.existentials == arrow.existentials;
  if (from == arrow.from && to == arrow.to && same_names) return type;
  copy.from = context_.types.not_unique(from);
  copy.to = to;
  if (as<Arrow>(to->node) == nullptr) {
    copy.existentials.insert(copy.existentials.end(),
                             existentials.begin() + static_cast<std::ptrdiff_t>(outer),
                             existentials.end());
    existentials.resize(outer);
  }
  return context_.types.arrow(std::move(copy));
}

const Type* Rewriter::rewrite_named(const Type* type, const Named& named) {
  bool changed = false;
  Named copy = named;
  for (auto& argument : copy.arguments) {
    if (const Size* const* s = as<const Size*>(argument)) {
      const Size* new_size = size(*s);
      changed = changed || new_size != *s;
      argument = new_size;
    } else {
      const Type* old_type = std::get<const Type*>(argument);
      const Type* new_type = this->type(old_type);
      changed = changed || new_type != old_type;
      argument = new_type;
    }
  }
  copy.name = rename(named.name);
  changed = changed || copy.name != named.name;
  const TypeReplacement* replacement = replace_type(named.name);
  if (replacement == nullptr) return changed ? context_.types.named(std::move(copy)) : type;

  const Type* result = replacement->definition;
  if (!replacement->parameters.empty() || !replacement->existentials.empty()) {
    Substitution parameters(context_);
    for (std::size_t i = 0; i < replacement->parameters.size() && i < copy.arguments.size(); ++i) {
      const auto& argument = copy.arguments[i];
      if (const BindingId* s = as<BindingId>(replacement->parameters[i])) {
        if (const Size* const* a = as<const Size*>(argument)) parameters.add(*s, *a);
      } else if (const Type* const* t = as<const Type*>(argument)) {
        parameters.add(std::get<TypeNameId>(replacement->parameters[i]), *t);
      }
    }
    for (const BindingId open : replacement->existentials) {
      const BindingId fresh = context_.new_size(context_.text(open), context_.range_of(open));
      parameters.add(open, context_.types.named_size(fresh));
      existentials.push_back(fresh);
    }
    result = parameters.type(result);
  }
  return named.unique ? context_.types.unique(result) : result;
}

// ---------------------------------------------------------------- tables

void Substitution::add(BindingId name, BindingId other) {
  sizes_[name] = context_.types.named_size(other);
  renamed_[name] = other;
}

const Size* Substitution::replace_size(BindingId name) {
  if (sizes_.empty()) return nullptr;
  const auto found = sizes_.find(name);
  return found == sizes_.end() ? nullptr : found->second;
}

const TypeReplacement* Substitution::replace_type(TypeNameId name) {
  if (types_.empty()) return nullptr;
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : &found->second;
}

BindingId Substitution::rename(BindingId name) {
  if (renamed_.empty()) return name;
  const auto found = renamed_.find(name);
  return found == renamed_.end() ? name : found->second;
}

TypeNameId Substitution::rename(TypeNameId name) {
  if (renamed_types_.empty()) return name;
  const auto found = renamed_types_.find(name);
  return found == renamed_types_.end() ? name : found->second;
}

/// Adds a new name for each one bound inside `type`.
static void rename_binders(Context& context, const Type* type, Substitution& names) {
  match(
      type->node, [](const PrimitiveType&) {},
      [&](const Array& a) { rename_binders(context, a.element, names); },
      [&](const Record& r) {
        for (const auto& field : r.fields) rename_binders(context, field.second, names);
      },
      [&](const Sum& s) {
        for (const auto& constructor : s.constructors) {
          for (const Type* payload : constructor.second) {
            rename_binders(context, payload, names);
          }
        }
      },
      [&](const Arrow& a) {
        const auto add = [&](BindingId old) {
          const BindingId fresh = context.new_binding(context.result.bindings[old].name,
                                                      context.range_of(old));
          context.values[fresh] = context.values[old];
          names.add(old, fresh);
        };
        if (a.parameter.valid()) add(a.parameter);
        for (const BindingId e : a.existentials) add(e);
        rename_binders(context, a.from, names);
        rename_binders(context, a.to, names);
      },
      [](const Named&) {}, [](const MetaType&) {});
}

const Type* rename_bound(Context& context, const Type* type) {
  Substitution names(context);
  rename_binders(context, type, names);
  return names.empty() ? type : names.type(type);
}

}  // namespace dagaz::check
