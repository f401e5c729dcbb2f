// Fibres, barriers, shuffles.
#include "sim/block_scheduler.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace dagaz::runtime::sim {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace {

constexpr size_t stack_bytes = 256 << 10;
constexpr size_t reserved_bytes = 64 << 10;  // for what the last call of a recursion calls
// Fresh memory has this in every byte, so that using it uninitialised shows.
constexpr int poison = 0xcb;

size_t guard_bytes() {
  return static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

Fiber::Fiber() {
  void* mapped = mmap(nullptr, stack_bytes + guard_bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    return;
  }
  // Stacks grow downwards, into the guard page.
  mprotect(mapped, guard_bytes(), PROT_NONE);
  memory = mapped;
}

Fiber::~Fiber() {
  if (memory != nullptr) {
    munmap(memory, stack_bytes + guard_bytes());
  }
}

int64_t Fiber::stack_limit() const {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory) + guard_bytes() +
                              reserved_bytes);
}

void Fiber::restart() {
  context = nullptr;
  thread = nullptr;
}

BlockScheduler::BlockScheduler(const KnownMemory& memory, const Schedule& schedule)
    : memory_(memory), schedule_(schedule), random_(schedule.seed) {}

SimBlock::~SimBlock() {
  std::free(shared);
}

/// The life of a fibre: threads that have not started, as long as there are any, then rest.
void BlockScheduler::fiber_main(transfer_t transfer) {
  auto* self = static_cast<BlockScheduler*>(transfer.data);
  self->caller_ = transfer.fctx;
  while (true) {
    while (SimThread* thread = self->take_unstarted()) {
      self->job_.function(thread, self->job_.arguments);
      thread->state = ThreadState::finished;
      self->keep_late_stores(*thread);
      --self->live_;
      thread->fiber->thread = nullptr;
    }
    self->caller_ = jump_fcontext(self->caller_, nullptr).fctx;
  }
}

SimThread* BlockScheduler::take_unstarted() {
  if (next_unstarted_ == start_order_.size()) {
    return nullptr;
  }
  SimThread& thread = *start_order_[next_unstarted_];
  ++next_unstarted_;
  // The fibre that runs is the one that was resumed last.
  thread.fiber = idle_.back();
  thread.fiber->thread = &thread;
  thread.state = ThreadState::running;
  return &thread;
}

Fiber* BlockScheduler::idle_fiber() {
  if (idle_.empty()) {
    auto fiber = std::make_unique<Fiber>();
    if (!fiber->ready()) {
      return nullptr;
    }
    idle_.push_back(fiber.get());
    fibers_.push_back(std::move(fiber));
  }
  return idle_.back();
}

/// Runs a fibre until its thread blocks or it has nothing to do; false when a thread stopped the
/// whole launch.
bool BlockScheduler::resume(Fiber& fiber) {
  if (fiber.context == nullptr) {
    char* const top = static_cast<char*>(fiber.memory) + guard_bytes() + stack_bytes;
    fiber.context = make_fcontext(top, stack_bytes, fiber_main);
  }
  fiber.context = jump_fcontext(fiber.context, this).fctx;
  return problem_.empty();
}

void BlockScheduler::suspend(SimThread& thread, ThreadState state) {
  thread.state = state;
  const bool hides = !thread.stores.empty();
  if (hides) {
    thread.stores.hide(random_);
  }
  caller_ = jump_fcontext(caller_, nullptr).fctx;
  if (hides) {
    thread.stores.show();
  }
  thread.state = ThreadState::running;
}

void BlockScheduler::keep_late_stores(SimThread& thread) {
  if (!thread.stores.empty()) {
    thread.stores.hide(random_);
    late_stores_.push_back(std::move(thread.stores));
  }
}

/// At the end of a launch everything is there.
void BlockScheduler::let_stores_arrive() {
  for (StoreBuffer& stores : late_stores_) {
    stores.show();
  }
  late_stores_.clear();
}

/// Goes on when its turn comes among those that can.
void BlockScheduler::give_way(SimThread& thread) {
  const auto place = static_cast<std::ptrdiff_t>(random_() % (ready_.size() + 1));
  ready_.insert(ready_.begin() + place, &thread);
  suspend(thread, ThreadState::ready);
}

