// What each kind of diagnostic is about: why the rule exists, a program that breaks it and one that
// does not.  `dagaz explain` and docs/errors.md are made of this.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "support/diagnostic.h"

namespace dagaz {

struct Explanation {
  DiagnosticKind kind;
  std::string_view why;
  /// Checking it gives this kind and no other; empty if the program is not what is wrong.
  std::string_view wrong;
  /// The same, put right: checking it gives nothing.  May be empty.
  std::string_view right;
};

/// One for each kind, in the order of diagnostic_kinds.def.
std::span<const Explanation> explanations();

/// The kind that diagnostics show as `name`.
std::optional<DiagnosticKind> find_kind(std::string_view name);

}  // namespace dagaz
