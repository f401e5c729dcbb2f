// The stand-in's memory that is mapped into addresses: pages that nobody may touch, but where they
// are mapped.  What the stream still has to do with them after that ends the process.
#include <sys/mman.h>

#include "fake_objects.h"

using namespace dagaz::runtime::cuda;
using namespace fake_cuda;

static void* host(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const MemoryKind*, int) {
  *bytes = 4096;
  return success;
}
CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t bytes, size_t, CUdeviceptr,
                             unsigned long long) {
  const Lock lock(everything());
  void* data = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *pointer = reinterpret_cast<CUdeviceptr>(data);
  state().live_allocations += data == MAP_FAILED ? 0 : 1;
  return data == MAP_FAILED ? error_out_of_memory : needs_context();
}
CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  const Lock lock(everything());
  --state().live_allocations;
  munmap(host(pointer), bytes);
  return needs_context();
}
CUresult cuMemCreate(CUmemory* memory, size_t, const MemoryKind* kind, unsigned long long) {
  const Lock lock(everything());
  state().misuses += kind->pinned == 1 && kind->location.kind == 1 ? 0 : 1;
  ++state().live_allocations;
  *memory = 1;
  return needs_context();
}
CUresult cuMemRelease(CUmemory) {
  const Lock lock(everything());
  --state().live_allocations;
  return needs_context();
}
CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t, CUmemory, unsigned long long) {
  const Lock lock(everything());
  return know(pointer, bytes);
}
CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  const Lock lock(everything());
  forget(pointer);
  mprotect(host(pointer), bytes, PROT_NONE);
  return needs_context();
}
CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const MemoryAccess* access, size_t) {
  const Lock lock(everything());
  const bool known = access->flags == 3 && inside(pointer, bytes);
  if (known) {
    mprotect(host(pointer), bytes, PROT_READ | PROT_WRITE);
  }
  return known ? needs_context() : invalid_value;
}

}  // extern "C"
