// See lsp_command.h.
#include "driver/lsp_command.h"

#include <unistd.h>

#include <optional>
#include <stop_token>
#include <string>

#include "driver/editor_derivatives.h"
#include "driver/process.h"
#include "driver/version.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "tools/format/format.h"
#include "tools/lsp/server.h"

namespace dagaz::driver {

static std::optional<std::string> formatted(const std::string& name, const std::string& text) {
  SourceFiles files;
  Diagnostics mistakes;
  return tools::format(files.add(name, text), files, mistakes);
}

// In a process of its own, as from a shell, so that no program can harm the server.
static tools::lsp::RunResult run_block(tools::lsp::RunKind kind, const std::string& path,
                                       unsigned line, const std::stop_token& stop) {
  constexpr double longest_in_seconds = 600;
  const bool is_test = kind == tools::lsp::RunKind::test;
  const ProcessResult done =
      run_process({own_executable(), is_test ? "test" : "bench", path, "--block",
                   std::to_string(line)},
                  "", longest_in_seconds, stop);
  return {done.status == 0, done.output + done.errors};
}

int lsp_command() {
  const Doing doing("serving an editor");
  return tools::lsp::serve(
      STDIN_FILENO, STDOUT_FILENO,
      {formatted, derivatives_for_editor, std::string(version), run_block});
}

}  // namespace dagaz::driver
