// Thread-private scratch memory: a stack made of chunks that grow, so that tasks can allocate
// temporary arrays without asking the pool.  A mark is a chunk's number and an offset in it.
// Chunks stay with their thread for the next task; a thread that goes away frees its own.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "abi.h"

namespace {

constexpr int64_t alignment = 64;
constexpr int64_t first_chunk = int64_t{64} << 10;
// An empty stack gives back what exceeds this.
constexpr int64_t most_kept = int64_t{64} << 20;
constexpr int offset_bits = 44;
constexpr int64_t largest_request = int64_t{1} << offset_bits;

class ScratchStack {
 public:
  ~ScratchStack() {
    for (const Chunk& chunk : chunks_) {
      std::free(chunk.memory);
    }
  }

  int64_t mark() const { return (static_cast<int64_t>(current_) << offset_bits) | offset_; }

  void* allocate(int64_t bytes) {
    if (bytes < 0 || bytes >= largest_request) {
      return nullptr;
    }
    const int64_t rounded = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (chunks_.empty() || offset_ + rounded > chunks_[current_].bytes) {
      if (!advance(rounded)) {
        return nullptr;
      }
    }
    void* result = chunks_[current_].memory + offset_;
    offset_ += rounded;
    return result;
  }

  void reset(int64_t mark) {
    current_ = static_cast<size_t>(mark >> offset_bits);
    offset_ = mark & (largest_request - 1);
    if (mark == 0) {
      trim();
    }
  }

 private:
  struct Chunk {
    char* memory;
    int64_t bytes;
  };

  /// Makes the next chunk the current one; replaces it if it is too small.
  bool advance(int64_t bytes) {
    const size_t next = chunks_.empty() ? 0 : current_ + 1;
    if (next < chunks_.size() && chunks_[next].bytes < bytes) {
      while (chunks_.size() > next) {
        drop_last();
      }
    }
    if (next == chunks_.size()) {
      const int64_t grown = chunks_.empty() ? first_chunk : chunks_.back().bytes * 2;
      const int64_t size = std::max(bytes, std::min(grown, most_kept));
      auto* memory = static_cast<char*>(
          std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(size)));
      if (memory == nullptr) {
        return false;
      }
      chunks_.push_back({memory, size});
      total_ += size;
    }
    current_ = next;
    offset_ = 0;
    return true;
  }

  void trim() {
    while (total_ > most_kept && !chunks_.empty()) {
      drop_last();
    }
  }

  void drop_last() {
    total_ -= chunks_.back().bytes;
    std::free(chunks_.back().memory);
    chunks_.pop_back();
  }

  std::vector<Chunk> chunks_;
  size_t current_ = 0;
  int64_t offset_ = 0;
  int64_t total_ = 0;
};

thread_local ScratchStack scratch_stack;

}  // namespace

int64_t dz_scratch_mark(void) {
  return scratch_stack.mark();
}

void* dz_scratch(int64_t bytes) {
  return scratch_stack.allocate(bytes);
}

void dz_scratch_reset(int64_t mark) {
  scratch_stack.reset(mark);
}
