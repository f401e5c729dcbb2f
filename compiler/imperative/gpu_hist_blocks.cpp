// Histograms of numbers and tuples on a GPU whose bins fit the shared memory of a block: each block
// fills bins of its own.
//
// Where atomic instructions combine, all threads of a block do so in shared memory, and add the
// bins to the destinations at the end (Gómez-Luna et al., "An optimized approach to histogram
// computation on GPU", 2013).  Else the threads compute a run of elements and put them into shared
// memory, and each combines those that belong to its bins, whose numbers are its own modulo the
// block's threads: no locks, and the order is kept.  What the blocks have found is then combined in
// groups, a thread per bin.
#include "imperative/gpu.h"

#include <algorithm>

namespace dagaz::imperative {

static Operand i64(std::int64_t value) { return ir::i64_operand(value); }

static Operand sixteens(Emitter& emitter, const Operand& bytes) {
  return emitter.mul(emitter.divide_up(bytes, i64(16)), i64(16));
}

// How many blocks get bins: as many as the device holds and have enough to do.
Operand Gpu::blocks_with_bins(const ir::SegmentedHistogram& e, const ir::BlockBins& plan) {
  Operand bins = i64(1);
  for (const ir::HistogramOperator& one : e.operators) bins = add(bins, product(one.shape));
  const Operand resident = divide(low_.resident_threads(), i64(block_threads));
  const Operand useful = divide(e.space.back().extent, mul(bins, i64(plan.elements)));
  return maximum(minimum(resident, useful), i64(1));
}

std::vector<Place> Gpu::shared_values(Operand& offset, const std::vector<ir::Type>& types,
                                      const Operand& count) {
  std::vector<Place> places;
  for (const ir::Type& type : types) {
    places.push_back({block_variable("shared"), i64(0), {i64(1)}, i64(1), Space::shared});
    shared_offsets_.push_back({places.back().block, offset});
    offset = add(offset, sixteens(*this, mul(count, i64(ir::byte_size(type.element)))));
  }
  return places;
}

void Gpu::declare_shared() {
  for (const auto& [block, offset] : shared_offsets_) emit(SharedMemory{block, offset});
  shared_offsets_.clear();
}

void Gpu::histogram_in_blocks(const ir::SegmentedHistogram& e, const ir::BlockBins& plan,
                              const std::vector<std::vector<Place>>& places) {
  const Operand blocks = blocks_with_bins(e, plan);
  Operand shared_bytes = i64(0);
  std::vector<BlockBins> all;
  for (std::size_t k = 0; k < e.operators.size(); ++k) {
    const ir::HistogramOperator& one = e.operators[k];
    BlockBins bins{one, places[k], product(one.shape), {}, {}, {}, {}};
    bins.shared = shared_values(shared_bytes, one.op.result_types, bins.count);
    if (!plan.atomic) {
      bins.run = shared_values(shared_bytes, one.op.result_types, i64(block_threads));
      const std::vector<ir::Type> index = {ir::scalar_of(ScalarType::i64)};
      bins.run_bins = shared_values(shared_bytes, index, i64(block_threads))[0];
      for (const ir::Type& type : one.op.result_types) {
        bins.partial.push_back(
            low_.new_array(ir::array_of(type.element, {blocks, bins.count}), "bins"));
      }
    }
    all.push_back(std::move(bins));
  }
  BlockKernel kernel = low_.kernel_of_blocks(blocks, [&](const Operand& block) {
    declare_shared();
    const Operand thread = low_.read_special(Special::thread_index);
    set_bins(all, thread);
    emit(Barrier{});
    if (plan.atomic) {
      fill_atomically(e, all, add(mul(block, i64(block_threads)), thread),
                      mul(blocks, i64(block_threads)));
      emit(Barrier{});
    } else {
      fill_in_runs(e, all, thread, block, blocks);
    }
    hand_on_bins(all, thread, block, plan.atomic);
  });
  low_.launch("hist", kernel.grid, shared_bytes, std::move(kernel.code));
  if (plan.atomic) return;
  for (const BlockBins& bins : all) combine_blocks(bins, blocks);
}

void Gpu::fill_in_runs(const ir::SegmentedHistogram& e, const std::vector<BlockBins>& all,
                       const Operand& thread, const Operand& block, const Operand& blocks) {
  const Operand runs = divide_up(e.space.back().extent, mul(blocks, i64(block_threads)));
  loop("run", runs, {}, [&](const Operand& run) {
    const Operand first = mul(add(mul(block, runs), run), i64(block_threads));
    stage_run(e, all, thread, add(first, thread));
    emit(Barrier{});
    combine_run(all, thread);
    emit(Barrier{});
  });
}

// Bins that a thread sets, combines into and hands on are the same ones.
void Gpu::for_own_bins(const BlockBins& bins, const Operand& thread,
                       const std::function<void(Operand)>& body) {
  for_thread_share(thread, i64(block_threads), bins.count, true, body);
}

void Gpu::set_bins(const std::vector<BlockBins>& all, const Operand& thread) {
  for (const BlockBins& bins : all) {
    for_own_bins(bins, thread, [&](const Operand& bin) {
      for (std::size_t k = 0; k < bins.shared.size(); ++k) {
        low_.store(bins.shared[k], {bin}, bins.one.neutral[k],
                   bins.one.op.result_types[k].element);
      }
    });
  }
}

Operand Gpu::flat_bin(const BlockBins& bins, const std::vector<Operand>& indices) {
  Operand flat = i64(0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    flat = add(mul(flat, bins.one.shape[d]), indices[d]);
  }
  return flat;
}

// `use` for the values of each operator at element `i` that has a bin.
void Gpu::with_binned(const ir::SegmentedHistogram& e, const std::vector<BlockBins>& all,
                      const Operand& i, const BinFunction& use) {
  low_.set_indices(e.space, {i});
  low_.lower_body(e.body, {}, [&](const std::vector<Value>& values) {
    auto next = values.begin();
    for (const BlockBins& bins : all) {
      std::vector<Operand> indices;
      for (std::size_t d = 0; d < bins.one.shape.size(); ++d) indices.push_back((next++)->operand);
      const std::vector<Value> given(next, next + std::ssize(bins.shared));
      next += std::ssize(bins.shared);
      branch(low_.is_inside(indices, bins.one.shape),
             [&] { use(bins, flat_bin(bins, indices), given); });
    }
  });
}

void Gpu::fill_atomically(const ir::SegmentedHistogram& e, const std::vector<BlockBins>& all,
                          const Operand& thread, const Operand& threads) {
  for_thread_share(thread, threads, e.space.back().extent, true, [&](const Operand& i) {
    with_binned(e, all, i, [&](const BlockBins& bins, const Operand& bin,
                               const std::vector<Value>& given) {
      low_.combine_scalar_atomically(bins.one.op, given[0].type.element, bins.shared[0], {bin},
                                     given[0].operand);
    });
  });
}

// An element without a bin, or beyond the last one, gets -1.
void Gpu::stage_run(const ir::SegmentedHistogram& e, const std::vector<BlockBins>& all,
                    const Operand& thread, const Operand& i) {
  for (const BlockBins& bins : all) low_.store(bins.run_bins, {thread}, i64(-1), ScalarType::i64);
  branch(less(i, e.space.back().extent), [&] {
    low_.element_scope([&] {
      with_binned(e, all, i, [&](const BlockBins& bins, const Operand& bin,
                                 const std::vector<Value>& given) {
        low_.store(bins.run_bins, {thread}, bin, ScalarType::i64);
        low_.write_all(bins.run, {thread}, given);
      });
    });
  });
}

void Gpu::combine_run(const std::vector<BlockBins>& all, const Operand& thread) {
  for (const BlockBins& bins : all) {
    loop("j", i64(block_threads), {}, [&](const Operand& j) {
      const Operand bin = low_.load(bins.run_bins, {j}, ScalarType::i64, "bin");
      const Operand owner =
          scalar(ScalarOp::bit_and, ScalarType::i64, {bin, i64(block_threads - 1)});
      const Operand exists = scalar(ScalarOp::sle, ScalarType::i64, {i64(0), bin});
      branch(both(exists, equal(owner, thread)), [&] {
        low_.combine_at(bins.one.op, bins.shared, {bin},
                        low_.values_at(bins.run, bins.one.op.result_types, {j}));
      });
    });
  }
}

void Gpu::hand_on_bins(const std::vector<BlockBins>& all, const Operand& thread,
                       const Operand& block, bool atomically) {
  for (const BlockBins& bins : all) {
    for_own_bins(bins, thread, [&](const Operand& bin) {
      const std::vector<Value> found =
          low_.values_at(bins.shared, bins.one.op.result_types, {bin});
      if (!atomically) {
        low_.write_all(bins.partial, {block, bin}, found);
        return;
      }
      low_.combine_scalar_atomically(bins.one.op, found[0].type.element, bins.destinations[0],
                                     unflatten(bin, bins.one.shape), found[0].operand);
    });
  }
}

void Gpu::combine_blocks(const BlockBins& bins, const Operand& blocks) {
  const auto values = [&](const Operand& block, const Operand& bin) {
    return low_.values_at(bins.partial, bins.one.op.result_types, {block, bin});
  };
  const auto combine_into = [&](const std::vector<Place>& into, const std::vector<Operand>& place,
                                const Operand& bin, const Operand& first, const Groups& group) {
    loop("block", group.count, {}, [&](const Operand& k) {
      low_.combine_at(bins.one.op, into, place, values(add(first, mul(k, group.stride)), bin));
    });
  };
  const Groups groups = low_.combine_groups(
      {bins.count}, blocks,
      [&](const std::vector<Operand>& bin, const Operand& first, const Groups& group) {
        std::vector<Place> own;
        for (const Place& one : bins.partial) own.push_back(part_at(*this, one, {first}));
        combine_into(own, bin, bin[0], add(first, group.stride),
                     {sub(group.count, i64(1)), group.stride});
      });
  low_.for_each_point({bins.count}, i64(16), "hist_combine", [&](const std::vector<Operand>& bin) {
    combine_into(bins.destinations, unflatten(bin[0], bins.one.shape), bin[0], i64(0), groups);
  });
}

}  // namespace dagaz::imperative
