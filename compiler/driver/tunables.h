// All tunables of the compiler by name: those of passes on arrays (passes/tunables.def), of plans
// (plan/tunables.def) and of code generation (codegen/tunables.def).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/tunables.h"
#include "passes/tunables.h"
#include "plan/tunables.h"

namespace dagaz::driver {

struct Tunables {
  passes::Tunables passes;
  plan::Tunables plan;
  codegen::Tunables code;
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
