#include "run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "codegen/load.h"
#include "driver/compile.h"
#include "driver/interpret.h"
#include "driver/pipeline.h"
#include "driver/process.h"
#include "outputs.h"
#include "shared_ranks.h"
#include "support/check.h"

namespace dagaz::fuzz {

namespace {

using driver::Target;

// A file in memory that stands for one of the standard streams of this process.
class Stream {
 public:
  explicit Stream(int descriptor) : file_(memfd_create("stream", 0)) {
    DZ_CHECK(file_ >= 0 && dup2(file_, descriptor) >= 0, "a file in memory");
  }
  void set(const std::string& text) {
    clear();
    DZ_CHECK(pwrite(file_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
             "writing to a file in memory");
  }
  void clear() { DZ_CHECK(ftruncate(file_, 0) == 0 && lseek(file_, 0, SEEK_SET) == 0, "clearing"); }
  std::string text() const {
    std::string result(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    DZ_CHECK(pread(file_, result.data(), result.size(), 0) == static_cast<ssize_t>(result.size()),
             "reading a file in memory");
    return result;
  }

 private:
  int file_;
};

// Of processor time, from the start of the process.
void limit_seconds(rlim_t seconds) {
  const rlimit limit{seconds, RLIM_INFINITY};
  DZ_CHECK(setrlimit(RLIMIT_CPU, &limit) == 0, "a limit");
}
unsigned all_seconds(const Settings& settings) {
  return settings.seconds * static_cast<unsigned>(settings.configurations.size() + 1);
}

// The child: reports to `pipe` where it is, and then what it found.
class Trial {
 public:
  Trial(const std::string& file, const std::vector<Input>& inputs, const Settings& settings,
        int pipe)
      : file_(file), inputs_(inputs), settings_(settings), pipe_(pipe), in_(0), out_(1), err_(2) {}

  void run();

 private:
  void at(const std::string& where) { say("at " + where); }
  void say(const std::string& line) {
    const std::string text = line + "\n";
    DZ_CHECK(write(pipe_, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "pipe");
  }
  [[noreturn]] void finish(const std::string& verdict) {
    say(verdict);
    _exit(0);
  }
  [[noreturn]] void fail(const Configuration& configuration, const std::string& kind,
                         const std::string& detail) {
    finish("fails\n" + configuration.name + "\n" + kind + "\n" + detail);
  }

  /// What passes need, for one configuration.
  struct Passes {
    Passes(driver::CompileOptions chosen, driver::Compilation& compilation)
        : options(std::move(chosen)),
          context{options, compilation.times, compilation.diagnostics, history} {}
    driver::CompileOptions options;
    driver::PassHistory history;
    driver::PassContext context;
  };

  driver::CompileOptions options(const Configuration& configuration) const {
    driver::CompileOptions result;
    result.file = file_;
    result.target = configuration.target;
    result.optimisation = configuration.optimisation;
    result.plan_seed = configuration.plan_seed;
    result.verify = settings_.verify;
    result.ranks = configuration.ranks > 0;
    // Everything is shared that can be.
    if (result.ranks) result.tuned = {"rank_element=0", "rank_message=0"};
    return result;
  }
  Output once(const Input& input, const std::function<int()>& program);
  Output interpret(const ir::Program& program, const Input& input);
  void compare(const Configuration& configuration, std::size_t number, const Output& output);
  void interpreted(const Configuration& configuration);
  void compiled(const Configuration& configuration);
  ir::ParallelProgram optimised(const Configuration& configuration);
  const ir::Program& after_passes(const Configuration& configuration);
  std::string messages();

  const std::string& file_;
  const std::vector<Input>& inputs_;
  const Settings& settings_;
  int pipe_;
  Stream in_;
  Stream out_;
  Stream err_;
  std::unique_ptr<driver::Compilation> compilation_;
  ir::ParallelProgram program_;                      // as the front end gives it
  ir::ParallelProgram reference_;                    // with what is required
  std::vector<Output> expected_;                     // from the reference
  std::map<std::pair<Target, int>, ir::Program> after_passes_;  // by target and optimisation
  double unit_ = 0;
};

Output Trial::once(const Input& input, const std::function<int()>& program) {
  in_.set(text_of(input));
  out_.clear();
  err_.clear();
  std::clearerr(stdin);
  std::rewind(stdin);
  Output output;
  output.status = program();
  std::fflush(stdout);
  std::fflush(stderr);
  std::cerr.flush();
  output.values = out_.text();
  output.errors = err_.text();
  return output;
}

Output Trial::interpret(const ir::Program& program, const Input& input) {
  return once(input,
              [&] { return driver::interpret_program(program, compilation_->files, {}, {"-b"}); });
}

std::string Trial::messages() {
  err_.clear();
  driver::report(*compilation_);
  std::cerr.flush();
  return err_.text();
}

ir::ParallelProgram Trial::optimised(const Configuration& configuration) {
  const Passes passes(options(configuration), *compilation_);
  ir::ParallelProgram program = driver::optimise(program_, passes.context);
  if (compilation_->diagnostics.has_errors()) fail(configuration, "compile", messages());
  return program;
}

// What code is generated from, for one process.
const ir::Program& Trial::after_passes(const Configuration& configuration) {
  const std::pair key(configuration.target, configuration.optimisation);
  const auto found = after_passes_.find(key);
  if (found != after_passes_.end()) return found->second;
  Configuration alone = configuration;
  alone.ranks = 0;
  ir::ParallelProgram program = optimised(alone);
  if (alone.target == Target::interpreter) {
    return after_passes_.emplace(key, std::move(program.program)).first->second;
  }
  const Passes passes(options(alone), *compilation_);
  ir::FlatProgram flat = driver::flatten(std::move(program), passes.context);
  return after_passes_.emplace(key, std::move(flat.program)).first->second;
}

// Runs on perturbed input are made only where something differs.
void Trial::compare(const Configuration& configuration, std::size_t number, const Output& output) {
  const ir::Program* judge = &reference_.program;
  Output expected = expected_[number];
  if (expected.status == 1 && output.status == 0) {
    // Passes may leave out what no result needs, with its errors; what follows them may not.
    judge = &after_passes(configuration);
    expected = interpret(*judge, inputs_[number]);
  }
  Precision precision;
  precision.unit = unit_;
  precision.amount = unit_ > 1e-10 ? 1.0 / (1 << 14) : 1.0 / (1 << 26);
  for (const Argument& one : inputs_[number]) {
    precision.terms = std::max(precision.terms, one.reals.size());
  }
  auto found = difference(output, expected, precision);
  if (!found) return;
  const std::string kind = output.status == expected.status ? "value" : "error";
  at(configuration.name + " reference again");
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Input input = perturbed(inputs_[number], seed, precision.amount, settings_.ties);
    precision.perturbed.push_back(interpret(*judge, input));
  }
  found = difference(output, expected, precision);
  if (found) {
    fail(configuration, kind,
         "input " + std::to_string(number) + ": " + *found + "\n" + output.errors.substr(0, 2000));
  }
}

void Trial::interpreted(const Configuration& configuration) {
  const ir::Program& program = after_passes(configuration);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    at(configuration.name + " run " + std::to_string(i));
    compare(configuration, i, interpret(program, inputs_[i]));
  }
}

void Trial::compiled(const Configuration& configuration) {
  const Passes passes(options(configuration), *compilation_);
  const auto lowered = driver::lower(
      driver::flatten(driver::optimise(program_, passes.context), passes.context), passes.context);
  if (!lowered) fail(configuration, "compile", messages());
  const codegen::Library* library = codegen::load(compilation_->diagnostics);
  DZ_CHECK(library != nullptr, "the code generator");
  codegen::Options code;
  code.prefix = "program";
  code.optimisation = configuration.optimisation;
  code.threads = 1;
  code.executable = true;
  const codegen::Artifacts made =
      library->generate(*lowered, compilation_->files, code, codegen::want_object);
  library->use_in_process(made.objects, code.prefix, [&](const codegen::Run& run) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      at(configuration.name + " run " + std::to_string(i));
      std::vector<std::string> words = {"program", "-b", "--num-threads", std::to_string(1 + i)};
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      compare(configuration, i,
              once(inputs_[i], [&] {
                const auto program = [&](const dz_rank_messages* ranks) {
                  return run(static_cast<int>(words.size()), argv.data(), ranks);
                };
                return configuration.ranks > 0 ? run_as_ranks(configuration.ranks, program)
                                               : program(nullptr);
              }));
    }
    return 0;
  });
}

void Trial::run() {
  const Configuration reference{"reference", Target::interpreter, 0};
  at("reference");
  compilation_ = std::make_unique<driver::Compilation>(options(reference));
  compilation_->options.warnings = false;
  auto program = driver::front_end(*compilation_);
  if (!program) finish("rejected\n" + messages());
  program_ = std::move(*program);
  for (const Input& input : inputs_) {
    for (const Argument& argument : input) {
      if (is_real(argument.type.scalar) && unit_ < 1e-10) {
        unit_ = argument.type.scalar == Scalar::f32 ? 0x1p-23 : 0x1p-52;
      }
    }
  }
  reference_ = optimised(reference);
  for (const Input& input : inputs_) {
    expected_.push_back(interpret(reference_.program, input));
    const Output& output = expected_.back();
    say("expected " + std::to_string(output.values.size()) + " " +
        (output.status == 0 ? "" : error_kind(output.errors)) + "\n" + output.values);
  }
  limit_seconds(all_seconds(settings_));
  for (const Configuration& each : settings_.configurations) {
    at(each.name + " compile");
    if (each.target == Target::interpreter) {
      interpreted(each);
    } else {
      compiled(each);
    }
  }
  finish("agrees");
}

[[noreturn]] void child(const std::string& file, const std::vector<Input>& inputs,
                        const Settings& settings, int pipe) {
  limit_seconds(settings.reference_seconds);
  // What waits for ever takes no time of the processor.
  alarm(20 * all_seconds(settings));
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  Trial(file, inputs, settings, pipe).run();
  _exit(0);
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

// What the child said: lines "at …", "expected BYTES ERROR" and as many bytes, then the verdict.
class Report {
 public:
  explicit Report(const std::string& text) : text_(text) {}

  Outcome outcome(int status) {
    Outcome result;
    while (position_ < text_.size()) {
      const std::string word = line();
      if (word.rfind("at ", 0) == 0) {
        where_ = word.substr(3);
      } else if (word.rfind("expected ", 0) == 0) {
        expected(word);
      } else if (word == "agrees") {
        return result;
      } else if (word == "rejected") {
        result.verdict = Verdict::rejected;
        result.detail = text_.substr(position_);
        return result;
      } else if (word == "fails") {
        result.verdict = Verdict::fails;
        result.configuration = line();
        result.kind = line();
        result.detail = text_.substr(position_);
        if (result.detail.rfind("input ", 0) == 0) {
          result.input = std::stoul(result.detail.substr(6));
        }
        return with_expectation(std::move(result));
      }
    }
    return ended(std::move(result), status);
  }

 private:
  std::string line() {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    const std::string result = text_.substr(position_, end - position_);
    position_ = end + 1;
    return result;
  }
  void expected(const std::string& word) {
    std::istringstream words(word);
    std::string name;
    std::size_t bytes = 0;
    words >> name >> bytes;
    std::string error;
    std::getline(words, error);
    values_.push_back(text_.substr(position_, bytes));
    errors_.push_back(error.empty() ? error : error.substr(1));
    position_ += bytes + 1;
  }
  Outcome with_expectation(Outcome result) const {
    if (result.input < values_.size()) {
      result.expected = values_[result.input];
      result.error = errors_[result.input];
    }
    return result;
  }
  // The child ended without a verdict.
  Outcome ended(Outcome result, int status) const {
    const int ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool slow = ended_by == SIGXCPU || ended_by == SIGKILL || ended_by == SIGALRM;
    const bool in_reference = where_.find("reference") != std::string::npos;
    result.verdict = slow && in_reference ? Verdict::too_slow : Verdict::fails;
    result.configuration = where_.substr(0, where_.find(' '));
    result.kind = slow ? "endless" : "crash";
    result.detail =
        where_ + (WIFSIGNALED(status) ? ": signal " + std::to_string(ended_by)
                                      : ": exit status " + std::to_string(WEXITSTATUS(status)));
    if (const std::size_t run = where_.find(" run "); run != std::string::npos) {
      result.input = std::stoul(where_.substr(run + 5));
    }
    return with_expectation(std::move(result));
  }

  const std::string& text_;
  std::size_t position_ = 0;
  std::string where_;
  std::vector<std::string> values_;
  std::vector<std::string> errors_;
};

}  // namespace

Outcome try_program(const std::string& text, const std::vector<Input>& inputs,
                    const Settings& settings) {
  const driver::TemporaryFolder folder;
  const std::string file = folder.path() + "/program.fut";
  std::FILE* out = std::fopen(file.c_str(), "w");
  DZ_CHECK(out != nullptr && std::fputs(text.c_str(), out) >= 0 && std::fclose(out) == 0,
           "writing the program");
  // Opened here, once for all children.
  Diagnostics diagnostics;
  DZ_CHECK(codegen::load(diagnostics) != nullptr, "the code generator");
  int ends[2];
  DZ_CHECK(pipe2(ends, O_CLOEXEC) == 0, "a pipe");
  std::fflush(stdout);
  const pid_t process = fork();
  DZ_CHECK(process >= 0, "a process");
  if (process == 0) {
    close(ends[0]);
    child(file, inputs, settings, ends[1]);
  }
  close(ends[1]);
  const std::string said = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return Report(said).outcome(status);
}

}  // namespace dagaz::fuzz
