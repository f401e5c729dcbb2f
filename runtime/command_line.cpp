// Parsing by getopt_long over one table, from which the help text is made as well.
#include "command_line.h"

#include <getopt.h>

#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "context.h"
#include "support/spelling.h"

namespace dagaz::runtime {

namespace {

/// What parsing works on.
struct Parsing {
  const dz_program& program;
  Options& options;
  dz_streams streams;
  /// Set when the program must end now.
  std::optional<int> status;

  dz_config* config() const { return options.config.get(); }
  void stop(const std::string& message, int with = exit_usage) {
    status = complain(options, streams, message, with);
  }
};

struct Flag {
  const char* name;
  char letter;           // 0: only the long form
  const char* argument;  // null: takes none
  bool server;           // makes sense for a server
  const char* help;
  void (*act)(Parsing&, const char* argument);
};

std::optional<int64_t> parse_number(const char* text) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0') {
    return std::nullopt;
  }
  return value;
}

/// A number in [least, INT_MAX]; complains otherwise.
std::optional<int> small_number(Parsing& parsing, const char* flag, const char* text, int least) {
  const std::optional<int64_t> value = parse_number(text);
  if (!value || *value < least || *value > INT_MAX) {
    parsing.stop(std::string(flag) + " needs a number of at least " + std::to_string(least) +
                 ", not `" + text + "`");
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

/// NAME=VALUE; nothing when it is not of that form.
struct Assignment {
  std::string name;
  int64_t value;
};
std::optional<Assignment> parse_assignment(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return std::nullopt;
  }
  const std::optional<int64_t> value = parse_number(text.c_str() + equals + 1);
  if (!value || *value < 0) {
    return std::nullopt;
  }
  return Assignment{text.substr(0, equals), *value};
}

std::string unknown_param(const dz_program& program, const std::string& name) {
  std::vector<std::string> names;
  for (int i = 0; i < dzr_tuning_param_count(&program); ++i) {
    names.emplace_back(dzr_tuning_param_name(&program, i));
  }
  return "this program has no tuning parameter `" + name + "`" +
         (names.empty() ? ", nor any other" : "; --print-params lists them") +
         did_you_mean(name, names);
}

void set_param(Parsing& parsing, const char* argument) {
  const std::optional<Assignment> assignment = parse_assignment(argument);
  if (!assignment) {
    parsing.stop(std::string("--param needs NAME=VALUE, not `") + argument + "`");
  } else if (dzr_config_set_tuning_param(parsing.config(), assignment->name.c_str(),
                                         static_cast<size_t>(assignment->value)) != DZ_OK) {
    parsing.stop(unknown_param(parsing.program, assignment->name));
  }
}

/// Lines NAME=VALUE.  A parameter that this program lacks is reported but does no harm: tuning
/// files made for another compiler name parameters of its own.  Those named plan.NAME were the
/// compiler's, when the program was built.
void load_tuning(Parsing& parsing, const char* file) {
  std::ifstream in(file);
  if (!in) {
    parsing.stop(std::string("cannot read the tuning file ") + file + ": " +
                     std::strerror(errno),
                 exit_failure);
    return;
  }
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with("plan.")) {
      continue;
    }
    const std::string place = std::string(file) + ":" + std::to_string(number) + ": ";
    const std::optional<Assignment> assignment = parse_assignment(line);
    if (!assignment) {
      parsing.stop(place + "expected NAME=VALUE", exit_failure);
      return;
    }
    if (dzr_config_set_tuning_param(parsing.config(), assignment->name.c_str(),
                                    static_cast<size_t>(assignment->value)) != DZ_OK) {
      complain(parsing.options, parsing.streams,
               place + "ignored: " + unknown_param(parsing.program, assignment->name),
               exit_success);
    }
  }
}

void print_params(Parsing& parsing, const char*) {
  for (int i = 0; i < dzr_tuning_param_count(&parsing.program); ++i) {
    std::fprintf(parsing.streams.out, "%s (%s)\n", dzr_tuning_param_name(&parsing.program, i),
                 dzr_tuning_param_class(&parsing.program, i));
  }
  parsing.status = exit_success;
}

