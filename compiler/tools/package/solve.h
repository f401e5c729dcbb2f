// Which versions of which packages a program is built with: minimal version selection.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/package/manifest.h"

namespace dagaz::tools::package {

/// The requirements of a version of a package; nothing, with `problem` set, if it is not to be had
/// or is another than the requirement's hash says.
using Lookup = std::function<std::optional<std::vector<Requirement>>(const Requirement& wanted,
                                                                     std::string& problem)>;

/// For each package that is needed the greatest of the least versions that are asked for; nothing,
/// with `problem` set, if a package or version is missing.
std::optional<std::map<std::string, Version>> solve(const std::vector<Requirement>& wanted,
                                                    const Lookup& lookup, std::string& problem);

}  // namespace dagaz::tools::package
