#include "driver/git_packages.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace dagaz::driver {

namespace {

namespace fs = std::filesystem;
using namespace tools::package;

constexpr double patience = 600;  // seconds for a command

// `host/name@2` is the major version 2 of what is at `host/name`.
struct Place {
  std::string address;
  std::uint64_t least_major = 0;
  std::uint64_t most_major = 1;
};

Place place_of(const std::string& package) {
  const std::size_t at = package.rfind('@');
  std::uint64_t major = 0;
  if (at != std::string::npos) {
    const char* end = package.data() + package.size();
    const auto [stop, code] = std::from_chars(package.data() + at + 1, end, major);
    if (code == std::errc() && stop == end) return {package.substr(0, at), major, major};
  }
  return {package};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Regular files only: a link could lead out of the package.
bool copy_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(from, error)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const fs::path target = to / fs::relative(entry.path(), from, error);
    fs::create_directories(target.parent_path(), error);
    fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing, error);
    if (error) return false;
  }
  return !error;
}

}  // namespace

std::optional<std::string> GitPackages::git(const std::vector<std::string>& arguments,
                                            std::string& problem) {
  std::vector<std::string> command{"git"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::string shown;
  for (const std::string& word : command) shown += (shown.empty() ? "" : " ") + word;
  if (verbose_) std::cerr << shown << "\n";
  ProcessResult result = run_process(command, "", patience);
  if (verbose_) std::cerr << result.errors;
  if (result.status == 0 && !result.timed_out) return std::move(result.output);
  constexpr int not_found = 127;
  problem = result.status == not_found ? "packages need `git`, which is not installed"
                                       : "`" + shown + "` failed:\n" + result.errors;
  while (problem.ends_with('\n')) problem.pop_back();
  return std::nullopt;
}

std::optional<std::string> GitPackages::clone(const std::string& package, std::string& problem) {
  const std::string address = place_of(package).address;
  const auto known = clones_.find(address);
  if (known != clones_.end()) return known->second;
  const std::string folder = work_.path() + "/" + std::to_string(clones_.size());
  if (!git({"clone", "--quiet", "--no-checkout", "--", "https://" + address, folder}, problem)) {
    return std::nullopt;
  }
  clones_[address] = folder;
  return folder;
}

std::optional<std::string> GitPackages::commit(const std::string& folder,
                                               const std::string& reference,
                                               std::string& problem) {
  auto hash = git({"-C", folder, "rev-parse", "--verify", "--quiet", reference + "^{commit}"},
                  problem);
  if (!hash) return std::nullopt;
  return first_line(*hash);
}

std::optional<std::vector<Revision>> GitPackages::releases(const std::string& package,
                                                           std::string& problem) {
  const auto folder = clone(package, problem);
  const auto tags = folder ? git({"-C", *folder, "tag"}, problem) : std::nullopt;
  if (!tags) return std::nullopt;
  const Place place = place_of(package);
  std::vector<Revision> result;
  std::istringstream lines(*tags);
  for (std::string tag; std::getline(lines, tag);) {
    const auto version = tag.starts_with("v") ? parse_version(std::string_view(tag).substr(1))
                                              : std::nullopt;
    if (!version || version->major < place.least_major || version->major > place.most_major) {
      continue;
    }
    const auto hash = commit(*folder, "refs/tags/" + tag, problem);
    if (!hash) return std::nullopt;
    result.push_back({*version, "refs/tags/" + tag, *hash});
  }
  std::sort(result.begin(), result.end(),
            [](const Revision& a, const Revision& b) { return a.version < b.version; });
  return result;
}

std::optional<Revision> GitPackages::newest(const std::string& package, std::string& problem) {
  auto all = releases(package, problem);
  if (!all) return std::nullopt;
  if (!all->empty()) return std::move(all->back());
  const std::string folder = *clone(package, problem);
  const auto hash = commit(folder, "HEAD", problem);
  const auto time = hash ? git({"-C", folder, "show", "-s", "--date=format-local:%Y%m%d%H%M%S",
                                "--format=%cd", *hash},
                               problem)
                         : std::nullopt;
  if (!time) return std::nullopt;
  return Revision{{0, 0, 0, first_line(*time), *hash}, *hash, *hash};
}

std::optional<Revision> GitPackages::revision(const std::string& package, const Version& version,
                                              std::string& problem) {
  if (const std::string wanted = commit_of(version); !wanted.empty()) {
    const auto folder = clone(package, problem);
    const auto hash = folder ? commit(*folder, wanted, problem) : std::nullopt;
    if (!hash) {
      problem = "package " + package + " has no commit " + wanted +
                (problem.empty() ? "" : ":\n" + problem);
      return std::nullopt;
    }
    return Revision{version, *hash, *hash};
  }
  const auto all = releases(package, problem);
  if (!all) return std::nullopt;
  std::string versions;
  for (const Revision& one : *all) {
    if (one.version == version) return one;
    versions += (versions.empty() ? "" : ", ") + text_of(one.version);
  }
  problem = "package " + package + " does not have a version " + text_of(version) + ".\n" +
            (versions.empty() ? "It has no versions." : "Known versions: " + versions);
  const Place place = place_of(package);
  if (version.major < place.least_major || version.major > place.most_major) {
    const std::string major = std::to_string(version.major);
    problem += "\nFor major version " + major + ", use the package path " + place.address +
               (version.major > 1 ? "@" + major : "");
  }
  return std::nullopt;
}

std::optional<Manifest> GitPackages::manifest(const std::string& package,
                                              const Revision& revision, std::string& problem) {
  const auto folder = clone(package, problem);
  const auto text =
      folder ? git({"-C", *folder, "show", revision.commit + ":futhark.pkg"}, problem)
             : std::nullopt;
  if (!text) return std::nullopt;
  auto result = parse_manifest(*text, problem);
  if (!result) {
    problem = "futhark.pkg of " + package + " " + text_of(revision.version) + ": " + problem;
  }
  return result;
}

bool GitPackages::install(const std::string& package, const Revision& revision,
                          const std::string& folder, std::string& problem) {
  const auto from = manifest(package, revision, problem);
  if (!from) return false;
  const std::string name = package + " " + text_of(revision.version);
  if (from->package.empty()) {
    problem = "futhark.pkg of " + name + " does not name a package";
    return false;
  }
  const TemporaryFolder tree;
  const std::string inside = "lib/" + from->package;
  if (!git({"-C", *clone(package, problem), "--work-tree", tree.path(), "checkout", "--quiet",
            "--force", revision.commit, "--", inside},
           problem)) {
    problem = name + " has no folder " + inside + ":\n" + problem;
    return false;
  }
  if (copy_files(fs::path(tree.path()) / inside, folder)) return true;
  problem = "cannot copy " + name + " to `" + folder + "`";
  return false;
}

}  // namespace dagaz::driver
