#include "emit/thread/loops.h"

#include "emit/memory/allocation.h"
#include "emit/points.h"

namespace dagaz::emit {

void thread_loop(Context& c, const Operand& width, LoopHints hints,
                 const std::function<void(Operand)>& body) {
  const NameId index = c.variable("i", ScalarType::i64);
  bool uses_memory = false;
  Code code = c.collect([&] { uses_memory = with_private_scope(c, [&] { body(index); }); });
  hints.independent = hints.independent && !uses_memory;
  c.emit(For{index, width, std::move(code), hints});
}

void thread_loop(Context& c, const Operand& width, bool independent,
                 const std::function<void(Operand)>& body) {
  thread_loop(c, width, LoopHints{.independent = independent}, body);
}

void thread_loop(Context& c, const Operand& width, const ir::Iterations& way,
                 const std::function<void(Operand)>& body) {
  if (way.whole_vectors == 0) {
    thread_loop(c, width, LoopHints{.independent = true, .rolled = way.rolled}, body);
    return;
  }
  c.branch(c.less(ir::i64_operand(0), width), [&] {
    const Operand rest = c.remainder(width, ir::i64_operand(way.whole_vectors));
    const Operand whole = c.sub(width, rest);
    thread_loop(c, whole, LoopHints{.independent = true, .whole = true}, body);
    thread_loop(c, rest, LoopHints{.independent = true, .masked = true},
                [&](const Operand& i) { body(c.add(whole, i)); });
  });
}

void nested_loops(Context& c, const std::vector<Operand>& extents, const PointFunction& body) {
  std::vector<Operand> point;
  const std::function<void()> next = [&] {
    if (point.size() == extents.size()) {
      body(point);
      return;
    }
    thread_loop(c, extents[point.size()], true, [&](const Operand& index) {
      point.push_back(index);
      next();
      point.pop_back();
    });
  };
  next();
}

}  // namespace dagaz::emit
