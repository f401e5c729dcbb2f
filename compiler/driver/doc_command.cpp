// See doc_command.h.
#include "driver/doc_command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "driver/test_run.h"
#include "query/analysis.h"
#include "support/check.h"
#include "syntax/imports.h"
#include "tools/doc/site.h"

namespace dagaz::driver {

namespace {

// A program that reads the whole standard library, also what programs have to import.
std::string library_program() {
  std::string text;
  for (const syntax::LibraryFile& file : syntax::standard_library()) {
    if (file.name != "intrinsics" && file.name != "prelude") {
      text += "import \"" + syntax::library_path(file.name) + "\"\n";
    }
  }
  return text;
}

// Adds the program unless it has errors, which are printed.
bool add(tools::doc::Site& site, const std::string& path, const std::string& text,
         tools::doc::Root root, RenderStyle style) {
  const query::Analysis analysis(path, text, syntax::read_file);
  bool failed = false;
  for (const Diagnostic& d : analysis.diagnostics()) {
    if (kind_severity(d.kind) != Severity::error) continue;
    std::cerr << render(d, analysis.files(), style);
    failed = true;
  }
  if (!failed) site.add(analysis, root);
  return !failed;
}

bool write(const std::filesystem::path& folder, const std::string& name,
           const std::string& text) {
  const std::filesystem::path path = folder / name;
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (out.flush()) return true;
  std::cerr << "dagaz: cannot write `" << path.string() << "`\n";
  return false;
}

}  // namespace

int doc_command(const DocOptions& options) {
  const Doing doing("documenting");
  if (options.paths.empty() && !options.library) {
    std::cerr << "dagaz: name files or folders to document, or --library\n";
    return 2;
  }
  using tools::doc::Library;
  using tools::doc::Root;
  tools::doc::Site site(options.title, options.library ? Library::shown : Library::left_out);
  std::vector<std::string> missing;
  const std::vector<std::string> files = find_programs(options.paths, missing);
  for (const std::string& path : missing) {
    std::cerr << "dagaz: there is no file or folder `" << path << "`\n";
  }
  bool failed = !missing.empty();
  for (const std::string& path : files) {
    const std::optional<std::string> text = syntax::read_file(path);
    if (!text) std::cerr << "dagaz: cannot read `" << path << "`\n";
    if (!text || !add(site, path, *text, Root::shown, options.style)) failed = true;
  }
  if (options.library) {
    const bool added =
        add(site, "library.fut", library_program(), Root::left_out, options.style);
    failed = failed || !added;
  }
  if (failed) return 1;
  for (const auto& [name, text] : site.files()) {
    if (!write(options.output, name, text)) return 1;
  }
  for (const tools::doc::BrokenReference& broken : site.broken_references()) {
    std::cerr << broken.place << ": " << (options.warnings_are_errors ? "error" : "warning")
              << ": the reference " << broken.reference << " leads nowhere\n";
  }
  return options.warnings_are_errors && !site.broken_references().empty() ? 1 : 0;
}

}  // namespace dagaz::driver
