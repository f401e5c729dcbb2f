// Rows of arrays around that the points of a chain (gpu_rows.h) walk on a GPU.
//
//   map (\q -> … map (\k -> sum (map2 (*) q k)) keys …) queries
//
// A thread of a team has rows of `keys` of its own.  It reads an element of one while its neighbour
// reads one of the next row, which lies far from it in memory, and every point reads all keys.  So
// the warps of a block, each of which has a point, go through the keys together: the block copies a
// tile of as many rows as a warp has threads to shared memory, neighbours by neighbouring threads,
// and each thread reads its row there.  Once they do, they copy other such arrays as well, whose
// neighbouring threads read neighbours: a block reads these once instead of each of its warps.
//
// Where the GPU copies elements while nobody waits (async_copies.h) the next tile is on its way
// while the warps go through one, if there is room for two in the memory of one.  Warps then meet
// once for a tile instead of twice.  Longer rows have room for one tile, all of whose elements are
// asked for before a thread waits.
#pragma once

#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

class Surroundings;

/// Arrays of whose rows there are tiles, and whether these fit.
struct RowTiles {
  std::vector<ir::NameId> arrays;
  std::vector<ir::NameId> turned;  // of these, where elements of neighbouring rows are neighbours
  std::vector<ir::NameId> copied;  // of these, while nobody waits
  int stages = 1;                  // tiles of each that there is room for
  std::vector<ir::Guard> fit;
};

/// For more arrays, and for fewer where not all fit, and of each for more tiles at a time first;
/// none where all threads read neighbours.
std::vector<RowTiles> row_tiles(const ir::SegmentedMap& e, const Surroundings& around);

}  // namespace dagaz::plan
