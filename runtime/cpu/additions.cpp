// A copy of the arrays for each piece pays where a piece is more work than the arrays are large:
// each element is filled and combined again.  Several pieces a thread even out iterations of
// different cost; of all but small arrays there is only a copy a thread, and none of large ones
// where a lot of work adds little: atomic instructions hardly show there.  Where neither pays, one
// thread does it all.
#include "cpu/additions.h"

#include <algorithm>

#include "cpu/scheduler.h"

namespace dagaz::runtime {

namespace {

// In operations.  An addition to an array that no cache holds waits for memory, and an atomic one
// for other threads as well.
constexpr double copied_element = 4;
constexpr double addition = 16;
constexpr double atomic_addition = 64;

// Arrays of more elements are copied as few times as possible: copies of these are larger than the
// nearest cache.
constexpr int64_t most_often_copied = int64_t{1} << 12;

// Arrays of more elements are large.
constexpr int64_t most_copied = int64_t{1} << 16;

/// Whether `threads` that add with atomic instructions take more time than one alone, or cannot.
bool are_slower_together(double threads, const Additions& loop) {
  if (loop.additions < 0) return true;
  const auto additions = static_cast<double>(loop.additions);
  const double alone = static_cast<double>(loop.operations) + additions * addition;
  return alone * (threads - 1) < additions * (atomic_addition - addition);
}

}  // namespace

int64_t addition_pieces(int64_t pieces, const Additions& loop) {
  const int64_t threads = (pieces + pieces_per_thread - 1) / pieces_per_thread;
  const bool slower = are_slower_together(static_cast<double>(threads), loop);
  if (loop.size < 0) return pieces > 1 && !slower ? 0 : 1;
  if (loop.size > most_often_copied) pieces = threads;
  const auto per_piece = static_cast<double>((loop.count + pieces - 1) / pieces);
  const bool little =
      per_piece * static_cast<double>(loop.cost) < static_cast<double>(loop.size) * copied_element;
  const bool rare =
      loop.size > most_copied && loop.additions >= 0 &&
      static_cast<double>(loop.additions) * atomic_addition < static_cast<double>(loop.operations);
  if (!little && !rare) return pieces;
  return pieces > 1 && !slower ? 0 : 1;
}

}  // namespace dagaz::runtime
