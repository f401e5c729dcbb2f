// Random schedules that are legal: whatever they say, results are the same.  For tests.
#pragma once

#include <random>

#include "plan/lane_blocks.h"
#include "plan/lane_scans.h"

namespace dagaz::plan {

class RandomSchedules {
 public:
  explicit RandomSchedules(std::uint64_t seed) : random_(seed) {}

  /// Of a map; `ways` are strategies that the map may follow besides blocks in lanes, and `product`
  /// is a version of it as a contraction.
  ir::Schedule map(const MapAt& at, const std::optional<ir::Version>& product,
                   std::vector<ir::Strategy> ways);
  /// Of a reduction, likewise; `lanes` are those that would be chosen.
  ir::Schedule reduction(std::vector<ir::Version> lanes, std::vector<ir::Strategy> ways);
  /// Of a loop inside a point.
  ir::Pointwise iterations(ir::Pointwise chosen);
  /// Of a GPU: some of the versions that would be chosen, in other sizes.
  ir::Schedule of_gpu(const ir::Schedule& chosen, bool is_map = false);
  /// Other numbers in place of those that would be chosen.
  ir::Settings settings(ir::Settings chosen);
  ir::Interchanged interchanged();
  ir::BySegments by_segments(const ir::BySegments& planned) {
    return {
        {.whole_vectors = one_of({0, 3, 8, 16})}, planned.fetched, one_of({0, 64, planned.ahead})};
  }
  ir::InPieces streams();
  ir::HeldBlocks held_blocks();
  ir::FusedStencil stencil(int maps) { return {maps, flips()}; }
  /// How far ahead of what is appended to lists is fetched.
  int ahead() { return one_of({0, 1, 64, 128, 4096}); }
  int strip() { return one_of({0, 8, 64, 1024}); }
  int link() { return one_of({0, 1, 5, 64, 4096}); }
  /// Sizes of a product, and of blocks of a reduction; the rest is as it was.
  ir::Contraction contraction();
  /// `values`: how many the operators have.
  ir::LaneBlocks blocks_of_reduction(int values);
  ir::LaneBlocks blocks_of_segments();
  ir::LaneBlocks blocks_of_scatter();
  ir::Strategy scan(const ScanAt& at);
  /// Whether to take a choice that may be left.
  bool flips() { return below(2) == 0; }

 private:
  int below(int count) {
    return static_cast<int>(random_() % static_cast<std::uint64_t>(count));
  }
  int one_of(std::initializer_list<int> numbers) {
    return *(numbers.begin() + below(static_cast<int>(numbers.size())));
  }
  ir::LaneBlocks blocks(const MapAt& at);
  ir::Schedule with_last(std::vector<ir::Version> versions, std::vector<ir::Strategy> ways,
                         ir::Strategy simplest);
  ir::InPieces pieces_of_gpu(int most);
  ir::Strategy resized(ir::Strategy strategy, bool is_map);
  void resize(ir::Contraction& tiles);  // of a GPU
  void leave_copies(ir::RowBlocks& blocks);
  void leave_copies(ir::Teams& teams);

  std::mt19937_64 random_;
};

}  // namespace dagaz::plan
