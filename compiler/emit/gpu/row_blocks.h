// Blocks of points that are chains of rows with products inside, as plan/gpu_row_blocks.h has them.
#pragma once

#include <deque>
#include <vector>

#include "emit/gpu/row_operations.h"
#include "emit/gpu/sum_tile.h"
#include "emit/points.h"
#include "plan/gpu_row_steps.h"

namespace dagaz::emit {

/// Emits one map as its schedule says.
class RowBlocks : public Emitter {
 public:
  RowBlocks(Context& c, const ir::SegmentedMap& e, const ir::RowBlocks& plan,
            const std::vector<Destination>& targets);
  void run();

 private:
  void lay_out();
  void place_kept();
  void emit_block(std::vector<Operand> at);
  std::unordered_map<NameId, Place> wanted_rows(const PointTargets& at) const;
  PointTargets targets_of(const Operand& number);
  void multiply(const plan::RowStep& step, SumTile& tile);
  void put_sums(const plan::RowStep& step, const TilePlace& at, const std::vector<Value>& sums);
  void run_points(const plan::RowStep& step, bool is_last);
  void run_point(const plan::RowStep& step, const Operand& number, bool is_last);
  void keep_scalars(const plan::RowStep& step, const Operand& number);
  void write_scalars(const PointTargets& at);

  Context& c_;
  const ir::RowBlocks& plan_;
  const plan::RowSteps steps_;
  RowTiles no_tiles_;
  RowOperations rows_;
  std::deque<SumTile> tiles_;  // of products, in their order
  const std::vector<Destination>& targets_;
  std::vector<Operand> extents_;
  std::vector<std::int64_t> scalars_;  // where they are in shared memory
  Operand shared_bytes_;

  // The block that is emitted.
  Lane here_;
  std::vector<Operand> outer_;              // of its points, all indices but the innermost
  std::unordered_map<NameId, Place> kept_;  // by the names of what all its points have
};

}  // namespace dagaz::emit