void load_ptx(Parsing& parsing, const char* file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    parsing.stop(std::string("cannot read ") + file + ": " + std::strerror(errno), exit_failure);
    return;
  }
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  dzr_config_set_program(parsing.config(), text.c_str());
}

/// A number above 0; complains otherwise.
std::optional<double> positive(Parsing& parsing, const char* flag, const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end != text && *end == '\0' && value > 0 && std::isfinite(value)) {
    return value;
  }
  parsing.stop(std::string(flag) + " needs a number above 0, not `" + text + "`");
  return std::nullopt;
}

void set_precision(Parsing& parsing, const char* argument) {
  if (const auto percent = positive(parsing, "--precision", argument)) {
    parsing.options.precision = *percent / 100;
    parsing.options.warm_up = true;
  }
}

void set_seconds(Parsing& parsing, const char* argument) {
  if (const auto seconds = positive(parsing, "--seconds", argument)) {
    parsing.options.seconds = *seconds;
  }
}

void set_runs(Parsing& parsing, const char* argument) {
  if (const auto runs = small_number(parsing, "--runs", argument, 1)) {
    parsing.options.runs = *runs;
    parsing.options.warm_up = true;
  }
}

void set_check_ranks(Parsing& parsing, const char* argument) {
  if (const auto seconds = small_number(parsing, "--check-ranks", argument, 1)) {
    parsing.options.check_ranks = *seconds;
  }
}

void set_format(Parsing& parsing, const char* argument) {
  if (const auto format = format_named(argument)) {
    parsing.options.format = *format;
  } else {
    parsing.stop(std::string("--output-format needs text, binary, npy or csv, not `") + argument +
                 "`");
  }
}

void set_profile(Parsing& parsing, ReportFormat format) {
  dzr_config_set_profiling(parsing.config(), 1);
  parsing.options.profile = format;
}

void set_profile_format(Parsing& parsing, const char* argument) {
  const std::string format = argument;
  if (format == "table" || format == "json") {
    set_profile(parsing, format == "json" ? ReportFormat::json : ReportFormat::table);
  } else {
    parsing.stop("--profile-format needs table or json, not `" + format + "`");
  }
}

void set_threads(Parsing& parsing, const char* argument) {
  if (const auto threads = small_number(parsing, "--num-threads", argument, 0)) {
    dzr_config_set_num_threads(parsing.config(), *threads);
  }
}

void set_sim_seed(Parsing& parsing, const char* argument) {
  if (const std::optional<int64_t> seed = parse_number(argument); seed && *seed >= 0) {
    parsing.config()->sim_seed = static_cast<uint64_t>(*seed);
  } else {
    parsing.stop(std::string("--sim-seed needs a number of at least 0, not `") + argument + "`");
  }
}

void set_unified(Parsing& parsing, const char* argument) {
  if (const auto flag = small_number(parsing, "--unified-memory", argument, 0)) {
    dzr_config_set_unified_memory(parsing.config(), *flag);
  }
}

void set_memory_cap(Parsing& parsing, const char* argument) {
  const std::optional<int64_t> bytes = parse_number(argument);
  if (!bytes || *bytes < 0) {
    parsing.stop(std::string("--memory-cap needs a number of bytes, not `") + argument + "`");
    return;
  }
  dzr_config_set_memory_cap(parsing.config(), *bytes);
}

void set_default(Parsing& parsing, const char* argument) {
  small_number(parsing, "a default size", argument, 0);
}

void print_help(Parsing& parsing, const char*);

