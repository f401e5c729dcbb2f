// Cutting loops into pieces.
#include "cpu/scheduler.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "context.h"
#include "cpu/additions.h"
#include "cpu/spread_threads.h"
#include "cpu/streaming_stores.h"

namespace dagaz::runtime {

// More pieces than threads even out iterations of different cost; a two-stage reduction pays for
// each piece, so it gets fewer (pieces_per_thread).
constexpr int64_t loop_pieces_per_thread = 16;

namespace {

/// That this process may use, as far as the system says.
int processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    return CPU_COUNT(&allowed);
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

Scheduler::Scheduler(int threads) : threads_(threads >= 1 ? threads : processors()) {}

Scheduler::~Scheduler() = default;

namespace {

/// Iterations that threads have to themselves.
struct Iterations {
  dz_task task;
  void* environment;
  std::atomic<int64_t> moved{0};  // by loops inside, in bytes
};

/// Of which this thread runs one.
thread_local Iterations* around = nullptr;

}  // namespace

int Scheduler::threads() const { return around != nullptr ? 1 : threads_; }

void Scheduler::start_team() {
  has_processors_ = threads_ <= processors();
  team_ = std::make_unique<Team>(threads_, has_processors_);
}

int64_t Scheduler::pieces(int64_t count, int64_t grain, int64_t per_thread) const {
  const int64_t least = std::max<int64_t>(grain, 1);
  if (threads() == 1 || count / 2 < least) {
    return 1;
  }
  return std::min(count / least, threads() * per_thread);
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
/// on after them, see the count: the team synchronises them.
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
  if (!team_) {
    try {
      start_team();
    } catch (const std::bad_alloc&) {
      return context->errors.report(DZ_OUT_OF_MEMORY,
                                    "Error: out of host memory while starting threads");
    }
  }
  const int64_t size = count / pieces;
  const int64_t longer = count % pieces;  // that many pieces have one iteration more
  std::atomic<int32_t> first{DZ_OK};
  const Counted counted(loops_);
  SpreadThreads spread(threads_, has_processors_);
  const auto run_one = [&](int64_t piece, bool began) {
    if (first.load(std::memory_order_relaxed) != DZ_OK) {
      return;
    }
    spread.before_piece(began);
    const int64_t begin = piece * size + std::min(piece, longer);
    const int64_t end = begin + size + (piece < longer ? 1 : 0);
    const int32_t status = run_piece(context, task, environment, begin, end);
    if (status != DZ_OK) {
      int32_t expected = DZ_OK;
      first.compare_exchange_strong(expected, status);
    }
  };
  using Run = decltype(run_one);
  team_->run(pieces, {[](const void* loop, int64_t piece, bool began) {
                        (*static_cast<const Run*>(loop))(piece, began);
                      },
                      &run_one});
  return first.load();
}

bool Scheduler::threads_meet(int64_t count) const {
  // In the last round.  Where that is more than a fifth of all turns, they had better meet.
  const int64_t idle = (threads() - count % threads()) % threads();
  return 4 * idle > count;
}

static int32_t run_iterations(dz_context* context, void* given, int64_t begin, int64_t end) {
  around = static_cast<Iterations*>(given);
  const int32_t status = around->task(context, around->environment, begin, end);
  around = nullptr;
  return status;
}

// What is parallel inside is no loop of its own to profiles: it would be counted by all threads.
int32_t Scheduler::run_each(dz_context* context, int64_t count, dz_task task, void* environment,
                            const char* position) {
  if (threads() == 1 || threads_meet(count)) {
    return count > 0 ? task(context, environment, 0, count) : DZ_OK;
  }
  Iterations each{task, environment};
  const double start = context->profile.active() ? now_microseconds() : 0;
  const int32_t status = run(context, count, 1, run_iterations, &each);
  if (context->profile.active()) {
    context->profile.add_loop(position, now_microseconds() - start, each.moved);
  }
  return status;
}

}  // namespace dagaz::runtime

int32_t dz_call_for_each(dz_context* context, int64_t count, dz_task task, void* environment,
                         const char* position) {
  return context->scheduler.run_each(context, count, task, environment, position);
}

int64_t dz_threads_meet(dz_context* context, int64_t count) {
  return context->scheduler.threads_meet(count) ? 1 : 0;
}

int32_t dz_parallel_for(dz_context* context, int64_t count, int64_t grain, dz_task task,
                        void* environment, const char* position, int64_t moved) {
  if (!context->profile.active()) {
    return context->scheduler.run(context, count, grain, task, environment);
  }
  if (dagaz::runtime::around != nullptr) {
    dagaz::runtime::around->moved += moved;
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
