// See explanations.h.
#include "support/explanations.h"

#include <algorithm>
#include <array>

namespace dagaz {

namespace {

constexpr std::size_t kind_count = 0
#define DZ_KIND(name, text, severity, summary) +1
#include "support/diagnostic_kinds.def"
#undef DZ_KIND
    ;

// The rows of all files, at the places of their kinds.
constexpr std::array<Explanation, kind_count> by_kind = [] {
  constexpr Explanation rows[] = {
#define DZ_EXPLANATION(name, why, wrong, right) {DiagnosticKind::name, why, wrong, right},
#include "support/explanations_programs.def"
#include "support/explanations_uniqueness.def"
#include "support/explanations_types.def"
#undef DZ_EXPLANATION
  };
  static_assert(std::size(rows) == kind_count, "each kind has one explanation");
  std::array<Explanation, kind_count> table{};
  for (const Explanation& row : rows) table[static_cast<std::size_t>(row.kind)] = row;
  return table;
}();

static_assert(std::all_of(by_kind.begin(), by_kind.end(),
                          [](const Explanation& e) { return !e.why.empty(); }),
              "each kind has an explanation");

}  // namespace

std::span<const Explanation> explanations() { return by_kind; }

std::optional<DiagnosticKind> find_kind(std::string_view name) {
  for (const Explanation& e : by_kind) {
    if (kind_name(e.kind) == name) return e.kind;
  }
  return std::nullopt;
}

}  // namespace dagaz
