#include "driver/test_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "driver/compare_values.h"
#include "driver/compile_flags.h"
#include "driver/interpreted_calls.h"
#include "driver/process.h"
#include "driver/property_run.h"
#include "driver/rank_runs.h"
#include "driver/test_input.h"
#include "driver/test_spec.h"
#include "driver/test_update.h"

namespace dagaz::driver {

namespace fs = std::filesystem;

namespace {

// Whether `text` contains a match; line ends count as white space.  A pattern that std::regex
// cannot read must occur literally.
bool matches(const std::string& text, const std::string& pattern) {
  if (pattern.empty()) return true;
  try {
    return std::regex_search(text, std::regex(pattern));
  } catch (const std::regex_error&) {
    return text.find(pattern) != std::string::npos;
  }
}

/// What a case is called, or a number and what is written as its input.
std::string dataset_name(const TestCase& test, std::size_t number) {
  if (!test.name.empty()) return test.name;
  constexpr std::size_t most = 50;  // characters
  std::istringstream words(test.input);
  std::string text;
  for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  if (test.input_kind != InputKind::literal) return text;
  if (text.size() > most) text = text.substr(0, most) + "...";
  return "#" + std::to_string(number) + " (\"" + text + "\")";
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What of the options is the interpreter's, too.
CompileOptions for_interpreter(const CompileOptions& options) {
  CompileOptions result;
  result.target = Target::interpreter;
  if (options.optimisation == 0) result.optimisation = 0;
  result.verify = options.verify;
  result.safe = options.safe;
  return result;
}

class ProgramTest {
 public:
  ProgramTest(const std::string& path, const TestOptions& options)
      : options_(options), target_(name_of(options.compile.target)), result_{path, {}},
        inputs_(path, options.compile, [this](const std::string& entry, const std::string& input) {
          return run_entry(entry, input, options_.compile.target);
        }),
        interpreted_(interpreter_command(for_interpreter(options.compile), path,
                                         interpreter_arguments()),
                     folder_.path() + "/interpreter") {}

  ProgramResult run() {
    const auto start = std::chrono::steady_clock::now();
    const auto text = read_file(result_.path);
    SpecError error{};
    const auto spec = text ? parse_test_spec(*text, error, options_.block) : std::nullopt;
    if (!text) {
      add("read", Outcome::failed, "cannot read the file\n");
    } else if (!spec) {
      add("test block", Outcome::failed,
          "line " + std::to_string(error.line) + ": " + error.message + "\n");
    } else if (spec->any) {
      run_spec(*spec);
    }
    if (!changes_.empty()) update(*text);
    if (!options_.coverage.empty()) add_counts(result_.lines, count_file());
    result_.seconds = seconds_since(start);
    return std::move(result_);
  }

 private:
  bool excluded(const std::vector<std::string>& tags) const {
    return std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) {
      return tag == "notest" || tag == "disable" || tag == "no_" + target_ ||
             (tag == "compiled" && options_.compile.target == Target::interpreter) ||
             std::find(options_.exclude.begin(), options_.exclude.end(), tag) !=
                 options_.exclude.end();
    });
  }

  void run_spec(const TestSpec& spec) {
    if (excluded(spec.tags)) {
      add("program", Outcome::skipped, "excluded by a tag\n");
    } else if (spec.must_be_rejected) {
      check_rejection(spec);
    } else if (build(spec)) {
      if (options_.ranks.empty()) run_cases(spec, 0);
      for (const int ranks : options_.ranks) run_cases(spec, ranks);
      test_properties(spec);
    }
  }

  /// Several ranks make all calls in one start; else there is one input at a time.
  void run_cases(const TestSpec& spec, int ranks) {
    for (const TestBlock& block : spec.blocks) {
      for (const std::string& entry : block.entries) {
        if (!options_.entry.empty() && entry != options_.entry) continue;
        for (std::size_t i = 0; i < block.cases.size(); ++i) {
          prepare(entry, i, block.cases[i], ranks);
          if (ranks == 0) run_prepared();
        }
      }
    }
    if (ranks > 0) run_prepared(ranks);
  }

  void run_prepared() {
    for (const Prepared& one : prepared_) {
      const auto start = std::chrono::steady_clock::now();
      const ProcessResult process = run_entry(one.entry, one.input, options_.compile.target);
      finish(one, process, seconds_since(start));
    }
    prepared_.clear();
  }

