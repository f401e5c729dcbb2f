#include "driver/property_run.h"

#include <chrono>

#include "driver/compile_flags.h"
#include "driver/entry_calls.h"
#include "driver/process.h"
#include "driver/property_spec.h"
#include "driver/property_test.h"
#include "driver/test_input.h"

namespace dagaz::driver {

namespace {

using Clock = Conversation::Clock;

class PropertyRun {
 public:
  PropertyRun(const std::string& path, const TestOptions& options, const std::string& folder,
              const std::vector<std::string>& interpreter_arguments)
      : path_(path), options_(options), folder_(folder),
        interpreter_arguments_(interpreter_arguments), compilation_(of_file(options, path)) {}

  std::vector<CaseResult> run(const std::vector<std::string>& declared) {
    const std::optional<ir::ParallelProgram> program = front_end(compilation_);
    if (!program) return failed("the program does not compile\n");
    const Properties properties = properties_of(compilation_, program->program, declared);
    if (!properties.problem.empty()) return failed("\n" + properties.problem + "\n");
    const std::unique_ptr<EntryCalls> calls = make_calls(program->program);
    if (calls == nullptr) return std::move(results_);
    for (const Property& property : properties.all) {
      const bool wanted = options_.entry.empty() || options_.entry == property.name;
      if (wanted) test(program->program, *calls, property);
    }
    return std::move(results_);
  }

 private:
  static CompileOptions of_file(const TestOptions& options, const std::string& path) {
    CompileOptions result = options.compile;
    result.file = path;
    return result;
  }

  std::vector<CaseResult> failed(const std::string& detail) {
    results_.push_back({"properties", Outcome::failed, detail});
    return std::move(results_);
  }

  std::unique_ptr<EntryCalls> make_calls(const ir::Program& program) {
    if (options_.compile.target == Target::interpreter) {
      return EntryCalls::of_interpreter(options_.compile, path_, folder_,
                                        interpreter_arguments_);
    }
    const std::string server = folder_ + "/server";
    std::vector<std::string> command{own_executable(), "build", path_, "--emit=server", "-o",
                                     server, "-w", "--cache", options_.compile.cache};
    for (std::string& flag : compile_flags(options_.compile)) command.push_back(std::move(flag));
    const ProcessResult built = run_process(command, "", options_.timeout);
    if (built.status != 0) {
      results_.push_back({"compile", Outcome::failed, describe(built)});
      return nullptr;
    }
    return EntryCalls::of_server(program, {server}, folder_);
  }

  void test(const ir::Program& program, EntryCalls& calls, const Property& property) {
    const auto start = Clock::now();
    calls.set_deadline(start + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(options_.timeout)));
    const auto failure = failure_of_property(program, calls, property, options_.trials);
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    const std::string retry = "  try: dagaz test " + path_ + " --target=" +
                              std::string(name_of(options_.compile.target)) +
                              " --seed=" + std::to_string(options_.trials.seed) + "\n";
    // The message stands on lines of its own, as the peer prints it.
    results_.push_back({"property " + property.name, failure ? Outcome::failed : Outcome::passed,
                        failure ? "\n" + *failure + "\n" + retry : "", elapsed.count()});
  }

  const std::string& path_;
  const TestOptions& options_;
  const std::string& folder_;
  const std::vector<std::string>& interpreter_arguments_;
  Compilation compilation_;
  std::vector<CaseResult> results_;
};

}  // namespace

std::vector<CaseResult> run_properties(const std::string& path, const TestOptions& options,
                                       const std::vector<std::string>& declared,
                                       const std::string& folder,
                                       const std::vector<std::string>& interpreter_arguments) {
  return PropertyRun(path, options, folder, interpreter_arguments).run(declared);
}

}  // namespace dagaz::driver
