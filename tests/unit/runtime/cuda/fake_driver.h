// What tests may ask of the stand-in for libcuda.so.1, through the symbol `fake_cuda_state`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct FakeCudaState {
  int64_t memory_limit = int64_t{1} << 40;  // bytes; beyond it cuMemAlloc fails
  int64_t memory_in_use = 0;
  int64_t memory_late = 0;        // given back on a stream that has not come so far
  int64_t live_allocations = 0;   // device and pinned memory, modules, streams, events
  int waits = 0;                  // for streams
  int reads = 0;                  // copies to the host
  int writes = 0;                 // copies from it
  int line_copies = 0;
  int fail_line_copies = 0;       // these return this code
  int context_depth = 0;          // contexts pushed and not popped, in all threads
  int retained = 0;               // primary contexts retained
  int capability = 86;            // of devices
  int compilations = 0;           // PTX turned into machine code
  std::string last_image;         // what was loaded last
  int misuses = 0;                // calls without a current context, bad pointers
  int launches = 0;               // of kernels, alone
  int graphs_made = 0;
  int graph_launches = 0;
  int fail_graphs = 0;            // making one returns this code
  int fail_next_graph_launch = 0;
  int fail_next_launch = 0;       // the next launch returns this code
  int fail_next_wait = 0;         // so does the next wait
  int fail_next_push = 0;         // so does making a context current
  int fault_next_wait = 0;        // so does the next wait, and every later call for that device
  int faulted[2] = {0, 0};        // what these return, for each device
  int64_t allocations_left = INT64_MAX;  // of device and pinned memory; those after them fail
  int memory_pools = 1;           // whether devices have them
  int mapped_memory = 1;          // whether memory can be mapped
  int async_allocations = 0;
  int trims = 0;                  // of memory pools
  size_t stack_limit = 1024;      // bytes of a thread's stack
  unsigned last_shared_bytes = 0;
};

/// A kernel of the tests: a function of the test program with its argument sizes, exported as
/// `NAME_kernel`.
struct FakeKernel {
  void (*function)(int64_t grid, int64_t block, void** arguments);
  int argument_count;
  size_t argument_bytes[8];
};
