// Cutting loops into pieces and running them on oneTBB.
#include "cpu/scheduler.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>

#include "context.h"
#include "cpu/additions.h"
#include "cpu/spread_threads.h"
#include "cpu/streaming_stores.h"

namespace dagaz::runtime {

// More pieces than threads even out iterations of different cost; a two-stage reduction pays for
// each piece, so it gets fewer (pieces_per_thread).
constexpr int64_t loop_pieces_per_thread = 16;

struct Scheduler::Arena {
  // oneTBB never starts more workers than cores unless told; a user who asks for more threads
  // (to test, say) gets them.
  std::optional<tbb::global_control> more_workers;
  tbb::task_arena arena;

  explicit Arena(int threads) : arena(threads) {
    if (threads > tbb::info::default_concurrency()) {
      more_workers.emplace(tbb::global_control::max_allowed_parallelism,
                           static_cast<size_t>(threads));
    }
  }
};

Scheduler::Scheduler(int threads)
    : threads_(threads >= 1 ? threads : tbb::info::default_concurrency()) {}

Scheduler::~Scheduler() = default;

Scheduler::Arena& Scheduler::arena() {
  if (!arena_) {
    arena_ = std::make_unique<Arena>(threads_);
  }
  return *arena_;
}

int64_t Scheduler::pieces(int64_t count, int64_t grain, int64_t per_thread) const {
  const int64_t least = std::max<int64_t>(grain, 1);
  if (threads_ == 1 || count / 2 < least) {
    return 1;
  }
  return std::min(count / least, threads_ * per_thread);
}

int64_t Scheduler::piece_count(int64_t count, int64_t grain) const {
  return pieces(count, grain, pieces_per_thread);
}

int64_t Scheduler::loop_piece_count(int64_t count, int64_t grain) const {
  return pieces(count, grain, loop_pieces_per_thread);
}

/// One piece, with the scratch memory it used given back whatever happened.
static int32_t run_piece(dz_context* context, dz_task task, void* environment, int64_t begin,
                         int64_t end) {
  const auto mark = reinterpret_cast<std::intptr_t>(dz_scratch_chunk()->next);
  const int32_t status = task(context, environment, begin, end);
  finish_streaming_stores();
  dz_scratch_reset(mark);
  return status;
}

namespace {

/// Counts a loop for as long as it runs.  The threads that start its pieces, and the one that goes
/// on after them, see the count: oneTBB synchronises them.
class Counted {
 public:
  explicit Counted(std::atomic<int>& loops) : loops_(loops) { loops_.fetch_add(1); }
  ~Counted() { loops_.fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int>& loops_;
};

}  // namespace

int32_t Scheduler::run(dz_context* context, int64_t count, int64_t grain, dz_task task,
                       void* environment) {
  if (count <= 0) {
    return DZ_OK;
  }
  const int64_t pieces = loop_piece_count(count, grain);
  if (pieces == 1) {
    return run_piece(context, task, environment, 0, count);
  }
  const int64_t size = count / pieces;
  const int64_t longer = count % pieces;  // that many pieces have one iteration more
  std::atomic<int32_t> first{DZ_OK};
  const Counted counted(loops_);
  SpreadThreads spread(threads_);
  const auto run_range = [&](const tbb::blocked_range<int64_t>& range) {
    for (int64_t piece = range.begin(); piece != range.end(); ++piece) {
      if (first.load(std::memory_order_relaxed) != DZ_OK) {
        return;
      }
      spread.before_piece();
      const int64_t begin = piece * size + std::min(piece, longer);
      const int64_t end = begin + size + (piece < longer ? 1 : 0);
      const int32_t status = run_piece(context, task, environment, begin, end);
      if (status != DZ_OK) {
        int32_t expected = DZ_OK;
        first.compare_exchange_strong(expected, status);
      }
    }
  };
  try {
    // A loop inside a task finds itself in the arena already.  While it waits for its pieces, its
    // thread must not start a piece of an outer loop: that would delay it, and hold the scratch
    // memory of both.
    arena().arena.execute([&] {
      tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(tbb::blocked_range<int64_t>(0, pieces, 1), run_range);
      });
    });
  } catch (const std::bad_alloc&) {
    return context->errors.report(DZ_OUT_OF_MEMORY,
                                  "Error: out of host memory while starting a parallel loop");
  }
  return first.load();
}

}  // namespace dagaz::runtime

int32_t dz_parallel_for(dz_context* context, int64_t count, int64_t grain, dz_task task,
                        void* environment, const char* position, int64_t moved) {
  if (!context->profile.active()) {
    return context->scheduler.run(context, count, grain, task, environment);
  }
  const double start = dagaz::runtime::now_microseconds();
  const int32_t status = context->scheduler.run(context, count, grain, task, environment);
  context->profile.add_loop(position, dagaz::runtime::now_microseconds() - start, moved);
  return status;
}

int64_t dz_piece_count(dz_context* context, int64_t count, int64_t grain) {
  return context->scheduler.piece_count(count, grain);
}

int64_t dz_addition_pieces(dz_context* context, int64_t count, int64_t grain, int64_t cost,
                           int64_t operations, int64_t additions, int64_t size) {
  return dagaz::runtime::addition_pieces(context->scheduler.piece_count(count, grain),
                                         {count, cost, operations, additions, size});
}
