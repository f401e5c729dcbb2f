// The command line of executables and servers: the peer's flags, so that one script drives both.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api.h"
#include "profile.h"
#include "program_main.h"
#include "values.h"

namespace dagaz::runtime {

constexpr int exit_success = 0;
constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

enum class DriverKind { executable, server };

struct Options {
  std::string program_name;
  std::string entry = "main";
  std::string runtime_file;  // empty: no times wanted
  int runs = 1;
  double precision = 0;      // of the median of the times, as a fraction; 0: `runs` are enough
  double seconds = 10;       // after which the precision is given up
  bool warm_up = false;
  ValueFormat format = ValueFormat::text;  // of the results
  bool print_result = true;
  bool any_type = false;  // values that have no form are leaves, one behind the other
  std::optional<ReportFormat> profile;  // none: not wanted
  bool rank_counts = false;  // say what this rank has handed over
  int check_ranks = 0;       // seconds that ranks wait for each other; 0: they compare nothing
  std::string dump_ptx;      // empty: not wanted
  std::string input;         // file with the arguments; empty: standard input
  std::string output;        // file for the results; empty: standard output
  std::string calls;         // file with the calls to make; empty: one, as the options say
  std::unique_ptr<dz_config, void (*)(dz_config*)> config{nullptr, dzr_config_free};
};

/// The options, or, after printing help or a complaint, the exit status in `status`.
std::optional<Options> parse_command_line(const dz_program& program, DriverKind kind, int argc,
                                          char** argv, dz_streams streams, int& status);

/// Prints "NAME: MESSAGE" on the error stream; returns `status`.
int complain(const Options& options, dz_streams streams, const std::string& message, int status);

/// The context's error, or `otherwise` when it has none.
std::string take_error(dz_context& context, const char* otherwise);

}  // namespace dagaz::runtime
