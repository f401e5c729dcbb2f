// Entries are a list from the newest to the oldest.
#include "sim/sector_cache.h"

#include <algorithm>

namespace dagaz::runtime::sim {

SectorCache::SectorCache(int64_t bytes)
    : capacity_(static_cast<size_t>(std::max<int64_t>(bytes, 0)) / sector_bytes) {}

bool SectorCache::read(uint64_t sector) {
  if (find(sector) != none) {
    return true;
  }
  insert(sector);
  return false;
}

void SectorCache::write(uint64_t sector) {
  int32_t entry = find(sector);
  entry = entry == none ? insert(sector) : entry;
  if (entry == none) {
    ++written_back_;
  } else if (Entry& written = entries_[static_cast<size_t>(entry)]; !written.changed) {
    written.changed = true;
    ++written_back_;
  }
}

/// The sector's entry, now the newest.
int32_t SectorCache::find(uint64_t sector) {
  const auto found = places_.find(sector);
  if (found == places_.end()) {
    return none;
  }
  if (found->second != newest_) {
    take_out(found->second);
    put_first(found->second);
  }
  return found->second;
}

int32_t SectorCache::insert(uint64_t sector) {
  if (capacity_ == 0) {
    return none;
  }
  auto entry = static_cast<int32_t>(entries_.size());
  if (entries_.size() == capacity_) {
    entry = oldest_;
    take_out(entry);
    places_.erase(entries_[static_cast<size_t>(entry)].sector);
  } else {
    entries_.emplace_back();
  }
  entries_[static_cast<size_t>(entry)] = {sector, none, none, false};
  places_[sector] = entry;
  put_first(entry);
  return entry;
}

void SectorCache::take_out(int32_t entry) {
  const Entry& here = entries_[static_cast<size_t>(entry)];
  (here.newer == none ? newest_ : entries_[static_cast<size_t>(here.newer)].older) = here.older;
  (here.older == none ? oldest_ : entries_[static_cast<size_t>(here.older)].newer) = here.newer;
}

void SectorCache::put_first(int32_t entry) {
  Entry& here = entries_[static_cast<size_t>(entry)];
  here.newer = none;
  here.older = newest_;
  (newest_ == none ? oldest_ : entries_[static_cast<size_t>(newest_)].newer) = entry;
  newest_ = entry;
}

}  // namespace dagaz::runtime::sim
