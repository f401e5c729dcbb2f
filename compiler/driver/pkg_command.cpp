#include "driver/pkg_command.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "driver/git_packages.h"
#include "driver/test_input.h"
#include "support/check.h"
#include "tools/package/solve.h"

namespace dagaz::driver {

namespace {

namespace fs = std::filesystem;
using namespace tools::package;

constexpr const char* manifest_name = "futhark.pkg";
constexpr const char* library_folder = "lib";
constexpr const char* new_library = "lib~new";
constexpr const char* old_library = "lib~old";
constexpr const char* reminder = "Remember to run 'dagaz pkg sync'.\n";

class Packages {
 public:
  explicit Packages(const PkgOptions& options) : options_(options), git_(options.verbose) {}

  int run() {
    switch (options_.action) {
      case PkgAction::init: return init();
      case PkgAction::add: return add();
      case PkgAction::remove: return remove();
      case PkgAction::sync: return sync();
      case PkgAction::upgrade: return upgrade();
      case PkgAction::versions: return versions();
      case PkgAction::check: return check();
      case PkgAction::fmt: return format();
    }
    DZ_UNREACHABLE("action");
  }

 private:
  static int fail(const std::string& problem) {
    std::cerr << "dagaz: " << problem << "\n";
    return 1;
  }

  // Nothing after saying what is wrong.
  static std::optional<Manifest> read() {
    const auto text = read_file(manifest_name);
    if (!text) {
      std::cout << manifest_name << " not found - pretending it's empty.\n";
      return Manifest{};
    }
    std::string problem;
    auto manifest = parse_manifest(*text, problem);
    if (!manifest) fail(std::string(manifest_name) + ": " + problem);
    return manifest;
  }
  static bool write(const Manifest& manifest) {
    std::ofstream out(manifest_name, std::ios::binary);
    out << text_of(manifest);
    if (out.flush()) return true;
    fail(std::string("cannot write ") + manifest_name);
    return false;
  }

  std::optional<std::map<std::string, Version>> solved(const std::vector<Requirement>& wanted) {
    std::string problem;
    auto list = solve(
        wanted,
        [&](const Requirement& one, std::string& why) { return requirements_of(one, why); },
        problem);
    if (!list) fail(problem);
    return list;
  }

  std::optional<std::vector<Requirement>> requirements_of(const Requirement& one,
                                                          std::string& problem) {
    const auto revision = git_.revision(one.package, one.version, problem);
    if (!revision) return std::nullopt;
    if (!one.hash.empty() && one.hash != revision->commit) {
      problem = "package " + one.package + " " + text_of(one.version) + " has commit hash " +
                revision->commit + ", but expected " + one.hash + " from package manifest.";
      return std::nullopt;
    }
    const auto manifest = git_.manifest(one.package, *revision, problem);
    if (!manifest) return std::nullopt;
    return requirements(*manifest);
  }

  int init() const {
    std::error_code error;
    if (fs::exists(manifest_name, error)) {
      return fail(std::string(manifest_name) + " already exists.");
    }
    const fs::path folder = fs::path(library_folder) / options_.package;
    fs::create_directories(folder, error);
    if (error) return fail("cannot create `" + folder.string() + "`");
    std::cout << "Created directory " << folder.string() << ".\n";
    Manifest manifest;
    manifest.package = options_.package;
    if (!write(manifest)) return 1;
    std::cout << "Wrote " << manifest_name << ".\n";
    return 0;
  }

  int add() {
    std::string problem;
    auto manifest = read();
    if (!manifest) return 1;
    const auto version = parse_version(options_.version);
    const auto revision = options_.version.empty()
                              ? git_.newest(options_.package, problem)
                              : git_.revision(options_.package, *version, problem);
    if (!revision) return fail(problem);
    // What stands for a commit needs no hash.
    const std::string hash = commit_of(revision->version).empty() ? revision->commit : "";
    const Requirement requirement{options_.package, revision->version, hash};
    Requirement* old = find(*manifest, options_.package);
    const std::optional<Version> before =
        old != nullptr ? std::optional(old->version) : std::nullopt;
    if (old != nullptr) {
      *old = requirement;
    } else {
      manifest->entries.emplace_back(requirement);
    }
    if (!solved(requirements(*manifest)) || !write(*manifest)) return 1;
    const std::string now = text_of(requirement.version);
    if (!before) {
      std::cout << "Added new required package " << options_.package << " " << now << ".\n";
    } else if (text_of(*before) == now) {
      std::cout << "Package already at version " << now << "; nothing to do.\n";
    } else {
      std::cout << "Replaced " << options_.package << " " << text_of(*before) << " => " << now
                << ".\n";
    }
    std::cout << reminder;
    return 0;
  }

