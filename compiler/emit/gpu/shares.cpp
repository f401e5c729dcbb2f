#include "emit/gpu/shares.h"

#include <utility>

#include "emit/gpu/kernels.h"
#include "emit/points.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"

namespace dagaz::emit {

Pieces blocks_of_segments(Context& c, std::vector<Operand> outer, const Operand& width,
                          const SharedSegments& plan) {
  Pieces pieces;
  pieces.outer = std::move(outer);
  pieces.width = width;
  const Operand one = ir::i64_operand(1);
  const Operand groups = c.divide_up(c.product(pieces.outer), ir::i64_operand(plan.together));
  const Operand fill = c.divide_up(c.divide(resident_threads(c), ir::i64_operand(block_threads)),
                                   c.maximum(groups, one));
  const std::int64_t threads = block_threads / plan.together;  // of a segment
  const Operand useful = c.divide_up(pieces.width, ir::i64_operand(threads * plan.elements));
  const Operand most = ir::i64_operand(plan.blocks);
  pieces.count = c.maximum(one, c.minimum(most, c.minimum(fill, useful)));
  // Whole rounds of a block's threads, so that all parts begin where sectors of memory do.
  const Operand rounds = c.mul(pieces.count, ir::i64_operand(threads));
  pieces.chunk = c.mul(c.divide_up(pieces.width, rounds), ir::i64_operand(threads));
  return pieces;
}

Pieces blocks_of_segments(Context& c, const std::vector<ir::SpaceDimension>& space,
                          const SharedSegments& plan) {
  std::vector<Operand> outer = extents_of(space);
  const Operand width = outer.back();
  outer.pop_back();
  return blocks_of_segments(c, std::move(outer), width, plan);
}

BlockPart block_part(Context& c, const Pieces& pieces, const Operand& block) {
  BlockPart part;
  part.piece = c.remainder(block, pieces.count);
  part.outer = c.unflatten(c.divide(block, pieces.count), pieces.outer);
  part.start = c.mul(part.piece, pieces.chunk);
  const Operand left = c.maximum(c.sub(pieces.width, part.start), ir::i64_operand(0));
  part.length = c.minimum(left, pieces.chunk);
  return part;
}

void for_thread_strides(Context& c, const Operand& rank, const Operand& shift, const Operand& count,
                        const std::function<void(Operand)>& body) {
  const auto shifted = [&](ScalarOp op, const Operand& value) {
    return c.scalar(op, ScalarType::i64, {value, shift});
  };
  const Operand one = ir::i64_operand(1);
  const Operand left = c.maximum(c.sub(count, rank), ir::i64_operand(0));
  const Operand threads = shifted(ScalarOp::shl, one);
  const Operand steps = shifted(ScalarOp::lshr, c.add(left, c.sub(threads, one)));
  thread_loop(c, steps, true, [&](const Operand& step) {
    element_scope(c, [&] { body(c.add(rank, shifted(ScalarOp::shl, step))); });
  });
}

Operand blocks_with_bins(Context& c, const std::vector<Operand>& counts, const Operand& points,
                         std::int64_t each) {
  Operand bins = ir::i64_operand(1);
  for (const Operand& count : counts) bins = c.add(bins, count);
  const Operand resident = c.divide(resident_threads(c), ir::i64_operand(block_threads));
  const Operand useful = c.divide(points, c.mul(bins, ir::i64_operand(each)));
  return c.maximum(c.minimum(resident, useful), ir::i64_operand(1));
}

void for_thread_share(Context& c, const Operand& rank, const Operand& threads, const Operand& count,
                      bool strides, const std::function<void(Operand)>& body) {
  const Operand zero = ir::i64_operand(0);
  if (strides) {
    const NameId i = c.mutable_variable("i", ScalarType::i64, rank);
    const NameId more = c.variable("more", ScalarType::boolean);
    Code test = c.collect([&] {
      c.emit(Assign{more, ScalarOp::slt, ScalarType::i64, ScalarType::boolean, {i, count}});
    });
    Code step = c.collect([&] {
      element_scope(c, [&] { body(i); });
      c.move(i, c.add(i, threads));
    });
    c.emit(While{std::move(test), more, std::move(step)});
    return;
  }
  const Operand share = c.divide_up(count, threads);
  const Operand start = c.mul(rank, share);
  const Operand left = c.maximum(c.sub(count, start), zero);
  thread_loop(c, c.minimum(share, left), true,
              [&](const Operand& i) { element_scope(c, [&] { body(c.add(start, i)); }); });
}

}  // namespace dagaz::emit
