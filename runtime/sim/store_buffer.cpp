// Taking stores back and making them again.
#include "sim/store_buffer.h"

#include <cstring>

namespace dagaz::runtime::sim {

namespace {

/// Stores to one such piece of memory arrive in order, which keeps them apart from each other.
uintptr_t piece_of(const void* address) {
  return reinterpret_cast<uintptr_t>(address) / 8;
}

/// Whether what is on its way to a piece arrives by now; different for each `choice`.
bool arrives(uintptr_t piece, uint64_t choice) {
  const uint64_t mixed = (piece ^ choice) * 0x9e3779b97f4a7c15u;
  return mixed >> 62 == 0;
}

}  // namespace

void StoreBuffer::add(void* address, int64_t bytes) {
  Entry entry{static_cast<char*>(address), bytes, 0, 0};
  std::memcpy(&entry.before, address, static_cast<size_t>(bytes));
  entries_.push_back(entry);
}

void StoreBuffer::drain(const void* address) {
  std::erase_if(entries_,
                [&](const Entry& entry) { return piece_of(entry.address) == piece_of(address); });
}

void StoreBuffer::hide(std::mt19937_64& random) {
  const uint64_t choice = random();
  std::erase_if(entries_,
                [&](const Entry& entry) { return arrives(piece_of(entry.address), choice); });
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    const auto bytes = static_cast<size_t>(entry->bytes);
    std::memcpy(&entry->own, entry->address, bytes);
    std::memcpy(entry->address, &entry->before, bytes);
  }
}

void StoreBuffer::show() {
  for (Entry& entry : entries_) {
    const auto bytes = static_cast<size_t>(entry.bytes);
    std::memcpy(&entry.before, entry.address, bytes);
    std::memcpy(entry.address, &entry.own, bytes);
  }
}

}  // namespace dagaz::runtime::sim
