// Thread-private scratch memory: a stack made of chunks that grow, so that tasks can allocate
// temporary arrays without asking the pool.  A mark is where the stack ends.  Chunks stay with
// their thread for the next task; a thread that goes away frees its own.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "abi.h"

namespace {

constexpr int64_t alignment = DZ_SCRATCH_ALIGNMENT;
constexpr int64_t first_chunk = int64_t{64} << 10;
// A stack that becomes empty gives back what exceeds this.
constexpr int64_t most_kept = int64_t{64} << 20;
constexpr int64_t largest_request = int64_t{1} << 44;

/// The chunk in use.  Nothing has to run when a thread comes to it first or goes away, so that it is
/// reached without asking whether it is there.
constinit thread_local dz_chunk top = {nullptr, nullptr, nullptr};

int64_t address(const char* place) {
  return static_cast<int64_t>(reinterpret_cast<std::intptr_t>(place));
}

class Chunks {
 public:
  ~Chunks() {
    for (const Chunk& chunk : chunks_) std::free(chunk.memory);
  }

  /// Makes the next chunk the one in use; replaces it if it is too small.
  bool advance(int64_t bytes) {
    const size_t next = top.begin == nullptr ? 0 : current_ + 1;
    if (next < chunks_.size() && chunks_[next].bytes < bytes) {
      while (chunks_.size() > next) drop_last();
    }
    if (next == chunks_.size() && !add(bytes)) return false;
    use(next);
    return true;
  }

  /// Back to a mark in any chunk; 0 is before the first.
  void reset(int64_t mark) {
    size_t chunk = current_;
    while (chunk > 0 && !holds(chunks_[chunk], mark)) --chunk;
    if (chunks_.empty()) return;
    use(chunk);
    if (mark != 0) top.next = top.begin + (mark - address(top.begin));
    if (chunk == 0 && top.next == top.begin) trim();
  }

 private:
  struct Chunk {
    char* memory;
    int64_t bytes;
  };

  static bool holds(const Chunk& chunk, int64_t mark) {
    return mark >= address(chunk.memory) && mark <= address(chunk.memory) + chunk.bytes;
  }

  void use(size_t chunk) {
    current_ = chunk;
    const Chunk& used = chunks_[chunk];
    top = {used.memory, used.memory, used.memory + used.bytes};
  }

  bool add(int64_t bytes) {
    const int64_t grown = chunks_.empty() ? first_chunk : chunks_.back().bytes * 2;
    const int64_t size = std::max(bytes, std::min(grown, most_kept));
    auto* memory = static_cast<char*>(
        std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(size)));
    if (memory == nullptr) return false;
    chunks_.push_back({memory, size});
    total_ += size;
    return true;
  }

  void trim() {
    while (total_ > most_kept && !chunks_.empty()) drop_last();
    if (chunks_.empty()) top = {};
  }

  void drop_last() {
    total_ -= chunks_.back().bytes;
    std::free(chunks_.back().memory);
    chunks_.pop_back();
  }

  std::vector<Chunk> chunks_;
  size_t current_ = 0;
  int64_t total_ = 0;
};

thread_local Chunks chunks;

}  // namespace

dz_chunk* dz_scratch_chunk(void) { return &top; }

void* dz_scratch(int64_t bytes) {
  if (bytes < 0 || bytes >= largest_request) return nullptr;
  const int64_t rounded = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (top.end - top.next < rounded && !chunks.advance(rounded)) return nullptr;
  void* result = top.next;
  top.next += rounded;
  return result;
}

void dz_scratch_reset(int64_t mark) {
  const bool is_here = mark >= address(top.begin) && mark <= address(top.end);
  const bool is_large = top.end - top.begin > most_kept;
  if (is_here && !is_large) {
    top.next = top.begin + (mark - address(top.begin));
  } else {
    chunks.reset(mark);
  }
}
