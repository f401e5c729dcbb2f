// Test blocks that are run or timed while the server goes on answering.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "tools/lsp/protocol.h"
#include "tools/lsp/workspace.h"

namespace dagaz::tools::lsp {

/// Each run waits in a thread of its own for its process; they run one after another, so that none
/// disturbs what another measures.  All end with this object.
class Runs {
 public:
  Runs(Connection& connection, const Services& services)
      : connection_(connection), services_(services) {}
  ~Runs() { stop_all(); }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// Whether the client shows progress that it has not asked for.
  bool client_shows_progress = false;

  /// Starts what `workspace/executeCommand` names; its end answers the request `id`.
  void start(const Json& id, const Json& params);
  /// The client's answer to a request of ours: it shows progress from now on, or does not.
  void progress_created(const Json& answer);
  void cancel_request(const Json& id);
  void cancel_progress(const Json& token);
  void stop_all();

 private:
  struct Run {
    Json id;
    RunKind kind;
    std::string path;
    unsigned line;
    Json token;  // of its progress; null: none is shown
    bool is_shown = false;
    bool is_over = false;
    std::jthread thread = {};
  };

  void ask_for_progress(Run& run);
  void show_begin(Run& run);
  void show_end(const Run& run, bool succeeded);
  /// In the run's thread.
  void work(Run& run, const std::stop_token& stop);
  std::optional<RunResult> result_of(const Run& run, const std::stop_token& stop);

  Connection& connection_;
  const Services& services_;
  std::mutex mutex_;  // of what follows, and of the order of messages about a run
  std::condition_variable_any changed_;
  bool is_busy_ = false;
  std::uint64_t last_token_ = 0;
  std::list<Run> runs_;
};

}  // namespace dagaz::tools::lsp
