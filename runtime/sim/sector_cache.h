// A cache of a GPU, in sectors of 32 bytes.  Each may have any place, and the one that was used
// longest ago leaves first.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace dagaz::runtime::sim {

constexpr uint64_t sector_bytes = 32;

class SectorCache {
 public:
  explicit SectorCache(int64_t bytes);
  /// Whether the sector is there; afterwards it is.
  bool read(uint64_t sector);
  /// The sector is there afterwards, without being read, and has to be written back some time.
  void write(uint64_t sector);
  /// How many sectors have been or will be written back.
  int64_t written_back() const { return written_back_; }

 private:
  static constexpr int32_t none = -1;
  struct Entry {
    uint64_t sector;
    int32_t newer;
    int32_t older;
    bool changed;
  };
  int32_t find(uint64_t sector);
  int32_t insert(uint64_t sector);
  void take_out(int32_t entry);
  void put_first(int32_t entry);

  const size_t capacity_;
  std::vector<Entry> entries_;
  std::unordered_map<uint64_t, int32_t> places_;  // in entries_
  int32_t newest_ = none;
  int32_t oldest_ = none;
  int64_t written_back_ = 0;
};

}  // namespace dagaz::runtime::sim
