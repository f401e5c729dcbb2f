#include "emit/gpu/handed_sums.h"

#include <algorithm>

#include "emit/gpu/kernels.h"
#include "emit/pieces.h"
#include "support/match.h"

namespace dagaz::emit {

// As many rows of every thread as fit.
std::int64_t HandedSums::lay_out(std::int64_t staged_bytes) {
  const ir::Contraction& plan = sides_.plan();
  // The rows of a warp's matrix begin in different banks.
  const std::int64_t gap = plan.unit != ir::MatrixUnit::none ? 8 : 0;
  pitch_ = sides_.points().width + gap;
  const auto bytes_of = [&](const ir::Type& type, std::int64_t rows) {
    const std::int64_t sums = rows * plan.most_rows * pitch_;
    return (sums * ir::byte_size(type.element) + 15) / 16 * 16;
  };
  std::int64_t row = 0;
  for (const ir::Type& type : types_) row += bytes_of(type, 1);
  rows_ = std::clamp(staged_bytes / row, std::int64_t{1}, sides_.rows().panel);
  std::int64_t bytes = 0;
  for (const ir::Type& type : types_) {
    offsets_.push_back(bytes);
    bytes += bytes_of(type, rows_);
  }
  return std::max(staged_bytes, bytes);
}

void HandedSums::put_all(TileSums& sums, const TilePut& put) {
  handed_.clear();
  const std::int64_t most_rows = sides_.plan().most_rows;
  for (const std::int64_t offset : offsets_) {
    const Operand one = ir::i64_operand(1);
    handed_.push_back({block_variable("handed"),
                       ir::i64_operand(0),
                       {ir::i64_operand(most_rows * pitch_), ir::i64_operand(pitch_), one},
                       one,
                       Space::shared});
    emit(SharedMemory{handed_.back().block, ir::i64_operand(offset)});
  }
  const std::int64_t panel = sides_.rows().panel;
  for (std::int64_t first = 0; first < panel; first += rows_) {
    const std::int64_t rows = std::min(rows_, panel - first);
    for (std::int64_t r = 0; r < rows; ++r) hand_over(sums, r, first + r);
    emit(Barrier{});
    rolled_loop("handed", ir::i64_operand(rows * sides_.points().panel),
                [&](const Operand& number) { put_handed(sums, number, first, put); });
    emit(Barrier{});
  }
}

// Row `own` of every thread, as the `r`-th of those that are handed over together.
void HandedSums::hand_over(TileSums& sums, std::int64_t r, std::int64_t own) {
  match(sums, [&](auto& maker) {
    for (std::int64_t p = 0; p < sides_.points().panel; ++p) {
      write_all(c_, handed_, {ir::i64_operand(r), sides_.rows().thread, maker.place_of_point(p)},
                maker.sums(own, p));
    }
  });
}

// What the thread writes as its `number`-th, of rows that begin with every thread's `first`.
void HandedSums::put_handed(TileSums& sums, const Operand& number, std::int64_t first,
                            const TilePut& put) {
  const TileSide& rows = sides_.rows();
  const TileSide& points = sides_.points();
  const Operand flat =
      add(mul(number, ir::i64_operand(block_threads)), read_special(c_, Special::thread_index));
  const std::vector<Operand> place =
      unflatten(flat, {ir::i64_operand(rows_), ir::i64_operand(sides_.plan().most_rows),
                       ir::i64_operand(points.width)});
  const Operand own = add(place[0], ir::i64_operand(first));
  const Operand in_tile = match(sums, [&](auto& maker) { return maker.row_of(place[1], own); });
  const Operand of_row = add(rows.first, in_tile);
  const Operand of_point = add(points.first, place[2]);
  branch(both(less(of_row, rows.extent), less(of_point, points.extent)),
         [&] { put(of_row, of_point, values_at(c_, handed_, types_, place)); });
}

}  // namespace dagaz::emit
