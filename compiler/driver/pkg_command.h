// dagaz pkg: the packages that a program uses, as Futhark's `futhark pkg`.
#pragma once

#include <string>

namespace dagaz::driver {

enum class PkgAction { init, add, remove, sync, upgrade, versions, check, fmt };

struct PkgOptions {
  PkgAction action = PkgAction::check;
  std::string package;  // of init, add, remove, versions
  std::string version;  // of add; empty: the newest
  bool verbose = false;
};

int pkg_command(const PkgOptions& options);

}  // namespace dagaz::driver
