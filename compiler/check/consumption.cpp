// Every definition of a program in the order of the text, so that what a function returns is known
// where it is used.
#include "check/consumption.h"

#include <string_view>

#include "check/consumption_checker.h"
#include "support/match.h"
#include "syntax/imports.h"

namespace dagaz::check {

namespace {

class Walk {
 public:
  explicit Walk(ConsumptionChecker& checker) : checker_(checker) {}

  void declarations(const std::vector<ast::Declaration*>& list) {
    for (const ast::Declaration* declaration : list) visit(*declaration);
  }

 private:
  void visit(const ast::Declaration& declaration) {
    match(
        declaration.node, [&](const ast::ValueDeclaration& value) { checker_.definition(value); },
        [](const ast::TypeDeclaration&) {}, [](const ast::SignatureDeclaration&) {},
        [&](const ast::ModuleDeclaration& module) { visit(*module.body); },
        [&](const ast::OpenDeclaration& open) { visit(*open.module); },
        [&](const ast::LocalDeclaration& local) { visit(*local.declaration); });
  }

  void visit(const ast::ModuleExp& module) {
    match(
        module.node, [](const ast::ModuleName&) {}, [](const ast::ModuleImport&) {},
        [&](const ast::ModuleBody& m) { declarations(m.declarations); },
        [&](const ast::ModuleApply& m) {
          visit(*m.function);
          visit(*m.argument);
          // The members keep what is known of the functions they are.
          if (m.result_coercion == nullptr) return;
          for (const Coercion::Value& value : m.result_coercion->values) {
            checker_.same_function(value.to, value.from);
          }
        },
        [&](const ast::ModuleAscription& m) { visit(*m.module); },
        [&](const ast::ModuleLambda& m) { visit(*m.body); });
  }

  ConsumptionChecker& checker_;
};

}  // namespace

void check_consumption(const ast::Program& program, const CheckedProgram& checked,
                       const NameTable& names, Diagnostics& diagnostics,
                       ConsumptionScope scope) {
  ConsumptionChecker checker(checked, names, diagnostics);
  Walk walk(checker);
  for (const ast::File& file : program.files) {
    const bool is_library = std::string_view(file.path).starts_with(syntax::library_path(""));
    if (is_library && scope == ConsumptionScope::program) continue;
    walk.declarations(file.declarations);
  }
}

}  // namespace dagaz::check
