// Calls.
#include "emit/context/context.h"
#include "emit/control/recursion.h"
#include "emit/gpu/arena.h"
#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/memory/joins.h"
#include "emit/statements.h"
#include "emit/versions.h"
#include "ir/device_threads.h"
#include "ir/ranks.h"

namespace dagaz::emit {

void emit_operation(Context& c, const ir::Statement& s, const ir::Call& e) {
  if (e.function == ir::device_threads_function) {
    c.move(s.results[0].name, resident_threads(c));
    return;
  }
  if (e.function == ir::block_bytes_function) {
    c.move(s.results[0].name, block_bytes(c));
    return;
  }
  if (e.function == ir::threads_meet_function) {
    c.emit(ThreadsMeet{s.results[0].name, value_of(c, e.arguments[0]).operand});
    return;
  }
  emit::Call code{c.functions.call(e.function, c.mode), {}, {}, {}};
  if (ir::is_rank_call(e.function)) code.location = s.location;
  if (c.mode == Mode::kernel && c.thread.functions.contains(e.function)) hand_on_arena(c, code);
  hand_on_stack_limit(c, code, e.function, s.location);
  for (const Operand& argument : e.arguments) {
    const Value value = value_of(c, argument);
    if (value.place) {
      const Place place = dense(c, *value.place, value.type);
      code.arguments.push_back(place.block);
      code.arguments.push_back(place.offset);
    } else {
      code.arguments.push_back(value.operand);
    }
  }
  std::vector<std::pair<NameId, Join>> arrays;
  for (const ir::Binder& result : s.results) {
    const ir::Type type = c.names().type(result.name);
    if (type.is_array()) {
      DZ_CHECK(c.mode == Mode::host, "a thread calls a function that gives an array");
      const Join join = new_join(c, result.name);
      code.results.push_back(join.block);
      code.results.push_back(join.offset);
      arrays.emplace_back(result.name, join);
    } else {
      code.results.push_back(result.name);
    }
  }
  if (c.mode != Mode::host) c.thread.uses_memory = true;
  c.emit(std::move(code));
  for (const auto& [name, join] : arrays) {
    own(c, join.block, name);
    c.arrays.bind(name, row_major(c, join.block, join.offset, c.shape_of(name)));
  }
}

}  // namespace dagaz::emit
