// What a warp asks of memory while none of its threads waits.
//
// The lanes of a warp run one after another here.  An access of one lane belongs together with
// those that the other lanes make at the same place of the code for the same time, which is what a
// warp does whose lanes go the same way.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dagaz::runtime::sim {

constexpr int32_t warp_lanes = 32;

/// An access of a thread.
struct Access {
  int32_t block;
  int32_t thread;
  const void* site;  // in the kernel's code
  uint64_t address;  // for shared memory an offset
  int64_t bytes;
  int32_t flags;  // of dz_sim_access
};

/// What the lanes access together.
struct Request {
  struct Span {
    uint64_t begin;
    uint64_t end;
  };
  int32_t flags = 0;  // of dz_sim_access
  int32_t lanes = 0;
  std::vector<Span> spans;  // of addresses, in order and apart from each other

  void add(uint64_t address, int64_t size);
  /// What is accessed, each byte once.
  int64_t bytes() const;
  /// The units of this size that are touched, by number, each once, in order.
  std::vector<uint64_t> units(uint64_t size) const;
};

class WarpRequests {
 public:
  /// Whether it begins a request.  Accesses of 8 and 16 bytes to shared memory are done in halves
  /// and quarters of a warp.
  bool add(const Access& access);
  const std::vector<Request>& requests() const { return requests_; }
  void clear();

 private:
  using Site = std::pair<const void*, int32_t>;  // and which part of a warp
  struct SiteHash {
    size_t operator()(const Site& site) const;
  };
  /// How often each lane has been there, and the requests of these times.
  struct Visits {
    std::array<uint32_t, warp_lanes> times{};
    std::vector<uint32_t> requests;
  };
  std::unordered_map<Site, Visits, SiteHash> sites_;
  std::vector<Request> requests_;  // in the order of the first lanes that make them
};

}  // namespace dagaz::runtime::sim
