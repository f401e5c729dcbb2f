// Files are replaced only by their formatted text, and only where it differs.
#include "driver/fmt_command.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

#include "driver/line_diff.h"
#include "driver/replace_file.h"
#include "driver/test_run.h"
#include "support/check.h"
#include "syntax/imports.h"
#include "tools/format/format.h"

namespace dagaz::driver {

namespace {

/// The formatted text; nothing if `text` is no program, which is printed.
std::optional<std::string> formatted(const std::string& name, const std::string& text,
                                     RenderStyle style) {
  const Doing doing("formatting");
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.add(name, text);
  std::optional<std::string> result = tools::format(file, files, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) std::cerr << render(d, files, style);
  return result;
}

/// What one file needs; the command does the worst of them.
enum class Change { none, needed, failed };

Change format_file(const std::string& path, const FmtOptions& options) {
  const std::optional<std::string> text = syntax::read_file(path);
  if (!text) {
    std::cerr << "dagaz: cannot read `" << path << "`\n";
    return Change::failed;
  }
  const std::optional<std::string> result = formatted(path, *text, options.style);
  if (!result) return Change::failed;
  if (*result == *text) return Change::none;
  if (options.diff) std::cout << line_diff(path, *text, *result);
  if (options.check && !options.diff) std::cout << path << "\n";
  if (options.check || options.diff) return Change::needed;
  if (!replace_file(path, *result)) {
    std::cerr << "dagaz: cannot write `" << path << "`\n";
    return Change::failed;
  }
  return Change::needed;
}

int format_standard_input(const FmtOptions& options) {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const std::optional<std::string> result = formatted("<stdin>", text, options.style);
  if (!result) return 1;
  if (options.diff) std::cout << line_diff("<stdin>", text, *result);
  if (!options.check && !options.diff) std::cout << *result;
  return options.check && *result != text ? 1 : 0;
}

}  // namespace

int fmt_command(const FmtOptions& options) {
  if (options.paths.empty()) return format_standard_input(options);
  std::vector<std::string> missing;
  const std::vector<std::string> files = find_programs(options.paths, missing);
  for (const std::string& path : missing) {
    std::cerr << "dagaz: there is no file or folder `" << path << "`\n";
  }
  Change worst = missing.empty() ? Change::none : Change::failed;
  for (const std::string& path : files) worst = std::max(worst, format_file(path, options));
  if (worst == Change::failed) return 1;
  return options.check && worst == Change::needed ? 1 : 0;
}

}  // namespace dagaz::driver
