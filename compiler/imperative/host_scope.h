// What is known of a body of host code while it is lowered: which blocks it owns and when they are
// dead, and which of its arrays are made where another one wants them.  Private to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "imperative/place.h"
#include "ir/ops.h"
#include "ir/program.h"

namespace dagaz::imperative {

/// The names free in statements.
using Mentioned = std::unordered_map<const ir::Statement*, std::vector<NameId>>;
/// Of the statements of host code: of `body`, and inside its loops and branches.
Mentioned mentioned_in(const ir::Body& body, const ir::Names& names);

/// A part of a concatenation, and what a map makes to be it, seen through views.
struct Part {
  NameId name;
  std::optional<NameId> origin = {};
  std::vector<const ir::Statement*> views = {};  // from the part inwards
};
/// A concatenation of which parts are made where they end up.
struct Whole {
  NameId result;
  std::vector<Part> parts = {};
  std::vector<Place> places = {};  // of the parts, once there is memory
};
/// A block owned by a host scope, and the statement after which it is dead.
struct Owned {
  NameId block;
  std::size_t last;
};

struct HostScope {
  std::vector<std::vector<NameId>> mentioned;  // by each statement
  std::unordered_map<NameId, std::size_t> last_use;
  std::unordered_map<NameId, std::size_t> last_use_of_memory;  // by the root of what is used
  // Concatenations that are only needed permuted, and by which statement.
  std::unordered_map<NameId, const ir::Statement*> turned;
  std::unordered_set<NameId> points_within;  // results of maps, read with rows outermost
  std::unordered_map<NameId, std::size_t> bindings;  // the statement that binds a name
  std::unordered_map<NameId, std::size_t> uses;      // statements that mention a name
  std::unordered_set<NameId> made;                   // arrays that have memory of their own
  std::vector<Whole> wholes;
  std::unordered_map<NameId, std::size_t> whole_of;  // of parts that are made in place
  std::unordered_map<NameId, NameId> part_of;  // results that replace parts of arrays, and these
  std::unordered_map<NameId, const ir::Update*> written_by;  // results that are parts of arrays
  std::unordered_map<NameId, Place> in_part;                 // where such results lie
  std::unordered_map<NameId, Place> placed_views;    // of these parts, and of wholes
  std::vector<Owned> owned;
  std::size_t current = 0;
};

}  // namespace dagaz::imperative
