// What the handles of the stand-in for libcuda.so.1 are, and what all of its functions need.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/driver.h"
#include "fake_driver.h"

namespace dagaz::runtime::cuda {
struct CUmod_st {
  std::string image;
};
struct CUfunc_st {
  const FakeKernel* kernel;
};
struct CUstream_st {
  int device = 0;
  std::deque<std::function<void()>> work;

  void run_one() {
    const std::function<void()> next = std::move(work.front());
    work.pop_front();
    next();
  }
};
/// Records are numbered; one is done when its stream has come to it.
struct CUevent_st {
  CUstream stream = nullptr;
  int recorded = 0;
  std::shared_ptr<int> done = std::make_shared<int>(0);
};
struct CUlinkState_st {
  std::string code;
};
struct CUctx_st {
  int device;
};
/// The work of a graph in order; its nodes are a row.
struct CUgraph_st {
  std::vector<std::function<void()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
  std::shared_ptr<int> under_way = std::make_shared<int>(0);
};
}  // namespace dagaz::runtime::cuda

namespace fake_cuda {

using dagaz::runtime::cuda::CUcontext;
using dagaz::runtime::cuda::CUdeviceptr;
using dagaz::runtime::cuda::CUfunction;
using dagaz::runtime::cuda::CUresult;
using dagaz::runtime::cuda::CUstream;

constexpr CUresult invalid_value = 1;

std::recursive_mutex& everything();
using Lock = std::lock_guard<std::recursive_mutex>;

FakeCudaState& state();
/// The contexts that this thread has pushed.
extern thread_local std::vector<CUcontext> current;
/// Counts calls that a real driver would refuse; refuses those for a device that has failed.
CUresult needs_context();
CUresult take_failure(int& failure);
/// Whether this is memory of the device; if not, that is misuse.
bool inside(CUdeviceptr address, size_t bytes);
/// Memory that copies may use, until it is forgotten; null where there is too little.
CUresult know(CUdeviceptr address, size_t bytes);
void forget(CUdeviceptr address);
/// Puts work on a stream.
CUresult queue(CUstream stream, std::function<void()> work);
void write_elements(CUdeviceptr target, unsigned value, size_t size, size_t count);
/// What a kernel does; its arguments are copied now.
std::function<void()> kernel_work(CUfunction function, unsigned grid, unsigned block,
                                  void** arguments);

}  // namespace fake_cuda
