// Rows of a block that a point's body has inside itself: a map whose elements are sums, or a
// reduction of them.
//
// A point that multiplies a matrix by a vector of its own, yᵢ = Σₖ aᵢₖ·xₖ, has a map over i of
// sums over k; one that looks for the nearest of several others, minᵢ Σₖ (aᵢₖ - xₖ)², reduces
// these sums.  Several i at once share what they read of x, and what they read of a serves all
// points of the block: as if the block had these rows from the start, with as many sums in
// registers.
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

std::int64_t Lanes::rows_inside(const ir::Statement& s) const {
  if (block_.rows > 1) return 1;  // a block has rows in one dimension
  for (const ir::InnerRows& one : plan_.inner_rows) {
    if (one.statement == s.results[0].name) return one.rows;
  }
  return 1;
}

/// Values of one row of a block, in a block without rows.
LaneScalar Lanes::row_of(const LaneScalar& scalar, std::int64_t row) const {
  LaneScalar result = scalar;
  result.by_row = false;
  if (!scalar.by_row) return result;
  if (scalar.affine) {
    result.affine->base =
        low_.add(scalar.affine->base, low_.mul(scalar.affine->row_step, ir::i64_operand(row)));
    return result;
  }
  const auto first = scalar.pieces.begin() + static_cast<std::ptrdiff_t>(row * block_.columns);
  result.pieces.assign(first, first + static_cast<std::ptrdiff_t>(block_.columns));
  return result;
}

/// Iterations for the block of rows that starts at `first`.
void Lanes::in_block_of_rows(const Operand& first, std::int64_t rows,
                             const RowFunction& iteration) {
  LaneScalar index;
  index.by_row = true;
  index.affine = Affine{first, ir::i64_operand(1), zero()};
  block_.rows = rows;
  iteration(index);
  block_.rows = 1;
}

/// A map: the last block is moved back.
void Lanes::in_shared_rows(const Operand& width, std::int64_t rows, const RowFunction& iteration) {
  const Operand count = ir::i64_operand(rows);
  const auto blocks = [&] {
    const Operand last = low_.sub(width, count);
    loop(low_.divide_up(width, count), [&](const Operand& b) {
      in_block_of_rows(low_.minimum(low_.mul(b, count), last), rows, iteration);
    });
  };
  if (width.is_constant()) {
    blocks();
    return;
  }
  // The body is lowered twice, each time from what is known before it.
  const Known before = known_;
  low_.branch(low_.less(ir::i64_operand(rows - 1), uniform_operand(width)), blocks, [&] {
    known_ = before;
    loop(width, [&](const Operand& i) { iteration(uniform(i)); });
  });
}

/// A reduction or additions: what is left over after the last block goes one by one.
void Lanes::in_disjoint_rows(const Operand& width, std::int64_t rows,
                             const RowFunction& iteration) {
  const Known before = known_;
  const Operand count = ir::i64_operand(rows);
  const Operand blocks = low_.divide(uniform_operand(width), count);
  loop(blocks, [&](const Operand& b) { in_block_of_rows(low_.mul(b, count), rows, iteration); });
  known_ = before;
  const Operand done = low_.mul(blocks, count);
  const Operand left = low_.sub(width, done);
  if (is_constant(left, 0)) return;
  loop(left, [&](const Operand& i) { iteration(uniform(low_.add(done, i))); });
}

}  // namespace dagaz::imperative
