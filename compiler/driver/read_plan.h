// A plan from a file: the option `--plan`.
#pragma once

#include <optional>
#include <string>

#include "ir/parse.h"
#include "support/diagnostic.h"

namespace dagaz::driver {

/// What the file asks for, for a program with these names; reports what is wrong with it and gives
/// nothing.
std::optional<ir::PlanText> read_plan(const std::string& path, const ir::Names& names,
                                      Diagnostics& diagnostics);

}  // namespace dagaz::driver
