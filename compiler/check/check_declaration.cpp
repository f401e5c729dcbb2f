// Files and declarations.  See declarations.h.
#include <algorithm>

#include "check/attributes.h"
#include "check/declarations.h"
#include "check/duplicate_names.h"
#include "check/exhaustiveness.h"
#include "check/expression_walk.h"
#include "check/local_checks.h"
#include "check/print_type.h"
#include "check/size_tools.h"
#include "check/sizes.h"
#include "support/library_folder.h"
#include "support/match.h"

namespace dagaz::check {

Declarations::Declarations(Context& context)
    : context_(context),
      scope_(context),
      size_solver_(context),
      consumption_(context.result, context.names, context.diagnostics) {}

// ---------------------------------------------------------------- files

void Declarations::bind_builtins() {
  for (int i = 0; i < 12; ++i) {
    const auto p = static_cast<Primitive>(i);
    TypeNameInfo info;
    info.name = context_.names.intern(primitive_name(p));
    info.definition = context_.types.primitive(p);
    info.is_builtin = true;
    const Symbol name = info.name;
    scope_.bind_type(name, context_.new_type_name(std::move(info)));
  }
  PrimitiveSet integers = 0;
  PrimitiveSet numbers = 0;
  PrimitiveSet all = 0;
  for (int i = 0; i < 12; ++i) {
    const auto p = static_cast<Primitive>(i);
    all |= primitive_bit(p);
    if (p != Primitive::boolean) numbers |= primitive_bit(p);
    if (is_integer(p)) integers |= primitive_bit(p);
  }
  const auto bind = [&](std::string_view spelling, ValueKind kind, PrimitiveSet operands) {
    const Symbol name = context_.names.intern(spelling);
    const BindingId id = context_.new_binding(name, {});
    context_.result.bindings[id].intrinsic = true;
    context_.values[id].kind = kind;
    context_.values[id].operands = operands;
    context_.operators.emplace(name, id);
    scope_.bind_value(name, id);
  };
  for (const char* name : {"+", "-", "*", "/", "%", "**"}) {
    bind(name, ValueKind::operation, numbers);
  }
  for (const char* name : {"//", "%%", "&", "|", "^", "<<", ">>"}) {
    bind(name, ValueKind::operation, integers);
  }
  for (const char* name : {"<", "<=", ">", ">="}) bind(name, ValueKind::comparison, all);
  for (const char* name : {"==", "!="}) bind(name, ValueKind::equality, 0);
  for (const char* name : {"&&", "||"}) {
    bind(name, ValueKind::operation, primitive_bit(Primitive::boolean));
  }
  bind("broadcast", ValueKind::broadcast, 0);
}

/// Binds the module `intrinsics` to the members of the module type of that name.
void Declarations::bind_intrinsics(const ast::File& file, ModuleId module) {
  const Symbol name = context_.names.intern("intrinsics");
  const Member signature =
      context_.module_info(module).members.find(NameSpace::signature, name);
  if (signature.kind != MemberKind::signature || file.declarations.empty()) return;
  const ModuleType* type = context_.signatures[signature.index];
  ModuleInfo info = context_.module_info(type->module);
  info.name = name;
  info.is_intrinsics = true;
  for (const Environment::Item& item : info.members.items()) {
    if (item.member.kind == MemberKind::value) {
      context_.result.bindings[item.member.value()].intrinsic = true;
    }
  }
  scope_.bind_module(name, context_.new_module(std::move(info)));
}

void Declarations::check_program() {
  bind_builtins();
  std::vector<ast::File>& files = context_.program.files;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const ModuleId module = check_file(files[i], i + 1 == files.size());
    files_[files[i].id] = module;
    if (files[i].path == "/prelude/intrinsics") bind_intrinsics(files[i], module);
    if (files[i].path == "/prelude/prelude") prelude_ = module;
  }
}

