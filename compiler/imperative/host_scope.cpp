// Bodies of host code: the blocks that they own, released when memory/ says that they are dead.
#include "imperative/lowering.h"

#include <algorithm>

namespace dagaz::imperative {

// Memory that serves one statement.
void Lowering::own(NameId block) {
  scopes_.back().owned.push_back({block, scopes_.back().current});
}

// Memory of `array` and of all that lies in it.
void Lowering::own(NameId block, NameId array) {
  scopes_.back().owned.push_back({block, memory_.lives.at(array)});
}

void Lowering::host_branch(const Operand& condition, const std::function<void()>& yes,
                           const std::function<void()>& no) {
  const auto scoped = [this](const std::function<void()>& build) {
    scopes_.push_back({});
    if (build) build();
    leave_host_scope();
  };
  branch(condition, [&] { scoped(yes); }, [&] { scoped(no); });
}

void Lowering::release_dead(std::size_t statement) {
  std::vector<Owned>& owned = scopes_.back().owned;
  std::erase_if(owned, [&](const Owned& one) {
    if (one.last > statement) return false;
    emit(Release{one.block});
    return true;
  });
}

// Releases now what the scope owns of `block`.
void Lowering::release(NameId block) {
  std::erase_if(scopes_.back().owned, [&](const Owned& one) {
    if (one.block != block) return false;
    emit(Release{one.block});
    return true;
  });
}

void Lowering::leave_host_scope() {
  for (const Owned& one : scopes_.back().owned) emit(Release{one.block});
  scopes_.pop_back();
}

}  // namespace dagaz::imperative
