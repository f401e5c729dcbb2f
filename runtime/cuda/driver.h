// The CUDA Driver API without its headers: the few types, and a table of functions that is filled
// from libcuda.so.1 when the first CUDA context is made.  A machine without a driver is not an
// error of the program; it is a table with a reason why it is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dagaz::runtime::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUevent = struct CUevent_st*;
using CUlinkState = struct CUlinkState_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUmemory = unsigned long long;  // CUmemGenericAllocationHandle
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;

// Result codes that are told apart.
constexpr CUresult success = 0;
constexpr CUresult error_invalid_value = 1;
constexpr CUresult error_out_of_memory = 2;
constexpr CUresult error_no_device = 100;

// CUdevice_attribute.
constexpr int attribute_max_block_threads = 1;
constexpr int attribute_shared_bytes = 8;
constexpr int attribute_warp_size = 10;
constexpr int attribute_multiprocessors = 16;
constexpr int attribute_max_multiprocessor_threads = 39;
constexpr int attribute_capability_major = 75;
constexpr int attribute_capability_minor = 76;
constexpr int attribute_concurrent_managed_access = 89;
constexpr int attribute_shared_bytes_opt_in = 97;
constexpr int attribute_mapped_memory = 102;
constexpr int attribute_memory_pools = 115;

constexpr int limit_stack_bytes = 0;  // CUlimit

// CUfunction_attribute, CUjit_option, CUjitInputType and flags.
constexpr int function_attribute_dynamic_shared_bytes = 8;
constexpr int jit_info_log_buffer = 3;
constexpr int jit_info_log_bytes = 4;
constexpr int jit_error_log_buffer = 5;
constexpr int jit_error_log_bytes = 6;
constexpr int jit_input_ptx = 1;
constexpr unsigned stream_non_blocking = 1;
constexpr CUstream default_stream = nullptr;
constexpr unsigned memory_attach_global = 1;
constexpr unsigned event_default = 0;
constexpr unsigned event_without_time = 2;

constexpr unsigned memory_of_device = 2;  // CUmemorytype

/// CUDA_KERNEL_NODE_PARAMS_v1.
struct KernelNode {
  CUfunction function;
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};

/// CUDA_MEMCPY3D_v2, of which a row of bytes is needed.
struct CopyNode {
  struct Side {
    size_t x = 0, y = 0, z = 0, level = 0;
    unsigned kind = 0;
    void* host = nullptr;
    CUdeviceptr device = 0;
    void* array = nullptr;
    void* reserved = nullptr;
    size_t pitch = 0, height = 0;
  };
  Side source;
  Side target;
  size_t bytes = 0, height = 1, depth = 1;
};

static_assert(sizeof(CopyNode) == 200);

/// CUDA_MEMCPY2D_v2, between lines of device memory.
struct LineCopy {
  struct Side {
    size_t x = 0, y = 0;
    unsigned kind = memory_of_device;
    void* host = nullptr;
    CUdeviceptr device = 0;
    void* array = nullptr;
    size_t pitch = 0;
  };
  Side source;
  Side target;
  size_t bytes = 0, count = 0;
};

static_assert(sizeof(LineCopy) == 128);

/// CUuuid.
struct DeviceId {
  unsigned char bytes[16];
  bool operator==(const DeviceId&) const = default;
};

/// CUDA_MEMSET_NODE_PARAMS_v1.
struct FillNode {
  CUdeviceptr target;
  size_t pitch;
  unsigned value;
  unsigned element_bytes;
  size_t width;
  size_t height;
};

/// CUmemLocation, of a device.
struct MemoryLocation {
  int kind = 1;
  CUdevice device;
};

/// CUmemAllocationProp, of memory that lies on a device.
struct MemoryKind {
  int pinned = 1;
  int handle_types = 0;
  MemoryLocation location;
  void* security = nullptr;
  unsigned char flags[8] = {};
};

static_assert(sizeof(MemoryKind) == 32);

/// CUmemAccessDesc, for reads and writes.
struct MemoryAccess {
  MemoryLocation location;
  int flags = 3;
};

constexpr int granularity_minimum = 0;

struct Driver {
#define DZ_CUDA(name, symbol, parameters, optional) CUresult(*name) parameters = nullptr;
#include "cuda/driver_functions.def"
#undef DZ_CUDA
  /// Why the driver cannot be used; empty when it can.
  std::string problem;
};

/// The table of this process, filled on the first call and never changed.
const Driver& driver();

/// An attribute of a GPU, or 0 where the driver does not know it.
int attribute_of(CUdevice device, int which);

/// Whether there is a driver that can be used, and a GPU.
bool has_device();

/// "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
std::string describe(CUresult error);
/// Whether the device does nothing more for this process after the error: CUDA's documentation says
/// of these that the process must be started again.
bool ends_device(CUresult error);

}  // namespace dagaz::runtime::cuda
