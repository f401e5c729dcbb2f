// Rows of a block that a point's body has inside itself: a map whose elements are sums, or a
// reduction of them.
//
// A point that multiplies a matrix by a vector of its own, yᵢ = Σₖ aᵢₖ·xₖ, has a map over i of
// sums over k; one that looks for the nearest of several others, minᵢ Σₖ (aᵢₖ - xₖ)², reduces
// these sums.  Several i at once share what they read of x, and what they read of a serves all
// points of the block: as if the block had these rows from the start, with as many sums in
// registers.
#include "emit/lanes/rows.h"

#include "emit/lanes/arrays.h"
#include "emit/lanes/values.h"

namespace dagaz::emit {

std::int64_t rows_inside(const Lanes& l, const ir::Statement& s) {
  if (l.block.rows > 1) return 1;  // a block has rows in one dimension
  for (const ir::InnerRows& one : l.plan.inner_rows) {
    if (one.statement == s.results[0].name) return one.rows;
  }
  return 1;
}

/// Iterations for the block of rows that starts at `first`.
static void in_block_of_rows(Lanes& l, const Operand& first, std::int64_t rows,
                             const RowFunction& iteration) {
  LaneScalar index;
  index.by_row = true;
  index.affine = Affine{first, ir::i64_operand(1), ir::i64_operand(0)};
  l.block.rows = rows;
  iteration(index);
  l.block.rows = 1;
}

void in_shared_rows(Lanes& l, const Operand& width, std::int64_t rows,
                    const RowFunction& iteration) {
  const Operand count = ir::i64_operand(rows);
  const auto blocks = [&] {
    const Operand last = l.c.sub(width, count);
    uniform_loop(l, l.c.divide_up(width, count), [&](const Operand& b) {
      in_block_of_rows(l, l.c.minimum(l.c.mul(b, count), last), rows, iteration);
    });
  };
  // Where the width is no constant the body is emitted twice, each time from what is known before
  // it.
  const LaneValues before = l.known;
  l.c.branch(l.c.less(ir::i64_operand(rows - 1), uniform_operand(l, width)), blocks, [&] {
    l.known = before;
    uniform_loop(l, width, [&](const Operand& i) { iteration(uniform(l, i)); });
  });
}

void in_disjoint_rows(Lanes& l, const Operand& width, std::int64_t rows,
                      const RowFunction& iteration) {
  const LaneValues before = l.known;
  const Operand count = ir::i64_operand(rows);
  const Operand blocks = l.c.divide(uniform_operand(l, width), count);
  uniform_loop(l, blocks,
               [&](const Operand& b) { in_block_of_rows(l, l.c.mul(b, count), rows, iteration); });
  l.known = before;
  const Operand done = l.c.mul(blocks, count);
  const Operand left = l.c.sub(width, done);
  if (is_constant(left, 0)) return;
  uniform_loop(l, left, [&](const Operand& i) { iteration(uniform(l, l.c.add(done, i))); });
}

}  // namespace dagaz::emit
