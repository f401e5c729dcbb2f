// Declarations and modules.  Names are unique in a program, so the members of a plain module stand
// in the frame around it; a parametric module gets a frame for each application.
#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

// What the attributes of a declaration say of calls; `inlining` is what those say around it.
static Inlining declared_inlining(const ast::Declaration& declaration, Inlining inlining,
                                  const Elaborator& e) {
  for (const ast::Attribute& attribute : declaration.attributes) {
    if (!attribute.name.valid()) continue;
    const std::string_view name = e.symbols.text(attribute.name);
    inlining = inlining_named(name).value_or(inlining);
    if (name == "sorts" && e.is_in_library(attribute.range)) {
      inlining = attribute.arguments.empty() ? Inlining::sorting : Inlining::sorting_signed;
    }
  }
  return inlining;
}

void Elaborator::evaluate_declaration(const ast::Declaration* declaration, Frame* frame,
                                      Inlining around) {
  const Inlining declared = declared_inlining(*declaration, around, *this);
  match(
      declaration->node,
      [&](const ast::ValueDeclaration& d) {
        if (d.function.parameters.empty()) {
          frame->values[d.id] = arena.value(DelayedConstant{&d, frame, {}});
        } else {
          frame->values[d.id] =
              arena.value(Closure{&d.function, &d, d.scheme, nullptr, frame, {}, false,
                                  declared});
        }
      },
      [](const ast::TypeDeclaration&) {
        // The checker has expanded all abbreviations.
      },
      [&](const ast::ModuleDeclaration& d) {
        if (!d.parameters.empty()) {
          frame->modules[d.id] = arena.module({.declaration = &d, .frame = frame});
          return;
        }
        const ModuleValue* parametric = evaluate_module(d.body, frame);
        if (parametric != nullptr) {
          frame->modules[d.id] = seen_through(d.coercion, parametric, frame);
        } else if (d.coercion != nullptr) {
          coerce(*d.coercion, frame, frame);
        }
      },
      [](const ast::SignatureDeclaration&) {
        // Signatures are for the checker; what they do to modules is in the coercions.
      },
      [&](const ast::OpenDeclaration& d) { evaluate_module(d.module, frame); },
      [&](const ast::LocalDeclaration& d) {
        evaluate_declaration(d.declaration, frame, declared);
      });
}

const ModuleValue* Elaborator::evaluate_module(const ast::ModuleExp* module, Frame* frame) {
  return match(
      module->node,
      [&](const ast::ModuleName& m) -> const ModuleValue* { return frame->find(m.id); },
      [](const ast::ModuleImport&) -> const ModuleValue* {
        return nullptr;  // the members of the file are known already
      },
      [&](const ast::ModuleBody& m) -> const ModuleValue* {
        for (const ast::Declaration* one : m.declarations) evaluate_declaration(one, frame);
        return nullptr;
      },
      [&](const ast::ModuleApply& m) { return apply_module(m, frame); },
      [&](const ast::ModuleAscription& m) -> const ModuleValue* {
        const ModuleValue* value = evaluate_module(m.module, frame);
        if (value != nullptr) return seen_through(m.coercion, value, frame);
        if (m.coercion != nullptr) coerce(*m.coercion, frame, frame);
        return nullptr;
      },
      [&](const ast::ModuleLambda& m) {
        return arena.module({.lambda = &m, .frame = frame});
      });
}

const ModuleValue* Elaborator::apply_module(const ast::ModuleApply& application, Frame* frame) {
  const ModuleValue* function = evaluate_module(application.function, frame);
  const ModuleValue* argument = evaluate_module(application.argument, frame);
  if (function == nullptr) unsupported(range, "this parametric module cannot be applied here");
  Frame* inner = nullptr;
  const ModuleValue* value = apply_module(
      function,
      [&](Frame* to) {
        if (application.argument_coercion != nullptr) {
          coerce(*application.argument_coercion, frame, to);
        }
        // A parametric module as the argument has no members; it goes by no name until the
        // parameter's is known.
        if (argument != nullptr) {
          to->modules[ModuleId()] = seen_through(application.argument_coercion, argument, frame);
        }
      },
      inner);
  if (application.result_coercion == nullptr || inner == nullptr) return value;
  const check::Coercion& coercion = *application.result_coercion;
  if (value == nullptr) {
    coerce(coercion, inner, frame);
    return nullptr;
  }
  return seen_through(&coercion, value, frame);
}

