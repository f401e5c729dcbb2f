// The start and the end of a device: which GPU it is, its stream, the failure word and the trace
// buffer, the program's code, and the stacks of its kernels.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "cuda/cuda_device.h"
#include "cuda/module_cache.h"
#include "traces.h"

namespace dagaz::runtime {

namespace cuda {

int CudaDevice::attribute(int which) const {
  int value = 0;
  return driver().cuDeviceGetAttribute(&value, which, device_) == success ? value : 0;
}

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
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    if (driver().cuDeviceGet(&device, ordinal) == success && matches(device, ordinal)) {
      device_ = device;
      std::array<char, 256> name{};
      driver().cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
      name_ = name.data();
      return true;
    }
  }
  context_.errors.report(DZ_ERROR, "no CUDA device matches `" + context_.config.device +
                                       "` (there are " + std::to_string(count) + ")");
  return false;
}

bool CudaDevice::open_device() {
  const CUresult opened = driver().cuDevicePrimaryCtxRetain(&cuda_context_, device_);
  if (opened != success) {
    cuda_context_ = nullptr;
    fail(opened, "opening the GPU " + name_);
    return false;
  }
  return true;
}

/// The application's stream, which must belong to the same context, or one of our own.
bool CudaDevice::make_stream() {
  const CurrentContext current(cuda_context_);
  if (!context_.config.stream) {
    own_stream_ = true;
    return check(driver().cuStreamCreate(&stream_, stream_non_blocking), "making a stream") ==
           DZ_OK;
  }
  const auto stream = static_cast<CUstream>(*context_.config.stream);
  CUcontext owner = nullptr;
  if (driver().cuStreamGetCtx != nullptr &&
      (check(driver().cuStreamGetCtx(stream, &owner), "asking for a stream's context") != DZ_OK ||
       owner != cuda_context_)) {
    context_.errors.report(DZ_ERROR, "the application's stream does not belong to the primary "
                                     "context of the GPU " + name_);
    return false;
  }
  stream_ = stream;
  return true;
}

/// What hands shared memory to and fro, where the streams are two.
bool CudaDevice::make_turns() {
  const CurrentContext current(cuda_context_);
  return !own_stream_ ||
         (check(driver().cuEventCreate(&ours_done_, event_without_time), "making an event") ==
              DZ_OK &&
          check(driver().cuEventCreate(&callers_done_, event_without_time), "making an event") ==
              DZ_OK);
}

/// The failure word, and where what is read from the device arrives.
bool CudaDevice::make_staging() {
  const CurrentContext current(cuda_context_);
  void* pinned = nullptr;
  if (check(driver().cuMemAlloc(&failure_word_, sizeof(dz_failure_word)),
            "allocating the failure word") != DZ_OK ||
      check(driver().cuMemAllocHost(&pinned, pinned_bytes),
            "allocating pinned memory") != DZ_OK) {
    return false;
  }
  staging_ = static_cast<char*>(pinned);
  // staging_bytes keeps the word aligned.
  fetched_ = reinterpret_cast<dz_failure_word*>(staging_ + staging_bytes);
  return begin_work() == DZ_OK &&
         check(driver().cuMemsetD8Async(failure_word_, 0, sizeof(dz_failure_word), stream_),
               "clearing the failure word") == DZ_OK;
}

bool CudaDevice::make_trace_buffer() {
  if (context_.program.trace_count == 0) {
    return true;
  }
  const CurrentContext current(cuda_context_);
  const dz_trace_buffer empty{trace_buffer_words, 0, 0};
  const size_t member = offsetof(dz_failure_word, traces);
  return check(driver().cuMemAlloc(&trace_buffer_, size_t{trace_buffer_bytes}),
               "allocating the trace buffer") == DZ_OK &&
         clear(reinterpret_cast<void*>(trace_buffer_), trace_buffer_bytes) == DZ_OK &&
         write(reinterpret_cast<void*>(trace_buffer_), sizeof empty, &empty) == DZ_OK &&
         write(reinterpret_cast<void*>(failure_word_ + member), sizeof trace_buffer_,
               &trace_buffer_) == DZ_OK;
}

/// The program's code, of which nothing is compiled yet.  A file of the user's holds all of it.
void CudaDevice::find_program() {
  kernels_.resize(static_cast<size_t>(context_.program.kernel_count));
  std::string_view ptx;
  if (context_.config.gpu_code) {
    ptx = *context_.config.gpu_code;
  } else if (context_.program.ptx != nullptr) {
    ptx = {context_.program.ptx, static_cast<size_t>(context_.program.ptx_length)};
  }
  if (kernels_.empty() || ptx.empty()) {
    return;  // a program may consist of host code only
  }
  units_ = context_.config.cache_file.empty() ? PtxUnits(ptx) : PtxUnits::whole(ptx);
  modules_.resize(units_->count());
}

/// The module of a unit, loaded when it is first needed; null after reporting.
CUmodule CudaDevice::load_unit(size_t unit) {
  if (modules_[unit] != nullptr) {
    return modules_[unit];
  }
  int version = 0;
  driver().cuDriverGetVersion(&version);
  std::string problem;
  const double start_time = now_microseconds();
  modules_[unit] =
      load_module({units_->text(unit), name_, version, context_.config.cache_file}, problem);
  if (modules_[unit] == nullptr) {
    context_.errors.report(DZ_ERROR, problem + "\n(GPU " + name_ + ", compute capability " +
                                         std::to_string(attribute(attribute_capability_major)) +
                                         "." +
                                         std::to_string(attribute(attribute_capability_minor)) +
                                         ", driver " + std::to_string(version) + ")");
    return nullptr;
  }
  context_.profile.add("load GPU code", now_microseconds() - start_time);
  return modules_[unit];
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
  if (check(driver().cuDeviceTotalMem(&memory, device_), "asking for the memory of the GPU") !=
          DZ_OK ||
      check(driver().cuCtxGetLimit(&before, limit_stack_bytes), "asking for the stack limit") !=
          DZ_OK) {
    return false;
  }
  const size_t affordable = memory / 8 / static_cast<size_t>(std::max(resident_threads_, 1));
  const size_t wanted =
      std::min(static_cast<size_t>(context_.program.kernel_stack_bytes), affordable);
  // The limit belongs to the application, too: it is never lowered.
  return wanted <= before ||
         check(driver().cuCtxSetLimit(limit_stack_bytes, wanted), "reserving stacks") == DZ_OK;
}

bool CudaDevice::start() {
  if (!driver().problem.empty()) {
    context_.errors.report(DZ_ERROR, driver().problem);
    return false;
  }
  if (!choose_device() || !open_device() || !make_stream() || !make_turns() || !make_staging() ||
      !make_trace_buffer()) {
    return false;
  }
  find_program();
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
  return true;
}

CudaDevice::~CudaDevice() {
  if (cuda_context_ == nullptr) {
    return;
  }
  {
    // Nothing can be done about errors here; memory of the stream must not be freed under it.
    const CurrentContext current(cuda_context_);
    if (stream_ != nullptr || !own_stream_) {
      driver().cuStreamSynchronize(stream_);
    }
    for (CUevent event : {ours_done_, callers_done_}) {
      if (event != nullptr) {
        driver().cuEventDestroy(event);
      }
    }
    if (stream_ != nullptr && own_stream_) {
      driver().cuStreamDestroy(stream_);
    }
    for (CUmodule module : modules_) {
      if (module != nullptr) {
        driver().cuModuleUnload(module);
      }
    }
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
