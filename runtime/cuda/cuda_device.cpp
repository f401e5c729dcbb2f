// The device interface on the CUDA Driver API: one stream per context, everything asynchronous
// except reading.  Failures inside kernels arrive in the failure word, which lives in device
// memory and is fetched together with whatever is read anyway.
#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <vector>

#include "context.h"
#include "cuda/driver.h"
#include "cuda/module_cache.h"
#include "traces.h"

namespace dagaz::runtime {

namespace {

using namespace cuda;

// Reads up to this size go through pinned memory, which saves the driver a wait.
constexpr int64_t staging_bytes = 4096;
constexpr size_t pinned_bytes = size_t{staging_bytes} + sizeof(dz_failure_word);
// What a kernel may use without asking for more.
constexpr int default_shared_bytes = 48 << 10;

CUdeviceptr address(const void* data) {
  return reinterpret_cast<CUdeviceptr>(data);
}

/// Makes the device's context current for a scope, and leaves the application's own in place.
class CurrentContext {
 public:
  explicit CurrentContext(CUcontext context)
      : pushed_(driver().cuCtxPushCurrent(context) == success) {}
  ~CurrentContext() {
    // Without our own on top this would take away the application's.
    CUcontext popped = nullptr;
    if (pushed_) {
      driver().cuCtxPopCurrent(&popped);
    }
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  bool pushed_;
};

struct LoadedKernel {
  CUfunction function = nullptr;
  int shared_bytes = default_shared_bytes;  // what it has been allowed so far
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(dz_context& context) : context_(context) {}
  ~CudaDevice() override;

  /// Everything that can fail; false after reporting.
  bool start();

  int32_t allocate(int64_t bytes, void** out) override;
  void release(void* data, int64_t bytes) override;
  int32_t read(std::span<const Read> reads) override;
  int32_t write(void* target, int64_t bytes, const void* host) override;
  int32_t copy(void* target, const void* source, int64_t bytes) override;
  int32_t clear(void* target, int64_t bytes) override;
  int32_t launch(const Launch& launch) override;
  int32_t synchronise() override;
  int64_t property(int32_t property) const override;
  int64_t memory_limit() const override { return 0; }

 private:
  struct TimedLaunch;

  bool choose_device();
  bool matches(CUdevice device, int ordinal) const;
  bool make_stream();
  bool make_trace_buffer();
  bool load_program();
  bool reserve_stacks();
  int attribute(int which) const;
  /// DZ_OK, or reports and classifies the driver's error.  The words for it are only put
  /// together when there is one: launches and copies are frequent.
  int32_t check(CUresult result, const char* what) {
    return result == success ? DZ_OK : fail(result, what);
  }
  int32_t fail(CUresult result, const std::string& what);
  int32_t wait();
  int32_t raise_failure();
  int32_t print_kernel_traces();
  int32_t kernel_function(const Launch& launch, CUfunction* out);
  int32_t start_kernel(const Launch& launch, CUfunction function);
  int32_t write_scalar(CUdeviceptr target, int64_t bytes, const void* host);

