// Random values, the same as the peer's `dataset` makes from a seed, so that inputs that are named
// by their types are the same for both.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "data/arrays.h"

namespace dagaz::data {

/// For each element type the least and the largest value.
class Bounds {
 public:
  /// Integers over their whole range, floats from 0 to 1.
  Bounds();
  /// `text` is `MIN:MAX`; false if these are no values of the type.
  bool set(int32_t element, const std::string& text);
  struct Integers {
    int64_t low;  // of the bits of unsigned types
    int64_t high;
  };
  const Integers& integers(int32_t element) const {
    return integers_.at(static_cast<std::size_t>(element));
  }
  std::pair<double, double> floats(int32_t element) const {
    return floats_.at(static_cast<std::size_t>(element));
  }

 private:
  std::array<Integers, 12> integers_;
  std::array<std::pair<double, double>, 12> floats_;
};

/// A value of `type`, which is as in `[100][2]f32`; nothing, with `problem` set, if it is no type
/// or too large a one.
std::optional<Array> random_value(const std::string& type, const Bounds& bounds, uint64_t seed,
                                  std::string& problem);

/// For each type in `types` a value in binary form; what is no type stands for itself.  The same
/// type always gives the same value.  Nothing, with `problem` set, if one is too large.
std::optional<std::string> random_input(const std::string& types, std::string& problem);

}  // namespace dagaz::data
