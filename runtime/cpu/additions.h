// How the threads of a loop accumulate into arrays that they share.
#pragma once

#include <cstdint>

namespace dagaz::runtime {

/// See dz_addition_pieces in abi_functions.def.
struct Additions {
  int64_t count;       // iterations
  int64_t cost;        // operations of one
  int64_t operations;  // of a point
  int64_t additions;   // of a point; -1: no atomic instructions
  int64_t size;        // elements of the arrays; -1: they cannot be copied
};
/// `pieces` are worth cutting the iterations into.
int64_t addition_pieces(int64_t pieces, const Additions& loop);

}  // namespace dagaz::runtime
