// Scans of scalars on a GPU in one kernel, by decoupled look-back (Merrill and Garland,
// "Single-pass parallel prefix scan with decoupled look-back", 2016).
//
// A block scans a tile.  Its values are computed by neighbours side by side and put into shared
// memory; each thread then scans a stretch of them and the block combines the threads' totals.
// What stands before the tile is found by looking back over the tiles before it: each has
// published either the total of itself or that of everything up to its end.  Blocks take tiles in
// the order in which they start, so that whoever is waited for is running.
//
// A value is written before the state that announces it and read after that state was seen, with
// a fence between the two on both sides.  A tile that failed would never publish: plan/ has bodies
// that may fail scanned in stages instead (gpu_scan.cpp).
#include "imperative/gpu.h"

namespace dagaz::imperative {

static constexpr int last_warp = block_threads / warp_threads - 1;
// States of a tile.
static constexpr std::int64_t total_known = 1;   // of the tile alone
static constexpr std::int64_t prefix_known = 2;  // of everything up to its end

static Operand i64(std::int64_t value) { return ir::i64_operand(value); }
static Operand i32(std::int64_t value) { return ir::make_integer(ScalarType::i32, value); }

Operand SharedLayout::take(std::int64_t size) {
  const std::int64_t offset = bytes;
  bytes += size;
  return i64(offset);
}

std::vector<Place> Gpu::shared_arrays(SharedLayout& layout, const std::vector<ir::Type>& types,
                                      std::int64_t count) {
  std::vector<Place> arrays;
  for (const ir::Type& type : types) {
    // Multiples of 16 bytes keep every array aligned.
    const std::int64_t size = (count * ir::byte_size(type.element) + 15) / 16 * 16;
    const NameId block = block_variable("shared");
    emit(SharedMemory{block, layout.take(size)});
    arrays.push_back({block, i64(0), {i64(1)}, i64(1), Space::shared});
  }
  return arrays;
}

void Gpu::scan_in_one_pass(const ir::Statement& s, const ir::SegmentedScan& e,
                           const ir::LookBack& look_back, const std::vector<ir::Type>& types,
                           const std::vector<Destination>& targets) {
  OnePass scan{s, e, types, {}, targets, {}, {}, look_back.stretch, {}, {}, {}, {}, {}};
  for (std::size_t k = types.size(); k < e.body.results.size(); ++k) {
    scan.kept.push_back(names().type(e.body.results[k]));
  }
  scan.outer = extents_of(e.space);
  scan.width = scan.outer.back();
  scan.outer.pop_back();
  const Operand tile = i64(scan.stretch * block_threads);
  scan.count = divide_up(scan.width, tile);
  scan.tiles = mul(product(scan.outer), scan.count);
  // Tiles need to know of each other only where segments have several.
  const NameId sharing = mutable_variable("sharing", ScalarType::i64, i64(0));
  branch(less(i64(1), scan.count), [&] { move(sharing, scan.tiles); });
  for (const ir::Type& type : types) {
    scan.totals.push_back(low_.new_array(ir::array_of(type.element, {sharing}), "total"));
    scan.prefixes.push_back(low_.new_array(ir::array_of(type.element, {sharing}), "prefix"));
  }
  const Operand bytes = mul(add(scan.tiles, i64(1)), i64(ir::byte_size(ScalarType::i32)));
  scan.states = low_.new_block(bytes, "states");
  branch(less(i64(0), sharing), [&] { emit(Clear{scan.states, i64(0), bytes}); });
  SharedLayout layout;
  BlockKernel kernel = low_.kernel_of_blocks(
      scan.tiles, [&](const Operand& block) { scan_tile_by_tile(scan, block, layout); });
  DZ_CHECK(!low_.has_private_memory(), "a scan that looks back takes memory");
  low_.launch("segscan", kernel.grid, i64(layout.bytes), std::move(kernel.code));
}

void Gpu::scan_tile_by_tile(const OnePass& scan, const Operand& block, SharedLayout& layout) {
  const Lane here = lane();
  const Operand number = take_tile(scan, block, layout, here);
  BlockPart tile;
  tile.piece = remainder(number, scan.count);
  tile.outer = unflatten(divide(number, scan.count), scan.outer);
  tile.start = mul(tile.piece, i64(scan.stretch * block_threads));
  tile.length = minimum(sub(scan.width, tile.start), i64(scan.stretch * block_threads));
  const std::vector<Place> values =
      shared_arrays(layout, scan.types, scan.stretch * block_threads);
  const std::vector<Place> kept = shared_arrays(layout, scan.kept, scan.stretch * block_threads);
  compute_tile(scan, tile, here, values, kept);
  emit(Barrier{});

  const Operand first = mul(here.thread, i64(scan.stretch));
  const Operand own =
      maximum(minimum(sub(tile.length, first), i64(scan.stretch)), i64(0));
  const std::vector<Running> running = low_.start_scans(scan.e.operators);
  loop("i", own, {}, [&](const Operand& i) {
    const Operand at = add(first, i);
    low_.combine_all(running, low_.values_at(values, scan.types, {at}), 0);
    low_.write_all(values, {at}, running_values(running));
  });
  // `before` is what stands before the thread's stretch, at first within the tile.
  const std::vector<Running> before = low_.start_scans(scan.e.operators);
  scan_threads(running, before, shared_arrays(layout, scan.types, last_warp + 1));
  branch(less(i64(1), scan.count), [&] {
    add_prefix(scan, number, tile.piece, here, running, before, layout);
  });
  loop("i", own, {}, [&](const Operand& i) {
    const Operand at = add(first, i);
    low_.load_running(running, values, {at});
    combine_before(running, running_values(before));
    low_.write_all(values, {at}, running_values(running));
  });
  emit(Barrier{});
  finish_tile(scan, tile, here, values, kept);
}

// The number of a tile: by the order in which blocks start, where tiles wait for each other.
Operand Gpu::take_tile(const OnePass& scan, const Operand& block, SharedLayout& layout,
                       const Lane& here) {
  const NameId number = mutable_variable("number", ScalarType::i64, block);
  const NameId told = block_variable("told");
  emit(SharedMemory{told, layout.take(16)});
  branch(less(i64(1), scan.count), [&] {
    branch(equal(here.thread, i64(0)), [&] {
      const NameId taken = variable("taken", ScalarType::i32);
      emit(Atomic{taken, AtomicOp::add, scan.states, scan.tiles, i32(1), ScalarType::i32});
      emit(Store{told, i64(0), taken, ScalarType::i32, Space::shared});
    });
    emit(Barrier{});
    const NameId taken = variable("taken", ScalarType::i32);
    emit(Load{taken, told, i64(0), ScalarType::i32, Space::shared});
    move(number, to_i64(taken, ScalarType::i32));
  });
  return number;
}

// Neighbouring threads compute neighbouring elements.
void Gpu::compute_tile(const OnePass& scan, const BlockPart& tile, const Lane& here,
                       const std::vector<Place>& values, const std::vector<Place>& kept) {
  loop("step", i64(scan.stretch), {}, [&](const Operand& step) {
    const Operand at = add(mul(step, i64(block_threads)), here.thread);
    branch(less(at, tile.length), [&] {
      low_.with_private_scope([&] {
        low_.set_indices(scan.e.space, with(tile.outer, add(tile.start, at)));
        low_.lower_body(scan.e.body, {}, [&](const std::vector<Value>& results) {
          for (std::size_t k = 0; k < results.size(); ++k) {
            const bool scanned = k < values.size();
            low_.write(scanned ? values[k] : kept[k - values.size()], {at}, results[k]);
          }
        });
      });
    });
  });
}

void Gpu::finish_tile(const OnePass& scan, const BlockPart& tile, const Lane& here,
                      const std::vector<Place>& values, const std::vector<Place>& kept) {
  loop("step", i64(scan.stretch), {}, [&](const Operand& step) {
    const Operand at = add(mul(step, i64(block_threads)), here.thread);
    branch(less(at, tile.length), [&] {
      low_.with_private_scope([&] {
        const std::vector<Operand> point = with(tile.outer, add(tile.start, at));
        low_.set_indices(scan.e.space, point);
        std::vector<Value> outputs = low_.values_at(values, scan.types, {at});
        const std::vector<Value> mapped = low_.values_at(kept, scan.kept, {at});
        outputs.insert(outputs.end(), mapped.begin(), mapped.end());
        const PointTargets results = low_.at_point(scan.targets, point);
        if (!scan.e.post) {
          low_.put_point(scan.s, 0, results, outputs);
          return;
        }
        low_.lower_lambda(*scan.e.post, outputs, results.rows, [&](const std::vector<Value>& all) {
          low_.put_point(scan.s, 0, results, all);
        });
      });
    });
  });
}

// values: inclusive over the block afterwards; before: what stands before each thread.
void Gpu::scan_threads(const std::vector<Running>& values, const std::vector<Running>& before,
                       const std::vector<Place>& slots) {
  const Lane here = lane();
  scan_warp(values, here.lane);
  branch(equal(here.lane, i64(warp_threads - 1)),
         [&] { low_.write_all(slots, {here.warp}, running_values(values)); });
  emit(Barrier{});
  std::vector<ir::Type> types;
  for (const Value& value : running_values(values)) types.push_back(value.type);
  loop("w", here.warp, {}, [&](const Operand& warp) {
    low_.combine_all(before, low_.values_at(slots, types, {warp}), 0);
  });
  combine_before(values, running_values(before));
  const std::vector<Value> others = shuffled(running_values(values), ShuffleMode::up, i32(1));
  branch(less(i64(0), here.lane), [&] {
    std::size_t k = 0;
    for (const Value& value : running_values(before)) {
      move(value.operand.name(), others[k++].operand);
    }
  });
}

void Gpu::publish(const OnePass& scan, const Operand& number, std::int64_t state,
                  const std::vector<Value>& values) {
  low_.write_all(state == prefix_known ? scan.prefixes : scan.totals, {number}, values);
  emit(Fence{});
  emit(Atomic{variable("old", ScalarType::i32), AtomicOp::exchange, scan.states, number,
              i32(state), ScalarType::i32});
}

// The last warp, whose last lane holds the tile's total, publishes that, finds what stands before
// the tile, and publishes both together.
void Gpu::add_prefix(const OnePass& scan, const Operand& number, const Operand& piece,
                     const Lane& here, const std::vector<Running>& total,
                     const std::vector<Running>& before, SharedLayout& layout) {
  const std::vector<Place> found = shared_arrays(layout, scan.types, 1);
  const Operand is_first = equal(piece, i64(0));
  const Operand is_last_lane = equal(here.lane, i64(warp_threads - 1));
  branch(equal(here.warp, i64(last_warp)), [&] {
    branch(is_first, [&] {
      branch(is_last_lane, [&] { publish(scan, number, prefix_known, running_values(total)); });
    }, [&] {
      branch(is_last_lane, [&] { publish(scan, number, total_known, running_values(total)); });
      const std::vector<Running> front = look_back(scan, number, sub(number, piece), here);
      branch(is_last_lane, [&] {
        low_.write_all(found, {i64(0)}, running_values(front));
        combine_before(total, running_values(front));
        publish(scan, number, prefix_known, running_values(total));
      });
    });
  });
  emit(Barrier{});
  branch(less(i64(0), piece),
         [&] { combine_before(before, low_.values_at(found, scan.types, {i64(0)})); });
}

Operand Gpu::over_warp(const Operand& value, ScalarOp op) {
  const NameId all = mutable_variable("all", ScalarType::i32, value);
  for_distances(warp_threads, [&](const Operand& distance) {
    const NameId other = variable("other", ScalarType::i32);
    emit(Shuffle{other, all, ScalarType::i32, ShuffleMode::exclusive_or, distance});
    emit(Assign{all, op, ScalarType::i32, ScalarType::i32, {all, other}});
  });
  return all;
}

// The combination of all tiles from `first` up to `number`, in every lane of one warp.  Each lane
// looks at one of the 32 tiles before those known; the nearest whose prefix is known ends it.
std::vector<Running> Gpu::look_back(const OnePass& scan, const Operand& number,
                                    const Operand& first, const Lane& here) {
  const std::vector<Running> front = low_.start_scans(scan.e.operators);
  const NameId end = mutable_variable("end", ScalarType::i64, number);
  const NameId again = mutable_variable("again", ScalarType::boolean, ir::make_bool(true));
  const NameId condition = variable("continue", ScalarType::boolean);
  Code test = collect([&] { move(condition, again); });
  Code body = collect([&] {
    const Operand tile = add(sub(end, i64(warp_threads)), here.lane);
    const Operand exists = scalar(ScalarOp::sle, ScalarType::i64, {first, tile});
    const NameId state = variable("state", ScalarType::i32);
    const NameId nearest = variable("nearest", ScalarType::i32);
    await_tiles(scan, tile, exists, here, state, nearest);
    emit(Fence{});
    const std::vector<Running> window = low_.start_scans(scan.e.operators);
    const Operand lane32 = narrow(here.lane);
    branch(both(exists, scalar(ScalarOp::sle, ScalarType::i32, {nearest, lane32})), [&] {
      branch(
          scalar(ScalarOp::eq, ScalarType::i32, {nearest, lane32}),
          [&] { low_.load_running(window, scan.prefixes, {tile}); },
          [&] { low_.load_running(window, scan.totals, {tile}); });
    });
    reduce_warp(window, warp_threads);
    combine_before(front, shuffled(running_values(window), ShuffleMode::index, i32(0)));
    move(end, sub(end, i64(warp_threads)));
    emit(Assign{again, ScalarOp::slt, ScalarType::i32, ScalarType::boolean, {nearest, i32(0)}});
  });
  emit(While{std::move(test), condition, std::move(body)});
  return front;
}

// Waits until every tile that matters has published something; `nearest` becomes the highest lane
// whose tile's prefix is known, or -1.  Tiles that do not exist count as published.
void Gpu::await_tiles(const OnePass& scan, const Operand& tile, const Operand& exists,
                      const Lane& here, NameId state, NameId nearest) {
  const NameId waits = mutable_variable("waits", ScalarType::boolean, ir::make_bool(true));
  const NameId condition = variable("continue", ScalarType::boolean);
  Code test = collect([&] { move(condition, waits); });
  Code body = collect([&] {
    move(state, i32(total_known));
    branch(exists, [&] {
      emit(Atomic{state, AtomicOp::bit_or, scan.states, tile, i32(0), ScalarType::i32});
    });
    const NameId candidate = mutable_variable("candidate", ScalarType::i32, i32(-1));
    const Operand lane32 = narrow(here.lane);
    branch(scalar(ScalarOp::eq, ScalarType::i32, {state, i32(prefix_known)}),
           [&] { move(candidate, lane32); });
    move(nearest, over_warp(candidate, ScalarOp::smax));
    const NameId missing = mutable_variable("missing", ScalarType::i32, i32(0));
    branch(both(scalar(ScalarOp::eq, ScalarType::i32, {state, i32(0)}),
                scalar(ScalarOp::slt, ScalarType::i32, {nearest, lane32})),
           [&] { move(missing, i32(1)); });
    emit(Assign{waits, ScalarOp::eq, ScalarType::i32, ScalarType::boolean,
                {over_warp(missing, ScalarOp::bit_or), i32(1)}});
  });
  emit(While{std::move(test), condition, std::move(body)});
}

Operand Gpu::narrow(const Operand& value) {
  const NameId target = variable("narrow", ScalarType::i32);
  emit(Assign{target, ScalarOp::zero_extend, ScalarType::i64, ScalarType::i32, {value}});
  return target;
}

}  // namespace dagaz::imperative
