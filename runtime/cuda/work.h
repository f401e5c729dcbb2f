// What is put on a stream, as values that can be kept and compared: a sequence of work that is the
// same as one before can be started as one graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi.h"
#include "cuda/driver.h"

namespace dagaz::runtime::cuda {

/// A kernel, a copy on the device, or a fill; without the kernel's arguments.
struct Work {
  enum class Kind : int32_t { kernel, copy, fill };
  Kind kind = Kind::kernel;
  // A kernel's.
  CUfunction function = nullptr;
  const dz_kernel* kernel = nullptr;
  unsigned grid = 0;
  unsigned block = 0;
  unsigned shared_bytes = 0;
  // A copy's and a fill's.
  CUdeviceptr target = 0;
  CUdeviceptr source = 0;
  size_t count = 0;  // bytes of a copy, elements of a fill
  unsigned value = 0;
  unsigned element_bytes = 0;

  bool operator==(const Work&) const = default;
  /// Whether it is what another turn of a loop would do in its place, with other memory.
  bool same_place(const Work& other) const {
    return kind == other.kind && function == other.function && grid == other.grid &&
           block == other.block && count == other.count;
  }
};

/// Work one after another, each kernel with its arguments: a word for each, whose low bytes it is.
class WorkSequence {
 public:
  void add(const Work& work, std::span<const uint64_t> arguments);
  void clear();
  /// Without its first `count`.
  WorkSequence after(size_t count) const;

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  const Work& operator[](size_t index) const { return items_[index].work; }
  std::span<const uint64_t> arguments(size_t index) const;
  /// What a kernel's launch is given.  Valid until the sequence changes.
  void** pointers(size_t index);
  /// Whether the work at `index` is this.
  bool is(size_t index, const Work& work, std::span<const uint64_t> arguments) const;
  bool operator==(const WorkSequence& other) const;
  uint64_t hash() const;

 private:
  struct Item {
    Work work;
    size_t first_argument;
    size_t argument_count;
  };

  std::vector<Item> items_;
  std::vector<uint64_t> words_;
  std::vector<void*> pointers_;
};

}  // namespace dagaz::runtime::cuda
