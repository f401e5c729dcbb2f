// Points of a map on a GPU that are chains of rows with products inside, a block of them at a time.
//
//   map (\q -> let a = softmax (map (\k -> sum (map2 (*) q k)) keys)
//              in map (\v -> sum (map2 (*) a v)) (transpose values)) queries
//
// A team for each point (gpu_rows.h) reads all keys and values for a few points.  Flat operations
// read them for a tile of many (gpu_contraction.h), but what they hand to each other, here rows as
// long as there are keys, is written to memory and read again.  So blocks take B points that lie
// side by side, with what these make in shared memory, and go through the chain in steps
// (gpu_row_steps.h): products in tiles of B rows and some points, whose values are staged as those
// of any product and whose sums go where the row lies; other operations by warps, a point each. The
// arrays around are then read once for B points, and nothing but results is written (Dao, Fu,
// Ermon, Rudra and Ré, "FlashAttention", NeurIPS 2022).  Rows are there as a whole: none is
// rescaled as it grows (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018),
// which is another sum of other numbers; where B of them do not fit, the other ways remain.
//
// How many rows: with 64 points side by side, each of which has a thread along it, a thread has
// B / 4 sums, for which it reads B / 4 values of rows, four at a time and the same for its warp,
// and one of its point.  A multiprocessor multiplies for four warps in the time in which it reads
// shared memory for one: B = 16, 32, 64 need 2, 3, 5 reads for 4, 8, 16 multiplications, and so
// have a half, two thirds and four fifths of its speed at most, while keys and values come from
// memory once for B points.  So the largest B is taken that fits, and of which each multiprocessor
// has a block; the smallest already where a quarter of them have one, if there are several
// products, rows between which flat operations would write and read, or where a block is soon done:
// kernels of their own for each step would take longer to start.
//
// What products read of arrays around is copied while nobody waits, where the GPU does so
// (async_copies.h).  A block that has rows as long as there are keys has few others beside it that
// work while it waits, if any, so that as many elements as possible shall be on their way: in the
// memory of two chunks of 16 elements there is room for four of 8, of which three are, 24 elements.
// Chunks are not made shorter than that, for the block meets at each.
//
// How many registers: where values take two of them, as i64 and f64 do, NVIDIA's assembler aims at
// more blocks for a multiprocessor than have registers there, if it is told nothing, and spills;
// shared memory mostly has no room for them either.  A thread holds its sums, the factors of an
// element and of the next, and some 24 values besides, as what a warp makes of rows.  So it is told
// how many blocks have room for that, but two at least, for which tiles are made.  Where values take
// one register it finds a number of its own, and spills nothing.
#pragma once

#include <vector>

#include "plan/surroundings.h"

namespace dagaz::plan {

/// Versions in blocks, the larger ones first; none where the map is no such chain.
std::vector<ir::Version> gpu_row_blocks(const ir::SegmentedMap& e, const Surroundings& around,
                                        ir::Names& names);

}  // namespace dagaz::plan