const ModuleValue* Elaborator::seen_through(const check::Coercion* coercion,
                                            const ModuleValue* module, Frame* frame) {
  // The coercion of a parametric module has one entry, for the module itself.
  if (coercion == nullptr || coercion->modules.empty()) return module;
  const check::Coercion::Module& seen = coercion->modules.front();
  return arena.module(
      {.frame = frame, .inner = module, .parameter = seen.parameter, .result = seen.result});
}

const ModuleValue* Elaborator::apply_module(const ModuleValue* module,
                                            const std::function<void(Frame*)>& bind_argument,
                                            Frame*& inner) {
  if (module->inner != nullptr) {
    // Seen through a signature: the argument goes through the outer parameter first.
    Frame* outer = arena.frame(module->frame);
    bind_argument(outer);
    Frame* body = nullptr;
    const ModuleValue* value = apply_module(
        module->inner,
        [&](Frame* to) {
          if (module->parameter != nullptr) coerce(*module->parameter, outer, to);
        },
        body);
    // The result, which may be a parametric module again, speaks of the outer parameter.
    inner = arena.frame(body);
    inner->values.insert(outer->values.begin(), outer->values.end());
    inner->types.insert(outer->types.begin(), outer->types.end());
    inner->modules.insert(outer->modules.begin(), outer->modules.end());
    if (module->result == nullptr) return value;
    if (value != nullptr) return seen_through(module->result, value, inner);
    coerce(*module->result, body, inner);
    return nullptr;
  }
  inner = arena.frame(module->frame);
  bind_argument(inner);
  if (module->lambda != nullptr) {
    const ast::ModuleLambda& lambda = *module->lambda;
    const auto argument = inner->modules.find(ModuleId());
    if (argument != inner->modules.end()) inner->modules[lambda.parameter.id] = argument->second;
    const ModuleValue* value = evaluate_module(lambda.body, inner);
    if (value != nullptr) return seen_through(lambda.coercion, value, inner);
    if (lambda.coercion != nullptr) coerce(*lambda.coercion, inner, inner);
    return nullptr;
  }
  const ast::ModuleDeclaration& declaration = *module->declaration;
  const std::size_t index = module->next_parameter;
  const auto argument = inner->modules.find(ModuleId());
  if (argument != inner->modules.end()) {
    inner->modules[declaration.parameters[index].id] = argument->second;
  }
  if (index + 1 < declaration.parameters.size()) {
    return arena.module(
        {.declaration = &declaration, .next_parameter = index + 1, .frame = inner});
  }
  const ModuleValue* value = evaluate_module(declaration.body, inner);
  if (value != nullptr) return seen_through(declaration.coercion, value, inner);
  if (declaration.coercion != nullptr) coerce(*declaration.coercion, inner, inner);
  return nullptr;
}

void Elaborator::coerce(const check::Coercion& coercion, Frame* from, Frame* to) {
  // Types first: what follows may be instantiated at them.
  for (const check::Coercion::TypeBinding& type : coercion.types) {
    to->types[type.to] = TypeBinding{type.parameters, type.definition, from, nullptr};
  }
  for (const check::Coercion::Module& module : coercion.modules) {
    if (module.members != nullptr) coerce(*module.members, from, to);
    const ModuleValue* inner = from->find(module.from);
    if (inner == nullptr) continue;
    if (module.parameter == nullptr && module.result == nullptr) {
      to->modules[module.to] = inner;
    } else {
      to->modules[module.to] = arena.module({.frame = to,
                                             .inner = inner,
                                             .parameter = module.parameter,
                                             .result = module.result});
    }
  }
  for (const check::Coercion::Value& value : coercion.values) {
    ValueRef member = from->find(value.from);
    if (member == nullptr) {
      const check::Binding& binding = program.bindings[value.from];
      if (!binding.intrinsic) continue;
      const std::string_view name = symbols.text(binding.name);
      const Intrinsic* intrinsic = find_array_intrinsic(name);
      if (intrinsic == nullptr) intrinsic = find_scalar_intrinsic(name);
      if (intrinsic == nullptr) continue;
      member = arena.value(IntrinsicValue{intrinsic, {}});
    }
    if (value.instance != nullptr || value.scheme != nullptr) {
      member = arena.value(CoercedValue{member, value.scheme, {value.instance, to}});
    }
    to->values[value.to] = member;
  }
}

}  // namespace dagaz::elaborate
