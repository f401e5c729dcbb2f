// Bodies of host code: the blocks that they own and when these are dead, and where pieces of
// concatenations lie.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "emit/code/place.h"

namespace dagaz::emit {

class HostScopes {
 public:
  void enter() { scopes_.emplace_back(); }
  /// Releases what the innermost scope still owns.
  void leave(Emitter& emitter);

  /// The statement of the innermost scope that is being emitted.
  void at_statement(std::size_t statement) { scopes_.back().current = statement; }
  /// A block that serves the current statement.
  void own(NameId block) { own(block, scopes_.back().current); }
  /// A block that is dead after statement `last`.
  void own(NameId block, std::size_t last) { scopes_.back().owned.push_back({block, last}); }
  /// Releases what is dead after `statement`.
  void release_dead(Emitter& emitter, std::size_t statement);
  /// Releases what the scope owns of `block`.
  void release(Emitter& emitter, NameId block);

  /// The places of a concatenation's pieces; null where it has no memory yet.
  const std::vector<Place>* pieces_of(NameId whole) const;
  const std::vector<Place>& set_pieces(NameId whole, std::vector<Place> pieces);
  /// Where a view lies that is made where it is wanted; null for other views.
  const Place* placed_view(NameId view) const;
  void set_placed_view(NameId view, Place place);

 private:
  struct Owned {
    NameId block;
    std::size_t last;
  };
  struct Scope {
    std::vector<Owned> owned;
    std::unordered_map<NameId, std::vector<Place>> pieces;
    std::unordered_map<NameId, Place> placed_views;
    std::size_t current = 0;
  };
  std::vector<Scope> scopes_;
};

}  // namespace dagaz::emit
