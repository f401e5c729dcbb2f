// The threads of a context, and the loops whose pieces they share.
//
// The pieces of a loop are cut into shares of neighbours, one for each thread.  A thread begins with
// its own share, the same each time a loop of that length comes, so that it finds in its caches what
// it left there; then it takes from the shares of others.  Nothing is queued: whoever has nothing to
// do looks at the loops that are open, and enters one.
//
// Loops may be as short as microseconds and come one after another.  So a thread without work looks
// for some for a while before it sleeps, and a loop costs its beginner no call of the system as long
// as the others are awake.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace dagaz::runtime {

class Team {
 public:
  /// What is called for each piece; `began` on the thread that began the loop.
  struct Work {
    void (*piece)(const void* loop, int64_t piece, bool began);
    const void* loop;
  };

  /// Starts `threads` - 1 threads, or as many as the system allows.  `awake`: they look for work
  /// between loops, which is for threads that have processors of their own.
  Team(int threads, bool awake);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls `work` once for each of the pieces, on this thread and on others; returns when all are
  /// done.  `work` throws nothing.  May be called by `work` itself: while a thread waits for the pieces of its loop, it does
  /// not start one of an outer loop, which would delay it, and hold the scratch memory of both.
  void run(int64_t pieces, const Work& work);

 private:
  struct Loop;

  Loop* open(int64_t pieces, const Work& work);
  void take_pieces(Loop& loop, int thread, bool began);
  void wait_for_visitors(Loop& loop);
  bool visit_one(int thread, bool slept);
  void serve(int thread);
  /// Whether the thread slept meanwhile.
  bool wait_for_change(uint32_t seen);
  void wake_some(Loop& loop);

  bool awake_;
  std::vector<std::unique_ptr<Loop>> loops_;  // places for open ones; the first ones fill first
  alignas(64) std::atomic<uint32_t> changes_{0};  // how often loops were opened
  std::atomic<int> sleepers_{0};
  std::atomic<bool> ends_{false};
  std::vector<std::thread> others_;
  pid_t process_;  // that has the threads: one that forks from it does not
};

}  // namespace dagaz::runtime
