// Telling where threads run, and moving them, by Linux's affinity.
#include "cpu/spread_threads.h"

#include <sched.h>

namespace dagaz::runtime {

SpreadThreads::SpreadThreads(int threads, bool has_processors)
    : has_processors_(has_processors), processor_(sched_getcpu()), may_move_(threads - 1) {}

void SpreadThreads::before_piece(bool began) {
  if (!has_processors_) {
    return;
  }
  if (began) {
    before_own_piece();
    return;
  }
  if (!others_came_.load(std::memory_order_relaxed)) {
    others_came_.store(true, std::memory_order_relaxed);
  }
  const int here = sched_getcpu();
  if (here == processor_.load(std::memory_order_relaxed) &&
      may_move_.fetch_sub(1, std::memory_order_relaxed) > 0) {
    leave_processor(here);
  }
}

void SpreadThreads::before_own_piece() {
  if (own_pieces_++ == 1 && !others_came_.load(std::memory_order_relaxed)) {
    sched_yield();
  }
  processor_.store(sched_getcpu(), std::memory_order_relaxed);
}

bool leave_processor(int processor) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return false;
  }
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) {
    return false;
  }
  sched_setaffinity(0, sizeof allowed, &allowed);
  return true;
}

}  // namespace dagaz::runtime
