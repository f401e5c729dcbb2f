// Module expressions.  See declarations.h.
#include "check/declarations.h"
#include "support/match.h"

namespace dagaz::check {

ModuleType Declarations::unusable_module() {
  ModuleInfo info;
  info.unusable = true;
  return {{}, context_.new_module(std::move(info))};
}

ModuleType Declarations::check_module_exp(ast::ModuleExp& exp) {
  return dagaz::match(
      exp.node,
      [&](ast::ModuleName& m) -> ModuleType {
        const Member member = scope_.resolve(NameSpace::term, m.name);
        if (member.kind == MemberKind::none) return unusable_module();
        if (member.kind != MemberKind::module) {
          context_.diagnostics.report(
              DiagnosticKind::not_a_module, exp.range,
              "`" + std::string(context_.text(m.name.name.symbol)) + "` is not a module");
          return unusable_module();
        }
        m.id = member.module();
        if (context_.module_info(m.id).is_intrinsics) {
          context_.diagnostics.report(
              DiagnosticKind::not_a_module, exp.range,
              "the `intrinsics` module may not be used in module expressions");
        }
        return {{}, m.id};
      },
      [&](ast::ModuleImport& m) -> ModuleType {
        const auto found = files_.find(m.file);
        if (found == files_.end()) return unusable_module();
        return {{}, found->second};
      },
      [&](ast::ModuleBody& m) -> ModuleType {
        const Scope::Frame frame(scope_);
        ++module_depth_;
        ModuleInfo info;
        const std::size_t first_type = context_.type_names.size();
        check_all(m.declarations, info.members);
        --module_depth_;
        ModuleType type{{}, context_.new_module(std::move(info))};
        // Abstract types made inside are renamed when a functor around them is applied.
        for (std::size_t i = first_type; i < context_.type_names.size(); ++i) {
          const TypeNameInfo& t = context_.type_names[TypeNameId(i)];
          if (t.definition == nullptr && !t.is_parameter) type.abstract_types.emplace_back(i);
        }
        return type;
      },
      [&](ast::ModuleApply& m) { return check_application(m); },
      [&](ast::ModuleAscription& m) {
        const ModuleType module = check_module_exp(*m.module);
        return check_ascription(module, *m.signature, m.coercion, exp.range);
      },
      [&](ast::ModuleLambda& m) { return check_lambda(m); });
}

ModuleType Declarations::check_ascription(ModuleType module, ast::SignatureExp& signature,
                                          const Coercion*& coercion, const Range& range) {
  const ModuleType type = check_signature_exp(signature);
  if (context_.module_info(module.module).unusable ||
      context_.module_info(type.module).unusable) {
    return type;
  }
  Substitution names(context_);
  coercion = match(module, type, range, names);
  return type;
}

ModuleType Declarations::check_application(ast::ModuleApply& apply) {
  const ModuleType function = check_module_exp(*apply.function);
  const ModuleType argument = check_module_exp(*apply.argument);
  const ModuleInfo& info = context_.module_info(function.module);
  if (info.unusable || context_.module_info(argument.module).unusable) return unusable_module();
  if (info.parameter == nullptr) {
    context_.diagnostics.report(DiagnosticKind::module_mismatch, apply.function->range,
                                "cannot apply non-parametric module");
    return unusable_module();
  }
  Substitution names(context_);
  apply.argument_coercion = match(argument, *info.parameter, apply.argument->range, names);
  if (apply.argument_coercion == nullptr) return unusable_module();
  if (context_.module_info(info.result->module).unusable) return unusable_module();
  const ModuleType result = rename(*info.result, names);
  apply.result_coercion =
      coercion_between(result.module, info.result->module);
  return result;
}

const ModuleType* Declarations::check_parameter(ast::ModuleParameter& parameter) {
  const ModuleType* type = context_.new_module_type(check_signature_exp(*parameter.signature));
  ModuleInfo info = context_.module_info(type->module);
  info.name = parameter.name.symbol;
  parameter.id = type->module;
  context_.module_info(type->module).name = parameter.name.symbol;
  context_.module_info(type->module).range = parameter.name.range;
  scope_.bind_module(parameter.name.symbol, parameter.id);
  return type;
}

ModuleType Declarations::check_lambda(ast::ModuleLambda& lambda) {
  const Scope::Frame frame(scope_);
  const ModuleType* parameter = check_parameter(lambda.parameter);
  ++module_depth_;
  ModuleType body = check_module_exp(*lambda.body);
  if (lambda.result != nullptr) {
    body = check_ascription(body, *lambda.result, lambda.coercion, lambda.body->range);
  }
  --module_depth_;
  ModuleInfo function;
  function.parameter = parameter;
  function.result = context_.new_module_type(body);
  return {{}, context_.new_module(std::move(function))};
}

}  // namespace dagaz::check
