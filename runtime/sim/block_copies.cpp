// What the scheduler does about copies to shared memory that threads do not wait for (copies.h).
#include <algorithm>

#include "sim/block_scheduler.h"

namespace dagaz::runtime::sim {

/// Memory may be read and written now, or when the copy is awaited: it is checked both times, and
/// counted once.  What is not aligned to all bytes of a copy is copied four at a time.
void BlockScheduler::copy(SimThread& thread, const SharedCopy& copy, const void* site) {
  if (takes_turns() && random_() % schedule_.accesses_per_turn == 0) {
    give_way(thread);
  }
  if (!check_copy(thread, copy)) {
    abandon();
  }
  constexpr int64_t word = 4;
  constexpr int64_t past_l1_bytes = 16;
  const bool whole =
      reinterpret_cast<uintptr_t>(copy.source) % static_cast<uintptr_t>(copy.bytes) == 0;
  const int64_t each = whole ? copy.bytes : word;
  for (int64_t done = 0; done < copy.bytes; done += each) {
    count(thread, copy.target + done, each, access_shared | access_write, site);
    if (done < copy.present) {
      const int32_t flags = each == past_l1_bytes ? access_past_l1 : 0;
      count(thread, copy.source + done, std::min(each, copy.present - done), flags, site);
    }
  }
  const auto offset = copy.target - static_cast<const char*>(thread.block->shared);
  thread.block->shadow.expect(offset, copy.bytes, thread.index);
  thread.copies.begin(copy);
  ++thread.block->copies;
}

void BlockScheduler::await(SimThread& thread, int32_t pending) {
  SharedCopy copy{};
  while (thread.copies.take(pending, copy)) {
    --thread.block->copies;
    const auto offset = copy.target - static_cast<const char*>(thread.block->shared);
    thread.block->shadow.receive(offset, copy.bytes);
    if (!check_copy(thread, copy)) {
      abandon();
    }
    copy.run();
  }
}

/// False, with a problem, where a copy may not read its source or write its target.
bool BlockScheduler::check_copy(const SimThread& thread, const SharedCopy& copy) {
  constexpr int64_t word = 8;  // that the watch over races takes at once
  if (reinterpret_cast<uintptr_t>(copy.target) % static_cast<uintptr_t>(copy.bytes) != 0) {
    problem_ = place(thread) + " copies " + std::to_string(copy.bytes) +
               " bytes to shared memory that is not aligned to them";
    return false;
  }
  const char* const end = copy.source + copy.present;
  for (const char* from = copy.source; from < end;) {
    const auto behind = static_cast<int64_t>(reinterpret_cast<uintptr_t>(from) % word);
    const int64_t bytes = std::min(end - from, word - behind);
    if (!check_access(thread, from, bytes, 0)) {
      return false;
    }
    from += bytes;
  }
  return check_access(thread, copy.target, copy.bytes, access_shared | access_write);
}

/// Whether a copy of a thread of the block may be reading what is written; then with a problem.
bool BlockScheduler::is_copied(const SimThread& thread, const void* address, int64_t bytes) {
  for (const SimThread& other : thread.block->threads) {
    if (other.copies.reads(address, bytes)) {
      problem_ = place(thread) + " writes " + std::to_string(bytes) +
                 " bytes that a copy of thread " + std::to_string(other.index) +
                 " reads, which has not been awaited";
      return true;
    }
  }
  return false;
}

}  // namespace dagaz::runtime::sim
