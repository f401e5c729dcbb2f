// What is known of a body of host code while it is lowered: which blocks it owns and when they are
// dead, and where pieces of concatenations lie.  Private to this folder.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "imperative/place.h"

namespace dagaz::imperative {

/// A block owned by a host scope, and the statement after which it is dead.
struct Owned {
  NameId block;
  std::size_t last;
};

struct HostScope {
  std::vector<Owned> owned;
  std::unordered_map<NameId, std::vector<Place>> pieces;  // of the concatenations that have memory
  std::unordered_map<NameId, Place> placed_views;         // views that lie where they are wanted
  std::size_t current = 0;
};

}  // namespace dagaz::imperative
