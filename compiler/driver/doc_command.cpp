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

namespace fs = std::filesystem;

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

bool write_page(const std::filesystem::path& folder, const std::string& name,
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

namespace {

bool is_guide(const std::string& path) { return path.ends_with(".md"); }

// The folder that holds all of them.
fs::path common_folder(const std::vector<std::string>& paths) {
  fs::path common = fs::weakly_canonical(paths.front()).parent_path();
  for (const std::string& path : paths) {
    const fs::path whole = fs::weakly_canonical(path);
    const auto ends = std::mismatch(common.begin(), common.end(), whole.begin(), whole.end());
    fs::path shared;
    for (auto part = common.begin(); part != ends.first; ++part) shared /= *part;
    common = shared;
  }
  return common;
}

// Adds pages of Markdown; false if one cannot be read.
bool add_guides(tools::doc::Site& site, const std::vector<std::string>& paths,
                const fs::path& root) {
  std::vector<tools::doc::Site::Text> texts;
  for (const std::string& path : paths) {
    const std::optional<std::string> text = syntax::read_file(path);
    if (!text) {
      std::cerr << "dagaz: cannot read `" << path << "`\n";
      return false;
    }
    texts.push_back({fs::weakly_canonical(path).lexically_relative(root).generic_string(), *text});
  }
  site.add_guides(texts);
  return true;
}

// What pages show lies beside them, as where they come from.  Gives what there is not.
std::vector<std::string> copy_linked_files(const tools::doc::Site& site, const fs::path& root,
                                           const fs::path& output) {
  std::vector<std::string> missing;
  for (const std::string& name : site.linked_files()) {
    std::error_code error;
    fs::create_directories((output / name).parent_path(), error);
    const bool is_inside = !name.starts_with("..");
    if (!is_inside || !fs::copy_file(root / name, output / name,
                                     fs::copy_options::overwrite_existing, error)) {
      missing.push_back(name);
    }
  }
  return missing;
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
  std::vector<std::string> guides, programs;
  std::partition_copy(options.paths.begin(), options.paths.end(), std::back_inserter(guides),
                      std::back_inserter(programs), is_guide);
  const std::vector<std::string> files = find_programs(programs, missing);
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
  const fs::path root = guides.empty() ? fs::path() : common_folder(guides);
  if (!guides.empty() && !add_guides(site, guides, root)) failed = true;
  if (failed) return 1;
  for (const auto& [name, text] : site.files()) {
    if (!write_page(options.output, name, text)) return 1;
  }
  std::vector<tools::doc::BrokenReference> broken_references = site.broken_references();
  for (const std::string& name : copy_linked_files(site, root, options.output)) {
    broken_references.push_back({root.string(), name});
  }
  for (const tools::doc::BrokenReference& broken : broken_references) {
    std::cerr << broken.place << ": " << (options.warnings_are_errors ? "error" : "warning")
              << ": the reference " << broken.reference << " leads nowhere\n";
  }
  return options.warnings_are_errors && !broken_references.empty() ? 1 : 0;
}

}  // namespace dagaz::driver
