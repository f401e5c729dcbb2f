// Schedules from a file: the option `--plan`.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "ir/program.h"
#include "support/diagnostic.h"

namespace dagaz::driver {

using Schedules = std::unordered_map<ir::NameId, ir::Schedule>;

/// What the file asks for, for a program with these names; reports what is wrong with it and gives
/// nothing.
std::optional<Schedules> read_schedules(const std::string& path, const ir::Names& names,
                                        Diagnostics& diagnostics);

}  // namespace dagaz::driver
