// Addresses of which some have memory: what a rank keeps of an array that others have the rest
// of.  The driver reserves addresses, makes memory, and maps the one into the other, in pages of a
// few MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "cuda/driver.h"

namespace dagaz::runtime::cuda {

class MappedMemory {
 public:
  /// Whether the driver and the device can.  The context is current here and below.
  bool open(CUdevice device);

  /// Addresses for `bytes`, with memory for `used` of them from `first` on, at least.
  CUresult reserve(size_t bytes, size_t first, size_t used, CUdeviceptr* out);
  /// Memory for all of them.
  CUresult use_all(CUdeviceptr pointer);
  bool has(CUdeviceptr pointer) const { return arrays_.contains(pointer); }
  /// Nothing uses it any more.
  void release(CUdeviceptr pointer);

 private:
  /// Addresses that have memory.
  struct Piece {
    CUdeviceptr begin;
    size_t bytes;
    CUmemory memory;
  };
  struct Array {
    size_t bytes;  // of addresses
    std::vector<Piece> pieces;
  };

  CUresult map(Array& array, CUdeviceptr begin, size_t bytes) const;

  MemoryKind kind_{};
  size_t page_ = 0;
  std::map<CUdeviceptr, Array> arrays_;
};

}  // namespace dagaz::runtime::cuda
