// Segmented operations on a GPU where threads work together: in teams and blocks for reductions and
// scans, one after the other for bins under locks.  Kernels whose threads go their own ways are
// gpu_points.cpp's.  Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "imperative/lowering.h"

namespace dagaz::imperative {

inline constexpr std::int64_t warp_slot_bytes = 128;  // 9 values of up to 8 bytes

/// One for each bin that needs combining under a lock.
struct Locks {
  NameId block;   // i32 each
  Operand count;
};

/// Where a thread is in its block.
struct Lane {
  Operand thread;
  Operand lane;
  Operand warp;
};

/// Threads that reduce together: a warp or a block.
struct Team {
  Operand threads;
  Operand shift;  // the logarithm of `threads`
};

/// What a team works on, seen by one of its threads.
struct TeamPart {
  Operand rank;     // of the thread in its team
  Operand segment;
  Operand piece;
  Operand start;
  Operand length;   // 0 where there is nothing to do
  Operand leads;    // whether the thread writes for its team, which has something to do
};

/// The inside of a reduction's kernel.
struct TeamReduction {
  const std::vector<ir::ReduceOperator>& operators;
  const std::vector<ir::Type>& types;
  const Pieces& pieces;
  const Team& team;
  std::vector<Operand> neutral;
  std::vector<Place> partial;  // [segment][piece]
  NameId arrived;              // i32 [segment]: teams that have written their part
  std::vector<Place> totals;
  bool strides;
};

/// The part of a segment that a block works on.
struct BlockPart {
  Operand piece;
  std::vector<Operand> outer;
  Operand start;
  Operand length;
};

/// A scan in one kernel, seen by its host.
struct OnePass {
  const ir::Statement& s;
  const ir::SegmentedScan& e;
  const std::vector<ir::Type>& types;
  std::vector<ir::Type> kept;      // of the body's results that are not scanned
  const std::vector<Destination>& targets;
  std::vector<Operand> outer;
  Operand width;
  std::int64_t stretch;            // elements per thread
  Operand count;                   // tiles of a segment
  Operand tiles;
  std::vector<Place> totals;       // per tile: of it alone
  std::vector<Place> prefixes;     // and up to its end
  NameId states;                   // i32 per tile, and how many tiles have been taken
};

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
using BinFunction = std::function<void(const BlockBins& bins, const Operand& bin,
                                       const std::vector<Value>& given)>;

/// Shared memory handed out so far.
struct SharedLayout {
  std::int64_t bytes = 0;
  Operand take(std::int64_t size);
};

/// Lowers one operation as its schedule says; appends to the code of `low`.
class Gpu : public Emitter {
  friend class RowTeamsLowering;

 public:
  explicit Gpu(Lowering& low) : Emitter(low), low_(low) {}

  void reduce_by_teams(const ir::Statement& s, const ir::SegmentedReduce& e,
                       const ir::Teams& teams, const std::vector<ir::Type>& types,
                       const std::vector<Place>& totals, const std::vector<Destination>& mapped);
  void reduce_by_segments(const ir::Statement& s, const ir::SegmentedReduce& e,
                          const std::vector<Place>& totals, const std::vector<Destination>& mapped);
  void scan_in_one_pass(const ir::Statement& s, const ir::SegmentedScan& e,
                        const ir::LookBack& look_back, const std::vector<ir::Type>& types,
                        const std::vector<Destination>& targets);
  void scan_in_stages(const ir::Statement& s, const ir::SegmentedScan& e,
                      const std::vector<ir::Type>& types, const std::vector<Destination>& targets);
  void scan_by_segments(const ir::Statement& s, const ir::SegmentedScan& e,
                        const std::vector<Destination>& targets);
  /// `places` are the destinations' of each operator.
  void histogram_in_blocks(const ir::SegmentedHistogram& e, const ir::BlockBins& plan,
                           const std::vector<std::vector<Place>>& places);
  void histogram_with_locks(const ir::SegmentedHistogram& e, const ir::LockedBins& bins,
                            const std::vector<std::vector<Place>>& places);

 private:
  // ---- gpu_hist_blocks.cpp
  Operand blocks_with_bins(const ir::SegmentedHistogram& e, const ir::BlockBins& plan);
  std::vector<Place> shared_values(Operand& offset, const std::vector<ir::Type>& types,
                                   const Operand& count);
  void declare_shared();
  void for_own_bins(const BlockBins& bins, const Operand& thread,
                    const std::function<void(Operand)>& body);
  void set_bins(const std::vector<BlockBins>& all, const Operand& thread);
  Operand flat_bin(const BlockBins& bins, const std::vector<Operand>& indices);
  void with_binned(const ir::SegmentedHistogram& e, const std::vector<BlockBins>& all,
                   const Operand& i, const BinFunction& use);
  void fill_atomically(const ir::SegmentedHistogram& e, const std::vector<BlockBins>& all,
                       const Operand& thread, const Operand& threads);
  void fill_in_runs(const ir::SegmentedHistogram& e, const std::vector<BlockBins>& all,
                    const Operand& thread, const Operand& block, const Operand& blocks);
  void stage_run(const ir::SegmentedHistogram& e, const std::vector<BlockBins>& all,
                 const Operand& thread, const Operand& i);
  void combine_run(const std::vector<BlockBins>& all, const Operand& thread);
  void hand_on_bins(const std::vector<BlockBins>& all, const Operand& thread,
                    const Operand& block, bool atomically);
  void combine_blocks(const BlockBins& bins, const Operand& blocks);

