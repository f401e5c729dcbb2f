#include "cuda/cuda_stream.h"

namespace dagaz::runtime::cuda {

bool CudaStream::open(CUcontext cuda_context) {
  cuda_context_ = cuda_context;
  const CurrentContext current(cuda_context_);
  return make_stream() && make_turns();
}

/// The application's stream, which must belong to the same context, or one of our own.
bool CudaStream::make_stream() {
  if (!context_.config.stream) {
    is_own_ = true;
    return errors_.check(driver().cuStreamCreate(&stream_, stream_non_blocking),
                         "making a stream") == DZ_OK;
  }
  const auto stream = static_cast<CUstream>(*context_.config.stream);
  CUcontext owner = nullptr;
  if (driver().cuStreamGetCtx != nullptr &&
      (errors_.check(driver().cuStreamGetCtx(stream, &owner), "asking for a stream's context") !=
           DZ_OK ||
       owner != cuda_context_)) {
    context_.errors.report(DZ_ERROR,
                           "the application's stream does not belong to the primary "
                           "context of the GPU " +
                               errors_.device());
    return false;
  }
  stream_ = stream;
  return true;
}

/// What hands shared memory to and fro, where the streams are two.
bool CudaStream::make_turns() {
  return !is_own_ || (errors_.check(driver().cuEventCreate(&ours_done_, event_without_time),
                                    "making an event") == DZ_OK &&
                      errors_.check(driver().cuEventCreate(&callers_done_, event_without_time),
                                    "making an event") == DZ_OK);
}

void CudaStream::close() {
  if (stream_ != nullptr || !is_own_) {
    driver().cuStreamSynchronize(stream_);
  }
  for (CUevent event : {ours_done_, callers_done_}) {
    if (event != nullptr) {
      driver().cuEventDestroy(event);
    }
  }
  if (stream_ != nullptr && is_own_) {
    driver().cuStreamDestroy(stream_);
  }
}

int32_t CudaStream::begin_work() {
  is_working_ = true;
  if (!callers_turn_) {
    return DZ_OK;
  }
  callers_turn_ = false;
  const char* const what = "waiting for the application's work";
  const int32_t status = errors_.check(driver().cuEventRecord(callers_done_, default_stream), what);
  return status != DZ_OK
             ? status
             : errors_.check(driver().cuStreamWaitEvent(stream_, callers_done_, 0), what);
}

int32_t CudaStream::wait() {
  const int32_t status =
      errors_.check(driver().cuStreamSynchronize(stream_), "waiting for the GPU");
  is_working_ = is_working_ && status != DZ_OK;
  return status;
}

void CudaStream::share_memory() {
  shares_ = is_own_;
  end_call();
}

void CudaStream::end_call() {
  if (!shares_ || callers_turn_) {
    return;
  }
  callers_turn_ = true;
  if (!is_working_ || errors_.lost()) {
    return;
  }
  const CurrentContext current(cuda_context_);
  const char* const what = "letting the application's work wait";
  if (errors_.check(driver().cuEventRecord(ours_done_, stream_), what) == DZ_OK) {
    errors_.check(driver().cuStreamWaitEvent(default_stream, ours_done_, 0), what);
  }
}

}  // namespace dagaz::runtime::cuda
