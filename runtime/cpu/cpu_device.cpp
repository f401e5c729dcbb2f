// The CPU as a device: ordinary memory, and no kernels.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "context.h"

namespace dagaz::runtime {

namespace {

constexpr int64_t huge_page_bytes = int64_t{2} << 20;

// Elements that lie a multiple of this apart share a set of the first cache, and loads wait for
// stores to such places.  So arrays that are walked together start at different lines of a page.
constexpr int64_t page_bytes = 4096;
constexpr int64_t line_bytes = 64;
constexpr int64_t lines_between_starts = 5;  // odd: all lines of a page in turn
constexpr int64_t least_staggered = 16 * page_bytes;

int64_t alignment_of(int64_t bytes) {
  if (bytes >= huge_page_bytes) {
    return huge_page_bytes;
  }
  return bytes >= least_staggered ? page_bytes : line_bytes;
}

/// What a container may use, from either version of control groups; 0 when there is no limit.
int64_t container_limit() {
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream in(file);
    int64_t bytes = 0;
    if (in >> bytes) {  // the file says "max" when there is no limit
      return bytes;
    }
  }
  return 0;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(dz_context& context) : context_(context) {}

  bool is_host() const override { return true; }
  int32_t allocate(int64_t bytes, void** out) override {
    const bool staggered = bytes >= least_staggered;
    const int64_t start = staggered ? next_start() : 0;
    const int64_t alignment = alignment_of(bytes);
    // aligned_alloc wants a multiple of the alignment; untouched pages cost nothing.
    const int64_t rounded = (start + bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(rounded));
    if (memory == nullptr) {
      return DZ_OUT_OF_MEMORY;
    }
    if (alignment == huge_page_bytes) {
      // Fewer page faults on first use; a system that cannot just ignores it.
      const int64_t whole = bytes / huge_page_bytes * huge_page_bytes;
      madvise(memory, static_cast<size_t>(whole), MADV_HUGEPAGE);
    }
    *out = static_cast<char*>(memory) + start;
    return DZ_OK;
  }
  void release(void* data, int64_t bytes) override {
    const auto alignment = static_cast<std::uintptr_t>(alignment_of(bytes));
    const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(data) % alignment;
    std::free(static_cast<char*>(data) - start);
  }

  int32_t read(std::span<const Read> reads) override {
    for (const Read& one : reads) {
      move(one.host, one.source, one.bytes);
    }
    return DZ_OK;
  }
  int32_t write(void* target, int64_t bytes, const void* host) override {
    return move(target, host, bytes);
  }
  int32_t copy(void* target, const void* source, int64_t bytes) override {
    return move(target, source, bytes);
  }
  int32_t fill(void* target, int64_t bytes, const Pattern& pattern) override {
    pattern.write(target, bytes);
    return DZ_OK;
  }
  int32_t launch(const Launch&) override {
    return context_.errors.report(DZ_ERROR, "the cpu target has no kernels");
  }
  int32_t synchronise() override { return DZ_OK; }

  int64_t property(int32_t property) const override {
    switch (property) {
      case DZ_MULTIPROCESSORS:
      case DZ_RESIDENT_THREADS:
        return context_.scheduler.threads();
      case DZ_MAX_BLOCK_THREADS:
      case DZ_WARP_SIZE:
        return 1;
      default:
        return 0;
    }
  }

  /// More than the machine's memory would only end in swapping, or in being killed.
  int64_t memory_limit() const override {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGE_SIZE);
    const int64_t machine = pages > 0 && page > 0 ? int64_t{pages} * page : 0;
    const int64_t container = container_limit();
    return container > 0 && container < machine ? container : machine;
  }

 private:
  static int32_t move(void* target, const void* source, int64_t bytes) {
    if (bytes > 0) {
      std::memmove(target, source, static_cast<size_t>(bytes));
    }
    return DZ_OK;
  }

  // The pool allocates under its lock.
  int64_t next_start() {
    line_ = (line_ + lines_between_starts) % (page_bytes / line_bytes);
    return line_ * line_bytes;
  }

  dz_context& context_;
  int64_t line_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(dz_context& context) {
  return std::make_unique<CpuDevice>(context);
}

}  // namespace dagaz::runtime
