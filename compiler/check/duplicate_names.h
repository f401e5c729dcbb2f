// Names that one list of declarations or specifications defines twice.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "check/context.h"
#include "syntax/ast.h"

namespace dagaz::check {

class DuplicateNames {
 public:
  explicit DuplicateNames(Context& context) : context_(context) {}

  /// Reports `name` if it was added to this name space before.
  void add(NameSpace space, const ast::Name& name) {
    const std::uint64_t key = (static_cast<std::uint64_t>(space) << 32) | name.symbol.index;
    const auto [previous, is_new] = seen_.try_emplace(key, name);
    if (is_new) return;
    Diagnostic& d = context_.diagnostics.report(
        DiagnosticKind::duplicate_name, name.range,
        "duplicate definition of `" + std::string(context_.text(name.symbol)) + "`");
    d.labels.push_back({previous->second.range, "previously defined here"});
  }

 private:
  Context& context_;
  std::unordered_map<std::uint64_t, ast::Name> seen_;
};

}  // namespace dagaz::check
