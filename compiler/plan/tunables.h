// The thresholds and sizes of plans by name (tunables.def).
#pragma once

#include <cstdint>

namespace dagaz::plan {

struct Tunables {
#define DZ_TUNABLE(name, value, lowest, highest, text) std::int64_t name = value;
#include "plan/tunables.def"
#undef DZ_TUNABLE
};

}  // namespace dagaz::plan
