// See snapshot.h.
#include "tools/lsp/snapshot.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

namespace dagaz::tools::lsp {

namespace fs = std::filesystem;

Json place_json(Place place) {
  return {{"line", place.line}, {"character", place.character}};
}

Place place_of(const Json& json) {
  return {json.at("line").get<std::uint32_t>(), json.at("character").get<std::uint32_t>()};
}

Snapshot::Snapshot(const std::string& path, std::string text, const syntax::FileReader& read,
                   Encoding encoding)
    : analysis_(path, std::move(text), read),
      encoding_(encoding),
      lines_(analysis_.root_text(), encoding) {
  const auto& all = analysis_.diagnostics();
  lacks_a_file_ = std::any_of(all.begin(), all.end(), [](const Diagnostic& d) {
    return d.kind == DiagnosticKind::import_missing;
  });
}

// The library differentiates nothing by itself: a program that has none of these words, as parts of
// other names or in imports, has no derivatives.
static bool may_differentiate(const Analysis& analysis) {
  const auto& files = analysis.program().files;
  return std::any_of(files.begin(), files.end(), [&](const ast::File& file) {
    if (analysis.is_library(file.id)) return false;
    const std::string_view text = analysis.files().file(file.id).text();
    const auto has = [&](const char* word) { return text.find(word) != std::string_view::npos; };
    return has("vjp") || has("jvp") || has("jmp") || has("mjp") || has("derivatives");
  });
}

const std::vector<DerivativeNote>& Snapshot::derivatives(const Workspace& workspace) const {
  if (derivatives_) return *derivatives_;
  derivatives_.emplace();
  const auto& found = analysis_.diagnostics();
  const bool is_wrong = std::any_of(found.begin(), found.end(), [](const Diagnostic& d) {
    return kind_severity(d.kind) == Severity::error;
  });
  if (!is_wrong && may_differentiate(analysis_)) {
    derivatives_ = workspace.services().derivatives(
        analysis_.path(analysis_.root().id),
        [&](const std::string& path) { return workspace.read(path); });
  }
  return *derivatives_;
}

Json Snapshot::range(std::uint32_t begin, std::uint32_t end) const {
  return {{"start", place_json(lines_.place(begin))}, {"end", place_json(lines_.place(end))}};
}

bool Snapshot::reads(const std::string& path) const {
  const auto& files = analysis_.program().files;
  return std::any_of(files.begin(), files.end(), [&](const ast::File& file) {
    return !analysis_.is_library(file.id) && disk_path(file.id) == path;
  });
}

// The folder of the user's own where copies of the library are kept, one for each of its versions.
static fs::path library_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache == nullptr && home == nullptr) return {};
  std::size_t version = 0;
  for (const syntax::LibraryFile& file : syntax::standard_library()) {
    version = version * 31 + std::hash<std::string_view>()(file.text);
  }
  const fs::path base = cache != nullptr ? fs::path(cache) : fs::path(home) / ".cache";
  return base / "dagaz" / ("library-" + std::to_string(version));
}

// A copy of the library's file that the editor can open.
static std::string library_copy(const std::string& name, std::string_view text) {
  const fs::path folder = library_folder();
  if (folder.empty()) return "";
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path target = folder / fs::path(name).filename();
  if (fs::exists(target, error)) return target.string();
  std::ofstream out(target, std::ios::binary);
  out << text;
  return out.flush() ? target.string() : "";
}

std::string Snapshot::disk_path(FileId file) const {
  const std::string& name = analysis_.path(file);
  if (analysis_.is_library(file)) return library_copy(name, analysis_.files().file(file).text());
  std::error_code error;
  const fs::path path = fs::absolute(name, error);
  return error ? "" : path.lexically_normal().string();
}

Json Snapshot::location(const Range& range) const {
  if (!range.valid()) return nullptr;
  const std::string path = disk_path(range.file);
  if (path.empty()) return nullptr;
  const LineIndex lines(analysis_.files().file(range.file).text(), encoding_);
  return {{"uri", address_of(path)},
          {"range",
           {{"start", place_json(lines.place(range.begin))},
            {"end", place_json(lines.place(range.end))}}}};
}

}  // namespace dagaz::tools::lsp
