#include "tools/package/manifest.h"

#include <algorithm>
#include <cctype>

namespace dagaz::tools::package {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Manifest> parse(std::string& problem) {
    Manifest manifest;
    manifest.first_comments = comments();
    if (take_word("package")) manifest.package = path();
    manifest.comments = comments();
    if (take_word("require")) require(manifest);
    manifest.last_comments = comments();
    if (problem_.empty() && at_ < text_.size()) fail("expected the end of the file");
    problem = problem_;
    if (!problem_.empty()) return std::nullopt;
    return manifest;
  }

 private:
  void require(Manifest& manifest) {
    skip_space();
    if (!take("{")) return fail("expected `{`");
    for (;;) {
      skip_space();
      if (!problem_.empty() || take("}")) return;
      if (at("--")) {
        manifest.entries.emplace_back(comment());
        continue;
      }
      Requirement requirement{path(), {}, {}};
      skip_blanks();
      const std::string version = word();
      const auto parsed = parse_version(version);
      if (!parsed) return fail("expected a version such as 1.2.3, found `" + version + "`");
      requirement.version = *parsed;
      skip_blanks();
      if (take("#")) requirement.hash = word();
      if (find(manifest, requirement.package) != nullptr) {
        return fail("`" + requirement.package + "` is required twice");
      }
      manifest.entries.emplace_back(std::move(requirement));
    }
  }

  std::string path() {
    skip_space();
    std::string text = word();
    if (!is_package_path(text)) fail("expected the path of a package, found `" + text + "`");
    return text;
  }
  std::string word() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n{}#", at_), text_.size());
    std::string text(text_.substr(at_, end - at_));
    at_ = end;
    return text;
  }
  std::vector<std::string> comments() {
    std::vector<std::string> result;
    for (skip_space(); at("--"); skip_space()) result.push_back(comment());
    return result;
  }
  std::string comment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string text(text_.substr(at_ + 2, end - at_ - 2));
    at_ = end;
    return text;
  }

  bool at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  bool take(std::string_view what) {
    if (!at(what)) return false;
    at_ += what.size();
    return true;
  }
  bool take_word(std::string_view what) {
    const std::size_t before = at_;
    if (word() == what) return true;
    at_ = before;
    return false;
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void fail(const std::string& message) {
    if (!problem_.empty()) return;
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n');
    problem_ = "line " + std::to_string(line) + ": " + message;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
};

void append_comments(const std::vector<std::string>& comments, std::string& out) {
  for (const std::string& comment : comments) out += "--" + comment + "\n";
}

}  // namespace

std::optional<Manifest> parse_manifest(std::string_view text, std::string& problem) {
  return Parser(text).parse(problem);
}

std::string text_of(const Manifest& manifest) {
  std::string out;
  append_comments(manifest.first_comments, out);
  if (!manifest.package.empty()) out += "package " + manifest.package + "\n\n";
  append_comments(manifest.comments, out);
  out += "require {\n";
  for (const auto& entry : manifest.entries) {
    if (const auto* comment = std::get_if<std::string>(&entry)) {
      out += "  --" + *comment + "\n";
      continue;
    }
    const auto& requirement = std::get<Requirement>(entry);
    out += "  " + requirement.package + " " + text_of(requirement.version);
    out += (requirement.hash.empty() ? "" : " #" + requirement.hash) + "\n";
  }
  out += "}\n";
  append_comments(manifest.last_comments, out);
  return out;
}

bool is_package_path(std::string_view path) {
  const auto belongs = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("@-/.:_~").find(c) != std::string_view::npos;
  };
  if (path.empty() || path.front() == '-' || path.front() == '/' || path.back() == '/' ||
      !std::all_of(path.begin(), path.end(), belongs)) {
    return false;
  }
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

std::vector<Requirement> requirements(const Manifest& manifest) {
  std::vector<Requirement> result;
  for (const auto& entry : manifest.entries) {
    if (const auto* one = std::get_if<Requirement>(&entry)) result.push_back(*one);
  }
  return result;
}

Requirement* find(Manifest& manifest, std::string_view package) {
  for (auto& entry : manifest.entries) {
    auto* one = std::get_if<Requirement>(&entry);
    if (one != nullptr && one->package == package) return one;
  }
  return nullptr;
}

}  // namespace dagaz::tools::package
