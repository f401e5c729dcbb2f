// A vector holds all the neighbours of what is read, and some of what lies behind them, which cross
// over too and are not written.  The last elements, where that would be beyond what is read, are
// copied one by one, and so is what is read backwards or more than once.  The stretch after the one
// that is copied is fetched: vectors that begin anywhere in lines hide from the processor that
// these are read in order.
#include "emit/host/narrow_squares.h"

#include "emit/host/parallel_for.h"
#include "emit/memory/elements.h"
#include "emit/points.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

// How many elements along what is written are followed by as many others as fill a vector; none
// where neighbours of two overlap.
static Operand readable(Context& c, const Crossing& crossing) {
  const Operand few = crossing.type.shape[crossing.squares.read];
  const Operand stride = crossing.source.strides[crossing.squares.written];
  const Operand one = ir::i64_operand(1);
  const Operand behind = c.divide_up(c.sub(crossing.lanes, few), c.maximum(stride, one));
  const Operand count = c.sub(crossing.type.shape[crossing.squares.written], behind);
  const Operand overlap = c.less(stride, c.maximum(few, one));
  const Operand zero = ir::i64_operand(0);
  return c.scalar(ScalarOp::select, ScalarType::i64, {overlap, zero, c.maximum(count, zero)});
}

static void fetch_stretch(Context& c, const Crossing& crossing, const std::vector<Operand>& point) {
  const Operand from = element_at(c, crossing.source, point);
  const Operand stride = crossing.source.strides[crossing.squares.written];
  for (std::int64_t k = 0; k < crossing.squares.lanes; ++k) {
    const Operand row = ir::i64_operand(crossing.squares.stretch + k);
    c.emit(Fetch{crossing.source.block, c.add(from, c.mul(row, stride)), crossing.type.element});
  }
}

void copy_narrow(Context& c, const Crossing& crossing, const Operand& large) {
  const Operand few = crossing.type.shape[crossing.squares.read];
  const Operand length = crossing.type.shape[crossing.squares.written];
  const Operand most = ir::i64_operand(crossing.squares.stretch);
  const Operand zero = ir::i64_operand(0);
  std::vector<Operand> extents = outer_extents(crossing);
  extents.push_back(c.divide_up(length, most));
  const Operand whole = readable(c, crossing);
  const Operand cost = c.mul(c.mul(little_work(c, extents.size()).cost, few), most);
  parallel_for(c, c.product(extents), cost, [&](const Operand& begin, const Operand& end) {
    thread_loop(c, c.sub(end, begin), false, [&](const Operand& number) {
      std::vector<Operand> outer = c.unflatten(c.add(begin, number), extents);
      const Operand first = c.mul(outer.back(), most);
      outer.pop_back();
      const Operand count = c.minimum(most, c.sub(length, first));
      const Operand left = c.maximum(c.sub(whole, first), zero);
      const Operand squares = c.divide(c.minimum(count, left), crossing.lanes);
      thread_loop(c, squares, false, [&](const Operand& square) {
        const Operand at = c.add(first, c.mul(square, crossing.lanes));
        const std::vector<Operand> point = point_at(crossing, outer, at, zero);
        c.branch(large, [&] { fetch_stretch(c, crossing, point); });
        cross_over(c, crossing, point, few);
      });
      const Operand done = c.mul(squares, crossing.lanes);
      thread_loop(c, few, false, [&](const Operand& neighbour) {
        thread_loop(c, c.sub(count, done), true, [&](const Operand& i) {
          const auto point = point_at(crossing, outer, c.add(c.add(first, done), i), neighbour);
          const ScalarType type = crossing.type.element;
          store(c, crossing.target, point, load(c, crossing.source, point, type, "x"), type);
        });
      });
    });
  });
}

}  // namespace dagaz::emit
