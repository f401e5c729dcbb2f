#include "driver/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "driver/interruption.h"
#include "support/check.h"

namespace dagaz::driver {

namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) == 0) {
      read_end = ends[0];
      write_end = ends[1];
    }
  }
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

// Writes what fits of `input` from `position`; closes the pipe at the end or when nobody reads.
void feed(Pipe& pipe, const std::string& input, std::size_t& position) {
  const ssize_t written =
      write(pipe.write_end, input.data() + position, input.size() - position);
  if (written > 0) position += static_cast<std::size_t>(written);
  const bool broken = written < 0 && errno != EAGAIN && errno != EINTR;
  if (broken || position == input.size()) Pipe::close_end(pipe.write_end);
}

// Reads what is there; closes the pipe at its end.
void drain(Pipe& pipe, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(pipe.read_end, buffer.data(), buffer.size());
  if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) Pipe::close_end(pipe.read_end);
}

// What the new process does: runs the command in a group of its own, to be killed with all it
// starts; who interrupts us ends it, too.
[[noreturn]] void become(const std::vector<char*>& argv, const Pipe& in, const Pipe& out,
                         const Pipe& err) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(in.read_end, 0);
  dup2(out.write_end, 1);
  dup2(err.write_end, 2);
  signal(SIGPIPE, SIG_DFL);
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const std::string& input,
                          double timeout_seconds, const std::stop_token& stop) {
  ProcessResult result;
  Pipe in;
  Pipe out;
  Pipe err;
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  signal(SIGPIPE, SIG_IGN);
  const pid_t child = fork();
  if (child < 0) {
    result.status = 127;
    result.errors = "cannot start a process";
    return result;
  }
  if (child == 0) become(argv, in, out, err);
  setpgid(child, child);  // here, too: who stops it may be faster than the child
  std::optional<std::stop_callback<std::function<void()>>> stopping;
  stopping.emplace(stop, [child] { kill(-child, SIGTERM); });
  Pipe::close_end(in.read_end);
  Pipe::close_end(out.write_end);
  Pipe::close_end(err.write_end);
  fcntl(in.write_end, F_SETFL, O_NONBLOCK);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(timeout_seconds));
  std::size_t fed = 0;
  if (input.empty()) Pipe::close_end(in.write_end);
  while (out.read_end >= 0 || err.read_end >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      result.timed_out = true;
      kill(-child, SIGKILL);
      break;
    }
    std::array<pollfd, 3> polls{{{in.write_end, POLLOUT, 0},
                                 {out.read_end, POLLIN, 0},
                                 {err.read_end, POLLIN, 0}}};
    if (poll(polls.data(), polls.size(), static_cast<int>(left)) <= 0) continue;
    if (in.write_end >= 0 && polls[0].revents != 0) feed(in, input, fed);
    if (out.read_end >= 0 && polls[1].revents != 0) drain(out, result.output);
    if (err.read_end >= 0 && polls[2].revents != 0) drain(err, result.errors);
  }
  stopping.reset();  // from here on another process may have its number
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string own_executable() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string("dagaz") : path.string();
}

// ---------------------------------------------------------------- temporary folders

namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_prefix = "dagaz-";
constexpr std::string_view lock_name = "/lock";

fs::path folder_for_temporaries() {
  std::error_code error;
  return fs::temp_directory_path(error);
}

/// The folders of this process, which a signal has to find.
struct LiveFolders {
  std::mutex mutex;
  std::set<std::string> paths;
  std::atomic<const std::atomic<int>*> status{nullptr};  // what Ctrl-C ends the process with
};
LiveFolders& live_folders() {
  static LiveFolders folders;
  return folders;
}

/// A lock on the file in the folder, or -1 and errno: EWOULDBLOCK where somebody has it.
int locked(const std::string& folder, int flags) {
  const std::string path = folder + std::string(lock_name);
  const int file = open(path.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const int reason = errno;
  close(file);
  errno = reason;
  return -1;
}

/// Locks a new folder; false if another process took it for an abandoned one before, and has
/// removed it or will.  Without a lock for another reason, as on a full disk, the folder is kept as
/// it is.
bool lock_own(const std::string& folder, int& lock) {
  lock = locked(folder, O_CREAT);
  if (lock < 0) return errno != EWOULDBLOCK && errno != ENOENT;
  struct stat held {};
  struct stat named {};
  const std::string path = folder + std::string(lock_name);
  const bool is_there = fstat(lock, &held) == 0 && stat(path.c_str(), &named) == 0 &&
                        held.st_ino == named.st_ino;
  if (!is_there) close(lock);
  return is_there;
}

/// Removes the folders of processes that are no more: nobody holds their locks.
void remove_abandoned_folders() {
  std::error_code error;
  for (fs::directory_iterator at(folder_for_temporaries(), error), end; !error && at != end;
       at.increment(error)) {
    const std::string path = at->path().string();
    struct stat status {};
    const bool ours = at->path().filename().string().starts_with(folder_prefix) &&
                      lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      status.st_uid == getuid();
    if (!ours) continue;
    const int lock = locked(path, 0);
    if (lock < 0) continue;
    std::error_code ignored;
    fs::remove_all(path, ignored);
    close(lock);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  static std::once_flag cleaned;
  std::call_once(cleaned, remove_abandoned_folders);
  LiveFolders& live = live_folders();
  const std::lock_guard guard(live.mutex);
  do {
    path_ = (folder_for_temporaries() / (std::string(folder_prefix) + "XXXXXX")).string();
    // Where none can be made, whoever writes to it reports that.
    if (mkdtemp(path_.data()) == nullptr) return;
  } while (!lock_own(path_, lock_));
  live.paths.insert(path_);
}

TemporaryFolder::~TemporaryFolder() {
  LiveFolders& live = live_folders();
  const std::lock_guard guard(live.mutex);
  if (live.paths.erase(path_) == 0) return;
  std::error_code error;
  fs::remove_all(path_, error);
  close(lock_);
}

void exit_when_interrupted(const std::atomic<int>* status) { live_folders().status = status; }

void remove_folders_when_interrupted() {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction action {};
    const bool ignored =
        sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&ending, number);
  }
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  std::thread([ending] {
    int number = 0;
    if (sigwait(&ending, &number) != 0) return;
    LiveFolders& live = live_folders();
    live.mutex.lock();  // for good: no more folders are made
    std::error_code error;
    for (const std::string& path : live.paths) fs::remove_all(path, error);
    const std::atomic<int>* status = live.status;
    if (number == SIGINT && status != nullptr) _exit(*status);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
    raise(number);
  }).detach();
}

}  // namespace dagaz::driver
