// Files are parsed when first imported, depth first with an explicit stack of the files being
// loaded; meeting one of those again is a cycle.
#include "syntax/imports.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "support/check.h"
#include "support/library_folder.h"
#include "support/spelling.h"
#include "syntax/parse.h"

namespace dagaz::syntax {

namespace {

// Another spelling under which programs import the library.
constexpr std::string_view library_alias = "/futlib/";

const LibraryFile* find_library(std::string_view name) {
  for (const LibraryFile& file : standard_library()) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

std::string without_extension(const std::string& path) {
  return path.ends_with(".fut") ? path.substr(0, path.size() - 4) : path;
}

// All `import`s of a file, in order, modules within modules included.
class ImportFinder {
 public:
  std::vector<ast::ModuleExp*> found;

  void visit(const std::vector<ast::Declaration*>& declarations) {
    for (ast::Declaration* declaration : declarations) visit(*declaration);
  }

 private:
  void visit(ast::Declaration& declaration) {
    if (auto* module = std::get_if<ast::ModuleDeclaration>(&declaration.node)) {
      visit(*module->body);
    } else if (auto* open = std::get_if<ast::OpenDeclaration>(&declaration.node)) {
      visit(*open->module);
    } else if (auto* local = std::get_if<ast::LocalDeclaration>(&declaration.node)) {
      visit(*local->declaration);
    }
  }
  void visit(ast::ModuleExp& module) {
    if (std::holds_alternative<ast::ModuleImport>(module.node)) {
      found.push_back(&module);
    } else if (auto* body = std::get_if<ast::ModuleBody>(&module.node)) {
      visit(body->declarations);
    } else if (auto* apply = std::get_if<ast::ModuleApply>(&module.node)) {
      visit(*apply->function);
      visit(*apply->argument);
    } else if (auto* ascription = std::get_if<ast::ModuleAscription>(&module.node)) {
      visit(*ascription->module);
    } else if (auto* lambda = std::get_if<ast::ModuleLambda>(&module.node)) {
      visit(*lambda->body);
    }
  }
};

class Loader {
 public:
  Loader(SourceFiles& sources, NameTable& names, Diagnostics& diagnostics, const FileReader& read,
         Recovery* recovery)
      : sources_(sources),
        names_(names),
        diagnostics_(diagnostics),
        read_(read),
        recovery_(recovery) {}

  void load_library() {
    for (const std::string_view name : {"intrinsics", "prelude"}) {
      const LibraryFile* file = find_library(name);
      DZ_CHECK(file != nullptr, "the standard library is complete");
      load(library_path(name), library_path(name) + ".fut", std::string(file->text));
    }
  }

  // Parses the text and, before it is added to the program, all that it imports.
  void load(std::string key, std::string file_name, std::string text) {
    begin(std::move(key), std::move(file_name), std::move(text));
    while (!open_.empty()) {
      OpenFile& top = open_.back();
      if (top.next_import == top.imports.size()) {
        finished_.emplace(top.file.path, top.file.id);
        program_.files.push_back(std::move(top.file));
        open_.pop_back();
      } else {
        resolve(*top.imports[top.next_import++]);
      }
    }
  }

  ast::Program take() { return std::move(program_); }

 private:
  struct OpenFile {
    ast::File file;
    std::vector<ast::ModuleExp*> imports;
    std::size_t next_import = 0;
  };

  void begin(std::string key, std::string file_name, std::string text) {
    const FileId id = sources_.add(std::move(file_name), std::move(text));
    OpenFile opened;
    opened.file = parse_file(
        id, {sources_, program_.arena, names_, diagnostics_, nullptr, recovery_});
    opened.file.path = std::move(key);
    ImportFinder finder;
    finder.visit(opened.file.declarations);
    opened.imports = std::move(finder.found);
    open_.push_back(std::move(opened));
  }

  // Fills the import's file, or opens it; it is then asked again.
  void resolve(ast::ModuleExp& module) {
    auto& import = std::get<ast::ModuleImport>(module.node);
    const std::string key = key_of(import.path);
    if (const auto done = finished_.find(key); done != finished_.end()) {
      import.file = done->second;
      return;
    }
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].file.path == key) return report_cycle(i, module);
    }
    const std::string file_name = key + ".fut";
    std::optional<std::string> text;
    if (is_library_file(key)) {
      const LibraryFile* file = find_library(key.substr(library_folder.size()));
      if (file != nullptr) text = std::string(file->text);
    }
    if (!text) text = read_(file_name);
    if (!text) return report_missing(module, import.path, file_name);
    --open_.back().next_import;
    begin(key, file_name, std::move(*text));
  }

