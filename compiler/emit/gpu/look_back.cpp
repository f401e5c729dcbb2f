// Scans of scalars on a GPU in one kernel, by decoupled look-back (Merrill and Garland,
// "Single-pass parallel prefix scan with decoupled look-back", 2016).
//
// A block scans a tile.  Its values are computed by neighbours side by side and put into shared
// memory; each thread then scans a stretch of them and the block combines the threads' totals.
// What stands before the tile is found by looking back over the tiles before it: each has
// published either the total of itself or that of everything up to its end.  Blocks take tiles in
// the order in which they start, so that whoever is waited for is running.
//
// A tile publishes in words that have a value and its state (tile_words.h).  A tile that failed
// would never publish: plan/ has bodies that may fail scanned in stages instead (scan.cpp).
//
// Nearly all tiles are full.  Their loops have a constant length and no condition, so that a thread
// has many loads on their way at once.
#include "emit/gpu/look_back.h"

#include <cstdint>

#include "emit/gpu/block.h"
#include "emit/gpu/kernels.h"
#include "emit/gpu/shares.h"
#include "emit/gpu/tile_words.h"
#include "emit/gpu/tiles.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"

namespace dagaz::emit {

using ir::i64_operand;

namespace {

/// A scan in one kernel, seen by its host.
struct OnePass {
  const ir::SegmentedScan& e;
  const std::vector<ir::Type>& types;
  std::vector<ir::Type> kept;  // of the body's results that are not scanned
  const PutScanned& put;
  std::vector<Operand> outer;
  Operand width;
  std::int64_t stretch;  // elements per thread
  Operand count;         // tiles of a segment
  Operand tiles;
  NameId taken;  // words for each tile, and in the end how many tiles have been taken
  TileWords words;
  const PutTotals& put_totals;
  bool counts;  // zeros and ones are added: a tile's sums fit 16 bits, and lie in these

