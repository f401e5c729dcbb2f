#include "driver/compile_flags.h"

namespace dagaz::driver {

std::vector<std::string> compile_flags(const CompileOptions& options) {
  std::vector<std::string> flags{"--target", std::string(name_of(options.target)),
                                 "--cpu",    options.cpu,
                                 "--gpu",    options.gpu,
                                 "-O",       std::to_string(options.optimisation),
                                 "--pass-limit", std::to_string(options.pass_limit)};
  const auto add = [&](const char* name, const std::string& value) {
    flags.insert(flags.end(), {name, value});
  };
  if (options.verify) flags.emplace_back("--verify");
  if (options.ranks) add("--ranks", "mpi");
  if (options.safe) flags.emplace_back("--safe");
  if (options.tf32) flags.emplace_back("--tf32");
  for (const std::string& pass : options.without) add("--without", pass);
  if (!options.plan.empty()) add("--plan", options.plan);
  if (options.plan_seed) add("--random-plan", std::to_string(*options.plan_seed));
  for (const std::string& one : options.tuned) add("--tune", one);
  return flags;
}

}  // namespace dagaz::driver
