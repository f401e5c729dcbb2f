#include "driver/test_options.h"

#include <limits>
#include <random>

#include "driver/command_line_parts.h"
#include "driver/option_checks.h"

namespace dagaz::driver {

namespace {

uint64_t random_seed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

void add_property_options(CLI::App& app, PropertyTrials& trials) {
  trials.seed = random_seed();
  app.add_option("-n,--num-tests", trials.count, "Values that each property is tried with")
      ->check(is_between(0, std::numeric_limits<int>::max()))
      ->capture_default_str();
  app.add_option("-m,--max-size", trials.size, "Size of these values, where `size` is not given")
      ->check(is_between(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  app.add_option("--seed", trials.seed, "What makes these values (default: another one each time)")
      ->type_name("N");
  app.add_option("--num-tries", trials.shrinks,
                 "Values of a property's shrinker in a row that do not fail, after which it ends")
      ->check(is_between(0, std::numeric_limits<int>::max()))
      ->capture_default_str();
}

}  // namespace

void add_test(CLI::App& app, TestOptions& options, int& status) {
  CLI::App* command = app.add_subcommand("test", "Run the `-- ==` test blocks of .fut files");
  command->add_option("PATH", options.paths, "Files, or folders to search for .fut files")
      ->required();
  add_compile_options(*command, options.compile);
  add_cache_option(*command, options.compile);
  command
      ->add_option("-j,--jobs,--concurrency", options.jobs, "Programs at a time (default: cores)")
      ->check(is_between(1, 1024));
  command->add_option("--exclude", options.exclude, "Skip programs and cases with this tag");
  CLI::Option* junit =
      command->add_option("--block", options.block, "Only the test block around this line")
      ->type_name("LINE");
  command->add_option("--junit", options.junit, "Also write a JUnit XML report to this file");
  command->add_option("--timeout", options.timeout, "Seconds for one program")
      ->check(is_between(0.001, 1e6))
      ->capture_default_str();
  command->add_flag_callback("--strict", [&options] { options.tolerance = Tolerance::strict; },
                             "Compare each float within 1e-4 (f16: 5e-3) of itself");
  command
      ->add_option_function<std::vector<int>>(
          "--ranks",
          [&options](const std::vector<int>& ranks) {
            options.ranks = ranks;
            options.compile.ranks = true;
          },
          "Build for MPI, and run so many processes of each program together, by $MPIRUN or mpirun")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(is_between(1, 1 << 20))
      ->type_name("N,…");
  add_sim_seed(*command);
  command->add_flag("--bisect", options.bisect,
                    "For each failure, find the first pass after which it fails");
  CLI::Option* update =
      command->add_flag("--update-expected", options.update_expected,
                    "Where other values are expected, write those of the program into its file");
  command->add_option("-e,--entry-point", options.entry, "Only test this entry point")
      ->type_name("NAME");
  command->add_flag_callback("--no-terminal,--notty", [&options] { options.terminal = false; },
                             "Show no progress");
  CLI::Option* coverage = command->add_option(
      "--coverage", options.coverage,
      "Interpret, and write which lines were executed: FOLDER/lcov.info and FOLDER/index.html");
  coverage->type_name("FOLDER");
  command
      ->add_flag("--watch", options.watch, "Then wait for changes of files, and test these again")
      ->excludes(junit, coverage, update);
  add_property_options(*command, options.trials);
  command->callback([&] {
    if (!options.coverage.empty()) options.compile.target = Target::interpreter;
    status = test_command(options);
  });
}

}  // namespace dagaz::driver
