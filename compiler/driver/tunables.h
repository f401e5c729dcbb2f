// All tunables of the compiler, those of passes on arrays (passes/tunables.def) and those of plans
// (plan/tunables.def), by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "passes/tunables.h"
#include "plan/tunables.h"

namespace dagaz::driver {

struct Tunables {
  passes::Tunables passes;
  plan::Tunables plan;
};

struct TunableRow {
  std::string_view name;
  std::int64_t& (*in)(Tunables&);
  std::int64_t value;  // the default
  std::int64_t lowest;
  std::int64_t highest;
  std::string_view text;
};
std::span<const TunableRow> tunable_rows();

/// Sets the tunable `name`.  What is wrong with that, or an empty text.
std::string set_tunable(Tunables& tunables, std::string_view name, std::int64_t value);

}  // namespace dagaz::driver
