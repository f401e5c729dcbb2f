// Each warp has a share of its team's part, and takes that tile by tile.  Threads that are
// neighbours compute values of neighbours, so that what they read coalesces, and put them into
// shared memory; each thread combines a stretch of them, and the warp its threads' values.  (The
// exchange of CUB's WARP_TRANSPOSE; Merrill, "CUB", 2013.)
#include "emit/gpu/ordered.h"

#include "emit/gpu/block.h"
#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"

namespace dagaz::emit {

using ir::i64_operand;

namespace {

/// A tile, seen by one of its threads.
struct WarpTile {
  Operand lane;
  Operand start;  // in the part
  Operand left;   // its elements
  Operand first;  // where it begins in shared memory
};

}  // namespace

// Multiples of 16 bytes keep every array aligned.
static std::int64_t array_bytes(const ir::Type& type, int stretch) {
  return std::int64_t{stretch} * block_threads * ir::byte_size(type.element);
}

template <typename One>
static std::vector<One> held_of(const OrderedTiles& tiles, const std::vector<One>& all) {
  std::vector<One> held;
  for (std::size_t k = 0; k < tiles.held.size(); ++k) {
    if (tiles.held[k]) held.push_back(all[k]);
  }
  return held;
}

std::int64_t OrderedTiles::end() const {
  std::int64_t bytes = offset;
  for (const ir::Type& type : held_of(*this, types)) bytes += array_bytes(type, stretch);
  return bytes;
}

static std::vector<Place> shared_tiles(Context& c, const OrderedTiles& tiles) {
  std::vector<Place> places;
  std::int64_t offset = tiles.offset;
  for (const ir::Type& type : held_of(tiles, tiles.types)) {
    const NameId block = c.block_variable("shared");
    c.emit(SharedMemory{block, i64_operand(offset)});
    places.push_back({block, i64_operand(0), {i64_operand(1)}, i64_operand(1), Space::shared});
    offset += array_bytes(type, tiles.stretch);
  }
  return places;
}

static Operand clamped(Context& c, const Operand& value, const Operand& most) {
  return c.maximum(c.minimum(value, most), i64_operand(0));
}

static void compute_tile(Context& c, const OrderedTiles& tiles, const WarpTile& tile,
                         const Operand& steps, bool is_full, const std::vector<Place>& places) {
  const auto compute = [&](const Operand& at) {
    element_scope(c, [&] {
      tiles.values(c.add(tile.start, at), [&](const std::vector<Value>& all) {
        write_all(c, places, {c.add(tile.first, at)}, held_of(tiles, all));
      });
    });
  };
  c.loop("step", steps, {}, [&](const Operand& step) {
    const Operand at = c.add(c.mul(step, i64_operand(warp_threads)), tile.lane);
    if (is_full) {
      compute(at);
    } else {
      c.branch(c.less(at, tile.left), [&] { compute(at); });
    }
  });
}

static void combine_stretch(Context& c, const OrderedTiles& tiles, const WarpTile& tile,
                            const Operand& steps, bool is_full, const std::vector<Place>& places,
                            const std::vector<Running>& running) {
  const Operand start = c.mul(tile.lane, steps);
  const Operand count = is_full ? steps : clamped(c, c.sub(tile.left, start), steps);
  c.loop("i", count, {}, [&](const Operand& i) {
    const Operand at = c.add(start, i);
    tiles.not_held(c.add(tile.start, at), [&](const std::vector<Value>& others) {
      const std::vector<ir::Type> types = held_of(tiles, tiles.types);
      const std::vector<Value> held = values_at(c, places, types, {c.add(tile.first, at)});
      auto next_held = held.begin();
      auto next_other = others.begin();
      std::vector<Value> all;
      for (const bool is_held : tiles.held) all.push_back(is_held ? *next_held++ : *next_other++);
      combine_all(c, running, all, 0);
    });
  });
}

// Nearly all tiles are full.  Their loops have a constant length and no condition, so that a thread
// has many loads on their way at once.  In others each thread has fewer elements.
static void by_fullness(Context& c, const WarpTile& tile, int stretch,
                        const std::function<void(const Operand& steps, bool is_full)>& emit) {
  const Operand full = i64_operand(std::int64_t{stretch} * warp_threads);
  c.branch(
      c.equal(tile.left, full), [&] { emit(i64_operand(stretch), true); },
      [&] { emit(c.divide_up(tile.left, i64_operand(warp_threads)), false); });
}

void reduce_in_order(Context& c, const OrderedTiles& tiles, const OrderedPart& part,
                     const std::vector<Running>& running) {
  const Operand warp_size = i64_operand(warp_threads);
  const Operand full = i64_operand(std::int64_t{tiles.stretch} * warp_threads);
  const Lane here = this_lane(c);
  const std::vector<Place> places = shared_tiles(c, tiles);
  const Operand lines = c.divide_up(c.divide_up(part.most, part.warps), warp_size);
  const Operand share = c.mul(lines, warp_size);
  const Operand start = c.mul(c.divide(part.rank, warp_size), share);
  const Operand length = clamped(c, c.sub(part.length, start), share);
  c.loop("tile", c.divide_up(share, full), {}, [&](const Operand& number) {
    const Operand done = c.mul(number, full);
    const WarpTile tile{here.lane, c.add(start, done), clamped(c, c.sub(length, done), full),
                        c.mul(here.warp, full)};
    by_fullness(c, tile, tiles.stretch, [&](const Operand& steps, bool is_full) {
      compute_tile(c, tiles, tile, steps, is_full, places);
    });
    c.emit(Barrier{});
    const std::vector<Running> own = start_reductions(c, tiles.operators);
    by_fullness(c, tile, tiles.stretch, [&](const Operand& steps, bool is_full) {
      combine_stretch(c, tiles, tile, steps, is_full, places, own);
    });
    c.emit(Barrier{});
    reduce_warp(c, own, warp_threads);
    combine_all(c, running, running_values(own), 0);
  });
}

}  // namespace dagaz::emit
