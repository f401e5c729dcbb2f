// Which rows of an array ranks send each other, so that each has those that its points read.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace dagaz::runtime {

/// The first row of a rank, of `ranks`.
int64_t first_row(int64_t rank, int64_t ranks, int64_t rows);

/// Points, of which each rank has its part, read rows i + low to i + high of an array, of which
/// each has its part.
struct WindowShape {
  int64_t rows;
  int64_t points;
  int64_t low;
  int64_t high;
  int64_t wraps;  // rows are counted modulo `rows`
  auto operator<=>(const WindowShape&) const = default;
};

/// Rows that are together in the part of a rank and in the window of another.
struct WindowPiece {
  int64_t rank;    // the other one
  int64_t own;     // in the part of the array
  int64_t window;  // in the window
  int64_t rows;
};

/// What one rank has to do with the windows of all.
struct WindowPlan {
  std::vector<WindowPiece> given;  // rows of its own, in windows of others
  std::vector<WindowPiece> taken;  // rows of others, in its window
  std::vector<WindowPiece> kept;   // its own, in its window
  int64_t rows = 0;                // of its window
};

WindowPlan plan_window(const WindowShape& shape, int64_t rank, int64_t ranks);

}  // namespace dagaz::runtime
