// The stream of one context, the application's or our own, and how memory that the application sees
// changes hands between it and the application's work.
#pragma once

#include <cstdint>

#include "cuda/device_errors.h"

namespace dagaz::runtime::cuda {

class CudaStream {
 public:
  CudaStream(dz_context& context, DeviceErrors& errors) : context_(context), errors_(errors) {}

  /// False after reporting.
  bool open(CUcontext cuda_context);
  /// Waits for what is on the stream; its context is current.
  void close();

  CUstream handle() const { return stream_; }
  /// Before anything is put on the stream.
  int32_t begin_work();
  /// Whether something has been put on it since it was last waited for.
  bool is_working() const { return is_working_; }
  int32_t wait();

  /// From now on the application sees memory.
  void share_memory();
  /// What the application puts on its stream from now on comes after what is on ours.
  void end_call();

 private:
  bool make_stream();
  bool make_turns();

  dz_context& context_;
  DeviceErrors& errors_;
  CUcontext cuda_context_ = nullptr;
  CUstream stream_ = nullptr;
  bool is_own_ = false;
  // How memory that the application sees changes hands, where the stream is our own.
  CUevent ours_done_ = nullptr;
  CUevent callers_done_ = nullptr;
  bool shares_ = false;  // whether there is such memory
  bool callers_turn_ = false;
  bool is_working_ = false;
};

}  // namespace dagaz::runtime::cuda
