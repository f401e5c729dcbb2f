// Arguments of generated programs: sizes around vector widths and blocks, values with ties.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program_generator.h"

namespace dagaz::fuzz {

struct Argument {
  Type type;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> integers;  // or, for reals:
  std::vector<double> reals;
};
using Input = std::vector<Argument>;

/// Whether equal numbers stay equal.
enum class Ties { kept, broken };

Input make_input(const GeneratedProgram& program, std::uint64_t seed, Ties ties);
/// The input with every real changed by about `amount` of itself.
Input perturbed(const Input& input, std::uint64_t seed, double amount, Ties ties);
/// One value a line, as programs read them.
std::string text_of(const Input& input);

}  // namespace dagaz::fuzz
