// What no rule covers, found before anything is emitted.
#pragma once

#include <optional>
#include <string>

#include "ir/program.h"

namespace dagaz::emit {

struct Unsupported {
  std::string what;
  ir::LocationId location;
};

/// The first such place of a flat program.
std::optional<Unsupported> find_unsupported(const ir::Program& program);

}  // namespace dagaz::emit
