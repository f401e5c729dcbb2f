#include "driver/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

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

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const std::string& input,
                          double timeout_seconds) {
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
  if (child == 0) {
    // A group of its own, to be killed with all it starts; who interrupts us ends it, too.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in.read_end, 0);
    dup2(out.write_end, 1);
    dup2(err.write_end, 2);
    signal(SIGPIPE, SIG_DFL);
    execvp(argv[0], argv.data());
    _exit(127);
  }
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

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "dagaz-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

}  // namespace dagaz::driver
