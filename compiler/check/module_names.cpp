// New names for the members of a module type: for each use of a named one, and for the result of
// each application of a parametric module.  See declarations.h.
#include <utility>

#include "check/declarations.h"
#include "support/match.h"

namespace dagaz::check {

/// `t` applied to its own parameters.
static const Type* applied_to_parameters(Context& context, TypeNameId id) {
  Named named{id, {}, false};
  for (const TypeParameterId& p : context.type_names[id].parameters) {
    if (const BindingId* size = as<BindingId>(p)) {
      named.arguments.emplace_back(context.types.named_size(*size));
    } else {
      named.arguments.emplace_back(context.types.named({std::get<TypeNameId>(p), {}, false}));
    }
  }
  return context.types.named(std::move(named));
}

ModuleType Declarations::rename(const ModuleType& type, Substitution& names) {
  auto outer_values = std::exchange(renamed_values_, {});
  auto outer_types = std::exchange(renamed_types_, {});
  auto outer_modules = std::exchange(renamed_modules_, {});
  allocate_types(type.abstract_types, names);
  allocate_names(type.module, names);
  ModuleType result{{}, rename_module(type.module, names)};
  for (const TypeNameId t : type.abstract_types) result.abstract_types.push_back(renamed_types_[t]);
  last_renamed_types_.clear();
  for (const TypeNameId t : type.abstract_types) {
    last_renamed_types_.emplace_back(t, renamed_types_[t]);
  }
  renamed_values_ = std::move(outer_values);
  renamed_types_ = std::move(outer_types);
  renamed_modules_ = std::move(outer_modules);
  return result;
}

void Declarations::allocate_types(const std::vector<TypeNameId>& types, Substitution& names) {
  for (const TypeNameId t : types) {
    if (renamed_types_.contains(t)) continue;
    TypeNameInfo copy = context_.type_names[t];
    const TypeNameId fresh = context_.new_type_name(std::move(copy));
    renamed_types_[t] = fresh;
    names.add(t, fresh);
  }
}

void Declarations::allocate_names(ModuleId id, Substitution& names) {
  const ModuleInfo& info = context_.module_info(id);
  if (info.parameter != nullptr) {
    for (const ModuleType* part : {info.parameter, info.result}) {
      allocate_types(part->abstract_types, names);
      allocate_names(part->module, names);
    }
    return;
  }
  for (std::size_t i = 0; i < info.members.items().size(); ++i) {
    const Environment::Item& item = info.members.items()[i];
    if (item.member.kind == MemberKind::module && info.members.is_visible(i)) {
      allocate_names(item.member.module(), names);
    }
    if (item.member.kind != MemberKind::value || !info.members.is_visible(i)) continue;
    const BindingId old = item.member.value();
    if (renamed_values_.contains(old)) continue;
    const Binding binding = context_.result.bindings[old];
    const BindingId fresh = context_.new_binding(binding.name, binding.range);
    context_.result.bindings[fresh].intrinsic = binding.intrinsic;
    renamed_values_[old] = fresh;
    names.add(old, fresh);
  }
}

void Declarations::rewrite_value(BindingId to, BindingId from, Substitution& names) {
  ValueInfo info = context_.values[from];
  if (info.scheme != nullptr) {
    names.existentials.clear();
    const Type* type = names.type(info.scheme->type);
    if (type != info.scheme->type) {
      Scheme scheme = *info.scheme;
      scheme.type = type;
      scheme.size_parameters.insert(scheme.size_parameters.end(), names.existentials.begin(),
                                    names.existentials.end());
      info.scheme = context_.types.scheme(std::move(scheme));
      info.unsized = context_.types.erase(type);
    }
  }
  context_.values[to] = std::move(info);
}

TypeNameId Declarations::rename_type(TypeNameId id, Substitution& names) {
  if (const auto found = renamed_types_.find(id); found != renamed_types_.end()) {
    return found->second;
  }
  const TypeNameInfo& old = context_.type_names[id];
  const Type* definition =
      old.definition != nullptr ? old.definition : applied_to_parameters(context_, id);
  names.existentials.clear();
  const Type* rewritten = names.type(definition);
  if (rewritten == definition) return id;
  TypeNameInfo copy = context_.type_names[id];
  copy.definition = rewritten;
  copy.existentials.insert(copy.existentials.end(), names.existentials.begin(),
                           names.existentials.end());
  return renamed_types_[id] = context_.new_type_name(std::move(copy));
}

ModuleId Declarations::rename_module(ModuleId id, Substitution& names) {
  if (const auto found = renamed_modules_.find(id); found != renamed_modules_.end()) {
    return found->second;
  }
  const ModuleInfo& old = context_.module_info(id);
  ModuleInfo info;
  info.name = old.name;
  info.range = old.range;
  info.unusable = old.unusable;
  const auto rename_part = [&](const ModuleType& part) {
    ModuleType result{{}, rename_module(part.module, names)};
    for (const TypeNameId t : part.abstract_types) {
      result.abstract_types.push_back(renamed_types_[t]);
    }
    return context_.new_module_type(std::move(result));
  };
  if (old.parameter != nullptr) {
    info.parameter = rename_part(*old.parameter);
    info.result = rename_part(*old.result);
  }
  for (std::size_t i = 0; i < old.members.items().size(); ++i) {
    if (!old.members.is_visible(i)) continue;
    Environment::Item item = old.members.items()[i];
    switch (item.member.kind) {
      case MemberKind::value: {
        const BindingId from = item.member.value();
        const BindingId to = renamed_values_[from];
        rewrite_value(to, from, names);
        item.member.index = to.index;
        break;
      }
      case MemberKind::type:
        item.member.index = rename_type(item.member.type(), names).index;
        break;
      case MemberKind::module:
        item.member.index = rename_module(item.member.module(), names).index;
        break;
      case MemberKind::signature:
      case MemberKind::none: break;
    }
    info.members.add(item.space, item.name, item.member);
  }
  return renamed_modules_[id] = context_.new_module(std::move(info));
}

void Declarations::refine(ModuleId id, Substitution& names) {
  ModuleInfo& info = context_.module_info(id);
  if (info.parameter != nullptr) {
    refine(info.parameter->module, names);
    refine(info.result->module, names);
  }
  for (const Environment::Item& item : info.members.items()) {
    if (item.member.kind == MemberKind::value) {
      rewrite_value(item.member.value(), item.member.value(), names);
    } else if (item.member.kind == MemberKind::module) {
      refine(item.member.module(), names);
    } else if (item.member.kind == MemberKind::type) {
      TypeNameInfo& type = context_.type_names[item.member.type()];
      if (type.definition == nullptr) continue;
      names.existentials.clear();
      const Type* rewritten = names.type(type.definition);
      TypeNameInfo& target = context_.type_names[item.member.type()];
      target.definition = rewritten;
      target.existentials.insert(target.existentials.end(), names.existentials.begin(),
                                 names.existentials.end());
    }
  }
}

// ---------------------------------------------------------------- coercions

/// The instance that leaves every parameter of `scheme` as it is.
const Instance* Declarations::identity_instance(const Scheme* scheme) {
  if (scheme == nullptr) return nullptr;
  if (scheme->size_parameters.empty() && scheme->type_parameters.empty()) return nullptr;
  Instance instance;
  for (const BindingId size : scheme->size_parameters) {
    instance.sizes.push_back(context_.types.named_size(size));
  }
  for (const TypeNameId type : scheme->type_parameters) {
    instance.types.push_back(context_.types.named({type, {}, false}));
  }
  return context_.types.arena().make(std::move(instance));
}

const Coercion* Declarations::coercion_between(ModuleId to, ModuleId from) {
  Coercion coercion;
  add_type_bindings(last_renamed_types_, coercion);
  if (context_.module_info(to).parameter != nullptr) {
    coercion.modules.push_back(functor_coercion(to, from));
  } else {
    collect_coercion(to, from, coercion);
  }
  return context_.types.arena().make(std::move(coercion));
}

/// Abstract types that have new names stand for the old ones.
void Declarations::add_type_bindings(
    const std::vector<std::pair<TypeNameId, TypeNameId>>& old_and_new, Coercion& coercion) {
  for (const auto& [old_type, new_type] : old_and_new) {
    coercion.types.push_back({new_type, context_.type_names[old_type].parameters,
                              applied_to_parameters(context_, old_type)});
  }
}

/// The parametric module `to` is `from` with new names for its parameter and its result.
Coercion::Module Declarations::functor_coercion(ModuleId to, ModuleId from) {
  const ModuleInfo& target = context_.module_info(to);
  const ModuleInfo& source = context_.module_info(from);
  const auto between = [&](const ModuleType& outer, const ModuleType& inner) {
    Coercion coercion;
    std::vector<std::pair<TypeNameId, TypeNameId>> types;
    for (std::size_t i = 0; i < outer.abstract_types.size(); ++i) {
      types.emplace_back(inner.abstract_types[i], outer.abstract_types[i]);
    }
    add_type_bindings(types, coercion);
    if (context_.module_info(outer.module).parameter != nullptr) {
      coercion.modules.push_back(functor_coercion(outer.module, inner.module));
    } else {
      collect_coercion(outer.module, inner.module, coercion);
    }
    return context_.types.arena().make(std::move(coercion));
  };
  // The argument of the new one becomes an argument of the old one; its result comes back.
  return {to, from, nullptr, between(*source.parameter, *target.parameter),
          between(*target.result, *source.result)};
}

void Declarations::collect_coercion(ModuleId to, ModuleId from, Coercion& coercion) {
  const ModuleInfo& target = context_.module_info(to);
  const ModuleInfo& source = context_.module_info(from);
  for (const Environment::Item& item : target.members.items()) {
    const Member member = source.members.find(item.space, item.name);
    if (item.member.kind == MemberKind::value && member.kind == MemberKind::value) {
      const Scheme* scheme = context_.values[item.member.value()].scheme;
      const Instance* instance = identity_instance(context_.values[member.value()].scheme);
      coercion.values.push_back(
          {item.member.value(), member.value(), instance == nullptr ? nullptr : scheme, instance});
    } else if (item.member.kind == MemberKind::module && member.kind == MemberKind::module) {
      if (context_.module_info(member.module()).parameter != nullptr) {
        coercion.modules.push_back(functor_coercion(item.member.module(), member.module()));
        continue;
      }
      Coercion members;
      collect_coercion(item.member.module(), member.module(), members);
      coercion.modules.push_back({item.member.module(), member.module(),
                                  context_.types.arena().make(std::move(members)), nullptr,
                                  nullptr});
    }
  }
}

}  // namespace dagaz::check
