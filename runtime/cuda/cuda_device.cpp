// What a device does for a running program: memory, reads, writes and copies on its stream, and
// launches.
#include "cuda/cuda_device.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <memory>

#include "traces.h"

namespace dagaz::runtime::cuda {

static CUdeviceptr address(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

/// A launch between two events; the time is asked for when a report is made.
struct CudaDevice::TimedLaunch {
  CUcontext context;
  CUevent start = nullptr;
  CUevent stop = nullptr;

  explicit TimedLaunch(CUcontext cuda_context) : context(cuda_context) {
    driver().cuEventCreate(&start, event_default);
    driver().cuEventCreate(&stop, event_default);
  }
  ~TimedLaunch() {
    const CurrentContext current(context);
    driver().cuEventDestroy(start);
    driver().cuEventDestroy(stop);
  }
  TimedLaunch(const TimedLaunch&) = delete;
  TimedLaunch& operator=(const TimedLaunch&) = delete;

  double microseconds() const {
    const CurrentContext current(context);
    float milliseconds = 0;
    driver().cuEventElapsedTime(&milliseconds, start, stop);
    return static_cast<double>(milliseconds) * 1000;
  }
};

static std::string kernel_description(const dz_kernel& kernel) {
  const bool placed = kernel.position != nullptr && *kernel.position != '\0';
  return kernel.name + (placed ? std::string(" (") + kernel.position + ")" : "");
}

int32_t CudaDevice::fail(CUresult result, const std::string& what) {
  std::string text = "Error: " + what + " failed: " + describe(result);
  if (result == error_out_of_memory) {
    return context_.errors.report(DZ_OUT_OF_MEMORY, std::move(text));
  }
  if (last_kernel_ != nullptr) {
    text += "\nThe last kernel started was " + kernel_description(*last_kernel_) +
            ". Building with --target=sim runs the same kernels on the CPU and reports bad "
            "accesses with their source positions.";
  }
  if (ends_device(result)) {
    lost_ = "Error: this context has failed before, and so has all of this process on the GPU " +
            name_ + ": " + what + " failed: " + describe(result);
    text += "\nThe GPU " + name_ + " does nothing more for this process; its other devices do.";
  }
  return context_.errors.report(DZ_ERROR, std::move(text));
}

int32_t CudaDevice::begin_work() {
  work_under_way_ = true;
  if (!callers_turn_) {
    return DZ_OK;
  }
  callers_turn_ = false;
  const char* const what = "waiting for the application's work";
  const int32_t status = check(driver().cuEventRecord(callers_done_, default_stream), what);
  return status != DZ_OK ? status
                         : check(driver().cuStreamWaitEvent(stream_, callers_done_, 0), what);
}

void CudaDevice::share_memory() {
  shared_ = own_stream_;
  end_call();
}

/// What the application puts on its stream from now on comes after what is on ours.
void CudaDevice::end_call() {
  if (!shared_ || callers_turn_) {
    return;
  }
  callers_turn_ = true;
  if (!work_under_way_ || !lost_.empty()) {
    return;
  }
  const CurrentContext current(cuda_context_);
  const char* const what = "letting the application's work wait";
  if (check(driver().cuEventRecord(ours_done_, stream_), what) == DZ_OK) {
    check(driver().cuStreamWaitEvent(default_stream, ours_done_, 0), what);
  }
}

CUresult CudaDevice::take_memory(CUdeviceptr* pointer, size_t bytes) const {
  if (managed_) {
    return driver().cuMemAllocManaged(pointer, bytes, memory_attach_global);
  }
  if (!stream_ordered_) {
    return driver().cuMemAlloc(pointer, bytes);
  }
  CUresult result = driver().cuMemAllocAsync(pointer, bytes, stream_);
  CUmemoryPool pool = nullptr;
  if (result == error_out_of_memory && driver().cuDeviceGetMemPool(&pool, device_) == success) {
    // What was given back is there for requests of its size at once, and for others when the
    // stream has come so far.
    driver().cuStreamSynchronize(stream_);
    driver().cuMemPoolTrimTo(pool, 0);
    result = driver().cuMemAllocAsync(pointer, bytes, stream_);
  }
  return result;
}

int32_t CudaDevice::allocate(int64_t bytes, void** out) {
  if (const int32_t status = usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  CUdeviceptr pointer = 0;
  const CUresult result = take_memory(&pointer, static_cast<size_t>(bytes));
  if (result != success) {
    // Running out of memory is the pool's to report; anything else would be lost there.
    return result == error_out_of_memory ? DZ_OUT_OF_MEMORY
                                         : check(result, "allocating GPU memory");
  }
  *out = reinterpret_cast<void*>(pointer);
  return DZ_OK;
}

void CudaDevice::release(void* data, int64_t) {
  const CurrentContext current(cuda_context_);
  if (stream_ordered_ && begin_work() == DZ_OK) {
    const CUresult result = driver().cuMemFreeAsync(address(data), stream_);
    if (lost_.empty()) {
      check(result, "giving GPU memory back");
    }
    return;
  }
  // cuMemFree waits for work that uses the memory.
  const CUresult result = driver().cuMemFree(address(data));
  if (lost_.empty()) {
    check(result, "freeing GPU memory");
  }
}

/// Until everything on the stream is done; kernels may have failed.  Nothing where nothing is.
int32_t CudaDevice::wait() {
  if (!work_under_way_) {
    return DZ_OK;
  }
  int32_t status = DZ_OK;
  const bool look = kernels_under_way_;
  if (look) {
    status = check(driver().cuMemcpyDtoHAsync(fetched_, failure_word_, sizeof(dz_failure_word),
                                              stream_),
                   "reading the failure word");
  }
  if (status == DZ_OK) {
    status = check(driver().cuStreamSynchronize(stream_), "waiting for the GPU");
  }
  if (status != DZ_OK) {
    return status;
  }
  work_under_way_ = false;
  kernels_under_way_ = false;
  if (look && trace_buffer_ != 0) {
    status = print_kernel_traces();
  }
  return look && status == DZ_OK ? raise_failure() : status;
}

/// What kernels have traced since this was last called; nothing runs meanwhile.
int32_t CudaDevice::print_kernel_traces() {
  dz_trace_buffer header{};
  const auto fetch = [&](void* host, CUdeviceptr from, size_t bytes) {
    const int32_t status =
        check(driver().cuMemcpyDtoHAsync(host, from, bytes, stream_), "reading traces");
    return status != DZ_OK ? status
                           : check(driver().cuStreamSynchronize(stream_), "waiting for traces");
  };
  int32_t status = fetch(&header, trace_buffer_, sizeof header);
  if (status != DZ_OK || header.used == 0) {
    return status;
  }
  std::vector<int64_t> words(static_cast<size_t>(used_words(header)));
  const size_t bytes = words.size() * sizeof words[0];
  status = fetch(words.data(), trace_buffer_ + sizeof header, bytes);
  if (status != DZ_OK) {
    return status;
  }
  print_traces(context_, header, words);
  begin_work();
  const size_t first = offsetof(dz_trace_buffer, used);
  return check(driver().cuMemsetD8Async(trace_buffer_ + first, 0, sizeof header - first + bytes,
                                        stream_),
               "clearing traces");
}

/// Turns a fetched failure into the context's error, and clears the word for what comes next.
int32_t CudaDevice::raise_failure() {
  if (fetched_->code == 0) {
    return DZ_OK;
  }
  const dz_failure_word failure = *fetched_;
  fetched_->code = 0;
  begin_work();
  check(driver().cuMemsetD8Async(failure_word_, 0, offsetof(dz_failure_word, traces), stream_),
        "clearing the failure word");
  return dz_fail(&context_, failure.code - 1, std::clamp(failure.argument_count, 0, 8),
                 failure.arguments);
}

int32_t CudaDevice::read(std::span<const Read> reads) {
  if (const int32_t status = usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  int64_t staged = 0;
  std::vector<void*> targets;
  for (const Read& one : reads) {
    const bool fits = one.bytes <= staging_bytes - staged;
    targets.push_back(fits ? staging_ + staged : one.host);
    staged += fits ? one.bytes : 0;
    if (one.bytes == 0) {
      continue;
    }
    int32_t status = begin_work();
    if (status == DZ_OK) {
      status = check(driver().cuMemcpyDtoHAsync(targets.back(), address(one.source),
                                                static_cast<size_t>(one.bytes), stream_),
                     "reading GPU memory");
    }
    if (status != DZ_OK) {
      return status;
    }
  }
  const int32_t status = wait();
  for (size_t i = 0; status == DZ_OK && i < reads.size(); ++i) {
    if (targets[i] != reads[i].host && reads[i].bytes > 0) {
      std::memcpy(reads[i].host, targets[i], static_cast<size_t>(reads[i].bytes));
    }
  }
  return status;
}

/// A scalar as the argument of a fill, which takes its value at once: the host memory may change
/// before the stream gets there.
int32_t CudaDevice::write_scalar(CUdeviceptr target, int64_t bytes, const void* host) {
  std::array<uint32_t, 2> words{};
  std::memcpy(words.data(), host, static_cast<size_t>(bytes));
  const char* const what = "writing GPU memory";
  if (bytes == 1) {
    return check(driver().cuMemsetD8Async(target, static_cast<unsigned char>(words[0]), 1,
                                          stream_), what);
  }
  if (bytes == 2) {
    return check(driver().cuMemsetD16Async(target, static_cast<unsigned short>(words[0]), 1,
                                           stream_), what);
  }
  int32_t status = check(driver().cuMemsetD32Async(target, words[0], 1, stream_), what);
  if (status == DZ_OK && bytes == 8) {
    status = check(driver().cuMemsetD32Async(target + 4, words[1], 1, stream_), what);
  }
  return status;
}

int32_t CudaDevice::write(void* target, int64_t bytes, const void* host) {
  if (const int32_t status = usable(); status != DZ_OK) {
    return status;
  }
  if (bytes == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  if (const int32_t status = begin_work(); status != DZ_OK) {
    return status;
  }
  const bool scalar = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (scalar && address(target) % static_cast<CUdeviceptr>(bytes) == 0) {
    return write_scalar(address(target), bytes, host);
  }
  // Whether an asynchronous copy still reads the host's memory after it returns depends on what
  // kind of memory that is, so the copy is waited for.
  const int32_t status = check(driver().cuMemcpyHtoDAsync(address(target), host,
                                                          static_cast<size_t>(bytes), stream_),
                               "writing GPU memory");
  return status != DZ_OK ? status : wait();
}

int32_t CudaDevice::copy(void* target, const void* source, int64_t bytes) {
  if (const int32_t status = usable(); status != DZ_OK) {
    return status;
  }
  if (bytes == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  if (const int32_t status = begin_work(); status != DZ_OK) {
    return status;
  }
  return check(driver().cuMemcpyDtoDAsync(address(target), address(source),
                                          static_cast<size_t>(bytes), stream_),
               "copying GPU memory");
}

int32_t CudaDevice::clear(void* target, int64_t bytes) {
  if (const int32_t status = usable(); status != DZ_OK) {
    return status;
  }
  if (bytes == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  if (const int32_t status = begin_work(); status != DZ_OK) {
    return status;
  }
  return check(driver().cuMemsetD8Async(address(target), 0, static_cast<size_t>(bytes), stream_),
               "clearing GPU memory");
}

int32_t CudaDevice::kernel_function(const Launch& launch, CUfunction* out) {
  LoadedKernel& kernel = kernels_[static_cast<size_t>(launch.kernel_index)];
  const char* const name = launch.kernel->name;
  if (kernel.function == nullptr) {
    if (!units_) {
      return context_.errors.report(DZ_ERROR, "the program has kernels but no GPU code");
    }
    CUmodule module = load_unit(units_->unit_of(name));
    if (module == nullptr) {
      return DZ_ERROR;
    }
    const CUresult result = driver().cuModuleGetFunction(&kernel.function, module, name);
    if (result != success) {
      return fail(result, std::string("finding kernel ") + name);
    }
  }
  if (launch.shared_bytes > kernel.shared_bytes) {
    const CUresult result = driver().cuFuncSetAttribute(
        kernel.function, function_attribute_dynamic_shared_bytes, launch.shared_bytes);
    if (result != success) {
      return fail(result, "giving kernel " + std::string(name) + " " +
                              std::to_string(launch.shared_bytes) + " bytes of shared memory");
    }
    kernel.shared_bytes = launch.shared_bytes;
  }
  *out = kernel.function;
  return DZ_OK;
}

int32_t CudaDevice::start_kernel(const Launch& launch, CUfunction function) {
  // The failure word's address comes before the kernel's own arguments.
  arguments_.assign(1, &failure_word_);
  arguments_.insert(arguments_.end(), launch.arguments,
                    launch.arguments + launch.kernel->argument_count);
  last_kernel_ = launch.kernel;
  kernels_under_way_ = true;
  const CUresult result = driver().cuLaunchKernel(
      function, static_cast<unsigned>(launch.grid), 1, 1, static_cast<unsigned>(launch.block), 1,
      1, static_cast<unsigned>(launch.shared_bytes), stream_, arguments_.data(), nullptr);
  if (result != success) {
    return fail(result, "starting kernel " + kernel_description(*launch.kernel) + " on " +
                            std::to_string(launch.grid) + " blocks of " +
                            std::to_string(launch.block) + " threads");
  }
  return DZ_OK;
}

int32_t CudaDevice::launch(const Launch& launch) {
  if (const int32_t status = usable(); status != DZ_OK) {
    return status;
  }
  if (launch.grid > INT_MAX) {
    return context_.errors.report(DZ_ERROR, std::string("kernel ") + launch.kernel->name +
                                                " needs more blocks than a GPU can start");
  }
  const CurrentContext current(cuda_context_);
  CUfunction function = nullptr;
  int32_t status = kernel_function(launch, &function);
  if (status == DZ_OK) {
    status = begin_work();
  }
  if (status != DZ_OK) {
    return status;
  }
  std::shared_ptr<TimedLaunch> timed;
  if (context_.profile.active()) {
    timed = std::make_shared<TimedLaunch>(cuda_context_);
    driver().cuEventRecord(timed->start, stream_);
  }
  status = start_kernel(launch, function);
  if (timed != nullptr && status == DZ_OK) {
    driver().cuEventRecord(timed->stop, stream_);
    context_.profile.add_kernel(launch, [timed] { return timed->microseconds(); });
  }
  // Debugging finds the kernel that fails, instead of the next one that waits.
  return status == DZ_OK && context_.config.debugging ? synchronise() : status;
}

int32_t CudaDevice::synchronise() {
  if (const int32_t status = usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  return wait();
}

int64_t CudaDevice::property(int32_t property) const {
  switch (property) {
    case DZ_MULTIPROCESSORS:
      return multiprocessors_;
    case DZ_MAX_BLOCK_THREADS:
      return max_block_threads_;
    case DZ_MAX_SHARED_BYTES:
      return max_shared_bytes_;
    case DZ_RESIDENT_THREADS:
      return resident_threads_;
    case DZ_WARP_SIZE:
      return warp_size_;
    default:
      return 0;
  }
}

}  // namespace dagaz::runtime::cuda
