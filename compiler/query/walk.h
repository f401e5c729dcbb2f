// One walk over the typed tree of a file: every name that is defined, with what it is, and every
// expression, pattern and written type.
#pragma once

#include <functional>
#include <string>

#include "support/source.h"
#include "syntax/ast.h"

namespace dagaz::query {

enum class SymbolKind {
  function, constant, entry, parameter, local, local_function, size, type, type_parameter, module,
  signature
};

/// A name where it is defined.
struct Definition {
  SymbolKind kind = SymbolKind::local;
  ast::Name name = {};
  /// The whole declaration; of a local name, the pattern or parameter.
  Range whole = {};
  const std::string* documentation = nullptr;
  /// What the name stands for, by kind.
  BindingId value = {};
  TypeNameId type = {};
  /// Of a function: its parameters and body.
  const ast::Function* function = nullptr;
  /// Of a specification.
  const ast::TypeExp* written = nullptr;
  bool is_specification = false;
  /// Whether the name is also the name of a field: `{a, b}`.
  bool is_pun = false;
};

/// What is told of a file; what is not asked for is not walked.
struct Visitor {
  std::function<void(const Definition&)> definition = {};
  std::function<void(const ast::Exp&)> expression = {};
  std::function<void(const ast::Pattern&)> pattern = {};
  std::function<void(const ast::TypeExp&)> type = {};
  std::function<void(const ast::ModuleExp&)> module = {};
  /// Bodies of functions are left out.
  bool only_declarations = false;
};

void walk(const ast::File& file, const Visitor& visitor);

}  // namespace dagaz::query
