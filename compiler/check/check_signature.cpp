// Module types.  Each use of a named one gets names of its own.  See declarations.h.
#include <algorithm>

#include "check/declarations.h"
#include "check/duplicate_names.h"
#include "check/infer.h"
#include "check/size_tools.h"
#include "check/sizes.h"
#include "support/match.h"

namespace dagaz::check {

ModuleType Declarations::check_signature_exp(ast::SignatureExp& exp) {
  return dagaz::match(
      exp.node,
      [&](ast::SignatureName& s) -> ModuleType {
        const Member member = scope_.resolve(NameSpace::signature, s.name);
        if (member.kind != MemberKind::signature) return unusable_module();
        Substitution names(context_);
        return rename(*context_.signatures[member.index], names);
      },
      [&](ast::SignatureBody& s) { return check_specs(s.specs); },
      [&](ast::SignatureWith& s) { return check_with(s, exp.range); },
      [&](ast::SignatureArrow& s) { return check_signature_arrow(s); });
}

ModuleType Declarations::check_signature_arrow(ast::SignatureArrow& arrow) {
  const Scope::Frame frame(scope_);
  const ModuleType* from = context_.new_module_type(check_signature_exp(*arrow.from));
  if (arrow.parameter) {
    context_.module_info(from->module).range = arrow.parameter->range;
    scope_.bind_module(arrow.parameter->symbol, from->module);
  }
  ModuleInfo function;
  function.parameter = from;
  function.result = context_.new_module_type(check_signature_exp(*arrow.to));
  return {{}, context_.new_module(std::move(function))};
}

// ---------------------------------------------------------------- specifications

ModuleType Declarations::check_specs(std::vector<ast::Spec>& specs) {
  const Scope::Frame frame(scope_);
  DuplicateNames names(context_);
  ModuleType whole;
  ModuleInfo info;
  for (ast::Spec& spec : specs) {
    dagaz::match(
        spec.node, [&](ast::ValueSpec& s) { names.add(NameSpace::term, s.name); },
        [&](ast::TypeSpec& s) { names.add(NameSpace::type, s.name); },
        [&](ast::ModuleSpec& s) { names.add(NameSpace::term, s.name); }, [](ast::IncludeSpec&) {});
    check_spec(spec, info.members, whole);
  }
  whole.module = context_.new_module(std::move(info));
  return whole;
}

void Declarations::check_spec(ast::Spec& spec, Environment& members, ModuleType& whole) {
  dagaz::match(
      spec.node, [&](ast::ValueSpec& s) { check_value_spec(s, spec.range, members); },
      [&](ast::TypeSpec& s) { check_type_spec(s, members, whole); },
      [&](ast::ModuleSpec& s) {
        const ModuleType type = check_signature_exp(*s.signature);
        context_.module_info(type.module).name = s.name.symbol;
        context_.module_info(type.module).range = s.name.range;
        whole.abstract_types.insert(whole.abstract_types.end(), type.abstract_types.begin(),
                                    type.abstract_types.end());
        export_module(members, s.name.symbol, type.module);
      },
      [&](ast::IncludeSpec& s) {
        const ModuleType type = check_signature_exp(*s.signature);
        const ModuleInfo& info = context_.module_info(type.module);
        if (info.unusable) return;
        if (info.parameter != nullptr) {
          context_.diagnostics.report(DiagnosticKind::module_is_parametric, s.signature->range,
                                      "cannot include a parametric module type");
          return;
        }
        whole.abstract_types.insert(whole.abstract_types.end(), type.abstract_types.begin(),
                                    type.abstract_types.end());
        for (const Environment::Item& item : info.members.items()) {
          members.add(item.space, item.name, item.member);
          if (item.space == NameSpace::type &&
              scope_.find(NameSpace::type, item.name).kind == MemberKind::type) {
            context_.diagnostics.report(
                DiagnosticKind::shadowing, spec.range,
                "Inclusion shadows type `" + std::string(context_.text(item.name)) + "`");
          }
          scope_.bind(item.space, item.name, item.member);
        }
      });
}

void Declarations::check_value_spec(ast::ValueSpec& spec, const Range& range,
                                    Environment& members) {
  const std::size_t errors = context_.diagnostics.error_count();
  const BindingId id = context_.new_binding(spec.name.symbol, spec.name.range);
  {
    const Scope::Frame frame(scope_);
    std::vector<TypeParameterId> parameters;
    bind_type_parameters(spec.type_parameters, parameters);
    Inference inference(context_, scope_);
    inference.infer_type(*spec.type);
    Scheme scheme;
    for (const TypeParameterId& p : parameters) {
      if (const BindingId* size = as<BindingId>(p)) scheme.size_parameters.push_back(*size);
      if (const TypeNameId* type = as<TypeNameId>(p)) scheme.type_parameters.push_back(*type);
    }
    if (context_.diagnostics.error_count() == errors && !inference.failed()) {
      Sizes sizes(context_, scope_);
      const WrittenType written = sizes.check_type(*spec.type);
      if (!written.anonymous.empty() || !written.existentials.empty()) {
        Diagnostic& d = context_.diagnostics.report(
            DiagnosticKind::ambiguous_size, range,
            "all function parameters must have non-anonymous sizes");
        d.hints.push_back("add size parameters to `" +
                          std::string(context_.text(spec.name.symbol)) + "`");
      }
      scheme.type = context_.types.not_unique(written.type);
      ValueInfo& info = context_.values[id];
      info.unsized = context_.types.erase(written.type);
      info.type_parameters = scheme.type_parameters;
      info.scheme = context_.types.scheme(std::move(scheme));
    } else {
      context_.values[id].kind = ValueKind::unusable;
    }
  }
  export_value(members, spec.name.symbol, id);
}

void Declarations::check_type_spec(ast::TypeSpec& spec, Environment& members, ModuleType& whole) {
  if (spec.definition != nullptr) {
    TypeNameInfo info =
        type_definition(spec.name, spec.liftedness, spec.parameters, *spec.definition);
    export_type(members, spec.name.symbol, context_.new_type_name(std::move(info)));
    return;
  }
  TypeNameInfo info;
  info.name = spec.name.symbol;
  info.range = spec.name.range;
  info.liftedness = spec.liftedness;
  {
    const Scope::Frame frame(scope_);
    bind_type_parameters(spec.parameters, info.parameters);
  }
  const TypeNameId id = context_.new_type_name(std::move(info));
  whole.abstract_types.push_back(id);
  export_type(members, spec.name.symbol, id);
}

// ---------------------------------------------------------------- refinement

ModuleType Declarations::check_with(ast::SignatureWith& with, const Range& range) {
  ModuleType type = check_signature_exp(*with.signature);
  const ModuleInfo* info = &context_.module_info(type.module);
  if (info->unusable) return type;
  const auto report = [&](std::string message) {
    context_.diagnostics.report(DiagnosticKind::module_mismatch, range, std::move(message));
    return type;
  };
  if (info->parameter != nullptr) return report("cannot refine a parametric module type");
  const ModuleInfo* inner = info;
  for (const ast::Name& q : with.type_name.qualifiers) {
    const Member m = inner->members.find(NameSpace::term, q.symbol);
    if (m.kind != MemberKind::module) {
      return report("`" + std::string(context_.text(q.symbol)) +
                    "` is not a module in the module type");
    }
    context_.note_use(q.range, m);
    inner = context_.modules[m.module()];
  }
  const std::string name(context_.text(with.type_name.name.symbol));
  const Member member = inner->members.find(NameSpace::type, with.type_name.name.symbol);
  context_.note_use(with.type_name.name.range, member);
  // A name may stand for an abstract type under another name.
  TypeNameId abstract = member.kind == MemberKind::type ? member.type() : TypeNameId();
  if (abstract.valid() && context_.type_names[abstract].definition != nullptr) {
    const auto* named = as<Named>(context_.type_names[abstract].definition->node);
    if (named != nullptr) abstract = named->name;
  }
  const auto position =
      std::find(type.abstract_types.begin(), type.abstract_types.end(), abstract);
  if (!abstract.valid() || position == type.abstract_types.end()) {
    return report("`" + name + "` is not an abstract type in the module type");
  }
  TypeNameInfo definition = type_definition(with.type_name.name, ast::Liftedness::lifted,
                                            with.parameters, *with.definition);
  TypeNameInfo& target = context_.type_names[abstract];
  bool fits = target.parameters.size() == definition.parameters.size();
  for (std::size_t i = 0; fits && i < target.parameters.size(); ++i) {
    fits = target.parameters[i].index() == definition.parameters[i].index();
    if (const TypeNameId* t = as<TypeNameId>(target.parameters[i]); fits && t != nullptr) {
      const TypeNameId own = std::get<TypeNameId>(definition.parameters[i]);
      fits = context_.type_names[*t].liftedness <= context_.type_names[own].liftedness;
    }
  }
  if (!fits) {
    return report("cannot refine a type having " + std::to_string(target.parameters.size()) +
                  " parameters with a type having " +
                  std::to_string(definition.parameters.size()) + " parameters");
  }
  target.parameters = definition.parameters;
  target.existentials = definition.existentials;
  target.definition = definition.definition;
  type.abstract_types.erase(position);
  Substitution names(context_);
  names.add(abstract, {definition.parameters, definition.existentials, definition.definition});
  refine(type.module, names);
  return type;
}

}  // namespace dagaz::check
