#include "emit/context/host_scopes.h"

#include <algorithm>

namespace dagaz::emit {

void HostScopes::leave(Emitter& emitter) {
  for (const Owned& one : scopes_.back().owned) emitter.emit(Release{one.block});
  scopes_.pop_back();
}

void HostScopes::release_dead(Emitter& emitter, std::size_t statement) {
  std::erase_if(scopes_.back().owned, [&](const Owned& one) {
    if (one.last > statement) return false;
    emitter.emit(Release{one.block});
    return true;
  });
}

void HostScopes::release(Emitter& emitter, NameId block) {
  std::erase_if(scopes_.back().owned, [&](const Owned& one) {
    if (one.block != block) return false;
    emitter.emit(Release{one.block});
    return true;
  });
}

const std::vector<Place>* HostScopes::pieces_of(NameId whole) const {
  const auto& pieces = scopes_.back().pieces;
  const auto found = pieces.find(whole);
  return found == pieces.end() ? nullptr : &found->second;
}

const std::vector<Place>& HostScopes::set_pieces(NameId whole, std::vector<Place> pieces) {
  return scopes_.back().pieces.insert_or_assign(whole, std::move(pieces)).first->second;
}

const Place* HostScopes::placed_view(NameId view) const {
  const auto& views = scopes_.back().placed_views;
  const auto found = views.find(view);
  return found == views.end() ? nullptr : &found->second;
}

void HostScopes::set_placed_view(NameId view, Place place) {
  scopes_.back().placed_views.insert_or_assign(view, std::move(place));
}

}  // namespace dagaz::emit
