// The caching allocator.  Sizes are rounded up to one of eight steps per power of two, so that
// nearly equal requests share memory and at most an eighth of a block is wasted.
#include "memory_pool.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include "context.h"

namespace dagaz::runtime {

namespace {

constexpr int64_t smallest_block = 64;
// Below this the cache is never trimmed: small programs should not pay for trimming.
constexpr int64_t least_kept = int64_t{64} << 20;
// So far the cache is in order: few programs have as many blocks of a size, and freeing is short.
constexpr int most_steps = 64;
constexpr int64_t largest_request = int64_t{1} << 60;
// A part of a slab is at most this fraction of it, so that little is left over at its end, and lies
// where the device would have put a block of its own.
constexpr int64_t parts_of_slab = 32;
constexpr int64_t part_alignment = 256;
// Small caps are for small data: a slab would take too much of them.
constexpr int64_t slabs_in_cap = 16;

/// An array handle on its pool's list; the dz_array is the last member because of its sizes.
struct Handle {
  ListNode node;
  alignas(std::max_align_t) unsigned char array[sizeof(dz_array)];
};

// Capacities: multiples of 64 up to 1024, then eight steps from each power of two to the next.
constexpr int64_t small_limit = 1024;
constexpr int small_log = 10;
constexpr size_t small_classes = small_limit / smallest_block;

/// The class of the smallest capacity that holds that many bytes.
size_t class_of(int64_t bytes) {
  if (bytes <= small_limit) {
    return static_cast<size_t>(std::max(bytes - 1, int64_t{0}) / smallest_block);
  }
  const int log = static_cast<int>(std::bit_width(static_cast<uint64_t>(bytes - 1))) - 1;
  const int64_t step = (bytes - 1 - (int64_t{1} << log)) >> (log - 3);
  return small_classes + static_cast<size_t>((log - small_log) * 8 + step);
}

int64_t capacity_of(size_t size_class) {
  if (size_class < small_classes) {
    return static_cast<int64_t>(size_class + 1) * smallest_block;
  }
  const size_t index = size_class - small_classes;
  const int log = small_log + static_cast<int>(index / 8);
  return (int64_t{1} << log) + static_cast<int64_t>(index % 8 + 1) * (int64_t{1} << (log - 3));
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
    : context_(context),
      device_(device),
      cap_(cap),
      in_order_(device.repeats_work()),
      slab_bytes_(device.slab_bytes()) {}

std::unique_lock<SpinLock> MemoryPool::hold() const {
  return context_.scheduler.is_parallel() ? std::unique_lock(lock_)
                                          : std::unique_lock(lock_, std::defer_lock);
}

MemoryPool::~MemoryPool() {
  while (blocks_.next != &blocks_) {
    auto* block = static_cast<PoolBlock*>(blocks_.next);
    give_back(*block);
  }
  while (slabs_.next != &slabs_) {
    give_back(*static_cast<Slab*>(slabs_.next));
  }
  while (handles_.next != &handles_) {
    ListNode* node = handles_.next;
    node->remove();
    std::free(node);  // the node is the handle's first member
  }
}

/// For good; the block is gone.  What was a part of a slab is still the slab's.
void MemoryPool::give_back(PoolBlock& block) {
  block.remove();
  if (block.reserved) {
    device_.release_reserved(block.data, block.bytes);
  } else if (!block.borrowed && block.slab == nullptr) {
    device_.release(block.data, block.capacity);
  }
  delete &block;
}

void MemoryPool::give_back(Slab& slab) {
  slab.remove();
  device_.release(slab.data, slab.bytes);
  delete &slab;
}

int32_t MemoryPool::allocate(int64_t bytes, dz_block** out) {
  const auto lock = hold();
  if (bytes < 0 || bytes > largest_request) {
    return out_of_memory(bytes);
  }
  ++statistics_.allocations;
  const size_t size_class = class_of(bytes);
  PoolBlock* block = take_cached(size_class);
  if (block == nullptr && capacity_of(size_class) <= slab_bytes_ / parts_of_slab) {
    block = take_from_slab(size_class);
  }
  if (block == nullptr) {
    block = take_from_device(size_class);
  }
  if (block == nullptr) {
    return out_of_memory(bytes);
  }
  use(*block, bytes);
  *out = block;
  return DZ_OK;
}

int32_t MemoryPool::adopt(void* data, int64_t bytes, dz_block** out) {
  const auto lock = hold();
  auto* block = new (std::nothrow) PoolBlock;
  if (block == nullptr) {
    return context_.errors.report(DZ_OUT_OF_MEMORY, "Error: out of host memory");
  }
  block->data = data;
  block->borrowed = true;
  block->insert_before(blocks_);
  use(*block, bytes);
  *out = block;
  return DZ_OK;
}

int32_t MemoryPool::reserve(int64_t bytes, int64_t first, int64_t used, dz_block** out) {
  const auto lock = hold();
  if (bytes < 0 || bytes > largest_request || (cap_ > 0 && statistics_.in_use + used > cap_)) {
    return out_of_memory(used);
  }
  auto* block = new (std::nothrow) PoolBlock;
  if (block == nullptr) {
    return out_of_memory(used);
  }
  int32_t status = device_.reserve(bytes, first, used, &block->data);
  if (status != DZ_OK) {
    shrink_cache(0);
    status = device_.reserve(bytes, first, used, &block->data);
  }
  if (status != DZ_OK) {
    delete block;
    return out_of_memory(used);
  }
  ++statistics_.allocations;
  block->reserved = true;
  block->first_used = first;
  block->capacity = used;
  block->insert_before(blocks_);
  use(*block, bytes);
  *out = block;
  return DZ_OK;
}

int32_t MemoryPool::use_all(PoolBlock& block) {
  const auto lock = hold();
  const int64_t more = block.bytes - block.capacity;
  if (cap_ > 0 && statistics_.in_use + more > cap_) {
    return out_of_memory(block.bytes);
  }
  int32_t status = device_.use_all(block.data, block.bytes);
  if (status != DZ_OK) {
    shrink_cache(0);
    status = device_.use_all(block.data, block.bytes);
  }
  if (status != DZ_OK) {
    return out_of_memory(block.bytes);
  }
  device_.block_destroyed(block);
  block.first_used = 0;
  block.capacity = block.bytes;
  device_.block_created(block);
  statistics_.in_use += more;
  statistics_.peak = std::max(statistics_.peak, statistics_.in_use);
  return DZ_OK;
}

int32_t MemoryPool::out_of_memory(int64_t bytes) {
  std::string text = "Error: out of memory: could not allocate " + std::to_string(bytes) +
                     " bytes (" + std::to_string(statistics_.in_use) + " bytes in use";
  text += cap_ > 0 ? ", limit " + std::to_string(cap_) + " bytes)" : ")";
  return context_.errors.report(DZ_OUT_OF_MEMORY, std::move(text));
}

/// Hands a block out.
void MemoryPool::use(PoolBlock& block, int64_t bytes) {
  block.bytes = bytes;
  block.references = 1;
  block.context = &context_;
  if (block.slab != nullptr) {
    ++block.slab->parts_in_use;
  }
  statistics_.in_use += block.capacity;
  statistics_.peak = std::max(statistics_.peak, statistics_.in_use);
  device_.block_created(block);
}

void MemoryPool::destroy(dz_block* given) {
  auto* block = static_cast<PoolBlock*>(given);
  const auto lock = hold();
  device_.block_destroyed(*block);
  statistics_.in_use -= block->capacity;
  if (block->borrowed || block->reserved) {
    give_back(*block);
    return;
  }
  if (block->slab != nullptr) {
    --block->slab->parts_in_use;
  }
  keep(*block);
  statistics_.cached += block->capacity;
  if (statistics_.in_use + statistics_.cached > least_kept) {
    keep_within_limits();
  }
}

/// Puts memory into the cache.  A call that does what the last one did finds its memory in the same
/// places where these do not depend on the order in which memory was freed.
void MemoryPool::keep(PoolBlock& block) {
  PoolBlock** link = &cache_[block.size_class];
  for (int step = 0; in_order_ && step < most_steps && *link != nullptr; ++step) {
    if ((*link)->number > block.number) {
      break;
    }
    link = &(*link)->next_cached;
  }
  block.next_cached = *link;
  *link = &block;
}

/// The cache may hold half as much again as the program ever needed at once.
void MemoryPool::keep_within_limits() {
  const int64_t kept = std::max(least_kept, statistics_.peak + statistics_.peak / 2);
  if (statistics_.in_use + statistics_.cached > kept) {
    shrink_cache(std::max(int64_t{0}, kept - statistics_.in_use));
  }
}

/// Memory of the wanted class, or of one of the next two: at most a quarter more.
PoolBlock* MemoryPool::take_cached(size_t size_class) {
  const size_t last = std::min(size_class + 3, class_count);
  for (size_t candidate = size_class; candidate < last; ++candidate) {
    PoolBlock* block = cache_[candidate];
    if (block != nullptr) {
      cache_[candidate] = block->next_cached;
      statistics_.cached -= block->capacity;
      return block;
    }
  }
  return nullptr;
}

PoolBlock* MemoryPool::take_from_device(size_t size_class) {
  const int64_t capacity = capacity_of(size_class);
  if (cap_ > 0 && statistics_.in_use + capacity > cap_) {
    return nullptr;
  }
  if (cap_ > 0 && statistics_.in_use + statistics_.cached + capacity > cap_) {
    shrink_cache(cap_ - statistics_.in_use - capacity);
    if (statistics_.in_use + statistics_.cached + capacity > cap_) {
      return nullptr;  // slabs that have parts in use stay
    }
  }
  auto* block = new (std::nothrow) PoolBlock;
  if (block == nullptr) {
    return nullptr;
  }
  ++statistics_.device_allocations;
  if (device_.allocate(capacity, &block->data) != DZ_OK) {
    shrink_cache(0);
    if (device_.allocate(capacity, &block->data) != DZ_OK) {
      delete block;
      return nullptr;
    }
  }
  block->capacity = capacity;
  block->size_class = static_cast<uint32_t>(size_class);
  block->number = numbers_++;
  block->insert_before(blocks_);
  return block;
}

PoolBlock* MemoryPool::take_from_slab(size_t size_class) {
  const int64_t capacity = capacity_of(size_class);
  const int64_t bytes = (capacity + part_alignment - 1) / part_alignment * part_alignment;
  Slab* slab = slab_with(bytes);
  auto* block = slab == nullptr ? nullptr : new (std::nothrow) PoolBlock;
  if (block == nullptr) {
    return nullptr;
  }
  block->data = advance(slab->data, slab->cut);
  slab->cut += bytes;
  block->slab = slab;
  block->capacity = capacity;
  block->size_class = static_cast<uint32_t>(size_class);
  block->number = numbers_++;
  block->insert_before(blocks_);
  statistics_.cached -= capacity;
  return block;
}

/// The slab that is cut from if so much is left of it, else one whose parts are all free, else a
/// new one; null where there may be none.
Slab* MemoryPool::slab_with(int64_t bytes) {
  if (slabs_.previous != &slabs_) {
    auto* last = static_cast<Slab*>(slabs_.previous);
    if (last->cut + bytes <= last->bytes) {
      return last;
    }
  }
  for (ListNode* node = slabs_.next; node != &slabs_; node = node->next) {
    auto* slab = static_cast<Slab*>(node);
    if (slab->parts_in_use == 0) {
      forget_parts(*slab);
      slab->remove();
      slab->insert_before(slabs_);
      return slab;
    }
  }
  return new_slab();
}

Slab* MemoryPool::new_slab() {
  if (cap_ > 0 && (slab_bytes_ > cap_ / slabs_in_cap ||
                   statistics_.in_use + statistics_.cached + slab_bytes_ > cap_)) {
    return nullptr;
  }
  auto* slab = new (std::nothrow) Slab;
  if (slab == nullptr || device_.allocate(slab_bytes_, &slab->data) != DZ_OK) {
    delete slab;
    return nullptr;
  }
  ++statistics_.device_allocations;
  slab->bytes = slab_bytes_;
  slab->insert_before(slabs_);
  statistics_.cached += slab->bytes;
  return slab;
}

/// A slab none of whose parts is in use is as when it was new.
void MemoryPool::forget_parts(Slab& slab) {
  for (size_t candidate = 0; candidate <= class_of(slab.bytes / parts_of_slab); ++candidate) {
    for (PoolBlock** link = &cache_[candidate]; *link != nullptr;) {
      PoolBlock* const block = *link;
      if (block->slab == &slab) {
        *link = block->next_cached;
        give_back(*block);
      } else {
        link = &block->next_cached;
      }
    }
  }
  slab.cut = 0;
}

/// Gives slabs back none of whose parts is in use, until at most `target` bytes are cached.
void MemoryPool::give_back_slabs(int64_t target) {
  for (ListNode* node = slabs_.next; node != &slabs_ && statistics_.cached > target;) {
    auto* slab = static_cast<Slab*>(node);
    node = node->next;
    if (slab->parts_in_use == 0) {
      forget_parts(*slab);
      statistics_.cached -= slab->bytes;
      give_back(*slab);
    }
  }
}

/// Gives cached memory back, the largest pieces first, until at most `target` bytes are cached.
void MemoryPool::shrink_cache(int64_t target) {
  for (size_t candidate = class_count; candidate-- > 0 && statistics_.cached > target;) {
    for (PoolBlock** link = &cache_[candidate]; *link != nullptr && statistics_.cached > target;) {
      PoolBlock* const block = *link;
      if (block->slab != nullptr) {
        link = &block->next_cached;
        continue;
      }
      *link = block->next_cached;
      statistics_.cached -= block->capacity;
      give_back(*block);
    }
  }
  give_back_slabs(target);
}

dz_array* MemoryPool::make_handle(int32_t rank) {
  const size_t bytes = sizeof(Handle) + static_cast<size_t>(rank) * sizeof(int64_t);
  void* memory = std::malloc(bytes);
  if (memory == nullptr) {
    return nullptr;
  }
  auto* handle = new (memory) Handle;
  const auto lock = hold();
  handle->node.insert_before(handles_);
  return array_of(handle);
}

void MemoryPool::free_handle(dz_array* array) {
  Handle* handle = handle_of(array);
  const auto lock = hold();
  handle->node.remove();
  std::free(handle);
}

void MemoryPool::clear() {
  const auto lock = hold();
  shrink_cache(0);
}

MemoryStatistics MemoryPool::statistics() const {
  const auto lock = hold();
  return statistics_;
}

}  // namespace dagaz::runtime
