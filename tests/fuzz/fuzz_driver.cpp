// Runs a fuzzer without libFuzzer: inputs are the fuzzer's seeds, changed at random.  The seed of
// the generator decides everything, so a finding is repeated by its seed and number.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz_driver.h"

namespace {

using Random = std::mt19937_64;

size_t below(Random& random, size_t limit) {
  return limit == 0 ? 0 : static_cast<size_t>(random() % limit);
}

/// One random change.
void change(Random& random, std::string& input, const FuzzMaterial& material) {
  const size_t at = below(random, input.size() + 1);
  switch (below(random, 6)) {
    case 0:
      input.insert(at, 1, static_cast<char>(random()));
      break;
    case 1:
      input.erase(at, 1 + below(random, 8));
      break;
    case 2:
      if (at < input.size()) {
        input[at] = static_cast<char>(input[at] ^ (1 << below(random, 8)));
      }
      break;
    case 3:
      input.insert(at, material.pieces[below(random, material.pieces.size())]);
      break;
    case 4: {
      const std::string part = input.substr(at, 1 + below(random, 16));
      input.insert(below(random, input.size() + 1), part);
      break;
    }
    default:
      input.resize(at);
      break;
  }
}

std::string make_input(Random& random, const FuzzMaterial& material) {
  std::string input = material.seeds[below(random, material.seeds.size())];
  const size_t changes = below(random, 8);
  for (size_t i = 0; i < changes; ++i) {
    change(random, input, material);
  }
  return input;
}

int try_input(const std::string& input) {
  return LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

/// The number after --NAME=, or `otherwise`.
uint64_t option(int argc, char** argv, const char* name, uint64_t otherwise) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], name, std::strlen(name)) == 0) {
      return std::strtoull(argv[i] + std::strlen(name), nullptr, 10);
    }
  }
  return otherwise;
}

/// Tries files named on the command line; true when there were any.
bool try_files(int argc, char** argv) {
  bool any = false;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') {
      std::ifstream in(argv[i], std::ios::binary);
      try_input({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
      any = true;
    }
  }
  return any;
}

}  // namespace

int main(int argc, char** argv) {
  if (try_files(argc, argv)) {
    return 0;
  }
  const uint64_t seed = option(argc, argv, "--seed=", std::random_device{}());
  const auto seconds = static_cast<int64_t>(option(argc, argv, "--seconds=", 10));
  const uint64_t most = option(argc, argv, "--inputs=", UINT64_MAX);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  const FuzzMaterial material = fuzz_material();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  Random random(seed);
  uint64_t count = 0;
  for (; count < most; ++count) {
    if (count % 256 == 0 && std::chrono::steady_clock::now() >= end) {
      break;
    }
    try_input(make_input(random, material));
  }
  std::printf("%llu inputs, no finding\n", static_cast<unsigned long long>(count));
  return 0;
}
