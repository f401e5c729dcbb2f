// Which arrays the statements of host code mention, and when for the last time.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/alias.h"
#include "ir/program.h"

namespace dagaz::memory {

/// The names free in the statements of a body, and in those of the bodies inside them.
struct Mentions {
  struct OfStatement {
    std::vector<ir::NameId> names;
    std::vector<Mentions> inside;  // a loop's body, a branch's two, an accumulation's
  };
  std::vector<OfStatement> statements;
};
Mentions mentions_in(const ir::Body& body, const ir::Names& names);

/// What is known of a body of host code.
struct Uses {
  std::unordered_map<ir::NameId, std::size_t> bindings;  // the statement that binds a name
  std::unordered_map<ir::NameId, std::size_t> last;                // the last that mentions it
  std::unordered_map<ir::NameId, std::size_t> last_of_memory;      // likewise, by root
  std::unordered_map<ir::NameId, std::size_t> count;               // statements that mention it
  std::unordered_set<ir::NameId> made;  // arrays with memory of their own

  std::size_t count_of(ir::NameId name) const;
  /// Whether it is made in the body, and one statement alone knows it.
  bool is_handed_over(const ir::Operand& array) const;
};
/// Results count as a statement after the last.
Uses uses_of(const ir::Body& body, const Mentions& mentions, const ir::Names& names,
             const ir::AliasInfo& aliases);

}  // namespace dagaz::memory