  // ---- gpu_hist.cpp
  void combine_locked(const ir::HistogramOperator& one, const std::vector<Place>& places,
                      const std::vector<Operand>& segment, const std::vector<Operand>& outer,
                      const std::vector<Value>& given, const Locks& locks);
  void while_locked(NameId locks, const Operand& lock, Code code);

  // ---- gpu_block.cpp
  Lane lane();
  std::vector<Place> warp_slots(const std::vector<Running>& running);
  static Operand shared_bytes_for(const std::vector<ir::Type>& types);
  std::vector<Value> shuffled(const std::vector<Value>& values, ShuffleMode mode,
                              const Operand& distance);
  /// `body` for distances 1, 2, 4, … below `threads`.
  void for_distances(int threads, const std::function<void(Operand)>& body);
  void scan_warp(const std::vector<Running>& values, const Operand& lane);
  void reduce_warp(const std::vector<Running>& running, int threads);
  void reduce_block(const std::vector<Running>& running, const std::vector<Operand>& neutral);
  void reduce_warps(const std::vector<Running>& running, const std::vector<Operand>& neutral);
  void set_neutral(const std::vector<Running>& running, const std::vector<Operand>& neutral);
  void combine_before(const std::vector<Running>& running, const std::vector<Value>& values);
  void scan_block(const std::vector<Running>& values, const std::vector<Running>& carry);

  // ---- gpu_reduce.cpp
  Pieces blocks_of_segments(const std::vector<ir::SpaceDimension>& space);
  Team team_for(const Pieces& pieces, const ir::Teams& teams);
  TeamPart team_part(const Pieces& pieces, const Team& team, const Operand& block);
  void finish_team(const TeamReduction& reduction, const TeamPart& part,
                   const std::vector<Running>& running);
  void combine_parts(const TeamReduction& reduction, const TeamPart& part,
                     const std::vector<Running>& running);
  void for_thread_share(const Operand& rank, const Operand& threads, const Operand& count,
                        bool strides, const std::function<void(Operand)>& body);

  // ---- gpu_scan.cpp
  BlockPart block_part(const Pieces& pieces, const Operand& block);
  void reduce_parts(const ir::SegmentedScan& e, const Pieces& pieces,
                    const std::vector<Place>& partial, const std::vector<Operand>& neutral,
                    const Operand& blocks, const std::vector<ir::Type>& types);
  void scan_tile(const ir::Statement& s, const ir::SegmentedScan& e, const BlockPart& part,
                 const Operand& i, const std::vector<Running>& carry,
                 const std::vector<Destination>& targets);

  // ---- gpu_look_back.cpp
  std::vector<Place> shared_arrays(SharedLayout& layout, const std::vector<ir::Type>& types,
                                   std::int64_t count);
  void scan_tile_by_tile(const OnePass& scan, const Operand& block, SharedLayout& layout);
  Operand take_tile(const OnePass& scan, const Operand& block, SharedLayout& layout,
                    const Lane& here);
  void compute_tile(const OnePass& scan, const BlockPart& tile, const Lane& here,
                    const std::vector<Place>& values, const std::vector<Place>& kept);
  void finish_tile(const OnePass& scan, const BlockPart& tile, const Lane& here,
                   const std::vector<Place>& values, const std::vector<Place>& kept);
  void scan_threads(const std::vector<Running>& values, const std::vector<Running>& before,
                    const std::vector<Place>& slots);
  void publish(const OnePass& scan, const Operand& number, std::int64_t state,
               const std::vector<Value>& values);
  void add_prefix(const OnePass& scan, const Operand& number, const Operand& piece,
                  const Lane& here, const std::vector<Running>& total,
                  const std::vector<Running>& before, SharedLayout& layout);
  std::vector<Running> look_back(const OnePass& scan, const Operand& number,
                                 const Operand& first, const Lane& here);
  void await_tiles(const OnePass& scan, const Operand& tile, const Operand& exists,
                   const Lane& here, NameId state, NameId nearest);
  /// `op` over the i32 values of a warp's lanes.
  Operand over_warp(const Operand& value, ScalarOp op);
  Operand narrow(const Operand& value);

  Lowering& low_;
  std::vector<std::pair<NameId, Operand>> shared_offsets_;  // to be declared in the kernel
};

}  // namespace dagaz::imperative
