#include "sim/copies.h"

#include <algorithm>
#include <cstring>

namespace dagaz::runtime::sim {

void SharedCopy::run() const {
  std::memcpy(target, source, static_cast<size_t>(present));
  std::memset(target + present, 0, static_cast<size_t>(bytes - present));
}

bool SharedCopies::take(int32_t pending, SharedCopy& taken) {
  if (entries_.empty() || entries_.front().group >= group_ - pending) {
    return false;
  }
  taken = entries_.front().copy;
  entries_.erase(entries_.begin());
  return true;
}

bool SharedCopies::reads(const void* address, int64_t bytes) const {
  const auto* const begin = static_cast<const char*>(address);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return begin < entry.copy.source + entry.copy.present && entry.copy.source < begin + bytes;
  });
}

}  // namespace dagaz::runtime::sim
