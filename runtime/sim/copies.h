// Copies to shared memory that a simulated thread has begun and not awaited (PTX ISA, "Data
// movement and conversion instructions: asynchronous copy", cp.async of sm_80).
//
// On a GPU such a copy reads its source, and writes its target, at any time until the thread awaits
// its group.  Here it does so then, so that whoever does not await it finds what was there before;
// that nobody writes the source or touches the target meanwhile is watched from its beginning on
// (block_scheduler.h, access_checker.h).
#pragma once

#include <cstdint>
#include <vector>

namespace dagaz::runtime::sim {

/// Of `bytes`, of which only those `present` are read; the others become 0.
struct SharedCopy {
  char* target;
  const char* source;
  int64_t bytes;
  int64_t present;
  void run() const;
};

/// Those of a thread, in their order.
class SharedCopies {
 public:
  void begin(const SharedCopy& copy) { entries_.push_back({copy, group_}); }
  /// What has begun since the last call is a group.
  void commit() { ++group_; }
  /// Takes the first copy, if it is of none of the last `pending` groups, nor of one to come.
  bool take(int32_t pending, SharedCopy& taken);
  bool empty() const { return entries_.empty(); }
  /// Whether one reads some of these bytes.
  bool reads(const void* address, int64_t bytes) const;

 private:
  struct Entry {
    SharedCopy copy;
    int64_t group;
  };
  std::vector<Entry> entries_;
  int64_t group_ = 0;  // the one to come
};

}  // namespace dagaz::runtime::sim
