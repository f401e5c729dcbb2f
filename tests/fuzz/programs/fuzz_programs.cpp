// Random whole programs, each on several targets against the interpreter without optimisation:
//
//   fuzz_programs --seed=1 --programs=1000 [--targets=interpreter,cpu,sim] [--cpu-O0]
//                 [--schedules=K] [--ranks=N] [--derivatives] [--verify] [--keep DIR] [--print]
//
// The k-th program is made from seed + k alone.  A failing program is reduced and written as a
// test, to DIR or else to the output.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "inputs.h"
#include "program_generator.h"
#include "reduce.h"
#include "run_program.h"
#include "values.h"

namespace dagaz::fuzz {

namespace {

constexpr std::uint64_t inputs_of_a_program = 3;
constexpr double seconds_to_reduce = 120;

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t programs = 100;
  std::string targets = "interpreter,cpu,sim";
  std::uint64_t schedules = 0;  // at random, for each program and target that is compiled
  int ranks = 0;                // that run each program together, as well
  bool cpu_unoptimised = false;
  bool derivatives = false;
  bool verify = false;
  bool print = false;
  std::string keep;
};

// Nothing after a word that is not known.
std::optional<Arguments> parse(int argc, char** argv) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = word.substr(std::min(word.find('='), word.size() - 1) + 1);
    if (word.rfind("--seed=", 0) == 0) {
      result.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (word.rfind("--programs=", 0) == 0) {
      result.programs = std::strtoull(value.c_str(), nullptr, 10);
    } else if (word.rfind("--targets=", 0) == 0) {
      result.targets = value;
    } else if (word.rfind("--schedules=", 0) == 0) {
      result.schedules = std::strtoull(value.c_str(), nullptr, 10);
    } else if (word.rfind("--ranks=", 0) == 0) {
      result.ranks = std::atoi(value.c_str());
    } else if (word == "--cpu-O0") {
      result.cpu_unoptimised = true;
    } else if (word == "--derivatives") {
      result.derivatives = true;
    } else if (word == "--verify") {
      result.verify = true;
    } else if (word == "--print") {
      result.print = true;
    } else if (word == "--keep" && i + 1 < argc) {
      result.keep = argv[++i];
    } else {
      std::fprintf(stderr, "fuzz_programs: what is `%s`?\n", word.c_str());
      return std::nullopt;
    }
  }
  return result;
}

std::optional<Settings> settings_of(const Arguments& arguments) {
  Settings settings;
  settings.verify = arguments.verify;
  settings.ties = arguments.derivatives ? Ties::broken : Ties::kept;
  std::istringstream targets(arguments.targets);
  for (std::string name; std::getline(targets, name, ',');) {
    using driver::Target;
    const std::map<std::string, Target> known = {
        {"interpreter", Target::interpreter}, {"cpu", Target::cpu}, {"sim", Target::sim}};
    const auto found = known.find(name);
    if (found == known.end()) {
      std::fprintf(stderr, "fuzz_programs: there is no target `%s`\n", name.c_str());
      return std::nullopt;
    }
    settings.configurations.push_back({name, found->second});
  }
  if (arguments.ranks > 0) {
    const std::string name = "cpu-ranks=" + std::to_string(arguments.ranks);
    settings.configurations.push_back({name, driver::Target::cpu, 3, {}, arguments.ranks});
  }
  if (arguments.cpu_unoptimised) {
    settings.configurations.push_back({"cpu-O0", driver::Target::cpu, 0});
  }
  return settings;
}

// With schedules at random, other ones for each program.  The name says which: `dagaz test` takes
// the number as --random-plan.
Settings with_schedules(Settings settings, std::uint64_t schedules, std::uint64_t seed) {
  const std::vector<Configuration> plain = settings.configurations;
  for (const Configuration& each : plain) {
    if (each.target == driver::Target::interpreter || each.optimisation == 0) continue;
    for (std::uint64_t k = 0; k < schedules; ++k) {
      Configuration other = each;
      other.plan_seed = seed * 1000 + k;
      other.name += "-random-plan=" + std::to_string(*other.plan_seed);
      settings.configurations.push_back(std::move(other));
    }
  }
  return settings;
}

std::string values_text(const std::string& binary) {
  std::string out;
  runtime::ValueReader reader(binary, "expected values");
  while (!reader.at_end()) {
    std::string name = binary.substr(reader.position() + 3, 4);
    name.erase(0, name.find_first_not_of(' '));
    const auto element = runtime::element_named(name);
    const auto rank = static_cast<unsigned char>(binary[reader.position() + 2]);
    runtime::Value value;
    if (!element || !reader.read(dz_leaf_type{*element, rank}, value)) break;
    if (!out.empty()) out += " ";
    runtime::write_value(out, runtime::ValueFormat::text, value.element, value.shape,
                         value.bytes.data());
  }
  return out;
}

