// A stand-in for libcuda.so.1 that runs nothing: it has an H100's attributes, keeps memory, and
// counts what it is asked to do, graphs and what is in them.  When the process ends, the counts go
// to the file that COUNTS_FILE names.  Memory starts as zeros and stays so but for what is copied
// into it.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "cuda/driver.h"

using namespace dagaz::runtime::cuda;

namespace dagaz::runtime::cuda {
struct CUmod_st {};
struct CUfunc_st {};
struct CUstream_st {};
struct CUevent_st {};
struct CUlinkState_st {};
struct CUctx_st {};
struct CUgraph_st {
  long launches = 0;
  long copies = 0;
  long clears = 0;
  long writes = 0;
};
struct CUgraphExec_st {
  CUgraph_st work;
};
}  // namespace dagaz::runtime::cuda

namespace {

struct Counts {
  long launches = 0;
  long graphs = 0;   // started
  long parts = 0;    // of them: launches, copies, clears and writes, counted there, too
  long waits = 0;    // for the stream
  long reads = 0;    // copies from the device
  long writes = 0;   // copies to the device, and fills that write scalars
  long copies = 0;   // on the device
  long clears = 0;
  long allocations = 0;
  long ptx = 0;           // modules made of PTX
  long machine_code = 0;  // and others

  ~Counts() {
    const char* name = std::getenv("COUNTS_FILE");
    std::FILE* file = name == nullptr ? nullptr : std::fopen(name, "w");
    if (file == nullptr) {
      return;
    }
    std::fprintf(file,
                 "launches %ld\ngraphs %ld\nparts %ld\nwaits %ld\nreads %ld\nwrites %ld\n"
                 "copies %ld\nclears %ld\nallocations %ld\n"
                 "ptx %ld\nmachine_code %ld\n",
                 launches, graphs, parts, waits, reads, writes, copies, clears, allocations, ptx,
                 machine_code);
    std::fclose(file);
  }
};
Counts counts;

// CUdevice_attribute → an H100 SXM's.
const std::map<int, int> attributes = {
    {attribute_max_block_threads, 1024},   {attribute_shared_bytes, 48 << 10},
    {attribute_warp_size, 32},             {attribute_multiprocessors, 132},
    {attribute_max_multiprocessor_threads, 2048},
    {attribute_capability_major, 9},       {attribute_capability_minor, 0},
    {attribute_concurrent_managed_access, 1}, {attribute_shared_bytes_opt_in, 227 << 10}};
constexpr size_t memory_bytes = size_t{80} << 30;

std::map<CUdeviceptr, size_t>& blocks() {
  static std::map<CUdeviceptr, size_t> known;
  return known;
}

CUctx_st the_context;
CUmod_st the_module;
CUfunc_st the_function;
CUstream_st the_stream;
CUevent_st the_event;

void* host(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return success; }
CUresult cuDriverGetVersion(int* version) {
  *version = 12080;
  return success;
}
CUresult cuGetErrorName(CUresult, const char** text) {
  *text = "CUDA_ERROR";
  return success;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "an error";
  return success;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return success;
}
CUresult cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return success;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<size_t>(length), "%s", "counting stand-in for an H100");
  return success;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  const auto found = attributes.find(attribute);
  *value = found == attributes.end() ? 0 : found->second;
  return success;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = memory_bytes;
  return success;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = &the_context;
  return success;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return success; }
CUresult cuCtxPushCurrent_v2(CUcontext) { return success; }
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  *context = &the_context;
  return success;
}
CUresult cuCtxSetLimit(int, size_t) { return success; }
CUresult cuCtxGetLimit(size_t* value, int) {
  *value = 1024;
  return success;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = &the_stream;
  return success;
}
CUresult cuStreamDestroy_v2(CUstream) { return success; }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) { return success; }
CUresult cuStreamSynchronize(CUstream) {
  ++counts.waits;
  return success;
}

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  ++counts.allocations;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return error_out_of_memory;
  }
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  blocks()[*pointer] = bytes;
  return success;
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  munmap(host(pointer), blocks()[pointer]);
  blocks().erase(pointer);
  return success;
}
CUresult cuMemAllocHost_v2(void** pointer, size_t bytes) {
  *pointer = std::calloc(1, bytes);
  return success;
}
CUresult cuMemFreeHost(void* pointer) {
  std::free(pointer);
  return success;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void* source, size_t bytes, CUstream) {
  ++counts.writes;
  std::memcpy(host(target), source, bytes);
  return success;
}
CUresult cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, size_t bytes, CUstream) {
  ++counts.reads;
  std::memcpy(target, host(source), bytes);
  return success;
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, size_t, CUstream) {
  ++counts.copies;
  return success;
}
CUresult cuMemcpy2DAsync_v2(const LineCopy*, CUstream) {
  ++counts.copies;
  return success;
}
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t count, CUstream) {
  ++(count > 1 ? counts.clears : counts.writes);
  return success;
}
CUresult cuMemsetD16Async(CUdeviceptr, unsigned short, size_t count, CUstream) {
  ++(count > 1 ? counts.clears : counts.writes);
  return success;
}
CUresult cuMemsetD32Async(CUdeviceptr, unsigned, size_t count, CUstream) {
  ++(count > 1 ? counts.clears : counts.writes);
  return success;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, int*, void**) {
  ++(std::memcmp(image, "\177ELF", 4) == 0 ? counts.machine_code : counts.ptx);
  *module = &the_module;
  return success;
}
CUresult cuModuleUnload(CUmodule) { return success; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
  *function = &the_function;
  return success;
}
CUresult cuFuncSetAttribute(CUfunction, int, int) { return success; }
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void**, void**) {
  ++counts.launches;
  return success;
}

CUresult cuGraphCreate(CUgraph* graph, unsigned) {
  *graph = new CUgraph_st;
  return success;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return success;
}
CUresult cuGraphAddKernelNode(CUgraphNode*, CUgraph graph, const CUgraphNode*, size_t,
                              const KernelNode*) {
  ++graph->launches;
  return success;
}
CUresult cuGraphAddMemcpyNode(CUgraphNode*, CUgraph graph, const CUgraphNode*, size_t,
                              const CopyNode*, CUcontext) {
  ++graph->copies;
  return success;
}
CUresult cuGraphAddMemsetNode(CUgraphNode*, CUgraph graph, const CUgraphNode*, size_t,
                              const FillNode* fill, CUcontext) {
  ++(fill->width > 1 ? graph->clears : graph->writes);
  return success;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = new CUgraphExec_st{*graph};
  return success;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return success;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  const CUgraph_st& work = executable->work;
  ++counts.graphs;
  counts.parts += work.launches + work.copies + work.clears + work.writes;
  counts.launches += work.launches;
  counts.copies += work.copies;
  counts.clears += work.clears;
  counts.writes += work.writes;
  return success;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = &the_event;
  return success;
}
CUresult cuEventDestroy_v2(CUevent) { return success; }
CUresult cuEventRecord(CUevent, CUstream) { return success; }
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 0;
  return success;
}

}  // extern "C"
