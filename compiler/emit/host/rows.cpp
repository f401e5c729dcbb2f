#include "emit/host/rows.h"

#include "emit/host/parallel_for.h"
#include "emit/points.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

void parallel_points(Context& c, const std::vector<Operand>& extents, const PointWork& work,
                     const PointFunction& body) {
  if (extents.empty()) {
    parallel_for(c, ir::i64_operand(1), work.cost,
                 [&](const Operand&, const Operand&) { body({}); });
    return;
  }
  parallel_rows(c, extents, work.cost,
                [&](const std::vector<Operand>& outer, const Operand& low, const Operand& high) {
                  thread_loop(c, c.sub(high, low), work.way,
                              [&](const Operand& i) { body(with(outer, c.add(low, i))); });
                });
}

void parallel_rows(Context& c, const std::vector<Operand>& extents, const Operand& cost,
                   const StretchFunction& body) {
  if (extents.size() == 1) {
    parallel_for(c, extents[0], cost,
                 [&](const Operand& begin, const Operand& end) { body({}, begin, end); });
    return;
  }
  const Operand width = extents.back();
  const std::vector<Operand> outer(extents.begin(), extents.end() - 1);
  parallel_for(c, c.product(extents), cost, [&](const Operand& begin, const Operand& end) {
    const Operand first = c.divide(begin, width);
    const Operand rows = c.sub(c.divide_up(end, width), first);
    thread_loop(c, rows, false, [&](const Operand& r) {
      const Operand row = c.add(first, r);
      const Operand start = c.mul(row, width);
      const Operand low = c.maximum(c.sub(begin, start), ir::i64_operand(0));
      const Operand high = c.minimum(c.sub(end, start), width);
      body(c.unflatten(row, outer), low, high);
    });
  });
}

void parallel_few(Context& c, const std::vector<Operand>& extents, const Operand& cost,
                  const PointFunction& body) {
  const Operand width = extents.back();
  const std::vector<Operand> outer(extents.begin(), extents.end() - 1);
  const Operand zero = ir::i64_operand(0);
  const Operand one = ir::i64_operand(1);
  parallel_for(c, c.product(extents), cost, [&](const Operand& begin, const Operand& end) {
    const NameId row = c.mutable_variable("row", ScalarType::i64, c.divide(begin, width));
    const NameId column = c.mutable_variable("column", ScalarType::i64, c.remainder(begin, width));
    thread_loop(c, c.sub(end, begin), false, [&](const Operand&) {
      body(with(c.unflatten(row, outer), column));
      const Operand next = c.add(column, one);
      const Operand is_last = c.equal(next, width);
      c.move(column, c.scalar(ScalarOp::select, ScalarType::i64, {is_last, zero, next}));
      c.move(row, c.add(row, c.scalar(ScalarOp::select, ScalarType::i64, {is_last, one, zero})));
    });
  });
}

}  // namespace dagaz::emit
