// Watches what the threads of a simulated block do to memory: accesses outside every known block
// of memory, pairs of accesses to shared memory that no barrier orders, and reads through the
// read-only cache of what the same kernel writes.
//
// Races are found with a shadow of shared memory.  Each byte remembers who last wrote and who
// last read it since the last barrier; a shuffle orders the threads of one warp among each other.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi.h"

namespace dagaz::runtime::sim {

/// The blocks of memory that exist, by address.
class KnownMemory {
 public:
  void add(const void* data, int64_t bytes);
  void remove(const void* data);
  bool contains(const void* address, int64_t bytes) const;
  /// What is near an address, for messages.
  std::string describe(const void* address) const;

 private:
  std::map<uintptr_t, int64_t> blocks_;  // start → bytes
  // Consecutive accesses are mostly to one block.
  mutable uintptr_t last_begin_ = 1;
  mutable uintptr_t last_end_ = 0;
};

/// Meaning of the flags of dz_sim_access.
constexpr int32_t access_write = 1;
constexpr int32_t access_shared = 2;
constexpr int32_t access_atomic = 4;
constexpr int32_t access_read_only = 8;
/// And of a copy that goes past the L1 cache.
constexpr int32_t access_past_l1 = 16;

/// Who accesses: the thread, its warp, and how many shuffles that warp has done.
struct Accessor {
  int32_t thread;
  int32_t warp;
  int32_t warp_epoch;
};

class SharedShadow {
 public:
  void start_block(int64_t bytes);
  /// Everything before a barrier is ordered before everything after it.
  void barrier() { ++epoch_; }
  /// The thread that an access to [offset, offset + bytes) races with, or -1.
  int32_t access(int64_t offset, int64_t bytes, int32_t flags, const Accessor& who);
  /// A copy of the thread is on its way to these bytes; it has come.
  void expect(int64_t offset, int64_t bytes, int32_t thread);
  void receive(int64_t offset, int64_t bytes);
  /// The thread whose copy is on its way to one of them, or -1.
  int32_t expected_by(int64_t offset, int64_t bytes) const;

 private:
  struct Mark {
    int32_t thread = -1;
    int32_t warp = 0;
    int32_t warp_epoch = 0;
    bool atomic = false;
  };
  struct Byte {
    int64_t epoch = -1;
    Mark writer;
    Mark reader;                // the last one
    int32_t other_reader = -1;  // one before it
    bool several_warps = false;  // read by several warps: no thread may write
    bool several_threads = false;  // read by several threads since their warp's last shuffle
  };
  static bool ordered(const Mark& earlier, const Accessor& who, bool atomic);
  static void read_byte(Byte& byte, const Mark& mark);
  static int32_t write_byte(Byte& byte, const Mark& mark, const Accessor& who);
  int32_t access_byte(Byte& byte, int32_t flags, const Accessor& who);

  std::vector<Byte> bytes_;
  std::vector<int32_t> expected_;  // by copies of which thread; -1: none
  int64_t epoch_ = 0;
};

/// Which words of global memory a launch has written, and which it has read through the
/// read-only cache, which knows nothing of writes.
class ReadOnlyShadow {
 public:
  void start_launch() { ++epoch_; }
  /// Whether an access meets one of the other kind.
  bool clashes(const void* address, int64_t bytes, int32_t flags);

 private:
  static constexpr uintptr_t page_bytes = 4096;
  static constexpr uintptr_t word_bytes = 4;
  /// The launch that last did it, for each word.
  struct Word {
    uint32_t written = 0;
    uint32_t read_only = 0;
  };
  using Page = std::array<Word, page_bytes / word_bytes>;
  Page& page(uintptr_t number);

  std::unordered_map<uintptr_t, Page> pages_;
  // Consecutive accesses are mostly to one page.
  uintptr_t last_number_ = 0;
  Page* last_page_ = nullptr;
  uint32_t epoch_ = 0;
};

}  // namespace dagaz::runtime::sim
