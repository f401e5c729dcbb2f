// Declarations and the module language: every file, definition, module and module type, in order.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "check/consumption_checker.h"
#include "check/context.h"
#include "check/infer.h"
#include "check/rewrite.h"
#include "check/scope.h"
#include "check/size_solver.h"
#include "check/type_solver.h"

namespace dagaz::check {

class Declarations {
 public:
  explicit Declarations(Context& context);

  /// Checks the files of the program, the library first.
  void check_program();

 private:
  // check_declaration.cpp
  void bind_builtins();
  void bind_intrinsics(const ast::File& file, ModuleId module);
  ModuleId check_file(ast::File& file, bool is_root);
  /// Checks declarations in the current scope; what they make visible outside goes to `members`.
  void check_all(std::vector<ast::Declaration*>& declarations, Environment& members);
  void check_one(ast::Declaration& declaration, Environment& members, bool is_local);
  Inference::Generalised infer_value(ast::ValueDeclaration& value,
                                     std::optional<Inference>& inference);
  void check_value(ast::Declaration& declaration, ast::ValueDeclaration& value,
                   Environment& members);
  /// The rules that apply once types and sizes are known.
  void check_rules(ast::ValueDeclaration& value);
  void check_type(ast::TypeDeclaration& type, Environment& members);
  void check_module(ast::ModuleDeclaration& module, Environment& members);
  void check_signature(ast::SignatureDeclaration& signature, Environment& members);
  void check_open(ast::OpenDeclaration& open, Environment& members);
  void check_duplicates(const std::vector<ast::Declaration*>& declarations);
  /// The meaning of `name 'a [n] = definition` for declarations and specifications.
  TypeNameInfo type_definition(const ast::Name& name, ast::Liftedness liftedness,
                               std::vector<ast::TypeParameter>& parameters,
                               ast::TypeExp& definition);
  void bind_type_parameters(std::vector<ast::TypeParameter>& parameters,
                            std::vector<TypeParameterId>& ids);
  void export_value(Environment& members, Symbol name, BindingId id);
  void export_type(Environment& members, Symbol name, TypeNameId id);
  void export_module(Environment& members, Symbol name, ModuleId id);

  // check_module.cpp
  ModuleType check_module_exp(ast::ModuleExp& exp);
  ModuleType check_application(ast::ModuleApply& apply);
  ModuleType check_ascription(ModuleType module, ast::SignatureExp& signature,
                              const Coercion*& coercion, const Range& range);
  ModuleType check_lambda(ast::ModuleLambda& lambda);
  /// Checks a parameter and brings it into scope.
  const ModuleType* check_parameter(ast::ModuleParameter& parameter);
  ModuleType unusable_module();

  // check_signature.cpp
  ModuleType check_signature_exp(ast::SignatureExp& exp);
  ModuleType check_specs(std::vector<ast::Spec>& specs);
  void check_spec(ast::Spec& spec, Environment& members, ModuleType& whole);
  void check_value_spec(ast::ValueSpec& spec, const Range& range, Environment& members);
  void check_type_spec(ast::TypeSpec& spec, Environment& members, ModuleType& whole);
  ModuleType check_with(ast::SignatureWith& with, const Range& range);
  ModuleType check_signature_arrow(ast::SignatureArrow& arrow);

  // module_names.cpp
  /// A copy of `type` with new names for everything in it; `names` says what else is replaced and
  /// learns the new names.
  ModuleType rename(const ModuleType& type, Substitution& names);
  ModuleId rename_module(ModuleId id, Substitution& names);
  TypeNameId rename_type(TypeNameId id, Substitution& names);
  void allocate_types(const std::vector<TypeNameId>& types, Substitution& names);
  void allocate_names(ModuleId id, Substitution& names);
  void rewrite_value(BindingId to, BindingId from, Substitution& names);
  /// Applies `names` to the members of `id` in place.
  void refine(ModuleId id, Substitution& names);
  /// What binds the names that the last `rename` gave to the values of the old ones.
  const Coercion* coercion_between(ModuleId to, ModuleId from);
  void add_type_bindings(const std::vector<std::pair<TypeNameId, TypeNameId>>& old_and_new,
                         Coercion& coercion);
  Coercion::Module functor_coercion(ModuleId to, ModuleId from);
  const Instance* identity_instance(const Scheme* scheme);
  void collect_coercion(ModuleId to, ModuleId from, Coercion& coercion);

  // match_module.cpp
  /// How `module` meets `signature`; null after a diagnostic.  `names` learns what the abstract
  /// types and the values of the signature stand for.
  const Coercion* match(const ModuleType& module, const ModuleType& signature, const Range& range,
                        Substitution& names);
  bool resolve_types(ModuleId module, ModuleId signature,
                     const std::vector<TypeNameId>& abstract_types, const Range& range,
                     Substitution& names, Coercion& coercion);
  bool match_members(ModuleId module, ModuleId signature,
                     const std::vector<TypeNameId>& abstract_types, const Range& range,
                     Substitution& names, Coercion& coercion);
  bool match_functors(ModuleId module, ModuleId signature, const Range& range,
                      Substitution& names, Coercion::Module& result);
  bool match_value(BindingId value, BindingId spec, Symbol name, const Range& range,
                   Substitution& names, Coercion& coercion);
  bool match_type(TypeNameId type, TypeNameId spec, const Range& range, Substitution& names);
  bool match_module_member(ModuleId module, ModuleId spec,
                           const std::vector<TypeNameId>& abstract_types, const Range& range,
                           Substitution& names, Coercion& coercion);
  bool resolve_type(TypeNameId type, TypeNameId spec, const Range& range, Substitution& names,
                    Coercion& coercion);
  bool match_operator(const ValueInfo& own, BindingId value, BindingId spec, const Scheme& scheme,
                      const Range& range, Coercion& coercion);
  bool instance_of(const Scheme& own, const Scheme& wanted, const Range& range,
                   Instance& instance, std::string& why);
  bool respects_liftedness(const Scheme& own, const std::vector<const Type*>& arguments,
                           const TypeSolver& types, std::string& why);
  void report_missing(const char* what, Symbol name, const Range& range);

  // entry_points.cpp
  void check_entry(ast::Declaration& declaration, ast::ValueDeclaration& value);
  void fill_entry(EntryPoint& entry, const ast::ValueDeclaration& value,
                  const std::vector<const Type*>& parameters, const std::vector<bool>& consumed,
                  const Type* result);

  Context& context_;
  Scope scope_;
  std::unordered_map<FileId, ModuleId> files_;
  ModuleId prelude_;
  bool in_root_ = false;
  int module_depth_ = 0;
  // New names of modules while a module type is renamed.
  std::unordered_map<ModuleId, ModuleId> renamed_modules_;
  std::unordered_map<BindingId, BindingId> renamed_values_;
  std::unordered_map<TypeNameId, TypeNameId> renamed_types_;
  std::vector<std::pair<TypeNameId, TypeNameId>> last_renamed_types_;
  SizeSolver size_solver_;
  ConsumptionChecker consumption_;
};

}  // namespace dagaz::check
