// Making schedules.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/schedule.h"

namespace dagaz::plan {

inline ir::Guard at_most(const ir::Operand& size, std::int64_t most) {
  return {{most, {}}, {1, {size}}};
}
/// Whether the sizes that both compare tell that `b` holds wherever `a` does.
bool implies(const ir::Guard& a, const ir::Guard& b);
/// Each added after those before it.
ir::Schedule in_versions(std::vector<ir::Version> versions);
ir::Schedule only(ir::Strategy strategy);
/// Adds a version after the others, with the guards whose truth is not known and that no other of
/// its guards implies; nothing where it could never run.
void add_version(ir::Schedule& schedule, std::vector<ir::Guard> when, ir::Strategy strategy);

}  // namespace dagaz::plan
