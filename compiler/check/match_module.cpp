// Whether a module has what a module type demands.  See declarations.h.
#include <algorithm>

#include "check/declarations.h"
#include "check/print_type.h"
#include "check/size_solver.h"
#include "check/size_tools.h"
#include "check/type_solver.h"
#include "support/match.h"

namespace dagaz::check {

void Declarations::report_missing(const char* what, Symbol name, const Range& range) {
  context_.diagnostics.report(DiagnosticKind::module_mismatch, range,
                              std::string("module does not define a ") + what + " named `" +
                                  std::string(context_.text(name)) + "`");
}

const Coercion* Declarations::match(const ModuleType& module, const ModuleType& signature,
                                    const Range& range, Substitution& names) {
  Coercion coercion;
  const bool module_is_function = context_.module_info(module.module).parameter != nullptr;
  const bool signature_is_function = context_.module_info(signature.module).parameter != nullptr;
  if (module_is_function != signature_is_function) {
    context_.diagnostics.report(
        DiagnosticKind::module_mismatch, range,
        module_is_function ? "cannot match parametric module with non-parametric module type"
                           : "cannot match non-parametric module with parametric module type");
    return nullptr;
  }
  if (module_is_function) {
    Coercion::Module function;
    if (!match_functors(module.module, signature.module, range, names, function)) return nullptr;
    coercion.modules.push_back(function);
    return context_.types.arena().make(std::move(coercion));
  }
  if (!resolve_types(module.module, signature.module, signature.abstract_types, range, names,
                     coercion) ||
      !match_members(module.module, signature.module, signature.abstract_types, range, names,
                     coercion)) {
    return nullptr;
  }
  return context_.types.arena().make(std::move(coercion));
}

/// Whether `type` can be named through `members`.
static bool is_visible_type(const Environment& members, TypeNameId type) {
  for (std::size_t i = 0; i < members.items().size(); ++i) {
    const Environment::Item& item = members.items()[i];
    if (item.member.kind == MemberKind::type && item.member.type() == type &&
        members.is_visible(i)) {
      return true;
    }
  }
  return false;
}

/// Finds out what the abstract types and the values of `signature` are in `module`.
bool Declarations::resolve_types(ModuleId module, ModuleId signature,
                                 const std::vector<TypeNameId>& abstract_types,
                                 const Range& range, Substitution& names, Coercion& coercion) {
  const ModuleInfo& source = context_.module_info(module);
  const ModuleInfo& target = context_.module_info(signature);
  for (std::size_t i = 0; i < target.members.items().size(); ++i) {
    if (!target.members.is_visible(i)) continue;
    const Environment::Item& item = target.members.items()[i];
    const Member member = source.members.find(item.space, item.name);
    if (item.member.kind == MemberKind::value && member.kind == MemberKind::value) {
      names.add(item.member.value(), member.value());
    } else if (item.member.kind == MemberKind::module && member.kind == MemberKind::module) {
      const bool plain = context_.module_info(item.member.module()).parameter == nullptr &&
                         context_.module_info(member.module()).parameter == nullptr;
      if (plain && !resolve_types(member.module(), item.member.module(), abstract_types, range,
                                  names, coercion)) {
        return false;
      }
    } else if (item.member.kind == MemberKind::type) {
      TypeNameId t = item.member.type();
      // A refined type may stand for an abstract type that it hides.
      if (const Type* definition = context_.type_names[t].definition) {
        const auto* named = as<Named>(definition->node);
        if (named != nullptr && !is_visible_type(target.members, named->name)) t = named->name;
      }
      if (std::find(abstract_types.begin(), abstract_types.end(), t) == abstract_types.end()) {
        continue;
      }
      if (member.kind != MemberKind::type) {
        report_missing("type", item.name, range);
        return false;
      }
      if (!resolve_type(member.type(), t, range, names, coercion)) return false;
    }
  }
  return true;
}

static const char* liftedness_name(ast::Liftedness l) {
  switch (l) {
    case ast::Liftedness::unlifted: return "a non-lifted type";
    case ast::Liftedness::size_lifted: return "a size-lifted type";
    case ast::Liftedness::lifted: return "a lifted type";
  }
  return "";
}

bool Declarations::resolve_type(TypeNameId type, TypeNameId spec, const Range& range,
                                Substitution& names, Coercion& coercion) {
  const TypeNameInfo& info = context_.type_names[type];
  const TypeNameInfo& wanted = context_.type_names[spec];
  const std::string name(context_.text(wanted.name));
  const auto fail = [&](std::string message) {
    context_.diagnostics.report(DiagnosticKind::module_mismatch, range, std::move(message));
    return false;
  };
  if (info.liftedness > wanted.liftedness) {
    return fail("module defines type `" + name + "` as " + liftedness_name(info.liftedness) +
                ", but module type requires " + liftedness_name(wanted.liftedness));
  }
  if (wanted.liftedness == ast::Liftedness::unlifted && !info.existentials.empty()) {
    return fail("module defines type `" + name +
                "` which contains anonymous sizes, but module type requires non-lifted type");
  }
  bool fits = info.parameters.size() == wanted.parameters.size();
  for (std::size_t i = 0; fits && i < info.parameters.size(); ++i) {
    fits = info.parameters[i].index() == wanted.parameters[i].index();
  }
  if (!fits) {
    return fail("module defines type `" + name +
                "` with other parameters than the module type requires");
  }
  TypeReplacement replacement{info.parameters, info.existentials, info.definition};
  if (replacement.definition == nullptr) {
    Named named{type, {}, false};
    for (const TypeParameterId& p : info.parameters) {
      if (const BindingId* size = as<BindingId>(p)) {
        named.arguments.emplace_back(context_.types.named_size(*size));
      } else {
        named.arguments.emplace_back(
            context_.types.named({std::get<TypeNameId>(p), {}, false}));
      }
    }
    replacement.definition = context_.types.named(std::move(named));
  }
  const Witnesses witnesses = size_witnesses(replacement.definition);
  for (const TypeParameterId& p : info.parameters) {
    const BindingId* size = as<BindingId>(p);
    if (size == nullptr || contains(witnesses.constructive, *size)) continue;
    return fail("type `" + name + "` cannot be made abstract because size parameter `" +
                std::string(context_.text(*size)) +
                "` is not used constructively as an array size in the definition");
  }
  coercion.types.push_back({spec, replacement.parameters, replacement.definition});
  names.add(spec, std::move(replacement));
  return true;
}

bool Declarations::match_members(ModuleId module, ModuleId signature,
                                 const std::vector<TypeNameId>& abstract_types,
                                 const Range& range, Substitution& names, Coercion& coercion) {
  const ModuleInfo& source = context_.module_info(module);
  const ModuleInfo& target = context_.module_info(signature);
  for (std::size_t i = 0; i < target.members.items().size(); ++i) {
    if (!target.members.is_visible(i)) continue;
    const Environment::Item& item = target.members.items()[i];
    const Member member = source.members.find(item.space, item.name);
    if (context_.record != nullptr) context_.record->same.emplace_back(member, item.member);
    switch (item.member.kind) {
      case MemberKind::value:
        if (member.kind != MemberKind::value) {
          report_missing("value", item.name, range);
          return false;
        }
        if (!match_value(member.value(), item.member.value(), item.name, range, names, coercion)) {
          return false;
        }
        break;
      case MemberKind::type: {
        if (member.kind != MemberKind::type) {
          report_missing("type", item.name, range);
          return false;
        }
        const bool is_abstract = std::find(abstract_types.begin(), abstract_types.end(),
                                           item.member.type()) != abstract_types.end();
        if (!is_abstract && !match_type(member.type(), item.member.type(), range, names)) {
          return false;
        }
        break;
      }
      case MemberKind::module:
        if (member.kind != MemberKind::module) {
          report_missing("module", item.name, range);
          return false;
        }
        if (!match_module_member(member.module(), item.member.module(), abstract_types, range,
                                 names, coercion)) {
          return false;
        }
        break;
      case MemberKind::signature:
      case MemberKind::none: break;
    }
  }
  return true;
}

bool Declarations::match_module_member(ModuleId module, ModuleId spec,
                                       const std::vector<TypeNameId>& abstract_types,
                                       const Range& range, Substitution& names,
                                       Coercion& coercion) {
  const ModuleInfo& source = context_.module_info(module);
  const ModuleInfo& target = context_.module_info(spec);
  if (source.unusable || target.unusable) return false;
  if ((source.parameter != nullptr) != (target.parameter != nullptr)) {
    context_.diagnostics.report(
        DiagnosticKind::module_mismatch, range,
        target.parameter != nullptr
            ? "cannot match non-parametric module with parametric module type"
            : "cannot match parametric module with non-parametric module type");
    return false;
  }
  Coercion::Module result;
  if (target.parameter != nullptr) {
    if (!match_functors(module, spec, range, names, result)) return false;
  } else {
    Coercion members;
    if (!match_members(module, spec, abstract_types, range, names, members)) return false;
    result = {spec, module, context_.types.arena().make(std::move(members)), nullptr, nullptr};
  }
  coercion.modules.push_back(result);
  return true;
}

bool Declarations::match_functors(ModuleId module, ModuleId signature, const Range& range,
                                  Substitution& names, Coercion::Module& result) {
  const ModuleInfo& source = context_.module_info(module);
  const ModuleInfo& target = context_.module_info(signature);
  // Contravariant in the parameter: what the signature hands over must do for the module.
  const Coercion* parameter = match(*target.parameter, *source.parameter, range, names);
  if (parameter == nullptr) return false;
  // The module's result, seen with the parameter that it gets.
  const ModuleType inner = rename(*source.result, names);
  const Coercion* to_inner = coercion_between(inner.module, source.result->module);
  const Coercion* members = match(inner, *target.result, range, names);
  if (members == nullptr) return false;
  // One step: the outer names get the values of the module's own names.
  Coercion whole = *members;
  const std::function<void(Coercion&, const Coercion&)> compose = [&](Coercion& outer,
                                                                      const Coercion& in) {
    for (Coercion::Value& v : outer.values) {
      for (const Coercion::Value& w : in.values) {
        if (w.to == v.from) {
          v.from = w.from;
          break;
        }
      }
    }
  };
  compose(whole, *to_inner);
  result = {signature, module, nullptr, parameter,
            context_.types.arena().make(std::move(whole))};
  return true;
}

// ---------------------------------------------------------------- types and values

bool Declarations::match_type(TypeNameId type, TypeNameId spec, const Range& range,
                              Substitution& names) {
  const TypeNameInfo info = context_.type_names[type];
  const TypeNameInfo wanted = context_.type_names[spec];
  const std::string name(context_.text(wanted.name));
  const auto fail = [&] {
    Diagnostic& d = context_.diagnostics.report(
        DiagnosticKind::module_mismatch, range,
        "module defines type `" + name + "` differently than the module type requires");
    if (info.definition != nullptr && wanted.definition != nullptr) {
      d.hints.push_back("module defines `" + print_type(context_, info.definition) +
                        "`, but module type requires `" +
                        print_type(context_, names.type(wanted.definition)) + "`");
    }
    return false;
  };
  if (info.parameters.size() != wanted.parameters.size()) return fail();
  const auto as_type = [&](TypeNameId id, const TypeNameInfo& of) {
    if (of.definition != nullptr) return of.definition;
    Named named{id, {}, false};
    for (const TypeParameterId& p : of.parameters) {
      if (const BindingId* size = as<BindingId>(p)) {
        named.arguments.emplace_back(context_.types.named_size(*size));
      } else {
        named.arguments.emplace_back(context_.types.named({std::get<TypeNameId>(p), {}, false}));
      }
    }
    return context_.types.named(std::move(named));
  };
  Scheme spec_scheme;
  Scheme own_scheme;
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    if (info.parameters[i].index() != wanted.parameters[i].index()) return fail();
    if (const BindingId* size = as<BindingId>(wanted.parameters[i])) {
      spec_scheme.size_parameters.push_back(*size);
      own_scheme.size_parameters.push_back(std::get<BindingId>(info.parameters[i]));
    } else {
      spec_scheme.type_parameters.push_back(std::get<TypeNameId>(wanted.parameters[i]));
      own_scheme.type_parameters.push_back(std::get<TypeNameId>(info.parameters[i]));
    }
  }
  own_scheme.size_parameters.insert(own_scheme.size_parameters.end(), info.existentials.begin(),
                                    info.existentials.end());
  spec_scheme.type = names.type(as_type(spec, wanted));
  own_scheme.type = as_type(type, info);
  std::string why;
  Instance ignored;
  return instance_of(own_scheme, spec_scheme, range, ignored, why) || fail();
}

