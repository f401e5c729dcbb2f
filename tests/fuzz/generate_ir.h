// Random well-typed programs of the array IR, stage parallel, without derivatives.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ir/interpret.h"
#include "ir/program.h"

namespace dagaz::fuzz {

/// A program with one function `main` and arguments for it; the same seed gives the same.
struct GeneratedProgram {
  ir::Program program;
  std::vector<ir::Value> arguments;
};
GeneratedProgram generate_program(std::uint64_t seed);

/// Values for the parameters of a generated program.
std::vector<ir::Value> generate_arguments(std::mt19937_64& random);

}  // namespace dagaz::fuzz
