// See workspace.h.
#include "tools/lsp/workspace.h"

#include <filesystem>
#include <set>
#include <utility>

#include "syntax/imports.h"
#include "tools/lsp/snapshot.h"

namespace dagaz::tools::lsp {

namespace fs = std::filesystem;

// Folders may be anything, the root of a disk included.
constexpr std::size_t most_programs = 5000;
constexpr std::size_t most_entries = 200000;

static std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::absolute(path, error);
  return error ? path : result.lexically_normal().string();
}

Document& Workspace::open(const std::string& address, std::int64_t version, std::string text) {
  const std::string path = path_of(address);
  Document& document = documents_[path];
  document = {address, path, version, std::move(text)};
  changed(path);
  return document;
}

void Workspace::close(const std::string& address) {
  const std::string path = path_of(address);
  documents_.erase(path);
  changed(path);
}

Document* Workspace::find(const std::string& address) {
  const auto found = documents_.find(path_of(address));
  return found == documents_.end() ? nullptr : &found->second;
}

void Workspace::changed(const std::string& path) {
  for (auto& [own, document] : documents_) {
    const bool reads = document.snapshot == nullptr || own == path ||
                       document.snapshot->reads(path) || document.snapshot->lacks_a_file();
    if (!reads) continue;
    document.snapshot = nullptr;
    document.is_published = false;
  }
}

std::optional<std::string> Workspace::read(const std::string& path) const {
  const auto found = documents_.find(absolute(path));
  return found == documents_.end() ? syntax::read_file(path) : found->second.text;
}

std::shared_ptr<const Snapshot> Workspace::check(const std::string& path) const {
  const auto found = documents_.find(path);
  if (found != documents_.end() && found->second.snapshot != nullptr) {
    return found->second.snapshot;
  }
  std::optional<std::string> text = read(path);
  if (!text) return nullptr;
  const auto reader = [this](const std::string& file) { return read(file); };
  return std::make_shared<const Snapshot>(path, std::move(*text), reader, encoding);
}

std::vector<std::string> Workspace::programs() const {
  std::set<std::string> found;
  for (const auto& [path, document] : documents_) found.insert(path);
  for (const std::string& folder : folders) {
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    fs::recursive_directory_iterator entry(folder, options, error);
    std::size_t seen = 0;
    for (; !error && entry != fs::end(entry); entry.increment(error)) {
      if (++seen > most_entries || found.size() >= most_programs) break;
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.') && entry->is_directory(error)) {
        entry.disable_recursion_pending();
      } else if (name.ends_with(".fut") && entry->is_regular_file(error)) {
        found.insert(entry->path().lexically_normal().string());
      }
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace dagaz::tools::lsp