ModuleId Declarations::check_file(ast::File& file, bool is_root) {
  const Scope::Frame frame(scope_);
  in_root_ = is_root;
  context_.in_library = is_library_file(file.path);
  if (prelude_.valid()) scope_.open(context_.module_info(prelude_).members);
  ModuleInfo info;
  check_all(file.declarations, info.members);
  return context_.new_module(std::move(info));
}

// ---------------------------------------------------------------- declarations

void Declarations::export_value(Environment& members, Symbol name, BindingId id) {
  members.add(NameSpace::term, name, {MemberKind::value, id.index});
  scope_.bind_value(name, id);
}
void Declarations::export_type(Environment& members, Symbol name, TypeNameId id) {
  members.add(NameSpace::type, name, {MemberKind::type, id.index});
  scope_.bind_type(name, id);
}
void Declarations::export_module(Environment& members, Symbol name, ModuleId id) {
  members.add(NameSpace::term, name, {MemberKind::module, id.index});
  scope_.bind_module(name, id);
}

void Declarations::check_duplicates(const std::vector<ast::Declaration*>& declarations) {
  DuplicateNames names(context_);
  for (const ast::Declaration* declaration : declarations) {
    dagaz::match(
        declaration->node,
        [&](const ast::ValueDeclaration& d) { names.add(NameSpace::term, d.name); },
        [&](const ast::TypeDeclaration& d) { names.add(NameSpace::type, d.name); },
        [&](const ast::ModuleDeclaration& d) { names.add(NameSpace::term, d.name); },
        [&](const ast::SignatureDeclaration& d) { names.add(NameSpace::signature, d.name); },
        [](const ast::OpenDeclaration&) {}, [](const ast::LocalDeclaration&) {});
  }
}

void Declarations::check_all(std::vector<ast::Declaration*>& declarations, Environment& members) {
  check_duplicates(declarations);
  for (const ast::Declaration* declaration : declarations) {
    const auto* value = as<ast::ValueDeclaration>(declaration->node);
    if (value != nullptr) scope_.announce(value->name.symbol, value->name.range);
  }
  for (ast::Declaration* declaration : declarations) check_one(*declaration, members, false);
}

void Declarations::check_one(ast::Declaration& declaration, Environment& members, bool is_local) {
  Environment hidden;
  Environment& target = is_local ? hidden : members;
  for (const ast::Attribute& attribute : declaration.attributes) {
    check_attribute(context_, attribute, AttributePlace::declaration);
  }
  dagaz::match(
      declaration.node,
      [&](ast::ValueDeclaration& d) { check_value(declaration, d, target); },
      [&](ast::TypeDeclaration& d) { check_type(d, target); },
      [&](ast::ModuleDeclaration& d) { check_module(d, target); },
      [&](ast::SignatureDeclaration& d) { check_signature(d, target); },
      [&](ast::OpenDeclaration& d) { check_open(d, target); },
      [&](ast::LocalDeclaration& d) { check_one(*d.declaration, members, true); });
}

// A function is in scope in its own body.  Where no types make sense of that, a name that had a
// meaning before keeps it, as it did before functions could be recursive; if that does not help
// either, the messages are about a recursive function.
Inference::Generalised Declarations::infer_value(ast::ValueDeclaration& value,
                                                 std::optional<Inference>& inference) {
  const Diagnostics::Mark before = context_.diagnostics.mark();
  const Member earlier = scope_.find(NameSpace::term, value.name.symbol);
  const auto infer = [&](bool may_recur) {
    context_.diagnostics.undo(before);
    if (inference) inference->forget_names();
    value.id = context_.new_binding(value.name.symbol, value.name.range);
    inference.emplace(context_, scope_);
    return inference->infer_definition(value.function, value.name, value.id, may_recur);
  };
  Inference::Generalised result = infer(true);
  if (!inference->failed() || !result.is_recursive || earlier.kind != MemberKind::value) {
    return result;
  }
  result = infer(false);
  if (inference->failed()) return infer(true);
  const std::string name = "`" + std::string(context_.text(value.name.symbol)) + "`";
  context_.diagnostics
      .report(DiagnosticKind::not_recursive, first_use(earlier.value(), *value.function.body),
              "this " + name + " is taken to be the earlier one, as the types do not allow it to " +
                  "be the function that is being defined")
      .hints.emplace_back("give the new function another name");
  return result;
}

