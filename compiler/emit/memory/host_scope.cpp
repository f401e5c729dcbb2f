#include "emit/memory/host_scope.h"

namespace dagaz::emit {

void own(Context& c, NameId block, NameId array) { c.scopes.own(block, c.memory.lives.at(array)); }

void in_host_scope(Context& c, const std::function<void()>& build) {
  c.scopes.enter();
  if (build) build();
  c.scopes.leave(c);
}

void host_branch(Context& c, const Operand& condition, const std::function<void()>& yes,
                 const std::function<void()>& no) {
  c.branch(
      condition, [&] { in_host_scope(c, yes); }, [&] { in_host_scope(c, no); });
}

}  // namespace dagaz::emit
