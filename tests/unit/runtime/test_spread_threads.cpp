// Threads of a loop go elsewhere than where the loop began, and stay free to run anywhere.
#include <doctest/doctest.h>
#include <sched.h>

#include <thread>

#include "cpu/spread_threads.h"

namespace {

using dagaz::runtime::SpreadThreads;

cpu_set_t allowed() {
  cpu_set_t result;
  CPU_ZERO(&result);
  REQUIRE(sched_getaffinity(0, sizeof result, &result) == 0);
  return result;
}

/// Keeps the calling thread, and those that it starts, on one processor while it lives.
class OnOne {
 public:
  OnOne() : before_(allowed()) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OnOne() { sched_setaffinity(0, sizeof before_, &before_); }
  OnOne(const OnOne&) = delete;
  OnOne& operator=(const OnOne&) = delete;
  cpu_set_t before() const { return before_; }

 private:
  cpu_set_t before_;
};

TEST_CASE("who leaves a processor may come back to it later") {
  const cpu_set_t before = allowed();
  const int here = sched_getcpu();
  CHECK(dagaz::runtime::leave_processor(here) == (CPU_COUNT(&before) > 1));
  const cpu_set_t after = allowed();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("where there is one processor nobody leaves it") {
  const OnOne one;
  CHECK(!dagaz::runtime::leave_processor(sched_getcpu()));
}

TEST_CASE("a thread that comes on the processor of the first one goes elsewhere") {
  const cpu_set_t before = allowed();
  if (CPU_COUNT(&before) < 2) {
    MESSAGE("skipped: one processor");
    return;
  }
  SpreadThreads spread(2, true);
  spread.before_piece(true);
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &first);
  // The first thread stays where it is, by waiting there alone.
  sched_setaffinity(0, sizeof first, &first);
  spread.before_piece(true);
  const int home = sched_getcpu();
  int left = -1;
  std::thread([&] {
    // It begins on the same processor, as threads inherit where they may run, and may then go
    // anywhere.
    sched_setaffinity(0, sizeof before, &before);
    spread.before_piece(false);
    left = sched_getcpu();
  }).join();
  sched_setaffinity(0, sizeof before, &before);
  CHECK(left != home);
}

TEST_CASE("more threads than processors stay where they are") {
  const cpu_set_t before = allowed();
  SpreadThreads spread(CPU_COUNT(&before) + 1, false);
  spread.before_piece(true);
  spread.before_piece(true);
  const cpu_set_t after = allowed();
  CHECK(CPU_EQUAL(&before, &after));
}

}  // namespace
