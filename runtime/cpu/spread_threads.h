// Threads of a loop keep to different processors.
//
// A thread that wakes up may be put on the processor of the one that woke it, while another idles.
// On some virtual machines nothing moves it from there within the milliseconds that a loop takes,
// and it waits until the other has done everything: a Mandelbrot set that was called each 5 ms took
// as long on two threads as on one.
//
// So the thread that began the loop lets others have its processor for a moment if it has done its
// first piece and nobody has come yet, and who comes on its processor goes elsewhere.
#pragma once

#include <atomic>

namespace dagaz::runtime {

/// Of one run of one parallel loop: where the thread runs that began it, and who has come.
class SpreadThreads {
 public:
  /// Of the calling thread, which begins a loop that so many threads may run.  If there are fewer
  /// processors, those are shared whatever anybody does.
  SpreadThreads(int threads, bool has_processors);

  /// Called by a thread of the loop before each of its pieces; `began`: the one that began it.
  void before_piece(bool began);

 private:
  void before_own_piece();

  bool has_processors_;
  std::atomic<int> processor_;
  std::atomic<int> may_move_;  // so often: each of the other threads once
  std::atomic<bool> others_came_{false};
  int own_pieces_ = 0;
};

/// Moves the calling thread to another of the processors it may run on, which stay the same;
/// whether there was one.
bool leave_processor(int processor);

}  // namespace dagaz::runtime
