// A stand-in for libcuda.so.1 that runs on the host.  It is as asynchronous as the real one may
// be: everything put on a stream happens only when the stream is waited for, so a runtime that
// relies on luck fails here.  Several threads may call it; it does one thing at a time.  Its graphs
// are in fake_graphs.cpp, memory that is mapped in fake_mapping.cpp.
#include "fake_driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fake_objects.h"

using namespace dagaz::runtime::cuda;
using namespace fake_cuda;

extern "C" FakeCudaState fake_cuda_state;
FakeCudaState fake_cuda_state;

namespace fake_cuda {

constexpr CUresult invalid_context = 201;
constexpr CUresult invalid_ptx = 218;
constexpr CUresult not_found = 500;
constexpr std::string_view machine_code = "MACHINE CODE ";

CUctx_st contexts[] = {{0}, {1}};
thread_local std::vector<CUcontext> current;

std::recursive_mutex& everything() {
  static std::recursive_mutex mutex;
  return mutex;
}

std::map<CUdeviceptr, size_t>& memory() {
  static std::map<CUdeviceptr, size_t> blocks;
  return blocks;
}

FakeCudaState& state() { return fake_cuda_state; }

/// Counts calls that a real driver would refuse; refuses those for a device that has failed.
CUresult needs_context() {
  if (!current.empty()) {
    return state().faulted[current.back()->device];
  }
  ++state().misuses;
  return invalid_context;
}

/// Whether there is memory for one more allocation.
bool takes_allocation() {
  if (state().allocations_left == 0) {
    return false;
  }
  --state().allocations_left;
  return true;
}

bool inside(CUdeviceptr address, size_t bytes) {
  auto found = memory().upper_bound(address);
  bool good = found != memory().begin();
  if (good) {
    --found;
    CUdeviceptr end = found->first + found->second;
    // Pieces may be mapped one behind the other.
    while (++found != memory().end() && found->first == end) {
      end += found->second;
    }
    good = address + bytes <= end;
  }
  state().misuses += good ? 0 : 1;
  return good;
}

bool is_room_for(size_t bytes) {
  return state().memory_in_use + state().memory_late + static_cast<int64_t>(bytes) <=
             state().memory_limit &&
         takes_allocation();
}

CUresult know(CUdeviceptr address, size_t bytes) {
  if (!is_room_for(bytes)) {
    return error_out_of_memory;
  }
  memory()[address] = bytes;
  state().memory_in_use += static_cast<int64_t>(bytes);
  ++state().live_allocations;
  return success;
}

void forget(CUdeviceptr address) {
  state().memory_in_use -= static_cast<int64_t>(memory().at(address));
  --state().live_allocations;
  memory().erase(address);
}

/// A stream, or the default one of the current device.
CUstream_st& stream_of(CUstream stream) {
  static std::map<int, CUstream_st> defaults;
  return stream != nullptr ? *stream : defaults[current.empty() ? 0 : current.back()->device];
}

std::set<CUstream_st*>& streams() {
  static std::set<CUstream_st*> all;
  return all;
}

CUresult queue(CUstream given, std::function<void()> work) {
  const CUresult result = needs_context();
  if (result == success) {
    CUstream_st* const stream = &stream_of(given);
    streams().insert(stream);
    stream->work.push_back(std::move(work));
  }
  return result;
}

void write_elements(CUdeviceptr target, unsigned value, size_t size, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(reinterpret_cast<char*>(target) + i * size, &value, size);
  }
}

CUresult fill(CUdeviceptr target, unsigned value, size_t size, size_t count, CUstream stream) {
  const Lock lock(everything());
  if (!inside(target, size * count)) {
    return invalid_value;
  }
  return queue(stream, [=] { write_elements(target, value, size, count); });
}

/// What a kernel does; its arguments are copied now.
std::function<void()> kernel_work(CUfunction function, unsigned grid, unsigned block,
                                  void** arguments) {
  const FakeKernel kernel = *function->kernel;
  std::vector<std::string> copies;
  for (int i = 0; i < kernel.argument_count; ++i) {
    copies.emplace_back(static_cast<const char*>(arguments[i]), kernel.argument_bytes[i]);
  }
  return [=]() mutable {
    std::vector<void*> pointers;
    for (std::string& copy : copies) {
      pointers.push_back(copy.data());
    }
    kernel.function(grid, block, pointers.data());
  };
}

CUresult take_failure(int& failure) {
  const int result = failure;
  failure = 0;
  return result;
}

/// Refuses PTX that does not look like PTX, with a log, as the real compiler does.
CUresult compile(const std::string& ptx, unsigned count, int* options, void** values) {
  ++state().compilations;
  if (ptx.find(".version") != std::string::npos) {
    return success;
  }
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == jit_error_log_buffer) {
      std::strcpy(static_cast<char*>(values[i]), "ptxas line 1: syntax error");
    }
  }
  return invalid_ptx;
}

}  // namespace fake_cuda