  std::int64_t tile_elements() const { return stretch * block_threads; }
  std::vector<ir::Type> stored() const {
    return counts ? std::vector<ir::Type>(types.size(), ir::scalar_of(ScalarType::i16)) : types;
  }
};

}  // namespace

static constexpr int last_warp = block_threads / warp_threads - 1;

static Operand over_warp(Context& c, const Operand& value, ScalarOp op) {
  const NameId all = c.mutable_variable("all", ScalarType::i32, value);
  for_distances(c, warp_threads, [&](const Operand& distance) {
    const NameId other = c.variable("other", ScalarType::i32);
    c.emit(Shuffle{other, all, ScalarType::i32, ShuffleMode::exclusive_or, distance});
    c.emit(Assign{all, op, ScalarType::i32, ScalarType::i32, {all, other}});
  });
  return all;
}

static std::vector<Value> converted(Context& c, const std::vector<Value>& values, ScalarType to) {
  std::vector<Value> all;
  for (const Value& value : values) {
    const NameId target = c.variable("count", to);
    c.emit(Assign{target, ScalarOp::zero_extend, value.type.element, to, {value.operand}});
    all.push_back({target, ir::scalar_of(to), std::nullopt});
  }
  return all;
}

// What a tile's memory holds of scanned values.
static std::vector<Value> held_at(Context& c, const OnePass& scan, const std::vector<Place>& places,
                                  const Operand& at) {
  const std::vector<Value> held = values_at(c, places, scan.stored(), {at});
  return scan.counts ? converted(c, held, ScalarType::i64) : held;
}

static void hold(Context& c, const OnePass& scan, const std::vector<Place>& places,
                 const Operand& at, const std::vector<Value>& values) {
  write_all(c, places, {at}, scan.counts ? converted(c, values, ScalarType::i16) : values);
}

// For the elements of a tile that fall to this thread when neighbours have neighbours.
static void for_scattered(Context& c, const OnePass& scan, const BlockPart& tile, const Lane& here,
                          const std::function<void(Operand)>& body) {
  const auto loop = [&](const std::function<void(Operand)>& at_each) {
    c.loop("step", i64_operand(scan.stretch), {}, [&](const Operand& step) {
      at_each(c.add(c.mul(step, i64_operand(block_threads)), here.thread));
    });
  };
  c.branch(
      c.equal(tile.length, i64_operand(scan.tile_elements())), [&] { loop(body); },
      [&] {
        loop([&](const Operand& at) { c.branch(c.less(at, tile.length), [&] { body(at); }); });
      });
}

// For the elements of a tile that fall to this thread when each has a stretch.
static void for_stretch(Context& c, const OnePass& scan, const BlockPart& tile, const Lane& here,
                        const std::function<void(Operand)>& body) {
  const Operand first = c.mul(here.thread, i64_operand(scan.stretch));
  const auto loop = [&](const Operand& count) {
    c.loop("i", count, {}, [&](const Operand& i) { body(c.add(first, i)); });
  };
  c.branch(
      c.equal(tile.length, i64_operand(scan.tile_elements())),
      [&] { loop(i64_operand(scan.stretch)); },
      [&] {
        loop(c.maximum(c.minimum(c.sub(tile.length, first), i64_operand(scan.stretch)),
                       i64_operand(0)));
      });
}

static void compute_tile(Context& c, const OnePass& scan, const BlockPart& tile, const Lane& here,
                         const std::vector<Place>& values, const std::vector<Place>& kept) {
  for_scattered(c, scan, tile, here, [&](const Operand& at) {
    with_private_scope(c, [&] {
      set_indices(c, scan.e.space, with(tile.outer, c.add(tile.start, at)));
      emit_body(c, scan.e.body, {}, [&](const std::vector<Value>& results) {
        const auto first = results.begin() + static_cast<std::ptrdiff_t>(values.size());
        hold(c, scan, values, at, {results.begin(), first});
        write_all(c, kept, {at}, {first, results.end()});
      });
    });
  });
}

static void finish_tile(Context& c, const OnePass& scan, const BlockPart& tile, const Lane& here,
                        const std::vector<Place>& values, const std::vector<Place>& kept,
                        const std::vector<NameId>& front) {
  for_scattered(c, scan, tile, here, [&](const Operand& at) {
    with_private_scope(c, [&] {
      const std::vector<Operand> point = with(tile.outer, c.add(tile.start, at));
      set_indices(c, scan.e.space, point);
      std::vector<Value> outputs = held_at(c, scan, values, at);
      for (std::size_t k = 0; k < front.size(); ++k) {
        outputs[k].operand = c.add(front[k], outputs[k].operand);
      }
      const std::vector<Value> mapped = values_at(c, kept, scan.kept, {at});
      outputs.insert(outputs.end(), mapped.begin(), mapped.end());
      scan.put(point, outputs);
    });
  });
}

static void set_all(Context& c, const std::vector<Running>& running,
                    const std::vector<Value>& values) {
  std::size_t k = 0;
  for (const Value& value : running_values(running)) {
    c.move(value.operand.name(), values[k++].operand);
  }
}

// values: inclusive over the block afterwards; before: what stands before each thread.
static void scan_threads(Context& c, const std::vector<Running>& values,
                         const std::vector<Running>& before, const std::vector<Place>& slots) {
  const Lane here = this_lane(c);
  scan_warp(c, values, here.lane);
  c.branch(c.equal(here.lane, i64_operand(warp_threads - 1)),
           [&] { write_all(c, slots, {here.warp}, running_values(values)); });
  c.emit(Barrier{});
  std::vector<ir::Type> types;
  for (const Value& value : running_values(values)) types.push_back(value.type);
  c.loop("w", here.warp, {}, [&](const Operand& warp) {
    combine_all(c, before, values_at(c, slots, types, {warp}), 0);
  });
  combine_before(c, values, running_values(before));
  const std::vector<Value> others = shuffled(c, running_values(values), ShuffleMode::up, i32(1));
  c.branch(c.less(i64_operand(0), here.lane), [&] { set_all(c, before, others); });
}

// Waits until every tile that matters has published something; `nearest` becomes the highest lane
// whose tile's prefix is known, or -1.  Tiles that do not exist count as published.
static void await_tiles(Context& c, const OnePass& scan, const Operand& tile, const Operand& exists,
                        const Lane& here, const std::vector<NameId>& words, NameId nearest) {
  const NameId state = c.variable("state", ScalarType::i32);
  const NameId waits = c.mutable_variable("waits", ScalarType::boolean, ir::make_bool(true));
  const NameId condition = c.variable("continue", ScalarType::boolean);
  Code test = c.collect([&] { c.move(condition, waits); });
  Code body = c.collect([&] {
    c.move(state, i32(total_known));
    c.branch(exists, [&] { scan.words.look(c, tile, state, words); });
    const NameId candidate = c.mutable_variable("candidate", ScalarType::i32, i32(-1));
    const Operand lane32 = narrow(c, here.lane);
    c.branch(c.scalar(ScalarOp::eq, ScalarType::i32, {state, i32(prefix_known)}),
             [&] { c.move(candidate, lane32); });
    c.move(nearest, over_warp(c, candidate, ScalarOp::smax));
    const NameId missing = c.mutable_variable("missing", ScalarType::i32, i32(0));
    c.branch(c.both(c.scalar(ScalarOp::eq, ScalarType::i32, {state, i32(0)}),
                    c.scalar(ScalarOp::slt, ScalarType::i32, {nearest, lane32})),
             [&] { c.move(missing, i32(1)); });
    c.emit(Assign{waits,
                  ScalarOp::eq,
                  ScalarType::i32,
                  ScalarType::boolean,
                  {over_warp(c, missing, ScalarOp::bit_or), i32(1)}});
  });
  c.emit(While{std::move(test), condition, std::move(body)});
}

// The combination of all tiles from `first` up to `number`, in every lane of one warp.  Each lane
// looks at one of the 32 tiles before those known; the nearest whose prefix is known ends it.
static std::vector<Running> before_tile(Context& c, const OnePass& scan, const Operand& number,
                                      const Operand& first, const Lane& here) {
  const std::vector<Running> front = start_scans(c, scan.e.operators);
  const NameId end = c.mutable_variable("end", ScalarType::i64, number);
  const NameId again = c.mutable_variable("again", ScalarType::boolean, ir::make_bool(true));
  const NameId condition = c.variable("continue", ScalarType::boolean);
  Code test = c.collect([&] { c.move(condition, again); });
  Code body = c.collect([&] {
    const Operand tile = c.add(c.sub(end, i64_operand(warp_threads)), here.lane);
    const Operand exists = c.scalar(ScalarOp::sle, ScalarType::i64, {first, tile});
    const NameId nearest = c.variable("nearest", ScalarType::i32);
    std::vector<NameId> words;
    for (std::int64_t k = 0; k < TileWords::words_of(scan.types); ++k) {
      words.push_back(c.mutable_variable("words", ScalarType::i64, i64_operand(0)));
    }
    await_tiles(c, scan, tile, exists, here, words, nearest);
    const std::vector<Running> window = start_scans(c, scan.e.operators);
    const Operand lane32 = narrow(c, here.lane);
    c.branch(c.both(exists, c.scalar(ScalarOp::sle, ScalarType::i32, {nearest, lane32})), [&] {
      set_all(c, window, scan.words.values(c, words));
    });
    reduce_warp(c, window, warp_threads);
    combine_before(c, front, shuffled(c, running_values(window), ShuffleMode::index, i32(0)));
    c.move(end, c.sub(end, i64_operand(warp_threads)));
    c.emit(Assign{again, ScalarOp::slt, ScalarType::i32, ScalarType::boolean, {nearest, i32(0)}});
  });
  c.emit(While{std::move(test), condition, std::move(body)});
  return front;
}

// The last warp, whose last lane holds the tile's total, publishes that, finds what stands before
// the tile, and publishes both together.  Where that is, if the tile is not the first.
static std::vector<Place> find_prefix(Context& c, const OnePass& scan, const Operand& number,
                                      const Operand& piece, const Lane& here,
                                      const std::vector<Running>& total, SharedLayout& layout) {
  const std::vector<Place> found = shared_arrays(c, layout, scan.types, 1);
  const Operand is_first = c.equal(piece, i64_operand(0));
  const Operand is_last_lane = c.equal(here.lane, i64_operand(warp_threads - 1));
  c.branch(c.equal(here.warp, i64_operand(last_warp)), [&] {
    c.branch(
        is_first,
        [&] {
          c.branch(is_last_lane,
                   [&] { scan.words.publish(c, number, prefix_known, running_values(total)); });
        },
        [&] {
          c.branch(is_last_lane,
                   [&] { scan.words.publish(c, number, total_known, running_values(total)); });
          const std::vector<Running> front =
              before_tile(c, scan, number, c.sub(number, piece), here);
          c.branch(is_last_lane, [&] {
            write_all(c, found, {i64_operand(0)}, running_values(front));
            combine_before(c, total, running_values(front));
            scan.words.publish(c, number, prefix_known, running_values(total));
          });
        });
  });
  c.emit(Barrier{});
  return found;
}

static void scan_tile_by_tile(Context& c, const OnePass& scan, const Operand& block,
                              SharedLayout& layout) {
  const Lane here = this_lane(c);
  const TileTickets tickets{
      scan.taken, c.mul(scan.tiles, i64_operand(TileWords::words_of(scan.types))), scan.count};
  const Operand number = take_tile(c, tickets, block, layout, here);
  BlockPart tile;
  tile.piece = c.remainder(number, scan.count);
  tile.outer = c.unflatten(c.divide(number, scan.count), scan.outer);
  tile.start = c.mul(tile.piece, i64_operand(scan.tile_elements()));
  tile.length = c.minimum(c.sub(scan.width, tile.start), i64_operand(scan.tile_elements()));
  const std::vector<Place> values = shared_arrays(c, layout, scan.stored(), scan.tile_elements());
  const std::vector<Place> kept = shared_arrays(c, layout, scan.kept, scan.tile_elements());
  compute_tile(c, scan, tile, here, values, kept);
  c.emit(Barrier{});

  const std::vector<Running> running = start_scans(c, scan.e.operators);
  for_stretch(c, scan, tile, here, [&](const Operand& at) {
    combine_all(c, running, held_at(c, scan, values, at), 0);
    hold(c, scan, values, at, running_values(running));
  });
  // `before` is what stands before the thread's stretch, at first within the tile.
  const std::vector<Running> before = start_scans(c, scan.e.operators);
  scan_threads(c, running, before, shared_arrays(c, layout, scan.types, last_warp + 1));
  // Counts get what stands before the tile at the end, when they leave its memory.
  std::vector<NameId> front;
  for (std::size_t k = 0; scan.counts && k < scan.types.size(); ++k) {
    front.push_back(c.mutable_variable("front", ScalarType::i64, i64_operand(0)));
  }
  c.branch(c.less(i64_operand(1), scan.count), [&] {
    const std::vector<Place> found =
        find_prefix(c, scan, number, tile.piece, here, running, layout);
    c.branch(c.less(i64_operand(0), tile.piece), [&] {
      const std::vector<Value> prefix = values_at(c, found, scan.types, {i64_operand(0)});
      if (!scan.counts) combine_before(c, before, prefix);
      for (std::size_t k = 0; k < front.size(); ++k) c.move(front[k], prefix[k].operand);
    });
  });
  if (scan.put_totals) {
    const Operand is_last = c.equal(number, c.sub(scan.tiles, i64_operand(1)));
    c.branch(c.both(is_last, c.equal(here.thread, i64_operand(block_threads - 1))),
             [&] { scan.put_totals(running_values(running)); });
  }
  for_stretch(c, scan, tile, here, [&](const Operand& at) {
    set_all(c, running, held_at(c, scan, values, at));
    combine_before(c, running, running_values(before));
    hold(c, scan, values, at, running_values(running));
  });
  c.emit(Barrier{});
  finish_tile(c, scan, tile, here, values, kept, front);
}

static void run(Context& c, const ir::SegmentedScan& e, int stretch,
                const std::vector<ir::Type>& types, const PutScanned& put,
                const PutTotals& put_totals, bool counts) {
  std::vector<ir::Type> kept;
  for (std::size_t k = types.size(); k < e.body.results.size(); ++k) {
    kept.push_back(c.names().type(e.body.results[k]));
  }
  std::vector<Operand> outer = extents_of(e.space);
  const Operand width = outer.back();
  outer.pop_back();
  const Operand needed = c.divide_up(width, i64_operand(stretch * block_threads));
  // Someone says that there is nothing.
  const Operand count = put_totals ? c.maximum(needed, i64_operand(1)) : needed;
  const Operand tiles = c.mul(c.product(outer), count);
  // Tiles need to know of each other only where segments have several.
  const NameId bytes = c.mutable_variable("bytes", ScalarType::i64, i64_operand(0));
  c.branch(c.less(i64_operand(1), count), [&] {
    const Operand words =
        c.add(c.mul(tiles, i64_operand(TileWords::words_of(types))), i64_operand(1));
    c.move(bytes, c.mul(words, i64_operand(ir::byte_size(ScalarType::i64))));
  });
  const NameId block = new_block(c, bytes, "words");
  c.branch(c.less(i64_operand(0), bytes), [&] { c.emit(Fill{block, i64_operand(0), bytes}); });
  const OnePass scan{e, types, kept, put, outer, width, stretch, count, tiles, block,
                     TileWords(block, types), put_totals, counts};
  SharedLayout layout;
  BlockKernel kernel = kernel_of_blocks(
      c, scan.tiles, [&](const Operand& block) { scan_tile_by_tile(c, scan, block, layout); });
  DZ_CHECK(!c.thread.has_memory(), "a scan that looks back takes memory");
  launch(c, "segscan", kernel.grid, i64_operand(layout.bytes), std::move(kernel.code));
}

void look_back(Context& c, const ir::SegmentedScan& e, int stretch,
               const std::vector<ir::Type>& types, const PutScanned& put) {
  run(c, e, stretch, types, put, {}, false);
}

void count_looking_back(Context& c, const ir::SegmentedScan& e, int stretch, const PutScanned& put,
                        const PutTotals& put_totals) {
  const std::vector<ir::Type> types(e.operators.size(), ir::scalar_of(ScalarType::i64));
  run(c, e, stretch, types, put, put_totals, true);
}

void scan_in_one_pass(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                      const ir::LookBack& plan, const std::vector<ir::Type>& types,
                      const std::vector<Destination>& targets) {
  look_back(c, e, plan.stretch, types,
            [&](const std::vector<Operand>& point, const std::vector<Value>& outputs) {
              const PointTargets results = at_point(c, targets, point);
              if (!e.post) {
                put_point(c, s, 0, results, outputs);
                return;
              }
              emit_lambda(
                  c, *e.post, outputs, results.rows,
                  [&](const std::vector<Value>& all) { put_point(c, s, 0, results, all); });
            });
}

}  // namespace dagaz::emit