  std::string key_of(const std::string& written) const {
    const std::string& importer = open_.back().file.path;
    const std::string path = without_extension(written);
    if (path.starts_with(library_alias)) {
      return library_path(path.substr(library_alias.size()));
    }
    if (is_library_file(importer)) return library_path(path);
    if (is_library_file(path) &&
        find_library(path.substr(library_folder.size())) != nullptr) {
      return path;
    }
    const std::filesystem::path base = std::filesystem::path(importer).parent_path();
    const std::filesystem::path joined =
        path.starts_with('/') ? std::filesystem::path(path.substr(1)) : base / path;
    const std::string key = joined.lexically_normal().string();
    const bool known = finished_.contains(key) || read_(key + ".fut");
    if (!known && find_library(path) != nullptr) return library_path(path);
    return key;
  }

  void report_cycle(std::size_t first, const ast::ModuleExp& import) {
    Diagnostic& diagnostic = diagnostics_.report(
        DiagnosticKind::import_cycle, import.range,
        "this import closes a circle: " + open_[first].file.path + ".fut imports itself");
    for (std::size_t i = first; i + 1 < open_.size(); ++i) {
      const ast::ModuleExp* next = open_[i].imports[open_[i].next_import];
      diagnostic.labels.push_back({next->range, "by way of this import"});
    }
  }

  void report_missing(const ast::ModuleExp& import, const std::string& written,
                      const std::string& file_name) {
    Diagnostic& d = diagnostics_.report(
        DiagnosticKind::import_missing, import.range,
        "Could not read file \"" + written + "\": there is no " + file_name);
    const std::filesystem::path path(without_extension(written));
    Spelling similar(path.filename().string());
    for (const std::string& name : importable_beside(file_name)) similar.consider(name);
    const bool is_plain = !path.has_parent_path();
    for (const LibraryFile& file : standard_library()) {
      if (is_plain && file.name != "intrinsics") similar.consider(file.name);
    }
    const auto how = similar.nearest().size() == 1 ? Applicability::certain
                                                   : Applicability::possible;
    for (const std::string& name : similar.nearest()) {
      const std::string meant = "import \"" + (path.parent_path() / name).string() + "\"";
      d.hints.emplace_back("there is `" + meant + "`", std::vector<Edit>{{import.range, meant}},
                           how);
    }
    if (d.hints.empty()) {
      d.hints.emplace_back("an import is relative to the file it stands in, without `.fut`");
    }
  }

  /// The programs in the folder where `file_name` would be, without their ending.
  static std::vector<std::string> importable_beside(const std::string& file_name) {
    namespace fs = std::filesystem;
    std::vector<std::string> result;
    const fs::path folder = fs::path(file_name).parent_path();
    std::error_code error;
    fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (entry->path().extension() == ".fut") result.push_back(entry->path().stem().string());
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  SourceFiles& sources_;
  NameTable& names_;
  Diagnostics& diagnostics_;
  const FileReader& read_;
  Recovery* recovery_;
  ast::Program program_;
  std::vector<OpenFile> open_;
  std::unordered_map<std::string, FileId> finished_;
};

}  // namespace

std::string library_path(std::string_view name) {
  return std::string(library_folder) + std::string(name);
}

std::optional<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

ast::Program parse_program_text(const std::string& name, std::string text, SourceFiles& sources,
                                NameTable& names, Diagnostics& diagnostics,
                                const FileReader& read, Recovery* recovery) {
  Loader loader(sources, names, diagnostics, read, recovery);
  loader.load_library();
  const std::string key =
      std::filesystem::path(without_extension(name)).lexically_normal().string();
  loader.load(key, name, std::move(text));
  return loader.take();
}

static std::string why_unreadable(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return "there is no such file";
  if (std::filesystem::is_directory(path, error)) return "it is a folder";
  return std::filesystem::is_regular_file(path, error) ? "permission denied" : "it is not a file";
}

ast::Program parse_program(const std::string& root_path, SourceFiles& sources, NameTable& names,
                           Diagnostics& diagnostics, const FileReader& read,
                           Recovery* recovery) {
  std::optional<std::string> text = read(root_path);
  if (!text) {
    diagnostics.report(DiagnosticKind::io, Range{},
                       "cannot read `" + root_path + "`: " + why_unreadable(root_path));
    return {};
  }
  return parse_program_text(root_path, std::move(*text), sources, names, diagnostics, read,
                            recovery);
}

}  // namespace dagaz::syntax