void BlockScheduler::start_block(SimBlock& block, int32_t index) {
  const auto count = static_cast<size_t>(job_.block);
  block.index = index;
  block.copies = 0;
  block.threads.assign(count, SimThread{});
  block.warp_epochs.assign((count + warp_threads - 1) / warp_threads, 0);
  for (size_t i = 0; i < count; ++i) {
    block.threads[i].scheduler = this;
    block.threads[i].block = &block;
    block.threads[i].index = static_cast<int32_t>(i);
    start_order_.push_back(&block.threads[i]);
  }
  const auto shared_bytes = static_cast<size_t>(job_.shared_bytes);
  if (shared_bytes > block.shared_capacity) {
    std::free(block.shared);
    block.shared_capacity = (shared_bytes + 63) / 64 * 64;
    block.shared = std::aligned_alloc(64, block.shared_capacity);
  }
  if (shared_bytes > 0) {
    std::memset(block.shared, poison, shared_bytes);
    block.shadow.start_block(job_.shared_bytes);
  }
}

/// Lets something run; false when that ended in a problem.
bool BlockScheduler::step() {
  if (next_unstarted_ < start_order_.size()) {
    Fiber* fiber = idle_fiber();
    if (fiber == nullptr) {
      problem_ = "out of memory for the stacks of a block's threads";
      return false;
    }
    const bool fine = resume(*fiber);
    if (fine && fiber->thread != nullptr) {
      idle_.pop_back();  // its last thread is blocked on it
    }
    return fine;
  }
  SimThread* thread = ready_.back();
  ready_.pop_back();
  Fiber& fiber = *thread->fiber;
  const bool fine = resume(fiber);
  if (fine && fiber.thread == nullptr) {
    idle_.push_back(&fiber);
  }
  return fine;
}

bool BlockScheduler::run_blocks(int32_t first, int32_t count) {
  start_order_.clear();
  next_unstarted_ = 0;
  ready_.clear();
  running_ = static_cast<size_t>(count);
  while (blocks_.size() < running_) {
    blocks_.push_back(std::make_unique<SimBlock>());
  }
  for (int32_t i = 0; i < count; ++i) {
    start_block(*blocks_[static_cast<size_t>(i)], first + i);
  }
  mix(start_order_);
  live_ = static_cast<int64_t>(start_order_.size());
  while (live_ > 0) {
    if (next_unstarted_ < start_order_.size() || !ready_.empty()) {
      if (!step()) {
        return false;
      }
    } else if (!release()) {
      // Threads of a program that failed leave their block early; the others are let go.
      return *job_.failure_code != 0 ? true : divergence();
    }
  }
  return true;
}

/// Where accesses are counted the threads of a warp stay together, so that few requests are
/// incomplete at any time.
void BlockScheduler::mix(std::vector<SimThread*>& threads) {
  std::shuffle(threads.begin(), threads.end(), random_);
  if (job_.counts != nullptr) {
    std::stable_sort(threads.begin(), threads.end(), [](const SimThread* a, const SimThread* b) {
      const auto warp = [](const SimThread* one) {
        return std::pair(one->block->index, one->index / warp_threads);
      };
      return warp(a) < warp(b);
    });
  }
}

bool BlockScheduler::run(const BlockJob& job) {
  job_ = job;
  problem_.clear();
  read_only_.start_launch();
  races_.start_launch();
  const int32_t together = std::max(1, schedule_.threads_together / job.block);
  bool fine = true;
  for (int32_t first = 0; fine && first < job.grid;) {
    const int32_t count = std::min(together, job.grid - first);
    fine = run_blocks(first, count);
    first += count;
    let_stores_arrive();
    if (job_.counts != nullptr) {
      job_.counts->end_blocks();
    }
    if (live_ > 0) {
      // Some fibres are suspended inside the kernel for good.
      idle_.clear();
      for (const std::unique_ptr<Fiber>& fiber : fibers_) {
        fiber->restart();
        idle_.push_back(fiber.get());
      }
    }
  }
  return fine;
}