  void run_prepared(int ranks) {
    std::vector<RankCall> calls;
    for (const Prepared& one : prepared_) calls.push_back({one.entry, one.input});
    const auto start = std::chrono::steady_clock::now();
    const std::vector<ProcessResult> processes =
        run_on_ranks(folder_.path(), ranks, calls, options_.timeout);
    // The time of each is not known.
    const double seconds =
        seconds_since(start) / static_cast<double>(std::max<std::size_t>(calls.size(), 1));
    for (std::size_t k = 0; k < prepared_.size(); ++k) finish(prepared_[k], processes[k], seconds);
    prepared_.clear();
  }

  void test_properties(const TestSpec& spec) {
    if (spec.properties.empty()) return;
    // They are tried by a server, which is one process.
    TestOptions alone = options_;
    alone.compile.ranks = false;
    for (CaseResult& result :
         run_properties(result_.path, alone, spec.properties, folder_.path(),
                        interpreter_arguments())) {
      result_.cases.push_back(std::move(result));
    }
  }

  void check_rejection(const TestSpec& spec) {
    const ProcessResult process =
        run_process({own_executable(), "check", result_.path}, "", options_.timeout);
    if (process.status == 0) {
      add("rejection", Outcome::failed, "the program was accepted\n");
    } else if (process.status != 1) {
      add("rejection", Outcome::failed, describe(process));
    } else if (!matches(process.errors, spec.rejection)) {
      add("rejection", Outcome::failed, "the messages do not match `" + spec.rejection + "`:\n" +
                                            first_lines(process.errors, 10));
    } else {
      add("rejection", Outcome::passed, "");
    }
  }

  // Builds the executable; without runs, or for the interpreter, only looks for mistakes.
  bool build(const TestSpec& spec) {
    std::vector<std::string> command{own_executable()};
    const bool interpreted = options_.compile.target == Target::interpreter;
    const bool runs = !interpreted && !spec.blocks.empty();
    if (!runs && spec.warnings.empty()) {
      command.insert(command.end(), {"check", result_.path});
    } else if (!runs) {
      // Some warnings are about the optimised program.
      command.insert(command.end(),
                     {"build", result_.path, "--emit=ir", "-o", folder_.path() + "/program"});
    } else {
      command.insert(command.end(), {"build", result_.path, "-o", folder_.path() + "/program"});
      for (std::string& flag : compile_flags(options_.compile)) command.push_back(std::move(flag));
      command.insert(command.end(), {"--cache", options_.compile.cache});
    }
    // Warnings would hide the errors of a program that must compile.
    if (spec.warnings.empty()) command.push_back("-w");
    const ProcessResult process = run_process(command, "", options_.timeout);
    if (process.status != 0) {
      add("compile", Outcome::failed, describe(process));
      return false;
    }
    for (const std::string& warning : spec.warnings) {
      if (!matches(process.errors, warning)) {
        add("warning", Outcome::failed, "no warning matches `" + warning + "`\n");
      }
    }
    if (spec.blocks.empty() && spec.properties.empty()) add("compile", Outcome::passed, "");
    return true;
  }

  std::string count_file() const { return folder_.path() + "/lines"; }
  std::vector<std::string> interpreter_arguments() const {
    if (options_.coverage.empty()) return {};
    return {std::string(count_lines_option), count_file()};
  }

  ProcessResult run_entry(const std::string& entry, const std::string& input, Target target) {
    if (target == Target::interpreter) {
      return interpreted_.call(entry, input, options_.timeout);
    }
    return run_process({folder_.path() + "/program", "-e", entry, "-b"}, input, options_.timeout);
  }

  /// What the interpreter gives; any number of ranks has to give the same.
  const ProcessResult& reference(const std::string& entry, const std::string& input) {
    const auto [found, is_new] = references_.try_emplace({entry, input});
    if (is_new) found->second = run_entry(entry, input, Target::interpreter);
    return found->second;
  }

  /// A case that is to be run.
  struct Prepared {
    std::string name;
    std::string entry;
    std::string input;
    const TestCase* test;
  };

