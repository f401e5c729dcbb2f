// What a device does with memory of the host where it says nothing else: addresses without memory
// are pages that nobody has touched, and copies are made at once.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "device.h"

namespace dagaz::runtime {

static size_t mapped_bytes(int64_t bytes) {
  return static_cast<size_t>(std::max(bytes, int64_t{1}));
}

int32_t Device::reserve(int64_t bytes, int64_t, int64_t, void** out) {
  void* data = mmap(nullptr, mapped_bytes(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return DZ_OUT_OF_MEMORY;
  }
  *out = data;
  return DZ_OK;
}

int32_t Device::use_all(void*, int64_t) { return DZ_OK; }

void Device::release_reserved(void* data, int64_t bytes) { munmap(data, mapped_bytes(bytes)); }

void* Device::take_host_memory(int64_t bytes) {
  constexpr int64_t alignment = 64;
  const int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, static_cast<size_t>(rounded));
}

void Device::give_host_memory(void* data) { std::free(data); }

int32_t Device::write_later(std::span<const Write> writes) {
  for (const Write& one : writes) {
    const int32_t status = write(one.target, one.bytes, one.host);
    if (status != DZ_OK) {
      return status;
    }
  }
  return DZ_OK;
}

}  // namespace dagaz::runtime
