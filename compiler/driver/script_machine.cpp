#include "driver/script_machine.h"

#include <iostream>

#include "driver/test_input.h"

namespace dagaz::driver {

script::Machine script_machine(const ProgramInMemory& program, std::filesystem::path folder,
                               bool verbose) {
  const auto run = [&program, verbose](const std::string& entry, const std::string& input,
                                       std::string& problem) -> std::optional<std::string> {
    CallResult result = program.call(entry, input);
    if (result.status == 0) {
      if (verbose) std::cerr << result.errors;
      return std::move(result.output);
    }
    problem = std::move(result.errors);
    if (result.status > 128) {
      problem += "ended by signal " + std::to_string(result.status - 128);
    }
    while (problem.ends_with('\n')) problem.pop_back();
    return std::nullopt;
  };
  const auto read = [folder = std::move(folder)](const std::string& name) {
    return read_data(folder / name);
  };
  return {&program.interface, run, read, {}};
}

}  // namespace dagaz::driver
