// The start and the end of a device: which GPU it is, the failure word and the trace buffer, and
// the stacks of its kernels.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuda/cuda_device.h"
#include "traces.h"

namespace dagaz::runtime {

namespace cuda {

int CudaDevice::attribute(int which) const { return attribute_of(device_, which); }

bool CudaDevice::matches(CUdevice device, int ordinal) const {
  const std::string& wanted = context_.config.device;
  if (wanted == "cuda") {
    return true;
  }
  if (wanted.starts_with('#')) {
    return wanted.substr(1) == std::to_string(ordinal);
  }
  std::array<char, 256> name{};
  driver().cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
  return std::string_view(name.data()).find(wanted) != std::string_view::npos;
}

bool CudaDevice::choose_device() {
  int count = 0;
  const CUresult result = driver().cuDeviceGetCount(&count);
  if (result != success || count == 0) {
    context_.errors.report(
        DZ_ERROR, "no CUDA device: the NVIDIA driver finds no GPU" +
                      (result == success || result == error_no_device
                           ? std::string()
                           : " (" + describe(result) + ")") +
                      "; build with --target=cpu or --target=sim");
    return false;
  }
  std::vector<CUdevice> found;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    if (driver().cuDeviceGet(&device, ordinal) == success && matches(device, ordinal)) {
      found.push_back(device);
    }
  }
  if (found.empty()) {
    context_.errors.report(DZ_ERROR, "no CUDA device matches `" + context_.config.device +
                                         "` (there are " + std::to_string(count) + ")");
    return false;
  }
  // The ranks of a machine take its devices in turn.
  const dz_rank_messages* ranks = context_.config.ranks;
  const auto turn = static_cast<size_t>(ranks == nullptr ? 0 : ranks->on_machine);
  device_ = found[turn % found.size()];
  std::array<char, 256> name{};
  driver().cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device_);
  errors_.set_device(name.data());
  return true;
}

bool CudaDevice::open_device() {
  const CUresult opened = driver().cuDevicePrimaryCtxRetain(&cuda_context_, device_);
  if (opened != success) {
    cuda_context_ = nullptr;
    errors_.fail(opened, "opening the GPU " + errors_.device());
    return false;
  }
  return true;
}

/// The failure word, and where what is read from the device arrives.
bool CudaDevice::make_staging() {
  const CurrentContext current(cuda_context_);
  void* pinned = nullptr;
  if (errors_.check(driver().cuMemAlloc(&failure_word_, sizeof(dz_failure_word)),
                    "allocating the failure word") != DZ_OK ||
      errors_.check(driver().cuMemAllocHost(&pinned, pinned_bytes), "allocating pinned memory") !=
          DZ_OK) {
    return false;
  }
  staging_ = static_cast<char*>(pinned);
  // staging_bytes keeps the word aligned.
  fetched_ = reinterpret_cast<dz_failure_word*>(staging_ + staging_bytes);
  return stream_.begin_work() == DZ_OK &&
         errors_.check(
             driver().cuMemsetD8Async(failure_word_, 0, sizeof(dz_failure_word), stream_.handle()),
             "clearing the failure word") == DZ_OK;
}

bool CudaDevice::make_trace_buffer() {
  if (context_.program.trace_count == 0) {
    return true;
  }
  const CurrentContext current(cuda_context_);
  const dz_trace_buffer empty{trace_buffer_words, 0, 0};
  const size_t member = offsetof(dz_failure_word, traces);
  return errors_.check(driver().cuMemAlloc(&trace_buffer_, size_t{trace_buffer_bytes}),
                       "allocating the trace buffer") == DZ_OK &&
         clear(reinterpret_cast<void*>(trace_buffer_), trace_buffer_bytes) == DZ_OK &&
         write(reinterpret_cast<void*>(trace_buffer_), sizeof empty, &empty) == DZ_OK &&
         write(reinterpret_cast<void*>(failure_word_ + member), sizeof trace_buffer_,
               &trace_buffer_) == DZ_OK;
}

