// The thresholds and sizes of plans by name (tunables.def).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dagaz::plan {

struct Tunables {
#define DZ_TUNABLE(name, value, lowest, highest, text) std::int64_t name = value;
#include "plan/tunables.def"
#undef DZ_TUNABLE
};

struct TunableRow {
  std::string_view name;
  std::int64_t Tunables::*member;
  std::int64_t value;  // the default
  std::int64_t lowest;
  std::int64_t highest;
  std::string_view text;
};
std::span<const TunableRow> tunable_rows();

/// Sets the tunable `name`.  What is wrong with that, or an empty text.
std::string set_tunable(Tunables& tunables, std::string_view name, std::int64_t value);

}  // namespace dagaz::plan