extern "C" {

#ifdef FAKE_NO_DEVICE
CUresult cuInit(unsigned) { return error_no_device; }
#else
CUresult cuInit(unsigned) { return success; }
#endif

CUresult cuDriverGetVersion(int* version) {
  *version = 12000;
  return success;
}
CUresult cuGetErrorName(CUresult, const char** text) {
  *text = "CUDA_ERROR_FAKE";
  return success;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == error_no_device ? "no CUDA-capable device is detected" : "a stand-in's error";
  return success;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 2;
  return success;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return success;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  std::strncpy(name, device == 0 ? "Stand-in Alpha" : "Stand-in Beta", static_cast<size_t>(length));
  return success;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  *value = attribute == attribute_warp_size          ? 32
           : attribute == attribute_memory_pools     ? state().memory_pools
           : attribute == attribute_mapped_memory    ? state().mapped_memory
           : attribute == attribute_capability_major ? state().capability / 10
           : attribute == attribute_capability_minor ? state().capability % 10
                                                     : 1000 + attribute;
  return success;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = 1 << 30;
  return success;
}
CUresult cuDeviceGetUuid(DeviceId* id, CUdevice device) {
  std::memset(id->bytes, device + 1, sizeof id->bytes);
  return success;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  const Lock lock(everything());
  ++state().retained;
  *context = &contexts[device];
  return success;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  const Lock lock(everything());
  --state().retained;
  return success;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  const Lock lock(everything());
  const CUresult failure = take_failure(state().fail_next_push);
  if (failure == success) {
    ++state().context_depth;
    current.push_back(context);
  }
  return failure;
}
CUresult cuCtxGetLimit(size_t* value, int limit) {
  const Lock lock(everything());
  *value = state().stack_limit;
  return limit == limit_stack_bytes ? needs_context() : invalid_value;
}
CUresult cuCtxSetLimit(int limit, size_t value) {
  const Lock lock(everything());
  state().stack_limit = value;
  return limit == limit_stack_bytes ? needs_context() : invalid_value;
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  const Lock lock(everything());
  --state().context_depth;
  if (current.empty()) {
    ++state().misuses;
    return invalid_context;
  }
  *context = current.back();
  current.pop_back();
  return success;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  const Lock lock(everything());
  ++state().live_allocations;
  *stream = new CUstream_st;
  (*stream)->device = current.empty() ? 0 : current.back()->device;
  return needs_context();
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  const Lock lock(everything());
  --state().live_allocations;
  streams().erase(stream);
  delete stream;
  return needs_context();
}
CUresult cuStreamSynchronize(CUstream stream) {
  const Lock lock(everything());
  ++state().waits;
  CUstream_st& one = stream_of(stream);
  while (!one.work.empty()) {
    one.run_one();
  }
  if (state().fault_next_wait != 0 && !current.empty()) {
    state().faulted[current.back()->device] = take_failure(state().fault_next_wait);
  }
  const CUresult failure = take_failure(state().fail_next_wait);
  return failure != success ? failure : needs_context();
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  const Lock lock(everything());
  const int wanted = event->recorded;
  CUstream_st* const other = event->stream;
  return queue(stream, [=, done = event->done] {
    while (*done < wanted) {
      other->run_one();
    }
  });
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  const Lock lock(everything());
  *context = &contexts[stream_of(stream).device];
  return needs_context();
}

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  const Lock lock(everything());
  const CUresult usable = needs_context();
  if (usable != success) {
    return usable;
  }
  void* const data = std::malloc(bytes);
  const auto address = reinterpret_cast<CUdeviceptr>(data);
  const CUresult result = know(address, bytes);
  if (result == success) {
    *pointer = address;
  } else {
    std::free(data);
  }
  return result;
}
CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned) {
  return cuMemAlloc_v2(pointer, bytes);
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  const Lock lock(everything());
  const auto found = memory().find(pointer);
  if (found == memory().end() || current.empty()) {
    ++state().misuses;
    return invalid_value;
  }
  // Work may use it.
  for (CUstream_st* const stream : streams()) {
    while (!stream->work.empty()) {
      stream->run_one();
    }
  }
  forget(pointer);
  std::free(reinterpret_cast<void*>(pointer));
  return needs_context();
}
CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream) {
  const CUresult result = cuMemAlloc_v2(pointer, bytes);
  state().async_allocations += result == success ? 1 : 0;
  return result;
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  const Lock lock(everything());
  const auto found = memory().find(pointer);
  if (found == memory().end()) {
    ++state().misuses;
    return invalid_value;
  }
  const auto bytes = static_cast<int64_t>(found->second);
  state().memory_in_use -= bytes;
  state().memory_late += bytes;
  --state().live_allocations;
  memory().erase(found);
  return queue(stream, [=] {
    std::free(reinterpret_cast<void*>(pointer));
    state().memory_late -= bytes;
  });
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice) {
  *pool = nullptr;
  return success;
}
CUresult cuMemPoolTrimTo(CUmemoryPool, size_t) {
  const Lock lock(everything());
  ++state().trims;
  return needs_context();
}
CUresult cuMemAllocHost_v2(void** pointer, size_t bytes) {
  const Lock lock(everything());
  const CUresult usable = needs_context();
  if (usable != success || !takes_allocation()) {
    return usable != success ? usable : error_out_of_memory;
  }
  ++state().live_allocations;
  *pointer = std::calloc(1, bytes);
  return success;
}
CUresult cuMemFreeHost(void* pointer) {
  const Lock lock(everything());
  --state().live_allocations;
  std::free(pointer);
  return needs_context();
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void* source, size_t bytes,
                              CUstream stream) {
  const Lock lock(everything());
  ++state().writes;
  return !inside(target, bytes) ? invalid_value : queue(stream, [=] {
    std::memcpy(reinterpret_cast<void*>(target), source, bytes);
  });
}
CUresult cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, size_t bytes, CUstream stream) {
  const Lock lock(everything());
  ++state().reads;
  return !inside(source, bytes) ? invalid_value : queue(stream, [=] {
    std::memcpy(target, reinterpret_cast<const void*>(source), bytes);
  });
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                              CUstream stream) {
  const Lock lock(everything());
  return !inside(source, bytes) || !inside(target, bytes) ? invalid_value : queue(stream, [=] {
    std::memmove(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source), bytes);
  });
}
CUresult cuMemcpy2DAsync_v2(const LineCopy* given, CUstream stream) {
  const Lock lock(everything());
  ++state().line_copies;
  const LineCopy copy = *given;
  const auto fits = [&](const LineCopy::Side& side) {
    return copy.bytes <= side.pitch &&
           inside(side.device, (copy.count - 1) * side.pitch + copy.bytes);
  };
  if (state().fail_line_copies != 0) {
    return state().fail_line_copies;
  }
  return !fits(copy.source) || !fits(copy.target) ? invalid_value : queue(stream, [=] {
    for (size_t k = 0; k < copy.count; ++k) {
      std::memmove(reinterpret_cast<void*>(copy.target.device + k * copy.target.pitch),
                   reinterpret_cast<const void*>(copy.source.device + k * copy.source.pitch),
                   copy.bytes);
    }
  });
}
CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count, CUstream stream) {
  return fill(target, value, 1, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value, size_t count,
                          CUstream stream) {
  return fill(target, value, 2, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr target, unsigned value, size_t count, CUstream stream) {
  return fill(target, value, 4, count, stream);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, int* options,
                            void** values) {
  const Lock lock(everything());
  const std::string text(static_cast<const char*>(image));
  if (!text.starts_with(machine_code)) {
    const CUresult result = compile(text, count, options, values);
    if (result != success) {
      return result;
    }
  }
  ++state().live_allocations;
  *module = new CUmod_st{text};
  state().last_image = text;
  return needs_context();
}
CUresult cuModuleUnload(CUmodule module) {
  const Lock lock(everything());
  --state().live_allocations;
  delete module;
  return needs_context();
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const Lock lock(everything());
  const std::string symbol = std::string(name) + "_kernel";
  const void* kernel = dlsym(RTLD_DEFAULT, symbol.c_str());
  if (kernel == nullptr || module->image.find(name) == std::string::npos) {
    return not_found;
  }
  static std::map<const void*, CUfunc_st> functions;
  *function = &functions.emplace(kernel, CUfunc_st{static_cast<const FakeKernel*>(kernel)})
                   .first->second;
  return success;
}
CUresult cuFuncSetAttribute(CUfunction, int attribute, int value) {
  return attribute == function_attribute_dynamic_shared_bytes && value <= 200000 ? success
                                                                                 : invalid_value;
}

#ifndef FAKE_OLD_DRIVER
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned, unsigned,
                        unsigned block_x, unsigned, unsigned, unsigned shared_bytes,
                        CUstream stream, void** arguments, void**) {
  const Lock lock(everything());
  const CUresult failure = take_failure(state().fail_next_launch);
  if (failure != success) {
    return failure;
  }
  ++state().launches;
  state().last_shared_bytes = shared_bytes;
  return queue(stream, kernel_work(function, grid_x, block_x, arguments));
}
#endif

CUresult cuLinkCreate_v2(unsigned, int*, void**, CUlinkState* link) {
  const Lock lock(everything());
  *link = new CUlinkState_st;
  return needs_context();
}
CUresult cuLinkAddData_v2(CUlinkState link, int, void* data, size_t bytes, const char*,
                          unsigned count, int* options, void** values) {
  const Lock lock(everything());
  link->code = std::string(machine_code) + std::string(static_cast<char*>(data), bytes);
  return compile(link->code, count, options, values);
}
CUresult cuLinkComplete(CUlinkState link, void** image, size_t* bytes) {
  *image = link->code.data();
  *bytes = link->code.size();
  return success;
}
CUresult cuLinkDestroy(CUlinkState link) {
  delete link;
  return success;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  const Lock lock(everything());
  ++state().live_allocations;
  *event = new CUevent_st;
  return needs_context();
}
CUresult cuEventDestroy_v2(CUevent event) {
  const Lock lock(everything());
  --state().live_allocations;
  delete event;
  return needs_context();
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  const Lock lock(everything());
  event->stream = &stream_of(stream);
  return queue(stream, [done = event->done, number = ++event->recorded] { *done = number; });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  const Lock lock(everything());
  *milliseconds = 0.5F;
  return needs_context();
}

}  // extern "C"
