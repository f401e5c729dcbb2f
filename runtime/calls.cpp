// Many calls in one start.  A line of the file is a path and options, with tabs between them: the
// call reads PATH.in, and writes PATH.out, PATH.err and PATH.status.
#include "calls.h"

#include <cerrno>
#include <cstring>
#include <sstream>
#include <vector>

#include "ranks/ranks.h"
#include "values.h"

namespace dagaz::runtime {

namespace {

struct Call {
  std::string path;
  std::vector<std::string> words;  // of its command line
};

Call call_from(const std::string& line, const std::string& program_name) {
  std::istringstream parts(line);
  Call call;
  std::getline(parts, call.path, '\t');
  call.words.push_back(program_name);
  for (std::string word; std::getline(parts, word, '\t');) call.words.push_back(std::move(word));
  return call;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_file(const std::string& path, const char* mode) {
  return {std::fopen(path.c_str(), mode), std::fclose};
}

/// The first rank reads and writes the files; the others go on with the streams that they have.
class CallsRun {
 public:
  CallsRun(const dz_program& program, const Options& options, dz_streams streams)
      : program_(program), options_(options), streams_(streams) {}

  int run() {
    std::optional<std::string> text;
    if (is_first()) {
      const File file = open_file(options_.calls, "r");
      if (file != nullptr) text = read_everything(file.get());
    }
    if (!share_text(streams_.ranks, text) || !text) return cannot("read", options_.calls);
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      Call call = call_from(line, options_.program_name);
      const int status = make(call);
      if (status != exit_success) return status;
    }
    return exit_success;
  }

 private:
  bool is_first() const { return streams_.ranks == nullptr || streams_.ranks->rank == 0; }
  int cannot(const char* what, const std::string& path) const {
    return complain(options_, streams_,
                    std::string("cannot ") + what + " " + path + ": " + std::strerror(errno),
                    exit_failure);
  }

  int make(Call& call) {
    if (!is_first()) return make(call, streams_);
    const File in = open_file(call.path + ".in", "r");
    const File out = open_file(call.path + ".out", "w");
    const File error = open_file(call.path + ".err", "w");
    if (in == nullptr || out == nullptr || error == nullptr) {
      cannot("open the files of", call.path);
      return make(call, std::nullopt);
    }
    const int status = make(call, dz_streams{in.get(), out.get(), error.get(), streams_.ranks});
    const File file = open_file(call.path + ".status", "w");
    if (file == nullptr || std::fprintf(file.get(), "%d\n", status) < 0) {
      // The others go on.
      cannot("write the status of", call.path);
    }
    return exit_success;
  }

  /// All ranks make the call, or none.
  int make(Call& call, std::optional<dz_streams> streams) {
    std::optional<std::string> has_files;
    if (streams) has_files.emplace();
    if (!share_text(streams_.ranks, has_files) || !has_files) return exit_failure;
    std::vector<char*> words;
    for (std::string& word : call.words) words.push_back(word.data());
    words.push_back(nullptr);
    const int count = static_cast<int>(words.size()) - 1;
    const int status = run_call(program_, count, words.data(), *streams, CallKind::of_many);
    return is_first() ? status : exit_success;
  }

  const dz_program& program_;
  const Options& options_;
  dz_streams streams_;
};

}  // namespace

int run_calls(const dz_program& program, const Options& options, dz_streams streams) {
  return CallsRun(program, options, streams).run();
}

}  // namespace dagaz::runtime
