// The end of the stack, asked of the C library once for each thread.
#include "support/stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dagaz {

namespace {

/// For what is called on the last level, and for unwinding it.
constexpr std::size_t most_reserved = std::size_t{1} << 20;

std::uintptr_t find_limit() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return 0;
  return reinterpret_cast<std::uintptr_t>(lowest) + std::min(size / 4, most_reserved);
}

}  // namespace

bool stack_is_full() {
  thread_local const std::uintptr_t limit = find_limit();
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < limit;
}

}  // namespace dagaz