/// Lets threads go on that wait for nobody else; false when there are none.
bool BlockScheduler::release() {
  bool released = false;
  for (size_t i = 0; i < running_; ++i) {
    released |= release(*blocks_[i]);
  }
  mix(ready_);
  if (job_.counts != nullptr) {
    job_.counts->end_phase();
  }
  return released;
}

bool BlockScheduler::release(SimBlock& block) {
  bool released = false;
  for (size_t warp = 0; warp < block.warp_epochs.size(); ++warp) {
    released |= release_warp(block, static_cast<int32_t>(warp));
  }
  const bool all_wait = !released && std::all_of(block.threads.begin(), block.threads.end(),
                                                 [](const SimThread& t) {
    return t.state == ThreadState::at_barrier;
  });
  if (all_wait) {
    release_barrier(block);
  }
  return released || all_wait;
}

/// A shuffle happens when every thread of the warp that is still there has come to it.
bool BlockScheduler::release_warp(SimBlock& block, int32_t warp) {
  const size_t first = static_cast<size_t>(warp) * warp_threads;
  const size_t end = std::min(first + warp_threads, block.threads.size());
  std::vector<SimThread*> waiting;
  for (size_t i = first; i < end; ++i) {
    SimThread& thread = block.threads[i];
    if (thread.state == ThreadState::at_shuffle) {
      waiting.push_back(&thread);
    } else if (thread.state != ThreadState::finished) {
      return false;
    }
  }
  if (waiting.empty() || !have_multiplied(waiting)) {
    return false;
  }
  // All values are exchanged before the first thread goes on and shuffles again.
  std::vector<int64_t> received;
  for (const SimThread* thread : waiting) {
    received.push_back(shuffled_value(*thread));
  }
  for (size_t i = 0; i < waiting.size(); ++i) {
    waiting[i]->value = received[i];
  }
  ++block.warp_epochs[static_cast<size_t>(warp)];
  if (schedule_.watches_races) {
    races_.shuffle(block.index, warp);
  }
  ready_.insert(ready_.end(), waiting.begin(), waiting.end());
  return true;
}

/// Makes the product that the threads of a warp are waiting for, if one does; false where not all
/// of its threads have come to the same one.
bool BlockScheduler::have_multiplied(const std::vector<SimThread*>& warp) {
  const auto multiplies = [](const SimThread* one) { return one->mode == ShuffleMode::multiply; };
  if (std::none_of(warp.begin(), warp.end(), multiplies)) {
    return true;
  }
  const auto agrees = [&](const SimThread* one) {
    return multiplies(one) && one->operand == warp[0]->operand;
  };
  if (warp.size() != warp_threads || !std::all_of(warp.begin(), warp.end(), agrees)) {
    return false;
  }
  std::array<MatrixParts, warp_threads> parts{};
  std::transform(warp.begin(), warp.end(), parts.begin(),
                 [](const SimThread* one) { return one->matrices; });
  multiply_matrices(static_cast<MatrixUnit>(warp[0]->operand), parts);
  return true;
}

/// The threads of the warp that wait with the same value as this one.
int64_t BlockScheduler::same_value(const SimThread& thread) {
  const std::vector<SimThread>& threads = thread.block->threads;
  const auto first = static_cast<size_t>(thread.index - thread.index % warp_threads);
  int64_t same = 0;
  for (size_t lane = 0; lane < warp_threads && first + lane < threads.size(); ++lane) {
    const SimThread& other = threads[first + lane];
    const bool waits = other.state == ThreadState::at_shuffle;
    same |= int64_t{waits && other.value == thread.value} << lane;
  }
  return same;
}