  dz_context& context_;
  CUdevice device_ = 0;
  std::string name_;
  CUcontext cuda_context_ = nullptr;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
  std::vector<LoadedKernel> kernels_;
  bool managed_ = false;
  CUdeviceptr failure_word_ = 0;
  CUdeviceptr trace_buffer_ = 0;            // a dz_trace_buffer, or 0
  char* staging_ = nullptr;                 // pinned: staging_bytes, then a failure word
  dz_failure_word* fetched_ = nullptr;      // in the same memory
  const dz_kernel* last_kernel_ = nullptr;
  // What has been put on the stream since it was last waited for.
  bool work_under_way_ = false;
  bool kernels_under_way_ = false;
  std::vector<void*> arguments_;            // of the launch being made
  // Facts that never change, asked once.
  int multiprocessors_ = 0;
  int max_block_threads_ = 0;
  int max_shared_bytes_ = 0;
  int resident_threads_ = 0;
  int warp_size_ = 32;
};

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
  return context_.errors.report(DZ_ERROR, std::move(text));
}

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

bool CudaDevice::make_stream() {
  const CUresult opened = driver().cuDevicePrimaryCtxRetain(&cuda_context_, device_);
  if (opened != success) {
    cuda_context_ = nullptr;
    fail(opened, "opening the GPU " + name_);
    return false;
  }
  const CurrentContext current(cuda_context_);
  void* pinned = nullptr;
  if (check(driver().cuStreamCreate(&stream_, stream_non_blocking), "making a stream") != DZ_OK ||
      check(driver().cuMemAlloc(&failure_word_, sizeof(dz_failure_word)),
            "allocating the failure word") != DZ_OK ||
      check(driver().cuMemAllocHost(&pinned, pinned_bytes),
            "allocating pinned memory") != DZ_OK) {
    return false;
  }
  staging_ = static_cast<char*>(pinned);
  // staging_bytes keeps the word aligned.
  fetched_ = reinterpret_cast<dz_failure_word*>(staging_ + staging_bytes);
  work_under_way_ = true;
  return check(driver().cuMemsetD8Async(failure_word_, 0, sizeof(dz_failure_word), stream_),
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

bool CudaDevice::load_program() {
  kernels_.resize(static_cast<size_t>(context_.program.kernel_count));
  std::string_view ptx;
  if (context_.config.gpu_code) {
    ptx = *context_.config.gpu_code;
  } else if (context_.program.ptx != nullptr) {
    ptx = {context_.program.ptx, static_cast<size_t>(context_.program.ptx_length)};
  }
  if (kernels_.empty() || ptx.empty()) {
    return true;  // a program may consist of host code only
  }
  int version = 0;
  driver().cuDriverGetVersion(&version);
  const CurrentContext current(cuda_context_);
  std::string problem;
  const double start_time = now_microseconds();
  module_ = load_module({ptx, name_, version, context_.config.cache_file}, problem);
  if (module_ == nullptr) {
    context_.errors.report(DZ_ERROR, problem + "\n(GPU " + name_ + ", compute capability " +
                                         std::to_string(attribute(attribute_capability_major)) +
                                         "." +
                                         std::to_string(attribute(attribute_capability_minor)) +
                                         ", driver " + std::to_string(version) + ")");
    return false;
  }
  context_.profile.add("load the GPU program", now_microseconds() - start_time);
  return true;
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
  if (!choose_device() || !make_stream() || !make_trace_buffer() || !load_program()) {
    return false;
  }
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
  return true;
}

CudaDevice::~CudaDevice() {
  if (cuda_context_ == nullptr) {
    return;
  }
  {
    // Nothing can be done about errors here; memory of the stream must not be freed under it.
    const CurrentContext current(cuda_context_);
    if (stream_ != nullptr) {
      driver().cuStreamSynchronize(stream_);
      driver().cuStreamDestroy(stream_);
    }
    if (module_ != nullptr) {
      driver().cuModuleUnload(module_);
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

int32_t CudaDevice::allocate(int64_t bytes, void** out) {
  const CurrentContext current(cuda_context_);
  CUdeviceptr pointer = 0;
  const auto size = static_cast<size_t>(bytes);
  const CUresult result =
      managed_ ? driver().cuMemAllocManaged(&pointer, size, memory_attach_global)
               : driver().cuMemAlloc(&pointer, size);
  if (result != success) {
    // Running out of memory is the pool's to report; anything else would be lost there.
    return result == error_out_of_memory ? DZ_OUT_OF_MEMORY
                                         : check(result, "allocating GPU memory");
  }
  *out = reinterpret_cast<void*>(pointer);
  return DZ_OK;
}

void CudaDevice::release(void* data, int64_t) {
  // cuMemFree waits for work that uses the memory.
  const CurrentContext current(cuda_context_);
  check(driver().cuMemFree(address(data)), "freeing GPU memory");
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
  work_under_way_ = true;
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
  work_under_way_ = true;
  check(driver().cuMemsetD8Async(failure_word_, 0, offsetof(dz_failure_word, traces), stream_),
        "clearing the failure word");
  return dz_fail(&context_, failure.code - 1, std::clamp(failure.argument_count, 0, 8),
                 failure.arguments);
}

int32_t CudaDevice::read(std::span<const Read> reads) {
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
    work_under_way_ = true;
    const int32_t status =
        check(driver().cuMemcpyDtoHAsync(targets.back(), address(one.source),
                                         static_cast<size_t>(one.bytes), stream_),
              "reading GPU memory");
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
  work_under_way_ = true;
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
  const CurrentContext current(cuda_context_);
  if (bytes == 0) {
    return DZ_OK;
  }
  const bool scalar = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (scalar && address(target) % static_cast<CUdeviceptr>(bytes) == 0) {
    return write_scalar(address(target), bytes, host);
  }
  // Whether an asynchronous copy still reads the host's memory after it returns depends on what
  // kind of memory that is, so the copy is waited for.
  work_under_way_ = true;
  const int32_t status = check(driver().cuMemcpyHtoDAsync(address(target), host,
                                                          static_cast<size_t>(bytes), stream_),
                               "writing GPU memory");
  return status != DZ_OK ? status : wait();
}

int32_t CudaDevice::copy(void* target, const void* source, int64_t bytes) {
  if (bytes == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  work_under_way_ = true;
  return check(driver().cuMemcpyDtoDAsync(address(target), address(source),
                                          static_cast<size_t>(bytes), stream_),
               "copying GPU memory");
}

int32_t CudaDevice::clear(void* target, int64_t bytes) {
  if (bytes == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  work_under_way_ = true;
  return check(driver().cuMemsetD8Async(address(target), 0, static_cast<size_t>(bytes), stream_),
               "clearing GPU memory");
}

int32_t CudaDevice::kernel_function(const Launch& launch, CUfunction* out) {
  LoadedKernel& kernel = kernels_[static_cast<size_t>(launch.kernel_index)];
  const char* const name = launch.kernel->name;
  if (kernel.function == nullptr) {
    if (module_ == nullptr) {
      return context_.errors.report(DZ_ERROR, "the program has kernels but no GPU code");
    }
    const CUresult result = driver().cuModuleGetFunction(&kernel.function, module_, name);
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
  work_under_way_ = true;
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
  if (launch.grid > INT_MAX) {
    return context_.errors.report(DZ_ERROR, std::string("kernel ") + launch.kernel->name +
                                                " needs more blocks than a GPU can start");
  }
  const CurrentContext current(cuda_context_);
  CUfunction function = nullptr;
  int32_t status = kernel_function(launch, &function);
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

}  // namespace

std::unique_ptr<Device> make_cuda_device(dz_context& context) {
  auto device = std::make_unique<CudaDevice>(context);
  if (!device->start()) {
    return nullptr;
  }
  return device;
}

}  // namespace dagaz::runtime
