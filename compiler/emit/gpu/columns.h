// Reductions of segments that lie side by side, by columns of a block's threads.
#pragma once

#include <cstdint>
#include <vector>

#include "emit/context/context.h"
#include "emit/gpu/arrivals.h"
#include "emit/pieces.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

/// Emits a reduction of scalars as its schedule says.
class ColumnReduction : public Emitter {
 public:
  ColumnReduction(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                  const ir::Interchanged& plan, const std::vector<Place>& totals,
                  const std::vector<Destination>& mapped);
  void run();

 private:
  void reduce(const Operand& block);
  void combine_columns(const std::vector<Running>& running);
  void combine_parts(const Operand& group, const Operand& piece,
                     const std::vector<Running>& running);
  void write_totals(const std::vector<Running>& running);

  Context& c_;
  const ir::Statement& s_;
  const ir::SegmentedReduce& e_;
  const ir::Interchanged& plan_;
  const std::vector<Place>& totals_;
  const std::vector<Destination>& mapped_;
  std::vector<ir::Type> types_;   // of the totals of a segment
  std::vector<Operand> neutral_;
  std::int64_t height_;           // threads of a column
  Pieces pieces_;
  std::vector<Place> partial_;    // [piece][segment]
  Arrivals arrivals_;             // at groups of segments

  // In the kernel.
  std::vector<Place> slots_;      // [number in its column][column]
  Operand column_;
  Operand rank_;                  // of the thread in its column
  Operand segment_;
  Operand leads_;                 // whether the thread writes for its column, which has a segment
};

}  // namespace dagaz::emit
