// The device interface on the CUDA Driver API: one stream per context, the application's or our
// own, everything asynchronous except reading.  Where the driver can, memory is taken and given
// back in the stream's order, which waits for nothing.  Failures inside kernels arrive in the
// failure word, which lives in device memory and is fetched together with whatever is read anyway.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "cuda/driver.h"
#include "cuda/ptx_units.h"
#include "device.h"

namespace dagaz::runtime::cuda {

// Reads up to this size go through pinned memory, which saves the driver a wait.
inline constexpr int64_t staging_bytes = 4096;
inline constexpr size_t pinned_bytes = size_t{staging_bytes} + sizeof(dz_failure_word);
// What a kernel may use without asking for more.
inline constexpr int default_shared_bytes = 48 << 10;

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

/// A function of the program's module, found when it is first launched.
struct LoadedKernel {
  CUfunction function = nullptr;
  int shared_bytes = default_shared_bytes;  // what it has been allowed so far
};

/// The work of one context on its GPU: a stream, and what lives as long as it.
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
  void share_memory() override;
  void end_call() override;
  int64_t property(int32_t property) const override;
  int64_t memory_limit() const override { return 0; }

 private:
  struct TimedLaunch;

  // ---- cuda_start.cpp
  bool choose_device();
  bool matches(CUdevice device, int ordinal) const;
  bool open_device();
  bool make_stream();
  bool make_turns();
  bool make_staging();
  bool make_trace_buffer();
  void find_program();
  CUmodule load_unit(size_t unit);
  bool reserve_stacks();
  int attribute(int which) const;

  // ---- cuda_device.cpp
  /// DZ_OK, or reports and classifies the driver's error.  The words for it are only put
  /// together when there is one: launches and copies are frequent.
  int32_t check(CUresult result, const char* what) {
    return result == success ? DZ_OK : fail(result, what);
  }
  int32_t fail(CUresult result, const std::string& what);
  /// DZ_OK, or reports that an earlier error has ended all work on the GPU.
  int32_t usable() {
    return lost_.empty() ? DZ_OK : context_.errors.report(DZ_ERROR, lost_);
  }
  /// Before anything is put on the stream.
  int32_t begin_work();
  CUresult take_memory(CUdeviceptr* pointer, size_t bytes) const;
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
  bool own_stream_ = false;
  bool stream_ordered_ = false;             // memory is
  // How memory that the application sees changes hands, where the stream is our own.
  CUevent ours_done_ = nullptr;
  CUevent callers_done_ = nullptr;
  bool shared_ = false;                     // whether there is such memory
  bool callers_turn_ = false;
  std::optional<PtxUnits> units_;  // nothing: there is no GPU code
  std::vector<CUmodule> modules_;  // of the units, null until needed
  std::vector<LoadedKernel> kernels_;
  bool managed_ = false;
  CUdeviceptr failure_word_ = 0;
  CUdeviceptr trace_buffer_ = 0;            // a dz_trace_buffer, or 0
  char* staging_ = nullptr;                 // pinned: staging_bytes, then a failure word
  dz_failure_word* fetched_ = nullptr;      // in the same memory
  const dz_kernel* last_kernel_ = nullptr;
  std::string lost_;                        // why the GPU does nothing more, if so
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

}  // namespace dagaz::runtime::cuda
