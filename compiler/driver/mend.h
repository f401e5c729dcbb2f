// The edits that diagnostics suggest, made without asking.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "driver/compile.h"

namespace dagaz::driver {

/// Texts of files, by path.
using Texts = std::map<std::string, std::string>;

/// Checks a program whose files are as in the texts, where these have them, else as on disk.
using Checker = std::function<std::unique_ptr<Compilation>(const Texts&)>;

/// The files that change when all certain edits are made, and those that are suggested then, until
/// there are none.  A text with a syntax error is never among them, nor one of the library.
Texts mended(const Checker& check);

}  // namespace dagaz::driver
