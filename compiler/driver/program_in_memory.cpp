#include "driver/program_in_memory.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "codegen/load.h"
#include "driver/compile_in_memory.h"
#include "driver/interpret.h"
#include "driver/line_counts.h"
#include "driver/pipeline.h"
#include "driver/tuning.h"

namespace dagaz::driver {

namespace {

// A file that has no name and lives in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {}) : file_(memfd_create("dagaz", 0)) {
    while (!content.empty()) {
      const ssize_t count = write(file_, content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      content.remove_prefix(static_cast<std::size_t>(count));
    }
    is_good_ = file_ >= 0 && content.empty() && lseek(file_, 0, SEEK_SET) == 0;
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool is_good() const { return is_good_; }
  int number() const { return file_; }
  std::string content() const {
    const off_t size = lseek(file_, 0, SEEK_END);
    std::string text(static_cast<std::size_t>(size < 0 ? 0 : size), '\0');
    std::size_t read = 0;
    while (read < text.size()) {
      const ssize_t count =
          pread(file_, &text[read], text.size() - read, static_cast<off_t>(read));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      read += static_cast<std::size_t>(count);
    }
    text.resize(read);
    return text;
  }

 private:
  int file_;
  bool is_good_ = false;
};

using Act = std::function<int(const std::vector<std::string>& arguments)>;

// In the process that ends with the call.
[[noreturn]] void act_and_exit(const Act& act, const std::vector<std::string>& arguments,
                               const MemoryFile& input, const MemoryFile& output,
                               const MemoryFile& errors) {
  std::signal(SIGINT, SIG_DFL);
  dup2(input.number(), STDIN_FILENO);
  dup2(output.number(), STDOUT_FILENO);
  dup2(errors.number(), STDERR_FILENO);
  std::rewind(stdin);
  const int status = act(arguments);
  std::cout.flush();
  std::fflush(nullptr);
  _exit(status);
}

CallResult call_apart(const Act& act, const std::vector<std::string>& arguments,
                      const std::string& input) {
  const MemoryFile in(input);
  const MemoryFile out;
  const MemoryFile errors;
  if (!in.is_good() || !out.is_good() || !errors.is_good()) return {1, "", "out of memory\n"};
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) act_and_exit(act, arguments, in, out, errors);
  if (child < 0) return {1, "", "cannot start a process\n"};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, out.content(), errors.content()};
}

ProgramInMemory callable(ir::Program interface, const std::vector<std::string>& program_arguments,
                         const Act& act) {
  return {std::move(interface), [=](const std::string& entry, const std::string& input) {
            std::vector<std::string> arguments = program_arguments;
            arguments.insert(arguments.end(), {"-e", entry, "-b", "--any-type"});
            return call_apart(act, arguments, input);
          }};
}

ir::Program interface_of(const ir::Program& program) {
  ir::Program interface;
  interface.entries = program.entries;
  interface.external_types = program.external_types;
  return interface;
}

int with_interpreter(Compilation& compilation, ir::ParallelProgram program,
                     const std::vector<std::string>& program_arguments,
                     const std::function<int(const ProgramInMemory&)>& use) {
  const ir::ParallelProgram ready = optimise(std::move(program), pass_context(compilation));
  const TunedParameters tuned =
      tuned_parameters_of(compilation.options, compilation.diagnostics);
  if (report(compilation)) return 1;
  const Act act = [&](const std::vector<std::string>& arguments) {
    return interpret_program(ready.program, compilation.files, tuned, arguments);
  };
  return use(callable(interface_of(ready.program), program_arguments, act));
}

}  // namespace

int with_program(const CompileOptions& options, const std::vector<std::string>& program_arguments,
                 const std::function<int(const ProgramInMemory&)>& use) {
  Compilation compilation(options);
  std::optional<ir::ParallelProgram> program = front_end_for(compilation, program_arguments);
  if (!program) {
    report(compilation);
    return 1;
  }
  if (options.target == Target::interpreter) {
    return with_interpreter(compilation, std::move(*program), program_arguments, use);
  }
  ir::Program interface = interface_of(program->program);
  const std::optional<std::vector<std::string>> objects =
      objects_of(std::move(*program), compilation);
  if (report(compilation) || !objects) return 1;
  const codegen::Library* library = codegen::load(compilation.diagnostics);
  return library->use_in_process(
      *objects, std::string(prefix_in_memory), [&](const codegen::Run& run) {
        const Act act = [&](const std::vector<std::string>& arguments) {
          std::vector<std::string> words{options.file};
          words.insert(words.end(), arguments.begin(), arguments.end());
          std::vector<char*> argv;
          for (std::string& word : words) argv.push_back(word.data());
          argv.push_back(nullptr);
          return run(static_cast<int>(words.size()), argv.data(), nullptr);
        };
        return use(callable(std::move(interface), program_arguments, act));
      });
}

}  // namespace dagaz::driver