bool Declarations::match_value(BindingId value, BindingId spec, Symbol name, const Range& range,
                               Substitution& names, Coercion& coercion) {
  const ValueInfo own = context_.values[value];
  const ValueInfo wanted = context_.values[spec];
  if (own.kind == ValueKind::unusable || wanted.kind == ValueKind::unusable) return true;
  if (wanted.scheme == nullptr) return true;
  const std::string spelling(context_.text(name));
  Scheme spec_scheme = *wanted.scheme;
  names.existentials.clear();
  spec_scheme.type = names.type(spec_scheme.type);
  const std::vector<BindingId> open = names.existentials;
  const Witnesses witnesses = size_witnesses(spec_scheme.type);
  for (const BindingId size : open) {
    if (!contains(witnesses.constructive, size)) continue;
    context_.diagnostics.report(
        DiagnosticKind::module_mismatch, range,
        "type substitution in `" + spelling + "` results in a top-level size");
    return false;
  }
  spec_scheme.size_parameters.insert(spec_scheme.size_parameters.end(), open.begin(), open.end());
  if (own.scheme == nullptr) return match_operator(own, value, spec, spec_scheme, range, coercion);
  Instance instance;
  std::string why;
  const bool fits = instance_of(*own.scheme, spec_scheme, range, instance, why);
  Substitution undetermined(context_);
  for (const BindingId size : open) undetermined.add(size, context_.types.any());
  for (const Size*& size : instance.sizes) size = undetermined.size(size);
  for (const Type*& type : instance.types) type = undetermined.type(type);
  if (!fits) {
    Diagnostic& d = context_.diagnostics.report(
        DiagnosticKind::module_mismatch, range,
        "module type specifies `val " + spelling + " : " + print_scheme(context_, spec_scheme) +
            "`, but module provides `" + print_scheme(context_, *own.scheme) + "`");
    if (!why.empty()) d.hints.push_back(why);
    d.labels.push_back({context_.range_of(spec), "specified here"});
    if (context_.range_of(value).valid()) {
      d.labels.push_back({context_.range_of(value), "defined here"});
    }
    return false;
  }
  const bool polymorphic = !instance.sizes.empty() || !instance.types.empty();
  coercion.values.push_back({spec, value, polymorphic ? wanted.scheme : nullptr,
                             polymorphic ? context_.types.arena().make(std::move(instance))
                                         : nullptr});
  return true;
}

