// Stores that other threads do not see yet.
//
// On a GPU a store becomes visible to other blocks at some time after it, and two stores of one
// thread in any order, unless a fence stands between them.  A simulated thread stores straight into
// memory, but whenever others run, memory holds what it had before those of the thread's stores
// that are still on their way; when the thread goes on, it finds its own values again.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace dagaz::runtime::sim {

class StoreBuffer {
 public:
  bool empty() const { return entries_.empty(); }
  /// Before a store to at most 8 aligned bytes.
  void add(void* address, int64_t bytes);
  /// What a fence does.
  void drain() { entries_.clear(); }
  /// Before an atomic operation, which works on what the thread has stored there.
  void drain(const void* address);
  /// Others run: some of the stores, chosen at random, have arrived; the others are taken back.
  void hide(std::mt19937_64& random);
  void show();

 private:
  struct Entry {
    char* address;
    int64_t bytes;
    uint64_t before;  // in memory, below the store
    uint64_t own;     // while it is hidden
  };
  std::vector<Entry> entries_;
};

}  // namespace dagaz::runtime::sim
