// The limit is asked for where a recursion begins, for each thread has its own, and handed on from
// call to call.
#include "emit/control/recursion.h"

#include "emit/control/failures.h"
#include "ir/recursion.h"

namespace dagaz::emit {

void receive_stack_limit(Context& c, Function& function) {
  c.stack.limit = {};
  if (!c.stack.cycles.contains(c.function)) return;
  c.stack.limit = c.variable("stack_limit", ScalarType::i64);
  c.stack.mode = c.mode;
  function.parameters.push_back(*c.stack.limit);
}

void hand_on_stack_limit(Context& c, emit::Call& call, const std::string& callee,
                         ir::LocationId location) {
  if (!c.stack.cycles.contains(callee)) return;
  if (!c.stack.limit || c.stack.mode != c.mode) {
    const NameId limit = c.variable("stack_limit", ScalarType::i64);
    c.emit(StackLimit{limit});
    call.arguments.push_back(limit);
    return;
  }
  const NameId left = c.variable("stack_left", ScalarType::boolean);
  c.emit(StackLeft{left, *c.stack.limit});
  c.branch(
      left, [] {}, [&] { fail(c, std::string(ir::too_deep_recursion), {}, location); });
  call.arguments.push_back(*c.stack.limit);
}

}  // namespace dagaz::emit