  void prepare(const std::string& entry, std::size_t number, const TestCase& test, int ranks) {
    // As the peer names it.
    std::string name = "Entry point: " + entry + "; dataset: " + dataset_name(test, number);
    if (options_.ranks.size() > 1) name += "; ranks: " + std::to_string(ranks);
    if (excluded(test.tags)) return add(name, Outcome::skipped, "excluded by a tag\n");
    std::string problem;
    auto input = inputs_.of(test, problem);
    if (!input) return add(name, Outcome::failed, "\n" + problem + "\n");
    prepared_.push_back({std::move(name), entry, std::move(*input), &test});
  }

  void finish(const Prepared& one, const ProcessResult& process, double seconds) {
    const TestCase& test = *one.test;
    const auto failure = judge(one.entry, one.input, test, process);
    add(one.name, failure ? Outcome::failed : Outcome::passed,
        failure ? "\n" + *failure + "  try: " + retry_command(one.entry) + "\n" : "");
    result_.cases.back().seconds = seconds;
    const bool can_change = failure && options_.update_expected && process.status == 0 &&
                            test.expectation == Expectation::values;
    if (!can_change) return;
    changes_.push_back({test.expected_begin, test.expected_end,
                        expectation_text(process.output, test.expected)});
    changed_cases_.push_back(result_.cases.size() - 1);
  }

  // Nothing is written where something else fails as well: its results may be wrong.
  void update(const std::string& text) {
    const auto failed = std::count_if(
        result_.cases.begin(), result_.cases.end(),
        [](const CaseResult& each) { return each.outcome == Outcome::failed; });
    const std::string problem =
        static_cast<std::size_t>(failed) > changed_cases_.size()
            ? "something else fails as well"
            : rewrite_file(result_.path, text, changes_);
    for (const std::size_t number : changed_cases_) {
      CaseResult& changed = result_.cases[number];
      if (problem.empty()) {
        changed = {changed.name, Outcome::updated, "", changed.seconds};
      } else {
        changed.detail += "  not updated: " + problem + "\n";
      }
    }
  }

  std::optional<std::string> judge(const std::string& entry, const std::string& input,
                                   const TestCase& test, const ProcessResult& process) {
    if (test.expectation == Expectation::error) {
      if (process.status == 0) return "expected an error at run time, but it finished\n";
      if (process.status != 1 || process.timed_out) return describe(process);
      if (matches(process.errors, test.expected)) return std::nullopt;
      return "the message does not match `" + test.expected + "`:\n" +
             first_lines(process.errors, 5);
    }
    if (process.status != 0 || process.timed_out) return describe(process);
    std::string expected = test.expected;
    if (test.expectation == Expectation::success) return std::nullopt;
    if (test.expectation == Expectation::values_file) {
      const auto text = read_data(inputs_.beside(test.expected));
      if (!text) return "cannot read `" + test.expected + "`\n";
      expected = *text;
    } else if (test.expectation == Expectation::automatic) {
      if (options_.compile.target == Target::interpreter) return std::nullopt;
      const ProcessResult& interpreted = reference(entry, input);
      if (interpreted.status != 0) return "the interpreter failed:\n" + describe(interpreted);
      expected = interpreted.output;
    }
    const auto found = difference(process.output, expected, options_.tolerance);
    return found ? std::optional<std::string>(*found + "\n") : std::nullopt;
  }

  std::string retry_command(const std::string& entry) const {
    return "dagaz run " + result_.path + " --target=" + target_ + " -e " + entry;
  }

  void add(std::string name, Outcome outcome, std::string detail) {
    result_.cases.push_back(CaseResult{std::move(name), outcome, std::move(detail)});
  }

  const TestOptions& options_;
  std::string target_;
  TemporaryFolder folder_;
  ProgramResult result_;
  TestInputs inputs_;
  std::vector<Prepared> prepared_;
  InterpretedCalls interpreted_;
  std::map<std::pair<std::string, std::string>, ProcessResult> references_;  // of entry and input
  std::vector<Rewrite> changes_;            // of expected values
  std::vector<std::size_t> changed_cases_;  // whose
};

}  // namespace

ProgramResult run_program_tests(const std::string& path, const TestOptions& options) {
  return ProgramTest(path, options).run();
}

std::vector<std::string> find_programs(const std::vector<std::string>& paths,
                                       std::vector<std::string>& missing) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
        if (entry.path().extension() == ".fut") out.push_back(entry.path().string());
      }
    } else if (fs::exists(path, error)) {
      out.push_back(path);
    } else {
      missing.push_back(path);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace dagaz::driver
