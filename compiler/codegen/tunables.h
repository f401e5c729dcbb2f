// The thresholds of code generation by name (tunables.def).
#pragma once

#include <cstdint>

namespace dagaz::codegen {

struct Tunables {
#define DZ_TUNABLE(name, value, lowest, highest, text) std::int64_t name = value;
#include "codegen/tunables.def"
#undef DZ_TUNABLE
};

}  // namespace dagaz::codegen