/// The GPU's compiler reserves the stack of a kernel, but for functions that call themselves it
/// can only take the context's limit, which is 1 KiB at first.  The driver reserves that much for
/// every thread that may be resident, hence no more than an eighth of the memory.
bool CudaDevice::reserve_stacks() {
  if (context_.program.kernel_stack_bytes == 0) {
    return true;
  }
  const CurrentContext current(cuda_context_);
  size_t memory = 0;
  size_t before = 0;
  if (errors_.check(driver().cuDeviceTotalMem(&memory, device_),
                    "asking for the memory of the GPU") != DZ_OK ||
      errors_.check(driver().cuCtxGetLimit(&before, limit_stack_bytes),
                    "asking for the stack limit") != DZ_OK) {
    return false;
  }
  const size_t affordable = memory / 8 / static_cast<size_t>(std::max(resident_threads_, 1));
  const size_t wanted =
      std::min(static_cast<size_t>(context_.program.kernel_stack_bytes), affordable);
  // The limit belongs to the application, too: it is never lowered.
  return wanted <= before || errors_.check(driver().cuCtxSetLimit(limit_stack_bytes, wanted),
                                           "reserving stacks") == DZ_OK;
}

bool CudaDevice::maps_memory() {
  const CurrentContext current(cuda_context_);
  return mapped_.open(device_);
}

bool CudaDevice::start() {
  if (!driver().problem.empty()) {
    context_.errors.report(DZ_ERROR, driver().problem);
    return false;
  }
  if (!choose_device() || !open_device() || !stream_.open(cuda_context_) || !make_staging() ||
      !make_trace_buffer()) {
    return false;
  }
  work_.open(cuda_context_);
  modules_.find_program(device_);
  multiprocessors_ = attribute(attribute_multiprocessors);
  max_block_threads_ = attribute(attribute_max_block_threads);
  max_shared_bytes_ =
      std::max(attribute(attribute_shared_bytes), attribute(attribute_shared_bytes_opt_in));
  resident_threads_ = multiprocessors_ * attribute(attribute_max_multiprocessor_threads);
  warp_size_ = std::max(1, attribute(attribute_warp_size));
  if (!reserve_stacks()) {
    return false;
  }
  const int unified = context_.config.unified_memory;
  managed_ = driver().cuMemAllocManaged != nullptr &&
             (unified == 1 ||
              (unified == 2 && attribute(attribute_concurrent_managed_access) != 0));
  stream_ordered_ = !managed_ && driver().cuMemAllocAsync != nullptr &&
                    driver().cuMemFreeAsync != nullptr &&
                    driver().cuDeviceGetMemPool != nullptr &&
                    driver().cuMemPoolTrimTo != nullptr && attribute(attribute_memory_pools) != 0;
  maps_memory_ = !managed_ && maps_memory();
  return true;
}

CudaDevice::~CudaDevice() {
  if (cuda_context_ == nullptr) {
    return;
  }
  {
    // Nothing can be done about errors here; memory of the stream must not be freed under it.
    const CurrentContext current(cuda_context_);
    work_.submit();
    stream_.close();
    work_.close();
    modules_.unload();
    if (failure_word_ != 0) {
      driver().cuMemFree(failure_word_);
    }
    if (trace_buffer_ != 0) {
      driver().cuMemFree(trace_buffer_);
    }
    if (staging_ != nullptr) {
      driver().cuMemFreeHost(staging_);
    }
  }
  driver().cuDevicePrimaryCtxRelease(device_);
}

}  // namespace cuda

std::unique_ptr<Device> make_cuda_device(dz_context& context) {
  auto device = std::make_unique<cuda::CudaDevice>(context);
  if (!device->start()) {
    return nullptr;
  }
  return device;
}

}  // namespace dagaz::runtime
