// What a device does for ranks alone: arrays of which it has some rows, copies from and to memory
// that messages are in, and messages to other devices.
#include <algorithm>

#include "cuda/cuda_device.h"
#include "cuda/nccl_messages.h"

namespace dagaz::runtime::cuda {

static CUdeviceptr address(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

/// Running out of memory is the pool's to report; anything else would be lost there.
int32_t CudaDevice::memory_status(CUresult result, const char* what) {
  return result == error_out_of_memory ? DZ_OUT_OF_MEMORY : errors_.check(result, what);
}

/// Until nothing that is under way uses memory.
void CudaDevice::finish_work() {
  work_.submit();
  driver().cuStreamSynchronize(stream_.handle());
}

/// Where the driver cannot map memory, all rows have it at once.
int32_t CudaDevice::reserve(int64_t bytes, int64_t first, int64_t used, void** out) {
  if (!maps_memory_) {
    return allocate(std::max(bytes, int64_t{1}), out);
  }
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  CUdeviceptr pointer = 0;
  const auto make = [&] {
    return mapped_.reserve(static_cast<size_t>(bytes), static_cast<size_t>(first),
                           static_cast<size_t>(used), &pointer);
  };
  CUresult result = make();
  if (result == error_out_of_memory && trim_pool()) {
    result = make();
  }
  *out = reinterpret_cast<void*>(pointer);
  return memory_status(result, "reserving GPU memory");
}

int32_t CudaDevice::use_all(void* data, int64_t) {
  if (!maps_memory_) {
    return DZ_OK;
  }
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  CUresult result = mapped_.use_all(address(data));
  if (result == error_out_of_memory && trim_pool()) {
    result = mapped_.use_all(address(data));
  }
  return memory_status(result, "mapping GPU memory");
}

void CudaDevice::release_reserved(void* data, int64_t bytes) {
  if (!maps_memory_) {
    return release(data, bytes);
  }
  const CurrentContext current(cuda_context_);
  finish_work();
  work_.forget_graphs();
  mapped_.release(address(data));
}

void* CudaDevice::take_host_memory(int64_t bytes) {
  const CurrentContext current(cuda_context_);
  void* data = nullptr;
  return driver().cuMemAllocHost(&data, static_cast<size_t>(bytes)) == success ? data : nullptr;
}

void CudaDevice::give_host_memory(void* data) {
  const CurrentContext current(cuda_context_);
  finish_work();
  driver().cuMemFreeHost(data);
}

int32_t CudaDevice::write_later(std::span<const Write> writes) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  int32_t status = work_.submit();
  for (const Write& one : writes) {
    if (one.bytes == 0) {
      continue;
    }
    if (status == DZ_OK) {
      status = stream_.begin_work();
    }
    if (status == DZ_OK) {
      status = errors_.check(
          driver().cuMemcpyHtoDAsync(address(one.target), one.host,
                                     static_cast<size_t>(one.bytes), stream_.handle()),
          "writing GPU memory");
    }
  }
  return status;
}

/// The driver need not take every distance between lines; then they are copied one by one.
int32_t CudaDevice::copy_lines(const Lines& target, const Lines& source) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  if (target.total() == 0) {
    return DZ_OK;
  }
  const CurrentContext current(cuda_context_);
  int32_t status = work_.submit();
  if (status == DZ_OK) {
    status = stream_.begin_work();
  }
  if (status != DZ_OK) {
    return status;
  }
  const auto side = [](const Lines& lines) {
    LineCopy::Side one;
    one.device = address(lines.data);
    one.pitch = static_cast<size_t>(lines.stride);
    return one;
  };
  const LineCopy copied{side(source), side(target), static_cast<size_t>(target.bytes),
                        static_cast<size_t>(target.count)};
  const CUresult result = driver().cuMemcpy2DAsync(&copied, stream_.handle());
  return result == error_invalid_value ? Device::copy_lines(target, source)
                                       : errors_.check(result, "copying lines of GPU memory");
}

std::unique_ptr<DirectMessages> CudaDevice::connect(const dz_rank_messages& ranks,
                                                    std::string& problem) {
  return NcclMessages::connect({context_, errors_, stream_, work_, cuda_context_, device_}, ranks,
                               problem);
}

int32_t CudaDevice::lend_memory(const std::function<void()>& use) {
  if (const int32_t status = errors_.usable(); status != DZ_OK) {
    return status;
  }
  const CurrentContext current(cuda_context_);
  const int32_t status = wait();
  if (status == DZ_OK) {
    use();
  }
  return status;
}

}  // namespace dagaz::runtime::cuda