constexpr Flag flags[] = {
    {"help", 'h', nullptr, true, "Print this text.", print_help},
    {"entry-point", 'e', "NAME", false, "Run this entry point instead of main.",
     [](Parsing& p, const char* name) { p.options.entry = name; }},
    {"write-runtime-to", 't', "FILE", false, "Write the microseconds of each run, a line each.",
     [](Parsing& p, const char* file) { p.options.runtime_file = file; }},
    {"runs", 'r', "RUNS", false, "Run that many times, after a run that is not counted.",
     set_runs},
    {"precision", 0, "PERCENT", false,
     "Then go on until the median is known that well, with 95 % confidence.", set_precision},
    {"seconds", 0, "N", false, "Go on for --precision so long at most (default 10).", set_seconds},
    {"input", 0, "FILE", false,
     "Read the arguments there instead; of several processes each reads its own rows.",
     [](Parsing& p, const char* file) { p.options.input = file; }},
    {"output", 0, "FILE", false,
     "Write the results there instead; of several processes each writes its own rows.",
     [](Parsing& p, const char* file) { p.options.output = file; }},
    {"binary-output", 'b', nullptr, false, "Print results in the binary format.",
     [](Parsing& p, const char*) { p.options.format = ValueFormat::binary; }},
    {"output-format", 0, "text|binary|npy|csv", false, "How results are printed.", set_format},
    {"any-type", 0, nullptr, false, "Take values of any type apart: for scripts.",
     [](Parsing& p, const char*) { p.options.any_type = true; }},
    {"no-print-result", 'n', nullptr, false, "Do not print results.",
     [](Parsing& p, const char*) { p.options.print_result = false; }},
    {"debugging", 'D', nullptr, true, "Log, profile and check more.",
     [](Parsing& p, const char*) { dzr_config_set_debugging(p.config(), 1); }},
    {"log", 'L', nullptr, true, "Log what is done on standard error.",
     [](Parsing& p, const char*) { dzr_config_set_logging(p.config(), 1); }},
    {"profile", 'P', nullptr, true,
     "Measure, and print what took how long, by its place, on standard error.",
     [](Parsing& p, const char*) {
       set_profile(p, p.options.profile.value_or(ReportFormat::table));
     }},
    {"profile-format", 0, "table|json", false, "--profile, in this form.", set_profile_format},
    {"calls", 0, "FILE", false,
     "Make many calls: each line has the path of its .in, .out, .err and .status, and options, "
     "after tabs.",
     [](Parsing& p, const char* file) { p.options.calls = file; }},
    {"check-ranks", 0, "SECONDS", false,
     "Let processes compare what each is about to do, and wait for each other so long at most.",
     set_check_ranks},
    {"rank-counts", 0, nullptr, false,
     "Print on standard error what the first rank has handed to others.",
     [](Parsing& p, const char*) { p.options.rank_counts = true; }},
    {"device", 'd', "NAME", true,
     "Use the GPU with this in its name, or the k-th: #k; of a program with several versions, the "
     "one for this target or processor.",
     [](Parsing& p, const char* name) { dzr_config_set_device(p.config(), name); }},
    {"sim-seed", 0, "N", true, "Order in which the threads of sim run (else DZ_SIM_SEED says it).",
     set_sim_seed},
    {"num-threads", 0, "N", true, "Threads of the cpu target; 0 is one per core.", set_threads},
    {"memory-cap", 0, "BYTES", true, "Hold at most that much device memory.", set_memory_cap},
    {"cache-file", 0, "FILE", true, "Keep compiled GPU code there.",
     [](Parsing& p, const char* file) { dzr_config_set_cache_file(p.config(), file); }},
    {"print-params", 0, nullptr, true, "List the tuning parameters.", print_params},
    {"param", 0, "NAME=VALUE", true, "Set a tuning parameter.", set_param},
    {"tuning", 0, "FILE", true, "Set tuning parameters from NAME=VALUE lines.", load_tuning},
    {"unified-memory", 0, "0|1|2", true, "GPU memory that the CPU sees: never, always, auto.",
     set_unified},
    {"dump-ptx", 0, "FILE", true, "Write the GPU program to a file.",
     [](Parsing& p, const char* file) { p.options.dump_ptx = file; }},
    {"load-ptx", 0, "FILE", true, "Use the GPU program in this file.", load_ptx},
    {"default-thread-block-size", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-group-size", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-grid-size", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-num-groups", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-num-thread-blocks", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-tile-size", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-reg-tile-size", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-registers", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-cache", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
    {"default-threshold", 0, "N", true, "Accepted; Dagaz chooses.", set_default},
};

void print_help(Parsing& parsing, const char*) {
  std::string text = "usage: " + parsing.options.program_name +
                     " [OPTION]…\nArguments are read from standard input.\n\n";
  for (const Flag& flag : flags) {
    std::string left = flag.letter != 0 ? std::string("  -") + flag.letter + ", --" : "      --";
    left += flag.name;
    if (flag.argument != nullptr) {
      left += std::string(" ") + flag.argument;
    }
    left.resize(std::max<size_t>(left.size() + 2, 40), ' ');
    text += left + flag.help + "\n";
  }
  text += "\nEntry points:\n";
  for (int i = 0; i < parsing.program.entry_count; ++i) {
    text += std::string("  ") + parsing.program.entries[i].name + "\n";
  }
  std::fputs(text.c_str(), parsing.streams.out);
  parsing.status = exit_success;
}

/// The long option that `spelling`, which may have a value, is near to.
std::string meant_option(const std::string& spelling) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) names.push_back(std::string("--") + flag.name);
  return did_you_mean(spelling.substr(0, spelling.find('=')), names);
}

