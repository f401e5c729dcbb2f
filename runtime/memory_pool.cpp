// The caching allocator.  Sizes are rounded up to one of eight steps per power of two, so that
// nearly equal requests share memory and at most an eighth of a block is wasted.
#include "memory_pool.h"

#include <bit>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "context.h"

namespace dagaz::runtime {

namespace {

constexpr int64_t smallest_block = 64;
// Below this the cache is never trimmed: small programs should not pay for trimming.
constexpr int64_t least_kept = int64_t{64} << 20;
constexpr int64_t largest_request = int64_t{1} << 60;

/// An array handle on its pool's list; the dz_array is the last member because of its sizes.
struct Handle {
  ListNode node;
  alignas(std::max_align_t) unsigned char array[sizeof(dz_array)];
};

int64_t rounded_capacity(int64_t bytes) {
  if (bytes <= smallest_block) {
    return smallest_block;
  }
  const int log = static_cast<int>(std::bit_width(static_cast<uint64_t>(bytes - 1))) - 1;
  const int64_t step = std::max(smallest_block, int64_t{1} << std::max(0, log - 3));
  return (bytes + step - 1) / step * step;
}

dz_array* array_of(Handle* handle) {
  return reinterpret_cast<dz_array*>(handle->array);
}

Handle* handle_of(dz_array* array) {
  return reinterpret_cast<Handle*>(reinterpret_cast<unsigned char*>(array) -
                                   offsetof(Handle, array));
}

}  // namespace

void ListNode::insert_before(ListNode& other) {
  previous = other.previous;
  next = &other;
  previous->next = this;
  other.previous = this;
}

void ListNode::remove() {
  previous->next = next;
  next->previous = previous;
  previous = this;
  next = this;
}

MemoryPool::MemoryPool(dz_context& context, Device& device, int64_t cap)
    : context_(context), device_(device), cap_(cap) {}

MemoryPool::~MemoryPool() {
  while (blocks_.next != &blocks_) {
    auto* block = static_cast<PoolBlock*>(blocks_.next);
    block->remove();
    if (!block->borrowed) {
      device_.release(block->data, block->capacity);
    }
    delete block;
  }
  while (handles_.next != &handles_) {
    ListNode* node = handles_.next;
    node->remove();
    std::free(node);  // the node is the handle's first member
  }
  clear();
}

int32_t MemoryPool::allocate(int64_t bytes, dz_block** out) {
  void* data = nullptr;
  int64_t capacity = 0;
  if (bytes >= 0 && bytes <= largest_request) {
    const std::lock_guard lock(mutex_);
    ++statistics_.allocations;
    capacity = rounded_capacity(bytes);
    data = take_cached(capacity, &capacity);
    if (data == nullptr && !take_from_device(capacity, &data)) {
      data = nullptr;
    }
  }
  if (data == nullptr) {
    const MemoryStatistics now = statistics();
    return context_.errors.report(
        DZ_OUT_OF_MEMORY, "Error: out of memory: could not allocate " + std::to_string(bytes) +
                              " bytes (" + std::to_string(now.in_use) + " bytes in use" +
                              (cap_ > 0 ? ", limit " + std::to_string(cap_) + " bytes)" : ")"));
  }
  return register_block(data, bytes, capacity, false, out);
}

int32_t MemoryPool::adopt(void* data, int64_t bytes, dz_block** out) {
  return register_block(data, bytes, 0, true, out);
}

int32_t MemoryPool::register_block(void* data, int64_t bytes, int64_t capacity, bool borrowed,
                                   dz_block** out) {
  auto* block = new (std::nothrow) PoolBlock;
  const std::lock_guard lock(mutex_);
  if (block == nullptr) {
    if (!borrowed) {
      device_.release(data, capacity);
    }
    return context_.errors.report(DZ_OUT_OF_MEMORY, "Error: out of host memory");
  }
  block->data = data;
  block->bytes = bytes;
  block->references = 1;
  block->context = &context_;
  block->capacity = capacity;
  block->borrowed = borrowed;
  block->insert_before(blocks_);
  statistics_.in_use += capacity;
  statistics_.peak = std::max(statistics_.peak, statistics_.in_use);
  device_.block_created(*block);
  *out = block;
  return DZ_OK;
}

void MemoryPool::destroy(dz_block* block) {
  auto* mine = static_cast<PoolBlock*>(block);
  const std::lock_guard lock(mutex_);
  device_.block_destroyed(*block);
  mine->remove();
  statistics_.in_use -= mine->capacity;
  if (!mine->borrowed) {
    cache_[mine->capacity].push_back(mine->data);
    statistics_.cached += mine->capacity;
    // The cache may hold half as much again as the program ever needed at once.
    const int64_t kept = std::max(least_kept, statistics_.peak + statistics_.peak / 2);
    if (statistics_.in_use + statistics_.cached > kept) {
      shrink_cache(std::max(int64_t{0}, kept - statistics_.in_use));
    }
  }
  delete mine;
}

/// Memory of the wanted capacity, or a little more, that was freed earlier.
void* MemoryPool::take_cached(int64_t capacity, int64_t* actual) {
  const auto found = cache_.lower_bound(capacity);
  if (found == cache_.end() || found->first > capacity + capacity / 4) {
    return nullptr;
  }
  void* data = found->second.back();
  found->second.pop_back();
  *actual = found->first;
  statistics_.cached -= found->first;
  if (found->second.empty()) {
    cache_.erase(found);
  }
  return data;
}

bool MemoryPool::take_from_device(int64_t capacity, void** out) {
  if (cap_ > 0 && statistics_.in_use + capacity > cap_) {
    return false;
  }
  if (cap_ > 0 && statistics_.in_use + statistics_.cached + capacity > cap_) {
    shrink_cache(cap_ - statistics_.in_use - capacity);
  }
  ++statistics_.device_allocations;
  if (device_.allocate(capacity, out) == DZ_OK) {
    return true;
  }
  shrink_cache(0);
  return device_.allocate(capacity, out) == DZ_OK;
}

/// Gives cached memory back, the largest pieces first, until at most `target` bytes are cached.
void MemoryPool::shrink_cache(int64_t target) {
  while (statistics_.cached > target && !cache_.empty()) {
    const auto largest = std::prev(cache_.end());
    device_.release(largest->second.back(), largest->first);
    statistics_.cached -= largest->first;
    largest->second.pop_back();
    if (largest->second.empty()) {
      cache_.erase(largest);
    }
  }
}

dz_array* MemoryPool::make_handle(int32_t rank) {
  const size_t bytes = sizeof(Handle) + static_cast<size_t>(rank) * sizeof(int64_t);
  void* memory = std::malloc(bytes);
  if (memory == nullptr) {
    return nullptr;
  }
  auto* handle = new (memory) Handle;
  const std::lock_guard lock(mutex_);
  handle->node.insert_before(handles_);
  return array_of(handle);
}

void MemoryPool::free_handle(dz_array* array) {
  Handle* handle = handle_of(array);
  const std::lock_guard lock(mutex_);
  handle->node.remove();
  std::free(handle);
}

void MemoryPool::clear() {
  const std::lock_guard lock(mutex_);
  shrink_cache(0);
}

MemoryStatistics MemoryPool::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace dagaz::runtime
