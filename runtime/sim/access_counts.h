// What a launch asks of memory, for profiles, as the counters of a GPU would say it: how well the
// accesses of warps fit together, and what goes between its caches and its memory.
//
// The model, whose sizes are a device's facts:
//
// - Requests of warps are as in warp_requests.h.  What they ask of the L1 caches are sectors of 32
//   bytes, each once for a request.
// - Each block has a share of an L1 cache, which is empty when the block begins: that of a
//   multiprocessor without what its blocks take as shared memory, divided by their number.  Loads
//   go through it.  Stores, atomic operations and copies of 16 bytes go past it.
// - The L2 cache is empty when the launch begins, so arrays between kernels count as often as they
//   are written and read, and what a kernel reads again does not where the cache holds it.  What
//   is stored is written to memory once, when it leaves the cache or in the end, by whole sectors.
// - Warps that wait for nobody take turns, request by request; blocks that run together, too.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/sector_cache.h"
#include "sim/warp_requests.h"

namespace dagaz::runtime::sim {

/// The caches of a GPU and its memory.
struct MemoryFacts {
  int32_t multiprocessors;
  int32_t multiprocessor_threads;
  int64_t l1_bytes;  // of a multiprocessor, together with its shared memory
  int64_t l2_bytes;
  double bytes_per_microsecond;  // of memory
};

struct LaunchShape {
  int32_t block;  // threads
  int64_t grid;   // blocks
  int32_t shared_bytes;
};

/// What goes between two levels, in bytes.
struct Traffic {
  int64_t read = 0;
  int64_t written = 0;
};

class AccessCounts {
 public:
  AccessCounts(const MemoryFacts& facts, const LaunchShape& launch);
  void add(const Access& access);
  /// No thread can go on before others have come to where it waits.
  void end_phase();
  /// The blocks that run have ended.
  void end_blocks();

  /// What warps ask of the L1 caches.
  const Traffic& l1() const { return l1_; }
  /// What goes between these and the L2 cache.
  const Traffic& l2() const { return l2_; }
  /// What goes between that and memory.
  Traffic memory() const;
  /// How long memory takes for that at least.
  double memory_microseconds() const;
  /// All counts as a JSON object.
  std::string report() const;

 private:
  struct Block {
    explicit Block(int64_t l1_bytes) : l1(l1_bytes) {}
    SectorCache l1;
    std::map<int32_t, WarpRequests> warps;
  };
  /// How well requests fit together.
  struct Fit {
    int64_t requests = 0;
    int64_t found = 0;  // sectors, or times that banks are asked again
    int64_t least = 0;
  };

  void count_requests(const WarpRequests* without);
  void count(Block& block, const Request& request);
  void count_shared(const Request& request);

  const MemoryFacts facts_;
  const int64_t block_l1_bytes_;
  int64_t loads_ = 0;
  int64_t stores_ = 0;
  int64_t atomics_ = 0;
  int64_t shared_accesses_ = 0;
  Fit global_;
  Fit atomic_;  // by lanes
  Fit shared_;  // of the first blocks
  Traffic l1_;
  Traffic l2_;
  int64_t memory_read_ = 0;
  SectorCache l2_cache_;
  std::map<int32_t, Block> blocks_;  // those that run
  int64_t waiting_ = 0;              // requests that are not counted yet
};

}  // namespace dagaz::runtime::sim