/// An operator of the language as a module member: `open` cannot export one, so this is an error.
bool Declarations::match_operator(const ValueInfo&, BindingId value, BindingId, const Scheme&,
                                  const Range& range, Coercion&) {
  context_.diagnostics.report(DiagnosticKind::module_mismatch, range,
                              "`" + std::string(context_.text(value)) +
                                  "` cannot be the member of a module");
  return false;
}

/// Whether a value of scheme `own` can be used as one of scheme `wanted`; if so, how `own` is
/// instantiated.
bool Declarations::instance_of(const Scheme& own, const Scheme& wanted, const Range& range,
                               Instance& instance, std::string& why) {
  TypeSolver types(context_);
  types.level = 1;
  Substitution substitution(context_);
  std::vector<const Type*> arguments;
  for (const TypeNameId p : own.type_parameters) {
    arguments.push_back(types.fresh(range, context_.type_names[p].liftedness));
    substitution.add(p, arguments.back());
  }
  const Type* unsized = substitution.type(context_.types.erase(own.type));
  if (!types.equate(context_.types.erase(wanted.type), unsized)) {
    why = types.failure();
    return false;
  }
  if (!respects_liftedness(own, arguments, types, why)) return false;
  size_solver_.clear();
  const auto add_binders = [&](const Scheme& scheme) {
    for (const BindingId size : scheme.size_parameters) size_solver_.add_parameter(size);
  };
  add_binders(wanted);
  size_solver_.level = 1;
  Substitution sized(context_);
  const Usage usage{range, "module member"};
  for (const BindingId size : own.size_parameters) {
    const BindingId fresh =
        size_solver_.fresh(SizeKind::free, usage, context_.text(size));
    instance.sizes.push_back(context_.types.named_size(fresh));
    sized.add(size, instance.sizes.back());
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type* argument = size_solver_.with_fresh_sizes(
        context_.types.erase(types.resolve(arguments[i])), SizeKind::free, usage,
        ast::Liftedness::unlifted);
    instance.types.push_back(argument);
    sized.add(own.type_parameters[i], argument);
  }
  if (!size_solver_.unify(wanted.type, sized.type(own.type), usage)) {
    const SizeSolver::Failure& failure = size_solver_.failure();
    why = failure.message;
    if (failure.expected != nullptr) {
      why = "sizes `" + print_size(context_, failure.expected) + "` and `" +
            print_size(context_, failure.actual) + "` do not match";
    }
    return false;
  }
  // What nothing determines, nothing uses.
  Substitution undetermined(context_);
  for (const SizeConstraint& c : size_solver_.all()) {
    if (c.kind == SizeKind::free) undetermined.add(c.name, context_.types.any());
  }
  for (const Size*& size : instance.sizes) {
    size = undetermined.size(size_solver_.normal(size));
  }
  for (const Type*& type : instance.types) {
    type = undetermined.type(size_solver_.normal(type));
  }
  return true;
}

