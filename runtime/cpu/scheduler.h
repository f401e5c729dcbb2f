// Parallel loops on the CPU: cut into pieces, and run by a team of threads (team.h).  Each context has
// its own, so that its number of threads is its own choice.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "abi.h"
#include "cpu/team.h"

namespace dagaz::runtime {

/// Into which a two-stage reduction is cut, at most.
inline constexpr int64_t pieces_per_thread = 4;

class Scheduler {
 public:
  /// `threads` < 1 means one per core.  Starts no thread before the first parallel loop.
  explicit Scheduler(int threads);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Those that run a loop that begins here: one inside an iteration that has a thread to itself.
  int threads() const;
  /// Whether a loop is run by several threads now.  If none is, the thread that makes the call on
  /// the context is alone with what is the context's, and need not lock it.
  bool is_parallel() const { return loops_.load(std::memory_order_relaxed) != 0; }

  /// See dz_parallel_for and dz_piece_count in abi_functions.def.
  int32_t run(dz_context* context, int64_t count, int64_t grain, dz_task task,
              void* environment);
  /// See dz_call_for_each and dz_threads_meet there.
  int32_t run_each(dz_context* context, int64_t count, dz_task task, void* environment,
                   const char* position);
  bool threads_meet(int64_t count) const;
  int64_t piece_count(int64_t count, int64_t grain) const;

 private:
  int64_t loop_piece_count(int64_t count, int64_t grain) const;
  void start_team();
  int64_t pieces(int64_t count, int64_t grain, int64_t per_thread) const;

  int threads_;
  std::atomic<int> loops_{0};  // that are run by several threads now
  std::unique_ptr<Team> team_;  // since the first parallel loop
  bool has_processors_ = false;  // the team, one a thread
};

}  // namespace dagaz::runtime
