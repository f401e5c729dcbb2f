// How far the stack of a thread may grow before the recursion of a program has to stop.
#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "abi.h"

namespace {

// For what the last call calls: the runtime, the C library, loops that find their thread waiting.
constexpr size_t least_reserved = size_t{64} << 10;
constexpr size_t most_reserved = size_t{2} << 20;
// A stack without limit would grow until the machine has no memory left.
constexpr size_t most_used = size_t{1} << 30;

struct Stack {
  uintptr_t lowest = 0;  // address; 0, like `end`, where nobody knows
  uintptr_t end = 0;
};

Stack stack_of_this_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return {};
  }
  void* lowest = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) {
    return {};
  }
  const uintptr_t end = reinterpret_cast<uintptr_t>(lowest) + size;
  return {end - std::min(size, most_used), end};
}

}  // namespace

int64_t dz_stack_limit(void) {
  // The C library reads a file to know the stack of the first thread.
  thread_local const Stack stack = stack_of_this_thread();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  // An application may have given this thread another stack for a while.
  if (here < stack.lowest || here >= stack.end) {
    return 0;
  }
  const size_t size = stack.end - stack.lowest;
  const size_t reserved = std::min(std::clamp(size / 8, least_reserved, most_reserved), size / 2);
  return static_cast<int64_t>(stack.lowest + reserved);
}