void Declarations::check_value(ast::Declaration& declaration, ast::ValueDeclaration& value,
                               Environment& members) {
  const std::string_view spelling = context_.text(value.name.symbol);
  if (spelling == "&&" || spelling == "||") {
    context_.diagnostics.report(DiagnosticKind::duplicate_name, value.name.range,
                                "the `" + std::string(spelling) +
                                    "` operator may not be redefined (may-not-be-redefined)");
  }
  std::optional<Inference> inference;
  const Inference::Generalised generalised = infer_value(value, inference);
  value.is_recursive = generalised.is_recursive;
  ValueInfo& info = context_.values[value.id];
  info.type_parameters.clear();
  for (const ast::TypeParameter& p : value.function.type_parameters) {
    if (p.type_id.valid()) info.type_parameters.push_back(p.type_id);
  }
  info.type_parameters.insert(info.type_parameters.end(), generalised.type_parameters.begin(),
                              generalised.type_parameters.end());
  if (info.kind == ValueKind::unusable) {
    if (const BrokenExpressions* broken = inference->broken()) {
      Sizes(context_, scope_)
          .check_rest(value.function, value.name, value.id, value.is_recursive, *broken);
    }
  } else {
    Sizes sizes(context_, scope_);
    value.scheme = sizes.check_definition(value.function, value.name, value.id,
                                          generalised.type_parameters, value.is_recursive);
    ValueInfo& sized = context_.values[value.id];
    sized.scheme = value.scheme;
    if (value.scheme == nullptr) {
      sized.kind = ValueKind::unusable;
    } else {
      sized.unsized = context_.types.erase(value.scheme->type);
      check_rules(value);
    }
  }
  export_value(members, value.name.symbol, value.id);
  const bool is_main = in_root_ && module_depth_ == 0 &&
                       context_.text(value.name.symbol) == "main" &&
                       value.keyword != ast::ValueKeyword::entry;
  if (value.keyword == ast::ValueKeyword::entry || is_main) check_entry(declaration, value);
}

/// `type` with the uniqueness that `tree` has.
static const Type* with_uniqueness(TypeBuilder& types, const Type* type, const AliasTree& tree) {
  if (const auto* record = as<Record>(type->node)) {
    if (tree->fields.size() != record->fields.size()) return type;
    Record copy = *record;
    for (std::size_t i = 0; i < copy.fields.size(); ++i) {
      copy.fields[i].second =
          with_uniqueness(types, copy.fields[i].second, tree->fields[i].second);
    }
    return types.record(std::move(copy.fields));
  }
  if (const auto* sum = as<Sum>(type->node)) {
    if (tree->variants.size() != sum->constructors.size()) return type;
    Sum copy = *sum;
    for (std::size_t i = 0; i < copy.constructors.size(); ++i) {
      auto& payload = copy.constructors[i].second;
      for (std::size_t j = 0; j < payload.size(); ++j) {
        payload[j] = with_uniqueness(types, payload[j], tree->variants[i].second[j]);
      }
    }
    return types.sum(std::move(copy.constructors));
  }
  return tree->kind == AliasValue::Kind::leaf && tree->unique ? types.unique(type) : type;
}

/// `function` with the uniqueness `tree` of what it returns after `parameters` arguments.
static const Type* with_unique_result(TypeBuilder& types, const Type* function,
                                      std::size_t parameters, const AliasTree& tree) {
  const auto* arrow = as<Arrow>(function->node);
  if (parameters == 0 || arrow == nullptr) return with_uniqueness(types, function, tree);
  Arrow copy = *arrow;
  copy.to = with_unique_result(types, arrow->to, parameters - 1, tree);
  return types.arrow(std::move(copy));
}

