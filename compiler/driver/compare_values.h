// Compares what a program printed with what a test expects.
#pragma once

#include <optional>
#include <string>

namespace dagaz::data {
struct Array;
}

namespace dagaz::driver {

enum class Tolerance {
  peer,    // floats within 0.002 · max(1, largest expected magnitude of the array), as the peer
  strict   // each element within 1e-4 (f16: 5e-3) · max(1, |expected|)
};

/// `printed` is a program's binary output, `expected` text or binary values.  Integers and
/// booleans are compared exactly; NaN equals NaN.  Returns what differs first, for people, or
/// nothing.
std::optional<std::string> difference(const std::string& printed, const std::string& expected,
                                      Tolerance tolerance);

/// The same for one value that knows its type, but for its name: ` [2]: expected 3i32, got 1i32`.
std::optional<std::string> array_difference(const data::Array& got, const data::Array& expected,
                                            Tolerance tolerance);

}  // namespace dagaz::driver
