// What kernels have in common whose blocks take tiles in order and look back at those before: their
// shared memory, and which tile a block has.
#pragma once

#include <cstdint>
#include <vector>

#include "emit/context/context.h"
#include "emit/gpu/block.h"

namespace dagaz::emit {

/// What a tile has published, 0 before.
inline constexpr std::int64_t total_known = 1;   // of the tile alone
inline constexpr std::int64_t prefix_known = 2;  // of everything up to its end

/// Shared memory handed out so far.
struct SharedLayout {
  std::int64_t bytes = 0;
  Operand take(std::int64_t size);
};

/// Arrays of `count` elements each.
std::vector<Place> shared_arrays(Context& c, SharedLayout& layout,
                                 const std::vector<ir::Type>& types, std::int64_t count);

/// Where blocks count the tiles that were taken, an i64 that begins as 0; nobody does if there is
/// one tile for each of those that wait for each other, `count`.
struct TileTickets {
  NameId taken;
  Operand at;
  Operand count;
};
/// The number of the tile of `block`: by the order in which blocks start, where tiles wait for each
/// other, so that whoever is waited for is running.
Operand take_tile(Context& c, const TileTickets& tickets, const Operand& block,
                  SharedLayout& layout, const Lane& here);

Operand i32(std::int64_t value);
/// The lower half of an i64.
Operand narrow(Context& c, const Operand& value);

}  // namespace dagaz::emit
