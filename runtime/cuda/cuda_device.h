// The device interface on the CUDA Driver API: one stream per context, everything asynchronous
// except reading.  Where the driver can, memory is taken and given back in the stream's order,
// which waits for nothing.  Failures inside kernels arrive in the failure word, which lives in
// device memory and is fetched together with whatever is read anyway.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "context.h"
#include "cuda/cuda_modules.h"
#include "cuda/cuda_stream.h"
#include "cuda/cuda_work.h"
#include "cuda/device_errors.h"
#include "cuda/mapped_memory.h"
#include "device.h"

namespace dagaz::runtime::cuda {

// Reads up to this size go through pinned memory, which saves the driver a wait.
inline constexpr int64_t staging_bytes = 4096;
inline constexpr size_t pinned_bytes = size_t{staging_bytes} + sizeof(dz_failure_word);

/// The work of one context on its GPU: a stream, and what lives as long as it.
class CudaDevice final : public Device {
 public:
  explicit CudaDevice(dz_context& context)
      : context_(context),
        errors_(context),
        stream_(context, errors_),
        work_(errors_, stream_),
        modules_(context, errors_) {}
  ~CudaDevice() override;

  /// Everything that can fail; false after reporting.
  bool start();

  int32_t allocate(int64_t bytes, void** out) override;
  void release(void* data, int64_t bytes) override;
  bool repeats_work() const override { return true; }
  int64_t slab_bytes() const override { return int64_t{2} << 20; }  // the driver's granularity
  int32_t reserve(int64_t bytes, int64_t first, int64_t used, void** out) override;
  int32_t use_all(void* data, int64_t bytes) override;
  void release_reserved(void* data, int64_t bytes) override;
  void* take_host_memory(int64_t bytes) override;
  void give_host_memory(void* data) override;
  int32_t write_later(std::span<const Write> writes) override;
  int32_t copy_lines(const Lines& target, const Lines& source) override;
  std::unique_ptr<DirectMessages> connect(const dz_rank_messages& ranks,
                                          std::string& problem) override;
  int32_t lend_memory(const std::function<void()>& use) override;
  int32_t read(std::span<const Read> reads) override;
  int32_t write(void* target, int64_t bytes, const void* host) override;
  int32_t copy(void* target, const void* source, int64_t bytes) override;
  int32_t fill(void* target, int64_t bytes, const Pattern& pattern) override;
  int32_t launch(const Launch& launch) override;
  int32_t synchronise() override;
  int32_t submit() override;
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
  bool make_staging();
  bool make_trace_buffer();
  bool reserve_stacks();
  bool maps_memory();
  int attribute(int which) const;

  // ---- cuda_ranks.cpp
  int32_t memory_status(CUresult result, const char* what);
  void finish_work();

  // ---- cuda_device.cpp
  CUresult take_memory(CUdeviceptr* pointer, size_t bytes) const;
  bool trim_pool() const;
  int32_t wait();
  int32_t raise_failure();
  int32_t print_kernel_traces();
  int32_t launch_timed(const Launch& launch, const Work& work);
  int32_t write_scalar(CUdeviceptr target, int64_t bytes, const void* host);

  dz_context& context_;
  DeviceErrors errors_;
  CudaStream stream_;
  CudaWork work_;
  CudaModules modules_;
  CUdevice device_ = 0;
  CUcontext cuda_context_ = nullptr;
  bool stream_ordered_ = false;  // memory is
  bool managed_ = false;
  bool maps_memory_ = false;
  MappedMemory mapped_;
  CUdeviceptr failure_word_ = 0;
  CUdeviceptr trace_buffer_ = 0;            // a dz_trace_buffer, or 0
  char* staging_ = nullptr;                 // pinned: staging_bytes, then a failure word
  dz_failure_word* fetched_ = nullptr;      // in the same memory
  std::vector<uint64_t> arguments_;         // of the launch being made
  // Facts that never change, asked once.
  int multiprocessors_ = 0;
  int max_block_threads_ = 0;
  int max_shared_bytes_ = 0;
  int resident_threads_ = 0;
  int warp_size_ = 32;
};

}  // namespace dagaz::runtime::cuda
