// The thresholds of passes on arrays by name (tunables.def).
#pragma once

#include <cstdint>

namespace dagaz::passes {

struct Tunables {
#define DZ_TUNABLE(name, value, lowest, highest, text) std::int64_t name = value;
#include "passes/tunables.def"
#undef DZ_TUNABLE
  bool operator==(const Tunables&) const = default;
};

}  // namespace dagaz::passes
