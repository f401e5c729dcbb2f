// What a device does with memory of the host where it says nothing else: addresses without memory
// are pages that nobody has touched, copies are made at once, and other libraries may use it.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "device.h"
#include "ranks/direct.h"

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

void Pattern::write(void* target, int64_t size) const {
  if (bytes == 1) {
    std::memset(target, static_cast<int>(word), static_cast<size_t>(size));
    return;
  }
  for (int64_t at = 0; at < size; at += bytes) {
    std::memcpy(static_cast<char*>(target) + at, &word, static_cast<size_t>(bytes));
  }
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

int32_t Device::copy_lines(const Lines& target, const Lines& source) {
  int32_t status = DZ_OK;
  for (int64_t k = 0; k < target.count && status == DZ_OK; ++k) {
    status = copy(target.data + k * target.stride, source.data + k * source.stride, target.bytes);
  }
  return status;
}

std::unique_ptr<DirectMessages> Device::connect(const dz_rank_messages&, std::string& problem) {
  problem = "the devices have no library for them";
  return nullptr;
}

int32_t Device::lend_memory(const std::function<void()>& use) {
  const int32_t status = synchronise();
  if (status == DZ_OK) {
    use();
  }
  return status;
}

}  // namespace dagaz::runtime
