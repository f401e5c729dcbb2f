#include "driver/conversation.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace dagaz::driver {

namespace {

// In the child, between fork and exec.
[[noreturn]] void become(char** argv, int input, int output, int errors) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  signal(SIGPIPE, SIG_DFL);
  execvp(argv[0], argv);
  _exit(127);
}

}  // namespace

Conversation::Conversation(const std::vector<std::string>& command,
                           const std::string& error_file) {
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) return;
  const int errors = open(error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  signal(SIGPIPE, SIG_IGN);
  child_ = fork();
  if (child_ == 0) become(argv.data(), in[0], out[1], errors);
  close(in[0]);
  close(out[1]);
  if (errors >= 0) close(errors);
  to_child_ = in[1];
  from_child_ = out[0];
  fcntl(to_child_, F_SETFL, O_NONBLOCK);
}

Conversation::~Conversation() { end(); }

int Conversation::end() {
  for (int* file : {&to_child_, &from_child_}) {
    if (*file >= 0) close(*file);
    *file = -1;
  }
  if (child_ <= 0) return status_;
  int status = 0;
  // One that has ended by itself says how.
  if (!at_end_) kill(-child_, SIGKILL);
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

bool Conversation::wait_for(int file, short event) {
  while (file >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    if (left <= 0) {
      timed_out_ = true;
      return false;
    }
    pollfd one{file, event, 0};
    constexpr long long a_minute = 60'000;
    const int ready = poll(&one, 1, static_cast<int>(std::min<long long>(left, a_minute)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

bool Conversation::say(std::string_view text) {
  while (!text.empty()) {
    if (!wait_for(to_child_, POLLOUT)) return false;
    const ssize_t written = write(to_child_, text.data(), text.size());
    if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool Conversation::receive() {
  if (!wait_for(from_child_, POLLIN)) return false;
  std::array<char, 65536> buffer;
  const ssize_t got = read(from_child_, buffer.data(), buffer.size());
  if (got > 0) received_.append(buffer.data(), static_cast<std::size_t>(got));
  at_end_ = got == 0;
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

std::optional<std::string> Conversation::line() {
  std::size_t end = 0;
  while ((end = received_.find('\n')) == std::string::npos) {
    if (!receive()) return std::nullopt;
  }
  std::string result = received_.substr(0, end);
  received_.erase(0, end + 1);
  return result;
}

std::optional<std::string> Conversation::bytes(std::size_t count) {
  while (received_.size() < count) {
    if (!receive()) return std::nullopt;
  }
  std::string result = received_.substr(0, count);
  received_.erase(0, count);
  return result;
}

}  // namespace dagaz::driver
