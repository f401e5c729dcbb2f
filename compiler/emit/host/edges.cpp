#include "emit/host/edges.h"

#include "emit/thread/loops.h"

namespace dagaz::emit {

// One loop for both ends, so that their code is there once.
void row_with_edges(Context& c, const PartOfRow& part, const plan::InnerPoints& points,
                    const ir::Iterations& way, const std::function<void(const Operand&)>& inner,
                    const std::function<void(const Operand&)>& edge) {
  const Operand low = ir::i64_operand(points.low());
  const Operand begin = c.minimum(c.maximum(part.first, low), part.last);
  const Operand high = c.sub(part.extent, ir::i64_operand(points.high()));
  const Operand end = c.maximum(c.minimum(part.last, high), begin);
  const Operand whole = c.sub(end, begin);
  thread_loop(c, c.sub(c.sub(part.last, part.first), whole), false, [&](const Operand& k) {
    const Operand before = c.add(part.first, k);
    const Operand is_before = c.less(before, begin);
    edge(c.scalar(ScalarOp::select, ScalarType::i64, {is_before, before, c.add(before, whole)}));
  });
  thread_loop(c, whole, way, [&](const Operand& i) { inner(c.add(begin, i)); });
}

}  // namespace dagaz::emit