/// A thread whose source lane does not exist keeps its own value, as on the hardware.
int64_t BlockScheduler::shuffled_value(const SimThread& thread) const {
  const int32_t lane = thread.index % warp_threads;
  int32_t source = lane;
  switch (thread.mode) {
    case ShuffleMode::match:
      return same_value(thread);
    case ShuffleMode::multiply: break;
    case ShuffleMode::down:
      source = lane + thread.operand;
      break;
    case ShuffleMode::up:
      source = lane - thread.operand;
      break;
    case ShuffleMode::exclusive_or:
      source = lane ^ thread.operand;
      break;
    case ShuffleMode::index:
      source = thread.operand & (warp_threads - 1);
      break;
  }
  const std::vector<SimThread>& threads = thread.block->threads;
  const auto index = static_cast<size_t>(thread.index - lane + source);
  if (source < 0 || source >= warp_threads || index >= threads.size() ||
      threads[index].state != ThreadState::at_shuffle) {
    return thread.value;
  }
  return threads[index].value;
}

void BlockScheduler::release_barrier(SimBlock& block) {
  block.shadow.barrier();
  if (schedule_.watches_races) {
    races_.barrier(block.index);
  }
  for (SimThread& thread : block.threads) {
    ready_.push_back(&thread);
  }
}

/// Describes who waits for whom in the first block that is stuck; always false.
bool BlockScheduler::divergence() {
  const auto is_stuck = [](const std::unique_ptr<SimBlock>& block) {
    return std::any_of(block->threads.begin(), block->threads.end(), [](const SimThread& t) {
      return t.state == ThreadState::at_barrier || t.state == ThreadState::at_shuffle;
    });
  };
  const auto end = blocks_.begin() + static_cast<std::ptrdiff_t>(running_);
  const SimBlock& block = **std::find_if(blocks_.begin(), end, is_stuck);
  const SimThread* at_barrier = nullptr;
  const SimThread* at_shuffle = nullptr;
  const SimThread* finished = nullptr;
  for (const SimThread& thread : block.threads) {
    at_barrier = thread.state == ThreadState::at_barrier ? &thread : at_barrier;
    at_shuffle = thread.state == ThreadState::at_shuffle ? &thread : at_shuffle;
    finished = thread.state == ThreadState::finished ? &thread : finished;
  }
  problem_ = "barrier divergence: ";
  if (at_barrier != nullptr) {
    problem_ += place(*at_barrier) + " waits at a barrier";
    problem_ += at_shuffle != nullptr
                    ? ", " + place(*at_shuffle) + " at a shuffle"
                    : ", but " + place(*finished) + " has left the kernel";
  } else {
    problem_ += place(*at_shuffle) + " waits at a shuffle that its warp never reaches";
  }
  return false;
}

std::string BlockScheduler::place(const SimThread& thread) {
  return "thread " + std::to_string(thread.index) + " of block " +
         std::to_string(thread.block->index);
}

void BlockScheduler::fence(SimThread& thread) {
  thread.stores.drain();
  if (schedule_.watches_races) {
    races_.fence({thread.block->index, thread.index});
  }
}

void BlockScheduler::barrier(SimThread& thread) {
  thread.stores.drain();
  suspend(thread, ThreadState::at_barrier);
}

int64_t BlockScheduler::shuffle(SimThread& thread, int64_t value, ShuffleMode mode,
                                int32_t operand) {
  thread.value = value;
  thread.mode = mode;
  thread.operand = operand;
  suspend(thread, ThreadState::at_shuffle);
  return thread.value;
}

void BlockScheduler::multiply(SimThread& thread, MatrixUnit unit, const MatrixParts& parts) {
  thread.matrices = parts;
  shuffle(thread, 0, ShuffleMode::multiply, static_cast<int32_t>(unit));
}

/// Abandons the kernel after a bad access, before it does harm.  No object with a destructor may
/// live in this frame.  Others run before the access is noted, never between that and the access
/// itself: atomic operations are noted in the order in which they happen.
void BlockScheduler::access(SimThread& thread, const void* address, int64_t bytes,
                            int32_t flags, const void* site) {
  const bool global = (flags & access_shared) == 0;
  const bool takes_turn = global && takes_turns();
  if (takes_turn && random_() % schedule_.accesses_per_turn == 0) {
    give_way(thread);
  }
  if (!check_access(thread, address, bytes, flags)) {
    abandon();
  }
  count(thread, address, bytes, flags, site);
  if (!takes_turn) {
    return;
  }
  if ((flags & access_atomic) != 0) {
    thread.stores.drain(address);
  } else if ((flags & access_write) != 0) {
    thread.stores.add(const_cast<void*>(address), bytes);
  }
}

