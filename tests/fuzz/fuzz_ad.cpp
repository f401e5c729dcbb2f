// Fuzzes differentiation: random nests of maps, reductions, scans, histograms, loops, branches,
// reads, writes and derivatives on small arrays of reals, checked as the unit tests of AD check
// their functions, by differences and by the inner product of the modes.
//
//   fuzz_ad [--seed=N] [--seconds=S] [--programs=N] [--optimise] [--second-order]
//
// A finding is printed with the seed that repeats it.
#include <chrono>
#include <cstring>
#include <iostream>
#include <string>

#include "derivative_check.h"
#include "generate_function.h"
#include "ir/print.h"

namespace {

using namespace dagaz;

/// The number after `--name=`.
bool option(const char* argument, const char* name, std::uint64_t& value) {
  const std::size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0) return false;
  value = std::stoull(argument + length);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  std::uint64_t seconds = 10;
  std::uint64_t programs = ~std::uint64_t{0};
  ad_test::DerivativeOptions options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--optimise") == 0) {
      options.optimise = true;
    } else if (std::strcmp(argv[i], "--second-order") == 0) {
      options.second_order = true;
    } else if (!option(argv[i], "--seed=", seed) && !option(argv[i], "--seconds=", seconds) &&
               !option(argv[i], "--programs=", programs)) {
      std::cerr << "fuzz_ad: unknown option " << argv[i] << '\n';
      return 2;
    }
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::uint64_t tried = 0;
  for (; tried < programs && Clock::now() < end; ++tried) {
    const std::uint64_t number = seed + tried;
    const ir::Program program = fuzz::generate_function(number);
    const std::string fault =
        ad_test::derivative_fault(program, fuzz::generate_points(number), options);
    if (fault.empty()) continue;
    std::cout << ir::print(program) << '\n' << fault << "\nrepeat: fuzz_ad --programs=1 --seed="
              << number << (options.optimise ? " --optimise" : "")
              << (options.second_order ? " --second-order" : "") << '\n';
    return 1;
  }
  std::cout << tried << " programs\n";
  return 0;
}
