// What the threads of a launch ask of memory, for profiles: totals, and for the first blocks how
// well the accesses of a warp fit together.
//
// The lanes of a warp run one after another here.  An access of one lane belongs together with
// those that the other lanes make at the same place of the code for the same time, which is what a
// warp does whose lanes go the same way.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace dagaz::runtime::sim {

class AccessCounts {
 public:
  struct Access {
    int32_t block;
    int32_t thread;
    const void* site;  // in the kernel's code
    uint64_t address;  // for shared memory an offset
    int64_t bytes;
    int32_t flags;     // of dz_sim_access
  };
  void start_launch();
  void add(const Access& access);
  /// The counts as a JSON object.
  std::string report() const;

 private:
  /// One time that a warp comes to a place of the code; for accesses of 8 and 16 bytes to shared
  /// memory, which a GPU does in halves and quarters, one of these.
  struct Request {
    bool shared = false;
    bool atomic = false;
    int64_t bytes = 0;
    std::vector<uint64_t> addresses;
  };
  struct Times {
    uint64_t operator()(const std::pair<uint64_t, const void*>& key) const;
  };
  using Key = std::pair<uint64_t, const void*>;
  template <typename Value>
  using Table = std::unordered_map<Key, Value, Times>;

  int64_t loads_ = 0;
  int64_t stores_ = 0;
  int64_t atomics_ = 0;
  int64_t loaded_bytes_ = 0;
  int64_t stored_bytes_ = 0;
  int64_t shared_accesses_ = 0;
  Table<int64_t> times_;                 // by thread and place
  Table<std::vector<Request>> requests_;  // by warp and place
  int64_t kept_ = 0;
};

}  // namespace dagaz::runtime::sim