void BlockScheduler::abandon() {
  jump_fcontext(caller_, nullptr);
  std::abort();  // nobody resumes a fibre after a problem
}

void BlockScheduler::count(const SimThread& thread, const void* address, int64_t bytes,
                           int32_t flags, const void* site) {
  if (job_.counts == nullptr) {
    return;
  }
  const auto number = reinterpret_cast<uintptr_t>(address);
  const bool shared = (flags & access_shared) != 0;
  const auto start = reinterpret_cast<uintptr_t>(shared ? thread.block->shared : nullptr);
  job_.counts->add({thread.block->index, thread.index, site, number - start, bytes, flags});
}

/// Whether the access races with another one in global memory; then with a problem.
bool BlockScheduler::races(const SimThread& thread, const void* address, int64_t bytes,
                           int32_t flags) {
  const ThreadName other =
      races_.access({thread.block->index, thread.index}, address, bytes, flags);
  if (other.block < 0) {
    return false;
  }
  const bool writes = (flags & access_write) != 0;
  problem_ = "race in global memory: " + place(thread) + (writes ? " writes " : " reads ") +
             std::to_string(bytes) + " bytes that thread " + std::to_string(other.index) +
             " of block " + std::to_string(other.block) + (writes ? " has read" : " has written") +
             ", and nothing orders the two";
  return true;
}

/// False, with a problem, when the access is out of bounds or races with another.
bool BlockScheduler::check_access(const SimThread& thread, const void* address, int64_t bytes,
                                  int32_t flags) {
  const char* const verb = (flags & access_write) != 0 ? " writes " : " reads ";
  if ((flags & access_shared) == 0) {
    if (!memory_.contains(address, bytes)) {
      problem_ = place(thread) + verb + std::to_string(bytes) + " bytes outside its memory: " +
                 memory_.describe(address);
    } else if (schedule_.watches_races && races(thread, address, bytes, flags)) {
      return false;
    } else if ((flags & access_write) != 0 && thread.block->copies > 0 &&
               is_copied(thread, address, bytes)) {
      return false;
    } else if (read_only_.clashes(address, bytes, flags)) {
      problem_ = place(thread) + verb + std::to_string(bytes) +
                 ((flags & access_read_only) != 0
                      ? " bytes through the read-only cache that the kernel has written"
                      : " bytes that the kernel has read through the read-only cache");
    }
    return problem_.empty();
  }
  return check_shared(thread, address, bytes, flags);
}

bool BlockScheduler::check_shared(const SimThread& thread, const void* address, int64_t bytes,
                                  int32_t flags) {
  const char* const verb = (flags & access_write) != 0 ? " writes " : " reads ";
  SimBlock& block = *thread.block;
  const int64_t offset =
      static_cast<const char*>(address) - static_cast<const char*>(block.shared);
  if (block.shared == nullptr || offset < 0 || offset + bytes > job_.shared_bytes) {
    problem_ = place(thread) + verb + std::to_string(bytes) + " bytes at offset " +
               std::to_string(offset) + " of shared memory, which has " +
               std::to_string(job_.shared_bytes) + " bytes";
    return false;
  }
  const int32_t copier = block.shadow.expected_by(offset, bytes);
  if (copier >= 0) {
    problem_ = place(thread) + verb + std::to_string(bytes) + " bytes at offset " +
               std::to_string(offset) + " of shared memory, where a copy of thread " +
               std::to_string(copier) + " arrives, which has not been awaited";
    return false;
  }
  const int32_t warp = thread.index / warp_threads;
  const Accessor who = {thread.index, warp, block.warp_epochs[static_cast<size_t>(warp)]};
  const int32_t other = block.shadow.access(offset, bytes, flags, who);
  if (other >= 0) {
    problem_ = "race in shared memory: " + place(thread) + verb + std::to_string(bytes) +
               " bytes at offset " + std::to_string(offset) + ", which thread " +
               std::to_string(other) + " has accessed since the last barrier";
  }
  return problem_.empty();
}

}  // namespace dagaz::runtime::sim
