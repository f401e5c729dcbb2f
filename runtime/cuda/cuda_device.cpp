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

int32_t CudaDevice::submit() {
  if (work_.begins_sequence()) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  return work_.submit();
}

void CudaDevice::share_memory() {
  submit();
  stream_.share_memory();
}

void CudaDevice::end_call() {
  submit();
  stream_.end_call();
}

CUresult CudaDevice::take_memory(CUdeviceptr* pointer, size_t bytes) const {
  if (managed_) {
    return driver().cuMemAllocManaged(pointer, bytes, memory_attach_global);
  }
  if (!stream_ordered_) {
    return driver().cuMemAlloc(pointer, bytes);
  }
  const CUresult result = driver().cuMemAllocAsync(pointer, bytes, stream_.handle());
  return result == error_out_of_memory && trim_pool()
             ? driver().cuMemAllocAsync(pointer, bytes, stream_.handle())
             : result;
}

/// What was given back is there for requests of its size at once, and for others when the stream
/// has come so far.
bool CudaDevice::trim_pool() const {
  CUmemoryPool pool = nullptr;
  if (!stream_ordered_ || driver().cuDeviceGetMemPool(&pool, device_) != success) {
    return false;
  }
  driver().cuStreamSynchronize(stream_.handle());
  driver().cuMemPoolTrimTo(pool, 0);
  return true;
}

int32_t CudaDevice::allocate(int64_t bytes, void** out) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  CUdeviceptr pointer = 0;
  const CUresult result = take_memory(&pointer, static_cast<size_t>(bytes));
  if (result != success) {
    // Running out of memory is the pool's to report; anything else would be lost there.
    return result == error_out_of_memory ? DZ_OUT_OF_MEMORY
                                         : errors_.check(result, "allocating GPU memory");
  }
  *out = reinterpret_cast<void*>(pointer);
  return DZ_OK;
}

void CudaDevice::release(void* data, int64_t) {
  const CurrentContext current(cuda_context_);
  work_.submit();  // may use it
  work_.forget_graphs();
  if (stream_ordered_ && stream_.begin_work() == DZ_OK) {
    const CUresult result = driver().cuMemFreeAsync(address(data), stream_.handle());
    if (!errors_.lost()) {
      errors_.check(result, "giving GPU memory back");
    }
    return;
  }
  // cuMemFree waits for work that uses the memory.
  const CUresult result = driver().cuMemFree(address(data));
  if (!errors_.lost()) {
    errors_.check(result, "freeing GPU memory");
  }
}

/// Until everything on the stream is done; kernels may have failed.  Nothing where nothing is.
int32_t CudaDevice::wait() {
  int32_t status = work_.submit();
  if (status != DZ_OK || !stream_.is_working()) {
    return status;
  }
  const bool look = work_.failures_possible();
  if (look) {
    status = errors_.check(driver().cuMemcpyDtoHAsync(fetched_, failure_word_,
                                                      sizeof(dz_failure_word), stream_.handle()),
                           "reading the failure word");
  }
  if (status == DZ_OK) {
    status = stream_.wait();
  }
  if (status != DZ_OK) {
    return status;
  }
  work_.waited();
  if (look && trace_buffer_ != 0) {
    status = print_kernel_traces();
  }
  return look && status == DZ_OK ? raise_failure() : status;
}