void Declarations::check_rules(ast::ValueDeclaration& value) {
  const std::size_t errors = context_.diagnostics.error_count();
  check_locally(context_, value.function);
  if (value.is_recursive) {
    check_recursion(context_, value.id, value.function, value.name.range);
  }
  // The library's own definitions are checked by its tests.
  if (context_.in_library) return;
  check_exhaustiveness(value.function, context_.names, context_.diagnostics);
  if (context_.diagnostics.error_count() > errors) return;
  consumption_.definition(value);
  const AliasTree result = consumption_.inferred_result(value.id);
  if (result == nullptr) return;
  Scheme scheme = *value.scheme;
  scheme.type = with_unique_result(context_.types, scheme.type, value.function.parameters.size(),
                                   result);
  value.scheme = context_.types.scheme(std::move(scheme));
  context_.values[value.id].scheme = value.scheme;
}

void Declarations::bind_type_parameters(std::vector<ast::TypeParameter>& parameters,
                                        std::vector<TypeParameterId>& ids) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ast::TypeParameter& p = parameters[i];
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_space = (p.kind == ast::ParameterKind::size) ==
                              (parameters[j].kind == ast::ParameterKind::size);
      if (!same_space || parameters[j].name.symbol != p.name.symbol) continue;
      context_.diagnostics.report(DiagnosticKind::duplicate_name, p.range,
                                  "type parameter `" + std::string(context_.text(p.name.symbol)) +
                                      "` was previously defined");
    }
    if (p.kind == ast::ParameterKind::size) {
      p.size_id = context_.new_binding(p.name.symbol, p.name.range);
      context_.set_type(p.size_id, context_.types.i64());
      scope_.bind_value(p.name.symbol, p.size_id);
      ids.emplace_back(p.size_id);
      continue;
    }
    TypeNameInfo info;
    info.name = p.name.symbol;
    info.range = p.name.range;
    info.is_parameter = true;
    info.liftedness = p.kind == ast::ParameterKind::type          ? ast::Liftedness::unlifted
                      : p.kind == ast::ParameterKind::size_lifted ? ast::Liftedness::size_lifted
                                                                  : ast::Liftedness::lifted;
    p.type_id = context_.new_type_name(std::move(info));
    scope_.bind_type(p.name.symbol, p.type_id);
    ids.emplace_back(p.type_id);
  }
}

TypeNameInfo Declarations::type_definition(const ast::Name& name, ast::Liftedness liftedness,
                                           std::vector<ast::TypeParameter>& parameters,
                                           ast::TypeExp& definition) {
  const std::size_t errors = context_.diagnostics.error_count();
  TypeNameInfo info;
  info.name = name.symbol;
  info.range = name.range;
  info.liftedness = liftedness;
  info.definition = context_.types.unit();
  const Scope::Frame frame(scope_);
  bind_type_parameters(parameters, info.parameters);
  Inference inference(context_, scope_);
  const WrittenType unsized_type = inference.infer_type(definition);
  if (context_.diagnostics.error_count() > errors || inference.failed()) {
    info.unusable = true;
    return info;
  }
  Sizes sizes(context_, scope_);
  const WrittenType written = sizes.check_type(definition);
  info.definition = context_.types.not_unique(written.type);
  info.existentials = written.anonymous;
  info.existentials.insert(info.existentials.end(), written.existentials.begin(),
                           written.existentials.end());
  const auto report = [&](DiagnosticKind kind, std::string message, const char* hint) {
    Diagnostic& d = context_.diagnostics.report(kind, name.range, std::move(message));
    if (hint != nullptr) d.hints.emplace_back(hint);
  };
  const Witnesses witnesses = size_witnesses(info.definition);
  for (const BindingId open : written.anonymous) {
    if (contains(witnesses.constructive, open)) continue;
    report(DiagnosticKind::ambiguous_size,
           "type abbreviation contains an anonymous size not used constructively as an array size",
           nullptr);
    break;
  }
  for (const ast::TypeParameter& p : parameters) {
    if (p.size_id.valid() && !mentions(info.definition, p.size_id)) {
      report(DiagnosticKind::unused_size,
             "size parameter `" + std::string(context_.text(p.name.symbol)) + "` unused", nullptr);
    }
  }
  const ast::Liftedness actual = unsized_type.liftedness;
  if (actual == ast::Liftedness::lifted && liftedness < ast::Liftedness::lifted) {
    report(DiagnosticKind::lifted_type, "non-lifted type abbreviations may not contain functions",
           "consider using `type^`");
  } else if (actual == ast::Liftedness::size_lifted && liftedness < ast::Liftedness::size_lifted) {
    report(DiagnosticKind::lifted_type,
           "non-size-lifted type abbreviations may not contain size-lifted types",
           "consider using `type~`");
  } else if (liftedness == ast::Liftedness::unlifted && !info.existentials.empty()) {
    report(DiagnosticKind::lifted_type,
           "non-lifted type abbreviations may not use existential sizes in their definition",
           "use `type~`, or add size parameters");
  }
  return info;
}

