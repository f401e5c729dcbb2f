// Histograms of numbers and tuples on a GPU whose bins fit the shared memory of a block: each block
// fills bins of its own.
//
// Where atomic instructions combine, all threads of a block do so in shared memory, and add the bins
// to the destinations at the end (Gómez-Luna et al., "An optimized approach to histogram computation
// on GPU", 2013).  Else the threads compute a run of elements and put them into shared memory, and
// each combines those that belong to its bins, whose numbers are its own modulo the block's
// threads: no locks, and the order is kept.  What the blocks have found is then combined in
// groups, a thread per bin.
#include "imperative/gpu.h"

#include <algorithm>

namespace dagaz::imperative {

// What any GPU gives a block, less what runs of elements take.
static constexpr std::int64_t most_bin_bytes = std::int64_t{32} << 10;
static constexpr std::int64_t most_run_bytes = std::int64_t{12} << 10;
// A block with less to do for each of its bins would spend its time on setting and handing them on.
static constexpr std::int64_t elements_per_bin = 8;

static Operand i64(std::int64_t value) { return ir::i64_operand(value); }

static Operand sixteens(Emitter& emitter, const Operand& bytes) {
  return emitter.mul(emitter.divide_up(bytes, i64(16)), i64(16));
}

static std::int64_t value_bytes(const ir::HistogramOperator& one) {
  std::int64_t bytes = 0;
  for (const ir::Type& type : one.op.result_types) bytes += ir::byte_size(type.element);
  return bytes;
}

// Whether the operators are such that blocks may have bins; when it pays depends on the sizes.
bool Gpu::can_have_block_bins(const ir::SegmentedHistogram& e) {
  std::int64_t run_bytes = 0;
  for (const ir::HistogramOperator& one : e.operators) {
    if (!are_scalars(one.op.result_types)) return false;
    run_bytes += (8 + value_bytes(one)) * kernel_threads + 16 * (1 + std::ssize(one.destinations));
  }
  return e.space.size() == 1 && run_bytes <= most_run_bytes;
}

// How many blocks are worth bins of their own; 0 where they do not fit.
Operand Gpu::blocks_with_bins(const ir::SegmentedHistogram& e) {
  Operand bytes = i64(0);
  Operand bins = i64(1);
  for (const ir::HistogramOperator& one : e.operators) {
    const Operand count = product(one.shape);
    bins = add(bins, count);
    bytes = add(bytes, add(low_.size_mul(count, i64(value_bytes(one))),
                           i64(16 * std::ssize(one.destinations))));
  }
  const Operand resident = divide(low_.resident_threads(), i64(kernel_threads));
  const Operand useful = divide(e.space.back().extent, mul(bins, i64(elements_per_bin)));
  const NameId blocks = mutable_variable("blocks", ScalarType::i64, minimum(resident, useful));
  branch(less(i64(most_bin_bytes), bytes), [&] { move(blocks, i64(0)); });
  return blocks;
}

// Places in shared memory for `count` values of each type, from `offset` on, which moves.
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

// False, having emitted nothing, where threads need memory of their own.
bool Gpu::histogram_in_blocks(const ir::SegmentedHistogram& e,
                              const std::vector<std::vector<Place>>& places,
                              const Operand& blocks, bool atomically) {
  return attempt([&] {
    Operand shared_bytes = i64(0);
    std::vector<BlockBins> all;
    for (std::size_t k = 0; k < e.operators.size(); ++k) {
      const ir::HistogramOperator& one = e.operators[k];
      BlockBins bins{one, places[k], product(one.shape), {}, {}, {}, {}};
      bins.shared = shared_values(shared_bytes, one.op.result_types, bins.count);
      if (!atomically) {
        bins.run = shared_values(shared_bytes, one.op.result_types, i64(kernel_threads));
        const std::vector<ir::Type> index = {ir::scalar_of(ScalarType::i64)};
        bins.run_bins = shared_values(shared_bytes, index, i64(kernel_threads))[0];
        for (const ir::Type& type : one.op.result_types) {
          bins.partial.push_back(
              low_.new_array(ir::array_of(type.element, {blocks, bins.count}), "bins"));
        }
      }
      all.push_back(std::move(bins));
    }
    const Operand width = e.space.back().extent;
    const Operand runs = divide_up(width, mul(blocks, i64(kernel_threads)));
    Code code = low_.kernel_body([&] {
      declare_shared();
      const Operand thread = low_.read_special(Special::thread_index);
      const Operand block = low_.read_special(Special::block_index);
      set_bins(all, thread);
      emit(Barrier{});
      if (atomically) {
        fill_atomically(e, all, add(mul(block, i64(kernel_threads)), thread),
                        mul(blocks, i64(kernel_threads)));
        emit(Barrier{});
      } else {
        loop("run", runs, {}, [&](const Operand& run) {
          const Operand first = mul(add(mul(block, runs), run), i64(kernel_threads));
          stage_run(e, all, thread, add(first, thread));
          emit(Barrier{});
          combine_run(all, thread);
          emit(Barrier{});
        });
      }
      hand_on_bins(all, thread, block, atomically);
    });
    if (low_.has_private_memory()) return false;
    low_.launch("hist", blocks, shared_bytes, std::move(code));
    if (!atomically) {
      for (const BlockBins& bins : all) combine_blocks(bins, blocks);
    }
    return true;
  });
}

// Bins that a thread sets, combines into and hands on are the same ones.
void Gpu::for_own_bins(const BlockBins& bins, const Operand& thread,
                       const std::function<void(Operand)>& body) {
  for_thread_share(thread, i64(kernel_threads), bins.count, true, body);
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
    low_.with_private_scope([&] {
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
    loop("j", i64(kernel_threads), {}, [&](const Operand& j) {
      const Operand bin = low_.load(bins.run_bins, {j}, ScalarType::i64, "bin");
      const Operand owner =
          scalar(ScalarOp::bit_and, ScalarType::i64, {bin, i64(kernel_threads - 1)});
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
  low_.for_each_point({bins.count}, 16, "hist_combine", [&](const std::vector<Operand>& bin) {
    combine_into(bins.destinations, unflatten(bin[0], bins.one.shape), bin[0], i64(0), groups);
  });
}

}  // namespace dagaz::imperative