/// What kernels have traced since this was last called; nothing runs meanwhile.
int32_t CudaDevice::print_kernel_traces() {
  dz_trace_buffer header{};
  const auto fetch = [&](void* host, CUdeviceptr from, size_t bytes) {
    const int32_t status = errors_.check(
        driver().cuMemcpyDtoHAsync(host, from, bytes, stream_.handle()), "reading traces");
    return status != DZ_OK ? status
                           : errors_.check(driver().cuStreamSynchronize(stream_.handle()),
                                           "waiting for traces");
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
  stream_.begin_work();
  const size_t first = offsetof(dz_trace_buffer, used);
  return errors_.check(driver().cuMemsetD8Async(trace_buffer_ + first, 0,
                                                sizeof header - first + bytes, stream_.handle()),
                       "clearing traces");
}

/// Turns a fetched failure into the context's error, and clears the word for what comes next.
int32_t CudaDevice::raise_failure() {
  if (fetched_->code == 0) {
    return DZ_OK;
  }
  const dz_failure_word failure = *fetched_;
  fetched_->code = 0;
  stream_.begin_work();
  errors_.check(driver().cuMemsetD8Async(failure_word_, 0, offsetof(dz_failure_word, traces),
                                         stream_.handle()),
                "clearing the failure word");
  return dz_fail(&context_, failure.code - 1, std::clamp(failure.argument_count, 0, 8),
                 failure.arguments);
}

int32_t CudaDevice::read(std::span<const Read> reads) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
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
    int32_t status = work_.submit();
    if (status == DZ_OK) {
      status = stream_.begin_work();
    }
    if (status == DZ_OK) {
      status = errors_.check(
          driver().cuMemcpyDtoHAsync(targets.back(), address(one.source),
                                     static_cast<size_t>(one.bytes), stream_.handle()),
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
  const auto fill = [&](CUdeviceptr at, uint32_t value) {
    Work work;
    work.kind = Work::Kind::fill;
    work.target = at;
    work.value = value;
    work.element_bytes = static_cast<unsigned>(std::min(bytes, int64_t{4}));
    work.count = 1;
    return work_.add(work, {});
  };
  const int32_t status = fill(target, words[0]);
  return status == DZ_OK && bytes == 8 ? fill(target + 4, words[1]) : status;
}

int32_t CudaDevice::write(void* target, int64_t bytes, const void* host) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  if (bytes == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  const bool scalar = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (scalar && address(target) % static_cast<CUdeviceptr>(bytes) == 0) {
    return write_scalar(address(target), bytes, host);
  }
  int32_t status = work_.submit();
  if (status == DZ_OK) {
    status = stream_.begin_work();
  }
  if (status != DZ_OK) {
    return status;
  }
  // Whether an asynchronous copy still reads the host's memory after it returns depends on what
  // kind of memory that is, so the copy is waited for.
  status = errors_.check(driver().cuMemcpyHtoDAsync(address(target), host,
                                                    static_cast<size_t>(bytes), stream_.handle()),
                         "writing GPU memory");
  return status != DZ_OK ? status : wait();
}

int32_t CudaDevice::copy(void* target, const void* source, int64_t bytes) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  if (bytes == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  Work work;
  work.kind = Work::Kind::copy;
  work.target = address(target);
  work.source = address(source);
  work.count = static_cast<size_t>(bytes);
  return work_.add(work, {});
}

int32_t CudaDevice::fill(void* target, int64_t bytes, const Pattern& pattern) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  if (bytes == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  Work work;
  work.kind = Work::Kind::fill;
  work.target = address(target);
  work.value = pattern.word;
  work.element_bytes = static_cast<unsigned>(pattern.bytes);
  work.count = static_cast<size_t>(bytes / pattern.bytes);
  return work_.add(work, {});
}

int32_t CudaDevice::launch(const Launch& launch) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  if (launch.grid > INT_MAX) {
    return context_.errors.report(DZ_ERROR, std::string("kernel ") + launch.kernel->name +
                                                " needs more blocks than a GPU can start");
  }
  const CurrentContext current(cuda_context_);
  Work work;
  int32_t status = modules_.function_of(launch, &work.function);
  if (status != DZ_OK) {
    return status;
  }
  work.kernel = launch.kernel;
  work.grid = static_cast<unsigned>(launch.grid);
  work.block = static_cast<unsigned>(launch.block);
  work.shared_bytes = static_cast<unsigned>(launch.shared_bytes);
  // The failure word's address comes before the kernel's own arguments.
  arguments_.assign(1, failure_word_);
  for (int32_t i = 0; i < launch.kernel->argument_count; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, launch.arguments[i], static_cast<size_t>(launch.kernel->argument_bytes[i]));
    arguments_.push_back(word);
  }
  if (context_.profile.active()) {
    return launch_timed(launch, work);
  }
  if (context_.config.debugging) {
    // So that the kernel that fails is found, instead of the next one that waits.
    status = work_.add_alone(work, arguments_);
    return status == DZ_OK ? wait() : status;
  }
  return work_.add(work, arguments_);
}

/// Kernels are timed one by one.
int32_t CudaDevice::launch_timed(const Launch& launch, const Work& work) {
  int32_t status = work_.submit();
  if (status == DZ_OK) {
    status = stream_.begin_work();
  }
  if (status != DZ_OK) {
    return status;
  }
  const auto timed = std::make_shared<TimedLaunch>(cuda_context_);
  driver().cuEventRecord(timed->start, stream_.handle());
  status = work_.add_alone(work, arguments_);
  if (status == DZ_OK) {
    driver().cuEventRecord(timed->stop, stream_.handle());
    context_.profile.add_kernel(launch, [timed] { return timed->microseconds(); });
  }
  return status == DZ_OK && context_.config.debugging ? wait() : status;
}

int32_t CudaDevice::synchronise() {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  return wait();
}

int64_t CudaDevice::property(int32_t property) const {
  switch (property) {
    case DZ_MULTIPROCESSORS: return multiprocessors_;
    case DZ_MAX_BLOCK_THREADS: return max_block_threads_;
    case DZ_MAX_SHARED_BYTES: return max_shared_bytes_;
    case DZ_RESIDENT_THREADS: return resident_threads_;
    case DZ_WARP_SIZE: return warp_size_;
    default: return 0;
  }
}

}  // namespace dagaz::runtime::cuda
