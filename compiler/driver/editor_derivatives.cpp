// See editor_derivatives.h.  The process writes a line for each note: begin, construct, mode and
// reason with tabs between.
#include "driver/editor_derivatives.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "driver/compile.h"
#include "driver/pipeline.h"
#include "passes/ad/report.h"

namespace dagaz::driver {

using tools::lsp::DerivativeNote;

namespace {

// Of the processor: a tenth of it is enough for a thousand lines.
constexpr rlim_t most_seconds = 1;

std::string report_lines(const std::string& path, const syntax::FileReader& read) {
  CompileOptions options;
  options.file = path;
  options.read = read;
  Compilation compilation(std::move(options));
  std::optional<ir::ParallelProgram> program = front_end(compilation);
  if (!program) return "";
  passes::AdReport report;
  optimise(std::move(*program), pass_context(compilation, &report));
  std::string lines;
  for (const passes::AdReportEntry& entry : report.entries) {
    const Range place = passes::place_of(entry, report, compilation.files);
    if (!place.valid() || place.file != compilation.syntax.files.back().id) continue;
    lines += std::to_string(place.begin) + '\t' + entry.rule + '\t' + entry.mode + '\t' +
             entry.reason + '\n';
  }
  return lines;
}

// The new process: only says what it found, and ends without the destructors of the server.
[[noreturn]] void find_and_write(int output, const std::string& path,
                                 const syntax::FileReader& read) {
  // The server's own channels are for messages of the protocol alone, and bugs are not the
  // editor's.
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int channel : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, channel);
  const rlimit limit{most_seconds, most_seconds};
  setrlimit(RLIMIT_CPU, &limit);
  const std::string lines = report_lines(path, read);
  std::string_view rest = lines;
  while (!rest.empty()) {
    const ssize_t written = write(output, rest.data(), rest.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  _exit(0);
}

std::string read_all(int input) {
  std::string all;
  std::array<char, 4096> block;
  ssize_t count = 0;
  while ((count = ::read(input, block.data(), block.size())) > 0) {
    all.append(block.data(), static_cast<std::size_t>(count));
  }
  return all;
}

std::string_view take(std::string_view& rest, char end) {
  const std::size_t length = std::min(rest.find(end), rest.size());
  const std::string_view taken = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return taken;
}

std::vector<DerivativeNote> notes_of(std::string_view lines) {
  std::vector<DerivativeNote> notes;
  while (!lines.empty()) {
    std::string_view line = take(lines, '\n');
    const std::string_view number = take(line, '\t');
    DerivativeNote note{};
    std::from_chars(number.data(), number.data() + number.size(), note.begin);
    note.construct = take(line, '\t');
    note.mode = take(line, '\t');
    note.reason = line;
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace

std::vector<DerivativeNote> derivatives_for_editor(const std::string& path,
                                                   const syntax::FileReader& read) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) find_and_write(ends[1], path, read);
  close(ends[1]);
  const std::string lines = child < 0 ? "" : read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return {};
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? notes_of(lines)
                                                       : std::vector<DerivativeNote>();
}

}  // namespace dagaz::driver