/// The most lifted thing in `type`: functions, then lifted names.
static ast::Liftedness liftedness_of(const Context& context, const Type* type) {
  ast::Liftedness result = ast::Liftedness::unlifted;
  const std::function<void(const Type*)> visit = [&](const Type* t) {
    dagaz::match(
        t->node, [](const PrimitiveType&) {}, [&](const Array& a) { visit(a.element); },
        [&](const Record& r) {
          for (const auto& f : r.fields) visit(f.second);
        },
        [&](const Sum& s) {
          for (const auto& c : s.constructors) {
            for (const Type* payload : c.second) visit(payload);
          }
        },
        [&](const Arrow&) { result = ast::Liftedness::lifted; },
        [&](const Named& n) {
          result = std::max(result, context.type_names[n.name].liftedness);
        },
        [](const MetaType&) {});
  };
  visit(type);
  return result;
}

bool Declarations::respects_liftedness(const Scheme& own,
                                       const std::vector<const Type*>& arguments,
                                       const TypeSolver& types, std::string& why) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ast::Liftedness allowed = context_.type_names[own.type_parameters[i]].liftedness;
    const Type* argument = types.resolve(arguments[i]);
    if (liftedness_of(context_, argument) <= allowed) continue;
    why = "cannot instantiate type parameter `" +
          print_type_name(context_, own.type_parameters[i]) + "` with `" +
          print_type(context_, argument) + "`, which is lifted";
    return false;
  }
  return true;
}

}  // namespace dagaz::check