void Declarations::check_type(ast::TypeDeclaration& type, Environment& members) {
  TypeNameInfo info =
      type_definition(type.name, type.liftedness, type.parameters, *type.definition);
  type.id = context_.new_type_name(std::move(info));
  export_type(members, type.name.symbol, type.id);
}

void Declarations::check_module(ast::ModuleDeclaration& module, Environment& members) {
  ModuleType type;
  {
    const Scope::Frame frame(scope_);
    std::vector<const ModuleType*> parameters;
    for (ast::ModuleParameter& p : module.parameters) parameters.push_back(check_parameter(p));
    ++module_depth_;
    type = check_module_exp(*module.body);
    if (module.signature != nullptr) {
      type = check_ascription(type, *module.signature, module.coercion, module.name.range);
    }
    --module_depth_;
    for (auto p = parameters.rbegin(); p != parameters.rend(); ++p) {
      ModuleInfo function;
      function.parameter = *p;
      function.result = context_.new_module_type(type);
      type = {{}, context_.new_module(std::move(function))};
    }
  }
  ModuleInfo info = context_.module_info(type.module);
  info.name = module.name.symbol;
  info.range = module.name.range;
  module.id = context_.new_module(std::move(info));
  export_module(members, module.name.symbol, module.id);
}

void Declarations::check_signature(ast::SignatureDeclaration& signature, Environment& members) {
  const ModuleType type = check_signature_exp(*signature.signature);
  context_.module_info(type.module).range = signature.name.range;
  const std::size_t index = context_.signatures.size();
  context_.signatures.push_back(context_.new_module_type(type));
  const Member member{MemberKind::signature, static_cast<std::uint32_t>(index)};
  members.add(NameSpace::signature, signature.name.symbol, member);
  scope_.bind(NameSpace::signature, signature.name.symbol, member);
}

void Declarations::check_open(ast::OpenDeclaration& open, Environment& members) {
  const ModuleType type = check_module_exp(*open.module);
  const ModuleInfo& info = context_.module_info(type.module);
  if (info.unusable) return;
  if (info.parameter != nullptr) {
    context_.diagnostics.report(DiagnosticKind::module_is_parametric, open.module->range,
                                "cannot open a parametric module");
    return;
  }
  for (std::size_t i = 0; i < info.members.items().size(); ++i) {
    if (!info.members.is_visible(i)) continue;
    const Environment::Item& item = info.members.items()[i];
    members.add(item.space, item.name, item.member);
    scope_.bind(item.space, item.name, item.member);
  }
}

}  // namespace dagaz::check
