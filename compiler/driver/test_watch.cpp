#include "driver/test_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "driver/compile.h"
#include "driver/interruption.h"
#include "driver/process.h"
#include "driver/test_input.h"
#include "driver/test_spec.h"
#include "support/library_folder.h"

namespace dagaz::driver {

namespace {

namespace fs = std::filesystem;

using Paths = std::set<std::string>;

// Stands for all programs: what one that cannot be read lacks may be any of them.
constexpr std::string_view anything = "*.fut";

std::string normal(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return error ? path.string() : whole.string();
}

// The files that a program and its test blocks are made of.
Paths sources_of(const std::string& program, const CompileOptions& compile) {
  Paths sources{normal(program)};
  CompileOptions options = compile;
  options.file = program;
  Compilation compilation(options);
  if (!parse(compilation)) sources.insert(std::string(anything));
  for (const ast::File& file : compilation.syntax.files) {
    if (!is_library_file(file.path) && !file.declarations.empty()) {
      sources.insert(normal(compilation.files.file(file.id).name()));
    }
  }
  SpecError error{};
  const auto spec = parse_test_spec(read_file(program).value_or(""), error);
  if (!spec) return sources;
  const fs::path folder = fs::path(program).parent_path();
  for (const TestBlock& block : spec->blocks) {
    for (const TestCase& test : block.cases) {
      const bool reads = test.input_kind == InputKind::file ||
                         test.input_kind == InputKind::script_file;
      if (reads) sources.insert(normal(folder / test.input));
      if (test.expectation == Expectation::values_file) {
        sources.insert(normal(folder / test.expected));
      }
    }
  }
  return sources;
}

// Tells which files in some folders change.
class Watcher {
 public:
  Watcher() : file_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}
  ~Watcher() {
    if (file_ >= 0) close(file_);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  bool watch(const std::string& folder) {
    constexpr std::uint32_t events =
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE;
    const int number = inotify_add_watch(file_, folder.c_str(), events);
    if (number >= 0) folders_[number] = folder;
    return number >= 0;
  }

  // Waits for a change, and then until nothing has changed for a moment: editors write in steps.
  Paths changes() {
    constexpr int a_moment = 100;  // milliseconds
    Paths changed;
    for (int patience = -1;; patience = a_moment) {
      pollfd one{file_, POLLIN, 0};
      const int ready = poll(&one, 1, patience);
      if (ready == 0) return changed;
      if (ready > 0) read_events(changed);
    }
  }

 private:
  void read_events(Paths& changed) {
    alignas(inotify_event) std::array<char, 16384> buffer;
    const ssize_t size = read(file_, buffer.data(), buffer.size());
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      const auto folder = folders_.find(event.wd);
      // A new file is complete when it is closed.
      const bool is_new = (event.mask & IN_CREATE) != 0 && (event.mask & IN_ISDIR) == 0;
      if (event.len > 0 && folder != folders_.end() && !is_new) {
        changed.insert(folder->second + "/" + name);
      }
      at += static_cast<ssize_t>(sizeof event) + event.len;
    }
  }

  int file_;
  std::map<int, std::string> folders_;
};

class Watch {
 public:
  Watch(const TestOptions& options, const RunPrograms& run) : options_(options), run_(run) {
    exit_when_interrupted(&status_);
  }
  ~Watch() { exit_when_interrupted(nullptr); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  int run() {
    for (Paths changed;; changed = watcher_.changes()) {
      // Before, so that nothing in a new folder is missed; and after, for what programs import.
      watch_folders();
      const std::vector<std::string> programs = affected(changed);
      if (!watch_folders()) {
        std::cerr << "dagaz: files cannot be watched: " << std::strerror(errno) << "\n";
        return 2;
      }
      if (!programs.empty()) test(programs);
    }
  }

 private:
  // The programs that are new or made of what has changed; forgets those that are gone.
  std::vector<std::string> affected(const Paths& changed) {
    std::vector<std::string> missing;
    const std::vector<std::string> programs = find_programs(options_.paths, missing);
    std::vector<std::string> result;
    std::map<std::string, Paths> sources;
    for (const std::string& program : programs) {
      const auto known = sources_.find(program);
      const bool is_affected =
          known == sources_.end() ||
          std::any_of(changed.begin(), changed.end(), [&](const std::string& path) {
            return known->second.contains(path) ||
                   (path.ends_with(".fut") && known->second.contains(std::string(anything)));
          });
      if (is_affected) result.push_back(program);
      sources[program] = is_affected ? sources_of(program, options_.compile) : known->second;
    }
    sources_ = std::move(sources);
    std::erase_if(failed_, [&](const auto& each) { return !sources_.contains(each.first); });
    update_status();
    return result;
  }

  // Folders, because editors replace files.
  bool watch_folders() {
    Paths folders;
    for (const auto& [program, sources] : sources_) {
      for (const std::string& source : sources) {
        folders.insert(fs::path(source).parent_path().string());
      }
    }
    for (const std::string& path : options_.paths) {
      std::error_code error;
      if (!fs::is_directory(path, error)) continue;
      folders.insert(normal(path));
      for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
        if (entry.is_directory(error)) folders.insert(normal(entry.path()));
      }
    }
    bool any = false;
    for (const std::string& folder : folders) any = watcher_.watch(folder) || any;
    return any;
  }

  void test(const std::vector<std::string>& programs) {
    for (const ProgramResult& result : run_(programs)) {
      failed_[result.path] = std::any_of(
          result.cases.begin(), result.cases.end(),
          [](const CaseResult& each) { return each.outcome == Outcome::failed; });
    }
    update_status();
    const auto failing = std::count_if(failed_.begin(), failed_.end(),
                                       [](const auto& each) { return each.second; });
    std::cout << "watching " << sources_.size()
              << (sources_.size() == 1 ? " program, " : " programs, ") << failing
              << " with failures; Ctrl-C ends\n"
              << std::flush;
  }

  void update_status() {
    status_ = std::any_of(failed_.begin(), failed_.end(),
                          [](const auto& each) { return each.second; })
                  ? 1
                  : 0;
  }

  const TestOptions& options_;
  const RunPrograms& run_;
  Watcher watcher_;
  std::map<std::string, Paths> sources_;  // of each program
  std::map<std::string, bool> failed_;    // programs that have been tested
  std::atomic<int> status_{0};
};

}  // namespace

int watch_tests(const TestOptions& options, const RunPrograms& run) {
  return Watch(options, run).run();
}

}  // namespace dagaz::driver
