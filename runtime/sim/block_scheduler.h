// Runs the threads of a few simulated blocks at a time, as a GPU does, so that blocks that wait for
// each other are seen to do so in any order.  Each thread runs as a plain call on a
// fibre's stack; while no thread blocks, one fibre runs them all, one after another, so a kernel
// without barriers pays nothing for fibres.  A thread that reaches a barrier or a shuffle leaves
// its fibre suspended there, and the rest go on in another one.
//
// The order in which threads start and in which they go on after a barrier is shuffled by a seed.
// On request threads also give way to others before some of their accesses to global memory, and
// what they store arrives late (store_buffer.h).
// Stacks end at an inaccessible page.  A kernel that does something wrong is abandoned where it
// stands: its frames own nothing, so its stacks are simply used again.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "abi.h"
#include "sim/access_checker.h"
#include "sim/access_counts.h"
#include "sim/copies.h"
#include "sim/global_races.h"
#include "sim/matrix_products.h"
#include "sim/store_buffer.h"

namespace dagaz::runtime::sim {

constexpr int32_t warp_threads = 32;

class BlockScheduler;
struct Fiber;
struct SimBlock;

enum class ThreadState { unstarted, running, ready, at_barrier, at_shuffle, finished };

/// What a shuffle asks for; numbers as in dz_sim_shuffle.
/// `match`: which threads give the same value, a bit each.  `multiply`: nothing, they multiply
/// matrices.
enum class ShuffleMode { down = 0, up = 1, exclusive_or = 2, index = 3, match = 4, multiply = 5 };

/// A simulated thread: what generated code passes around as `thread`.
struct SimThread {
  BlockScheduler* scheduler;
  SimBlock* block;
  int32_t index;
  ThreadState state;
  Fiber* fiber;
  int64_t value;       // given to, then received from, a shuffle
  ShuffleMode mode;
  int32_t operand;
  MatrixParts matrices;  // of those that the warp multiplies
  StoreBuffer stores;  // to global memory
  SharedCopies copies;
};

/// A block that runs.
struct SimBlock {
  int32_t index = 0;
  std::vector<SimThread> threads;
  std::vector<int32_t> warp_epochs;
  void* shared = nullptr;
  size_t shared_capacity = 0;
  SharedShadow shadow;
  int64_t copies = 0;  // that threads have begun and not awaited

  SimBlock() = default;
  ~SimBlock();
  SimBlock(const SimBlock&) = delete;
  SimBlock& operator=(const SimBlock&) = delete;
};

/// A stack with guard page, and the suspended computation on it.
struct Fiber {
  void* memory = nullptr;
  boost::context::detail::fcontext_t context = nullptr;
  SimThread* thread = nullptr;  // null while idle

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  bool ready() const { return memory != nullptr; }
  /// The address below which only a reserve is left.
  int64_t stack_limit() const;
  /// Forgets whatever was running.
  void restart();
};

/// One launch, as the scheduler sees it.
struct BlockJob {
  void (*function)(void* thread, void** arguments);
  void** arguments;
  int32_t block;         // threads
  int32_t grid;          // blocks
  int32_t shared_bytes;
  const int32_t* failure_code;  // non-zero once a thread of the program has failed
  AccessCounts* counts;         // null where nobody asks
};

/// How blocks run.
struct Schedule {
  uint64_t seed;
  int32_t threads_together;    // blocks run together while they have no more threads, or alone
  uint64_t accesses_per_turn;  // about so many to global memory before others run; 0: any number
  bool watches_races;          // in global memory
};

class BlockScheduler {
 public:
  BlockScheduler(const KnownMemory& memory, const Schedule& schedule);
  BlockScheduler(const BlockScheduler&) = delete;
  BlockScheduler& operator=(const BlockScheduler&) = delete;

  /// Runs every block; false when a thread did something wrong, which problem() describes.
  bool run(const BlockJob& job);
  const std::string& problem() const { return problem_; }

  // For dz_sim_*.
  const BlockJob& job() const { return job_; }
  void barrier(SimThread& thread);
  int64_t shuffle(SimThread& thread, int64_t value, ShuffleMode mode, int32_t operand);
  /// A warp's product of matrices of which the thread has `parts`.
  void multiply(SimThread& thread, MatrixUnit unit, const MatrixParts& parts);
  /// `site` is the place of the access in the kernel's code.
  void access(SimThread& thread, const void* address, int64_t bytes, int32_t flags,
              const void* site);
  void fence(SimThread& thread);
  void copy(SimThread& thread, const SharedCopy& copy, const void* site);
  void await(SimThread& thread, int32_t pending);

 private:
  static void fiber_main(boost::context::detail::transfer_t transfer);

  bool run_blocks(int32_t first, int32_t count);
  void start_block(SimBlock& block, int32_t index);
  void mix(std::vector<SimThread*>& threads);
  bool step();
  bool resume(Fiber& fiber);
  SimThread* take_unstarted();
  void suspend(SimThread& thread, ThreadState state);
  void give_way(SimThread& thread);
  bool check_access(const SimThread& thread, const void* address, int64_t bytes, int32_t flags);
  bool check_shared(const SimThread& thread, const void* address, int64_t bytes, int32_t flags);
  bool is_copied(const SimThread& thread, const void* address, int64_t bytes);
  bool check_copy(const SimThread& thread, const SharedCopy& copy);
  void count(const SimThread& thread, const void* address, int64_t bytes, int32_t flags,
             const void* site);
  [[noreturn]] void abandon();
  bool takes_turns() const { return schedule_.accesses_per_turn > 0; }
  bool races(const SimThread& thread, const void* address, int64_t bytes, int32_t flags);
  void keep_late_stores(SimThread& thread);
  void let_stores_arrive();
  bool release();
  bool release(SimBlock& block);
  bool release_warp(SimBlock& block, int32_t warp);
  static bool have_multiplied(const std::vector<SimThread*>& warp);
  void release_barrier(SimBlock& block);
  bool divergence();
  int64_t shuffled_value(const SimThread& thread) const;
  static int64_t same_value(const SimThread& thread);
  static std::string place(const SimThread& thread);
  Fiber* idle_fiber();

  const KnownMemory& memory_;
  const Schedule schedule_;
  std::mt19937_64 random_;
  ReadOnlyShadow read_only_;
  GlobalRaces races_;
  BlockJob job_{};
  std::vector<std::unique_ptr<SimBlock>> blocks_;
  size_t running_ = 0;                  // of blocks_
  std::vector<SimThread*> start_order_;
  size_t next_unstarted_ = 0;
  std::vector<SimThread*> ready_;       // in reverse order of running
  int64_t live_ = 0;                    // threads
  std::vector<StoreBuffer> late_stores_;  // of threads that have finished
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  boost::context::detail::fcontext_t caller_ = nullptr;
  std::string problem_;
};

}  // namespace dagaz::runtime::sim
