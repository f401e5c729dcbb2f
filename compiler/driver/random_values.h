// Inputs for `random input { [100]f32 10i64 }` of test blocks.
#pragma once

#include <optional>
#include <string>

namespace dagaz::driver {

/// For each type in `types` a value in binary form: floats uniform in [0, 1), integers over their
/// whole range; constants stand for themselves.  The same type always gives the same value, in
/// any process.  Nothing, with `error` set, if `types` cannot be read.
std::optional<std::string> random_input(const std::string& types, std::string& error);

}  // namespace dagaz::driver
