// The CPU as a device: ordinary memory, and no kernels.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "context.h"

namespace dagaz::runtime {

namespace {

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(dz_context& context) : context_(context) {}

  int32_t allocate(int64_t bytes, void** out) override {
    // aligned_alloc wants a multiple of the alignment, which pool capacities are.
    *out = std::aligned_alloc(64, static_cast<size_t>(bytes));
    return *out == nullptr ? DZ_OUT_OF_MEMORY : DZ_OK;
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
    return pages > 0 && page > 0 ? int64_t{pages} * page : 0;
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
