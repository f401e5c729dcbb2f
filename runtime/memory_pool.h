// A caching allocator: memory that is freed is kept and handed out again, because asking a GPU
// driver (or the kernel, for fresh pages) costs far more than most operations.  How much is kept
// follows the program's own peak, and a cap bounds what is held in total.  A cached piece of memory
// keeps its record, so that handing it out again is a few instructions: loops of host code do it in
// every iteration.  Every block and array handle is on a list of its pool, so that freeing a
// context frees all its memory.  Where asking the device costs much, small blocks are parts of
// slabs: a program's many scalars and short arrays are then a few requests.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "abi.h"
#include "device.h"

namespace dagaz::runtime {

/// A node of an intrusive, circular, doubly linked list.
struct ListNode {
  ListNode* previous = this;
  ListNode* next = this;

  void insert_before(ListNode& other);
  void remove();
};

/// A piece of the device's memory that small blocks are cut from, from its beginning on.
struct Slab : ListNode {
  void* data = nullptr;
  int64_t bytes = 0;
  int64_t cut = 0;
  int64_t parts_in_use = 0;
};

/// A block as the pool sees it, in use or cached.
struct PoolBlock : dz_block, ListNode {
  int64_t capacity = 0;            // bytes really taken from the device
  PoolBlock* next_cached = nullptr;
  int64_t number = 0;              // in the order in which they were taken from the device
  Slab* slab = nullptr;            // that it is a part of; null: the memory is its own
  uint32_t size_class = 0;
  bool borrowed = false;           // the memory is the application's; never freed here
  bool reserved = false;           // addresses alone, which take memory where they are written to
  int64_t first_used = 0;          // where the memory of such a block begins, `capacity` bytes
  int64_t split_rows = 0;          // so many rows, of which each rank has its own; 0: all are here
};

/// A lock for a few instructions.  Calls on a context run one after another, so only the pieces of
/// a loop ever wait for it.
class SpinLock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_ = ATOMIC_FLAG_INIT;
};

/// What the pool holds, in bytes.
struct MemoryStatistics {
  int64_t in_use = 0;
  int64_t cached = 0;  // and what slabs have left
  int64_t peak = 0;  // highest `in_use`
  int64_t allocations = 0;
  int64_t device_allocations = 0;
};

class MemoryPool {
 public:
  /// `cap` bounds in_use + cached; 0 means that only the device bounds it.
  MemoryPool(dz_context& context, Device& device, int64_t cap);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// A block with one reference.  Reports DZ_OUT_OF_MEMORY with the size asked for.
  int32_t allocate(int64_t bytes, dz_block** out);
  /// A block around memory of the application.
  int32_t adopt(void* data, int64_t bytes, dz_block** out);
  /// A block of addresses for more than there may be memory, of which `used` bytes from `first` on
  /// will be used.
  int32_t reserve(int64_t bytes, int64_t first, int64_t used, dz_block** out);
  /// All of such a block will be used.
  int32_t use_all(PoolBlock& block);
  /// Takes a block without references back.
  void destroy(dz_block* block);

  /// An array handle of `rank` uninitialised sizes, null when memory is exhausted.
  dz_array* make_handle(int32_t rank);
  void free_handle(dz_array* array);

  /// Gives all cached memory back to the device.
  void clear();
  MemoryStatistics statistics() const;

 private:
  // Capacities come in classes; see memory_pool.cpp.
  static constexpr size_t class_count = 512;

  /// The lock, held if other threads may want it.
  std::unique_lock<SpinLock> hold() const;
  PoolBlock* take_cached(size_t size_class);
  PoolBlock* take_from_device(size_t size_class);
  PoolBlock* take_from_slab(size_t size_class);
  Slab* slab_with(int64_t bytes);
  Slab* new_slab();
  void forget_parts(Slab& slab);
  void give_back_slabs(int64_t target);
  void shrink_cache(int64_t target);
  void keep_within_limits();
  void use(PoolBlock& block, int64_t bytes);
  void keep(PoolBlock& block);
  void give_back(PoolBlock& block);
  void give_back(Slab& slab);
  int32_t out_of_memory(int64_t bytes);

  dz_context& context_;
  Device& device_;
  int64_t cap_;
  mutable SpinLock lock_;
  std::array<PoolBlock*, class_count> cache_{};  // free memory of each class, linked
  const bool in_order_;   // whether what is cached is handed out by number, else the last first
  int64_t numbers_ = 0;
  ListNode blocks_;
  const int64_t slab_bytes_;  // 0: there are none
  ListNode slabs_;            // the one that is cut from is the last
  ListNode handles_;
  MemoryStatistics statistics_;
};

}  // namespace dagaz::runtime
