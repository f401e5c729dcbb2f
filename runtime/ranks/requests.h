// Rows at places that a program computes: which rank has them, and what ranks say to each other to
// get them there, or to bring something.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "abi.h"

namespace dagaz::runtime {

/// Places, sorted by the ranks that have the rows.
struct SortedPlaces {
  std::vector<int64_t> rows;   // those of rank 0 first
  std::vector<int64_t> count;  // for each rank
  std::vector<int64_t> slots;  // where in `rows` each place is; -1: there is no such row
};

/// In the order in which they are, each as often as it is.
SortedPlaces sort_places(std::span<const int64_t> places, int64_t rows, int64_t ranks);
/// Those that are asked for: each once, where there are about as many places as rows.
SortedPlaces sort_requests(std::span<const int64_t> places, int64_t rows, int64_t ranks);

/// What this rank asks the others for, and they ask it for; or what they bring each other.
struct RequestPlan {
  // What it follows from:
  int64_t rows = 0;
  std::vector<int64_t> places;
  SortedPlaces asked;
  std::vector<int64_t> wanted;  // by others: its own rows, those of rank 0 first
  std::vector<int64_t> given;   // how many of these by each rank
  /// How often in a row the places were others than before.  Ranks have the same number.
  int changes = 0;
};

/// Where a call leaves the rows that something was brought for, counted from this rank's first.
struct OwnPlaces {
  int64_t* total;
  dz_block** rows;
};

/// The places in memory of the program.
std::span<const int64_t> places_in(const char* bytes, int64_t count);
/// As many bytes for each.
inline std::vector<int64_t> scaled(std::vector<int64_t> counts, int64_t bytes) {
  for (int64_t& one : counts) {
    one *= bytes;
  }
  return counts;
}

/// Small rows, as most are, without a call.
inline void copy_row(char* to, const char* from, int64_t bytes) {
  switch (bytes) {
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    default: std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

}  // namespace dagaz::runtime
