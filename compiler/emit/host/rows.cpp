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

}  // namespace dagaz::emit
