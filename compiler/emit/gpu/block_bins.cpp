// Histograms of numbers and tuples on a GPU whose bins fit the shared memory of a block: each block
// fills bins of its own.
//
// Where atomic instructions combine, all threads of a block do so in shared memory, and add the
// bins to the destinations at the end (Gómez-Luna et al., "An optimized approach to histogram
// computation on GPU", 2013).  Else the threads compute a run of elements and put them into shared
// memory, and each combines those that belong to its bins, whose numbers are its own modulo the
// block's threads: no locks, and the order is kept.  The last block to arrive combines what all of
// them have found, a thread per bin; where they are many, so does the last of each group first.
#include "emit/gpu/block_bins.h"

#include <optional>
#include <utility>

#include "emit/gpu/arrivals.h"
#include "emit/gpu/kernels.h"
#include "emit/gpu/shares.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/atomics.h"
#include "emit/thread/combine.h"
#include "emit/thread/parallel_operations.h"

namespace dagaz::emit {

using ir::i64_operand;

namespace {

/// The bins of an operator while blocks have their own.
struct BlockBins {
  const ir::HistogramOperator& one;
  const std::vector<Place>& destinations;
  Operand count;
  std::vector<Place> shared;   // by the flat number of a bin
  std::vector<Place> run;      // values of a run of elements
  Place run_bins;              // and their bins
  std::vector<Place> partial;  // [block][bin]
};
using BinFunction =
    std::function<void(const BlockBins& bins, const Operand& bin, const std::vector<Value>& given)>;

/// Shared memory whose size is known when a kernel starts.
struct SharedRooms {
  Operand bytes = ir::i64_operand(0);
  std::vector<std::pair<NameId, Operand>> offsets;  // to be declared in the kernel
};

/// Blocks whose bins are combined together.
struct BlockGroups {
  Operand blocks;  // all of them
  Operand size;    // of a group
  Operand count;   // of groups
  Operand told_at;
  Arrivals arrivals;  // of blocks at their groups, and behind those of these
};

}  // namespace

static Operand sixteens(Emitter& emitter, const Operand& bytes) {
  return emitter.mul(emitter.divide_up(bytes, i64_operand(16)), i64_operand(16));
}

// Room for `count` values of each type.
static std::vector<Place> shared_values(Context& c, SharedRooms& rooms,
                                        const std::vector<ir::Type>& types, const Operand& count) {
  std::vector<Place> places;
  for (const ir::Type& type : types) {
    places.push_back({c.block_variable("shared"),
                      i64_operand(0),
                      {i64_operand(1)},
                      i64_operand(1),
                      Space::shared});
    rooms.offsets.push_back({places.back().block, rooms.bytes});
    const Operand bytes = c.mul(count, i64_operand(ir::byte_size(type.element)));
    rooms.bytes = c.add(rooms.bytes, sixteens(c, bytes));
  }
  return places;
}

// Bins that a thread sets, combines into and hands on are the same ones.
static void for_own_bins(Context& c, const BlockBins& bins, const Operand& thread,
                         const std::function<void(Operand)>& body) {
  for_thread_share(c, thread, i64_operand(block_threads), bins.count, true, body);
}

static void set_bins(Context& c, const std::vector<BlockBins>& all, const Operand& thread) {
  for (const BlockBins& bins : all) {
    for_own_bins(c, bins, thread, [&](const Operand& bin) {
      for (std::size_t k = 0; k < bins.shared.size(); ++k) {
        store(c, bins.shared[k], {bin}, bins.one.neutral[k], bins.one.op.result_types[k].element);
      }
    });
  }
}

static Operand flat_bin(Context& c, const BlockBins& bins, const std::vector<Operand>& indices) {
  Operand flat = i64_operand(0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    flat = c.add(c.mul(flat, bins.one.shape[d]), indices[d]);
  }
  return flat;
}

// `use` for the values of each operator at element `i` that has a bin.
static void with_binned(Context& c, const ir::SegmentedHistogram& e,
                        const std::vector<BlockBins>& all, const Operand& i,
                        const BinFunction& use) {
  set_indices(c, e.space, {i});
  emit_body(c, e.body, {}, [&](const std::vector<Value>& values) {
    auto next = values.begin();
    for (const BlockBins& bins : all) {
      std::vector<Operand> indices;
      for (std::size_t d = 0; d < bins.one.shape.size(); ++d) indices.push_back((next++)->operand);
      const std::vector<Value> given(next, next + std::ssize(bins.shared));
      next += std::ssize(bins.shared);
      c.branch(is_inside(c, indices, bins.one.shape),
               [&] { use(bins, flat_bin(c, bins, indices), given); });
    }
  });
}

static void fill_atomically(Context& c, const ir::SegmentedHistogram& e,
                            const std::vector<BlockBins>& all, const Operand& thread,
                            const Operand& threads) {
  for_thread_share(c, thread, threads, e.space.back().extent, true, [&](const Operand& i) {
    with_binned(c, e, all, i,
                [&](const BlockBins& bins, const Operand& bin, const std::vector<Value>& given) {
                  combine_scalar_atomically(c, bins.one.op, given[0].type.element, bins.shared[0],
                                            {bin}, given[0].operand);
                });
  });
}

// An element without a bin, or beyond the last one, gets -1.
static void stage_run(Context& c, const ir::SegmentedHistogram& e,
                      const std::vector<BlockBins>& all, const Operand& thread, const Operand& i) {
  for (const BlockBins& bins : all) {
    store(c, bins.run_bins, {thread}, i64_operand(-1), ScalarType::i64);
  }
  c.branch(c.less(i, e.space.back().extent), [&] {
    element_scope(c, [&] {
      with_binned(c, e, all, i,
                  [&](const BlockBins& bins, const Operand& bin, const std::vector<Value>& given) {
                    store(c, bins.run_bins, {thread}, bin, ScalarType::i64);
                    write_all(c, bins.run, {thread}, given);
                  });
    });
  });
}

static void combine_run(Context& c, const std::vector<BlockBins>& all, const Operand& thread) {
  for (const BlockBins& bins : all) {
    c.loop("j", i64_operand(block_threads), {}, [&](const Operand& j) {
      const Operand bin = load(c, bins.run_bins, {j}, ScalarType::i64, "bin");
      const Operand owner =
          c.scalar(ScalarOp::bit_and, ScalarType::i64, {bin, i64_operand(block_threads - 1)});
      const Operand exists = c.scalar(ScalarOp::sle, ScalarType::i64, {i64_operand(0), bin});
      c.branch(c.both(exists, c.equal(owner, thread)), [&] {
        combine_at(c, bins.one.op, bins.shared, {bin},
                   values_at(c, bins.run, bins.one.op.result_types, {j}));
      });
    });
  }
}

static void fill_in_runs(Context& c, const ir::SegmentedHistogram& e,
                         const std::vector<BlockBins>& all, const Operand& thread,
                         const Operand& block, const Operand& blocks) {
  const Operand runs =
      c.divide_up(e.space.back().extent, c.mul(blocks, i64_operand(block_threads)));
  c.loop("run", runs, {}, [&](const Operand& run) {
    const Operand first = c.mul(c.add(c.mul(block, runs), run), i64_operand(block_threads));
    stage_run(c, e, all, thread, c.add(first, thread));
    c.emit(Barrier{});
    combine_run(c, all, thread);
    c.emit(Barrier{});
  });
}

static void hand_on_bins(Context& c, const std::vector<BlockBins>& all, const Operand& thread,
                         const Operand& block, bool atomically) {
  for (const BlockBins& bins : all) {
    for_own_bins(c, bins, thread, [&](const Operand& bin) {
      const std::vector<Value> found = values_at(c, bins.shared, bins.one.op.result_types, {bin});
      if (!atomically) {
        write_all(c, bins.partial, {block, bin}, found);
        return;
      }
      combine_scalar_atomically(c, bins.one.op, found[0].type.element, bins.destinations[0],
                                c.unflatten(bin, bins.one.shape), found[0].operand);
    });
  }
}

// Combines what the blocks of `group` have found, from `first` on, in the bins of this one.
static void gather_bins(Context& c, const BlockBins& bins, const Operand& thread,
                        const Operand& first, const Groups& group) {
  const std::vector<ir::Type>& types = bins.one.op.result_types;
  for_own_bins(c, bins, thread, [&](const Operand& bin) {
    write_all(c, bins.shared, {bin}, values_at(c, bins.partial, types, {first, bin}));
    c.loop("block", c.sub(group.count, i64_operand(1)), {}, [&](const Operand& k) {
      const Operand block = c.add(first, c.mul(c.add(k, i64_operand(1)), group.stride));
      combine_at(c, bins.one.op, bins.shared, {bin},
                 values_at(c, bins.partial, types, {block, bin}));
    });
  });
}

static void combine_blocks(Context& c, BlockGroups& groups, const std::vector<BlockBins>& all,
                           const Operand& thread, const Operand& block) {
  const Operand one = i64_operand(1);
  const Operand own = c.divide(block, groups.size);
  const Operand first = c.mul(own, groups.size);
  const Operand members = c.minimum(groups.size, c.sub(groups.blocks, first));
  c.emit(Fence{});
  groups.arrivals.arrive(own, members, groups.told_at, [&] {
    for (const BlockBins& bins : all) {
      gather_bins(c, bins, thread, first, {members, one});
    }
    hand_on_bins(c, all, thread, first, false);
    c.emit(Fence{});
    groups.arrivals.arrive(groups.count, groups.count, groups.told_at, [&] {
      for (const BlockBins& bins : all) {
        gather_bins(c, bins, thread, i64_operand(0), {groups.count, groups.size});
        for_own_bins(c, bins, thread, [&](const Operand& bin) {
          combine_at(c, bins.one.op, bins.destinations, c.unflatten(bin, bins.one.shape),
                     values_at(c, bins.shared, bins.one.op.result_types, {bin}));
        });
      }
    });
  });
}

static BlockGroups groups_of(Context& c, const ir::BlockBins& plan, const Operand& blocks,
                             const Operand& told_at) {
  const NameId size = c.mutable_variable("group", ScalarType::i64, blocks);
  if (plan.rounds > 0) {
    c.branch(c.less(i64_operand(plan.most_at_once), blocks),
             [&] { c.move(size, i64_operand(plan.at_once)); });
  }
  BlockGroups groups{blocks, size, c.divide_up(blocks, size), told_at, Arrivals(c)};
  groups.arrivals.expect(c.add(groups.count, i64_operand(1)));
  return groups;
}

void histogram_in_blocks(Context& c, const ir::SegmentedHistogram& e, const ir::BlockBins& plan,
                         const std::vector<std::vector<Place>>& places) {
  std::vector<Operand> counts;
  for (const ir::HistogramOperator& one : e.operators) counts.push_back(c.product(one.shape));
  const Operand blocks = blocks_with_bins(c, counts, e.space.back().extent, plan.elements);
  SharedRooms rooms;
  std::vector<BlockBins> all;
  for (std::size_t k = 0; k < e.operators.size(); ++k) {
    const ir::HistogramOperator& one = e.operators[k];
    BlockBins bins{one, places[k], counts[k], {}, {}, {}, {}};
    bins.shared = shared_values(c, rooms, one.op.result_types, bins.count);
    if (!plan.atomic) {
      bins.run = shared_values(c, rooms, one.op.result_types, i64_operand(block_threads));
      const std::vector<ir::Type> index = {ir::scalar_of(ScalarType::i64)};
      bins.run_bins = shared_values(c, rooms, index, i64_operand(block_threads))[0];
      for (const ir::Type& type : one.op.result_types) {
        bins.partial.push_back(
            new_array(c, ir::array_of(type.element, {blocks, bins.count}), "bins"));
      }
    }
    all.push_back(std::move(bins));
  }
  std::optional<BlockGroups> groups;
  if (!plan.atomic) {
    groups.emplace(groups_of(c, plan, blocks, rooms.bytes));
    rooms.bytes = c.add(rooms.bytes, i64_operand(16));
  }
  BlockKernel kernel = kernel_of_blocks(c, blocks, [&](const Operand& block) {
    for (const auto& [name, offset] : rooms.offsets) c.emit(SharedMemory{name, offset});
    const Operand thread = read_special(c, Special::thread_index);
    set_bins(c, all, thread);
    c.emit(Barrier{});
    if (plan.atomic) {
      fill_atomically(c, e, all, c.add(c.mul(block, i64_operand(block_threads)), thread),
                      c.mul(blocks, i64_operand(block_threads)));
      c.emit(Barrier{});
    } else {
      fill_in_runs(c, e, all, thread, block, blocks);
    }
    hand_on_bins(c, all, thread, block, plan.atomic);
    if (groups) combine_blocks(c, *groups, all, thread, block);
  });
  launch(c, "hist", kernel.grid, rooms.bytes, std::move(kernel.code));
}

}  // namespace dagaz::emit