  int remove() const {
    auto manifest = read();
    if (!manifest) return 1;
    const auto found = std::find_if(
        manifest->entries.begin(), manifest->entries.end(), [&](const auto& entry) {
          const auto* one = std::get_if<Requirement>(&entry);
          return one != nullptr && one->package == options_.package;
        });
    if (found == manifest->entries.end()) {
      return fail("No package " + options_.package + " found in " + manifest_name + ".");
    }
    const Version version = std::get<Requirement>(*found).version;
    manifest->entries.erase(found);
    if (!write(*manifest)) return 1;
    std::cout << "Removed " << options_.package << " " << text_of(version) << ".\n";
    return 0;
  }

  int sync() {
    const auto manifest = read();
    const auto list = manifest ? solved(requirements(*manifest)) : std::nullopt;
    if (!list) return 1;
    std::error_code error;
    fs::remove_all(new_library, error);
    fs::create_directory(new_library, error);
    if (error) return fail(std::string("cannot create `") + new_library + "`");
    for (const auto& [package, version] : *list) {
      std::string problem;
      const auto revision = git_.revision(package, version, problem);
      const std::string folder = (fs::path(new_library) / package).string();
      if (!revision || !git_.install(package, *revision, folder, problem)) {
        fs::remove_all(new_library, error);
        return fail(problem);
      }
    }
    return exchange(manifest->package);
  }

  // The old library is moved away and the new one into its place: what fails in between leaves
  // one of them.  The package's own files stay.
  static int exchange(const std::string& own) {
    std::error_code error;
    const bool was_there = fs::is_directory(library_folder, error);
    if (was_there) {
      fs::remove_all(old_library, error);
      fs::rename(library_folder, old_library, error);
      if (error) return fail(std::string("cannot move `") + library_folder + "` away");
    }
    fs::rename(new_library, library_folder, error);
    const fs::path kept = fs::path(old_library) / own;
    if (!error && was_there && !own.empty() && fs::is_directory(kept, error)) {
      const fs::path to = fs::path(library_folder) / own;
      fs::create_directories(to.parent_path(), error);
      fs::remove_all(to, error);
      fs::rename(kept, to, error);
    }
    if (error) {
      return fail(std::string("cannot fill `") + library_folder + "`; what was there is in `" +
                  old_library + "`");
    }
    fs::remove_all(old_library, error);
    return 0;
  }

  int upgrade() {
    auto manifest = read();
    if (!manifest) return 1;
    bool any = false;
    for (auto& entry : manifest->entries) {
      auto* one = std::get_if<Requirement>(&entry);
      if (one == nullptr) continue;
      std::string problem;
      const auto newest = git_.newest(one->package, problem);
      if (!newest) return fail(problem);
      const bool changes = text_of(newest->version) != text_of(one->version);
      if (changes) {
        std::cout << "Upgraded " << one->package << " " << text_of(one->version) << " => "
                  << text_of(newest->version) << ".\n";
      }
      any = any || changes;
      one->version = newest->version;
      one->hash = commit_of(newest->version).empty() ? newest->commit : "";
    }
    if (!write(*manifest)) return 1;
    std::cout << (any ? reminder : "Nothing to upgrade.\n");
    return 0;
  }

  int versions() {
    std::string problem;
    const auto all = git_.releases(options_.package, problem);
    if (!all) return fail(problem);
    for (const Revision& one : *all) std::cout << text_of(one.version) << "\n";
    return 0;
  }

  int check() {
    const auto manifest = read();
    const auto list = manifest ? solved(requirements(*manifest)) : std::nullopt;
    if (!list) return 1;
    std::cout << "Dependencies chosen:\n";
    for (const auto& [package, version] : *list) {
      std::cout << package << " => " << text_of(version) << "\n";
    }
    if (manifest->package.empty()) return 0;
    const fs::path own = fs::path(library_folder) / manifest->package;
    std::error_code error;
    if (!fs::is_directory(own, error)) {
      return fail("the directory " + own.string() + " does not exist.");
    }
    for (const auto& entry : fs::recursive_directory_iterator(own, error)) {
      if (entry.path().extension() == ".fut") return 0;
    }
    return fail("the directory " + own.string() + " does not contain any .fut files.");
  }

  static int format() {
    const auto manifest = read();
    return manifest && write(*manifest) ? 0 : 1;
  }

  const PkgOptions& options_;
  GitPackages git_;
};

}  // namespace

int pkg_command(const PkgOptions& options) {
  const Doing doing("managing packages");
  const bool names_package = options.action == PkgAction::init ||
                             options.action == PkgAction::add ||
                             options.action == PkgAction::remove ||
                             options.action == PkgAction::versions;
  if (names_package && !is_package_path(options.package)) {
    std::cerr << "dagaz: `" << options.package
              << "` is no path of a package, such as github.com/somebody/something\n";
    return 2;
  }
  if (!options.version.empty() && !parse_version(options.version)) {
    std::cerr << "dagaz: `" << options.version << "` is no version, such as 1.2.3\n";
    return 2;
  }
  // A question about a password would wait for ever.
  setenv("GIT_TERMINAL_PROMPT", "0", 1);
  return Packages(options).run();
}

}  // namespace dagaz::driver
