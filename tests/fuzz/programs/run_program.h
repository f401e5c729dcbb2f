// Compiles a program for several targets in a child process, runs it there on some inputs, and
// compares with the interpreter on the unoptimised program.  What crashes or does not end ends the
// child alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "inputs.h"

namespace dagaz::fuzz {

/// A way to compile and run.
struct Configuration {
  std::string name;
  driver::Target target = driver::Target::cpu;
  int optimisation = 3;
  std::optional<std::uint64_t> plan_seed = {};  // schedules at random
  int ranks = 0;                                // that run it together; 0: it is for one process
};

struct Settings {
  std::vector<Configuration> configurations;
  bool verify = false;          // the IR after every pass
  Ties ties = Ties::kept;       // between reals of the perturbed inputs
  unsigned seconds = 10;        // of processor time, for each configuration
  unsigned reference_seconds = 2;  // of it, for the front end and the interpreter
};

enum class Verdict {
  agrees,
  rejected,   // the checker has complaints
  too_slow,   // the reference did not finish
  fails
};

struct Outcome {
  Verdict verdict = Verdict::agrees;
  std::string configuration;  // where it failed
  std::string kind;           // "value", "error", "compile", "crash"
  std::size_t input = 0;
  std::string detail;
  std::string expected;       // the reference's values, in binary form, or
  std::string error;          // the kind of its error
  bool same_failure(const Outcome& other) const {
    return verdict == other.verdict && configuration == other.configuration && kind == other.kind;
  }
};

Outcome try_program(const std::string& text, const std::vector<Input>& inputs,
                    const Settings& settings);

}  // namespace dagaz::fuzz
