// The CPU as a device: ordinary memory, and no kernels.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "context.h"

namespace dagaz::runtime {

namespace {

constexpr int64_t huge_page_bytes = int64_t{2} << 20;

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

  int32_t allocate(int64_t bytes, void** out) override {
    const bool large = bytes >= huge_page_bytes;
    const int64_t alignment = large ? huge_page_bytes : 64;
    // aligned_alloc wants a multiple of the alignment; untouched pages cost nothing.
    const int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
    *out = std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(rounded));
    if (*out == nullptr) {
      return DZ_OUT_OF_MEMORY;
    }
    if (large) {
      // Fewer page faults on first use; a system that cannot just ignores it.
      madvise(*out, static_cast<size_t>(rounded), MADV_HUGEPAGE);
    }
    return DZ_OK;
  }
  void release(void* data, int64_t) override { std::free(data); }

  int32_t read(const void* source, int64_t bytes, void* host) override {
    return move(host, source, bytes);
  }
  int32_t write(void* target, int64_t bytes, const void* host) override {
    return move(target, host, bytes);
  }
  int32_t copy(void* target, const void* source, int64_t bytes) override {
    return move(target, source, bytes);
  }
  int32_t clear(void* target, int64_t bytes) override {
    std::memset(target, 0, static_cast<size_t>(bytes));
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

  dz_context& context_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(dz_context& context) {
  return std::make_unique<CpuDevice>(context);
}

}  // namespace dagaz::runtime