// The program as a file that `dagaz test` runs.
std::string as_test(const std::string& program, const Input& input, const Outcome& outcome) {
  std::string text = "-- On " + outcome.configuration + ", " + outcome.kind + ": " + outcome.detail;
  std::string head;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    head += line.rfind("--", 0) == 0 ? line + "\n" : "-- " + line + "\n";
  }
  head += "-- ==\n-- entry: main\n-- input {\n";
  std::istringstream values(text_of(input));
  for (std::string line; std::getline(values, line);) head += "--   " + line + "\n";
  head += "-- }\n";
  if (outcome.error.empty()) {
    head += "-- output { " + values_text(outcome.expected) + " }\n";
  } else {
    head += "-- error: Error\n";
  }
  return head + program;
}

class Fuzzer {
 public:
  Fuzzer(Arguments arguments, Settings settings)
      : arguments_(std::move(arguments)), settings_(std::move(settings)) {}

  int run() {
    for (std::uint64_t i = 0; i < arguments_.programs; ++i) one(arguments_.seed + i);
    std::printf("%llu programs: %d rejected, %d slow, %d findings\n",
                static_cast<unsigned long long>(arguments_.programs), rejected_, slow_, findings_);
    return findings_ == 0 && rejected_ == 0 ? 0 : 1;
  }

 private:
  void one(std::uint64_t seed) {
    const GeneratorOptions options{arguments_.derivatives};
    const GeneratedProgram program = ProgramGenerator(seed, options).program();
    const std::string text = render(program.source);
    if (arguments_.print) {
      std::printf("-- seed %llu\n%s\n", static_cast<unsigned long long>(seed), text.c_str());
    }
    std::vector<Input> inputs;
    for (std::uint64_t k = 0; k < inputs_of_a_program; ++k) {
      inputs.push_back(make_input(program, seed * inputs_of_a_program + k, settings_.ties));
    }
    const Settings settings = with_schedules(settings_, arguments_.schedules, seed);
    const Outcome outcome = try_program(text, inputs, settings);
    switch (outcome.verdict) {
      case Verdict::agrees: return;
      case Verdict::too_slow: ++slow_; return;
      case Verdict::rejected:
        ++rejected_;
        return write(seed, "rejected", "-- " + first_line(outcome.detail) + "\n" + text);
      case Verdict::fails: ++findings_; return finding(seed, program, inputs, settings, outcome);
    }
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  void finding(std::uint64_t seed, const GeneratedProgram& program,
               const std::vector<Input>& inputs, const Settings& settings, const Outcome& outcome) {
    std::printf("seed %llu fails on %s: %s: %s\n", static_cast<unsigned long long>(seed),
                outcome.configuration.c_str(), outcome.kind.c_str(),
                first_line(outcome.detail).c_str());
    std::fflush(stdout);
    Settings narrow = settings;
    std::erase_if(narrow.configurations,
                  [&](const Configuration& each) { return each.name != outcome.configuration; });
    const std::vector<Input> one_input = {inputs[outcome.input]};
    const Source small = reduced(
        program.source,
        [&](const std::string& text) {
          return try_program(text, one_input, narrow).same_failure(outcome);
        },
        seconds_to_reduce);
    const std::string text = render(small);
    Outcome last = try_program(text, one_input, narrow);
    // What takes all inputs to fail is kept as it was.
    if (!last.same_failure(outcome)) last = outcome;
    write(seed, "fails", as_test(text, one_input[0], last));
  }

  void write(std::uint64_t seed, const std::string& what, const std::string& text) {
    const std::string name = what + "_" + std::to_string(seed) + ".fut";
    if (arguments_.keep.empty()) {
      std::printf("%s:\n%s\n", name.c_str(), text.c_str());
    } else {
      std::filesystem::create_directories(arguments_.keep);
      std::ofstream(std::filesystem::path(arguments_.keep) / name) << text;
    }
    std::fflush(stdout);
  }

  Arguments arguments_;
  Settings settings_;
  int rejected_ = 0;
  int slow_ = 0;
  int findings_ = 0;
};

}  // namespace

}  // namespace dagaz::fuzz

int main(int argc, char** argv) {
  using namespace dagaz::fuzz;
  const auto arguments = parse(argc, argv);
  if (!arguments) return 2;
  auto settings = settings_of(*arguments);
  if (!settings) return 2;
  return Fuzzer(*arguments, std::move(*settings)).run();
}
