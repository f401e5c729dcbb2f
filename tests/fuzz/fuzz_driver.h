// What a fuzzer provides, and what it offers the driver to start from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Tries one input; aborts when a property does not hold.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/// Inputs worth changing at random, and pieces worth inserting.
struct FuzzMaterial {
  std::vector<std::string> seeds;
  std::vector<std::string> pieces;
};
FuzzMaterial fuzz_material();
