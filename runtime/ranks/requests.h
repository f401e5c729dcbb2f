// Rows at places that a program computes: which rank has them, and what ranks say to each other to
// get them there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dagaz::runtime {

/// Places, sorted by the ranks that have the rows.
struct SortedPlaces {
  std::vector<int64_t> rows;   // those of rank 0 first
  std::vector<int64_t> count;  // for each rank
  std::vector<int64_t> slots;  // where in `rows` each place is; -1: there is no such row
};

/// Those that are asked for: each once, where there are about as many places as rows.
SortedPlaces sort_requests(std::span<const int64_t> places, int64_t rows, int64_t ranks);
/// What this rank asks the others for, and they ask it for.
struct RequestPlan {
  // What it follows from:
  int64_t rows = 0;
  std::vector<int64_t> places;
  SortedPlaces asked;
  std::vector<int64_t> wanted;  // by others: its own rows, those for rank 0 first
  std::vector<int64_t> given;   // how many of these to each rank
  /// How often in a row the places were others than before.  Ranks have the same number.
  int changes = 0;
};

}  // namespace dagaz::runtime
