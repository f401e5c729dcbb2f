// A set of names for the inner loops of passes: open addressing, no allocation while small.
// `NameSet` is the general set; this one only ever grows, and is several times faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/type.h"

namespace dagaz::ir {

/// Names seen so far.
class NameFlags {
 public:
  /// Adds `name`; whether it was new.
  bool insert(NameId name) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::uint32_t& slot = find(name.index);
    if (slot == name.index) return false;
    slot = name.index;
    ++count_;
    return true;
  }
  bool contains(NameId name) const {
    if (slots_.empty()) return false;
    for (std::size_t at = start(name.index);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == name.index) return true;
      if (slots_[at] == NameId::no_index) return false;
    }
  }
  std::size_t size() const { return count_; }

 private:
  std::size_t start(std::uint32_t index) const {
    return (index * 0x9E3779B1u >> 7) & (slots_.size() - 1);
  }
  std::uint32_t& find(std::uint32_t index) {
    std::size_t at = start(index);
    while (slots_[at] != NameId::no_index && slots_[at] != index) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at];
  }
  void grow() {
    std::vector<std::uint32_t> old = std::move(slots_);
    slots_.assign(old.empty() ? 16 : 2 * old.size(), NameId::no_index);
    for (const std::uint32_t index : old) {
      if (index != NameId::no_index) find(index) = index;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::size_t count_ = 0;
};

}  // namespace dagaz::ir
