// See lsp_command.h.
#include "driver/lsp_command.h"

#include <unistd.h>

#include <optional>
#include <string>

#include "driver/editor_derivatives.h"
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

int lsp_command() {
  const Doing doing("serving an editor");
  return tools::lsp::serve(STDIN_FILENO, STDOUT_FILENO, {formatted, derivatives_for_editor, std::string(version)});
}

}  // namespace dagaz::driver