/// One option that getopt found.
void handle(Parsing& parsing, DriverKind kind, int code, int long_index, char** argv) {
  const Flag* chosen = nullptr;
  for (size_t i = 0; i < std::size(flags); ++i) {
    const bool by_letter = flags[i].letter != 0 && code == flags[i].letter;
    if (by_letter || (code == 0 && long_index == static_cast<int>(i))) {
      chosen = &flags[i];
    }
  }
  // Options without a long form of their own in `argv` are named by their letter.
  const std::string spelling =
      optopt > 0 ? std::string("-") + static_cast<char>(optopt) : argv[optind - 1];
  if (code == ':') {
    parsing.stop("option `" + spelling + "` needs an argument");
  } else if (chosen == nullptr) {
    parsing.stop("unknown option `" + spelling + "`; --help lists the options" +
                 meant_option(spelling));
  } else if (kind == DriverKind::server && !chosen->server) {
    parsing.stop(std::string("--") + chosen->name + " makes no sense for a server");
  } else {
    chosen->act(parsing, optarg);
  }
}

}  // namespace

int complain(const Options& options, dz_streams streams, const std::string& message,
             int status) {
  std::fprintf(streams.error, "%s: %s\n", options.program_name.c_str(), message.c_str());
  return status;
}

std::string take_error(dz_context& context, const char* otherwise) {
  char* text = dzr_context_get_error(&context);
  std::string result = text != nullptr ? text : otherwise;
  std::free(text);
  return result;
}

std::optional<Options> parse_command_line(const dz_program& program, DriverKind kind, int argc,
                                          char** argv, dz_streams streams, int& status) {
  std::string letters = ":";  // a missing argument is reported as ':'
  std::vector<option> long_options;
  for (const Flag& flag : flags) {
    const int has = flag.argument != nullptr ? required_argument : no_argument;
    long_options.push_back({flag.name, has, nullptr, 0});
    if (flag.letter != 0) {
      letters += flag.letter;
      letters += flag.argument != nullptr ? ":" : "";
    }
  }
  long_options.push_back({nullptr, 0, nullptr, 0});

  Options options;
  options.program_name = argc > 0 ? argv[0] : "program";
  options.config.reset(dzr_config_new(&program));
  Parsing parsing{program, options, streams, std::nullopt};
  optind = 0;  // 0 makes getopt start afresh: this may not be the process's first command line
  opterr = 0;
  while (!parsing.status) {
    int long_index = -1;
    optopt = 0;
    const int code = getopt_long(argc, argv, letters.c_str(), long_options.data(), &long_index);
    if (code == -1) {
      break;
    }
    handle(parsing, kind, code, long_index, argv);
  }
  if (!parsing.status && optind < argc) {
    parsing.stop(std::string("unexpected argument `") + argv[optind] +
                 "`: values are read from standard input");
  }
  if (parsing.status) {
    status = *parsing.status;
    return std::nullopt;
  }
  return options;
}

}  // namespace dagaz::runtime
