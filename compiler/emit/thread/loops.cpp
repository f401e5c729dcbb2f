#include "emit/thread/loops.h"

#include "emit/memory/allocation.h"
#include "emit/points.h"

namespace dagaz::emit {

void thread_loop(Context& c, const Operand& width, bool independent,
                 const std::function<void(Operand)>& body) {
  const NameId index = c.variable("i", ScalarType::i64);
  bool uses_memory = false;
  Code code = c.collect([&] { uses_memory = with_private_scope(c, [&] { body(index); }); });
  c.emit(For{index, width, std::move(code), LoopHints{independent && !uses_memory, false}});
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
