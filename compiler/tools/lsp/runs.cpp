// See runs.h.
#include "tools/lsp/runs.h"

#include <filesystem>
#include <utility>

#include "tools/lsp/requests.h"
#include "tools/lsp/text.h"

namespace dagaz::tools::lsp {

namespace {

constexpr const char* token_prefix = "dagaz/run/";

Json notification(const char* method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Json progress(const Json& token, Json value) {
  return notification("$/progress", {{"token", token}, {"value", std::move(value)}});
}

// The output is shown to the user, too: not every client looks at answers of commands.
Json shown(const RunResult& result) {
  constexpr int error = 1;
  constexpr int information = 3;
  return notification("window/showMessage", {{"type", result.succeeded ? information : error},
                                             {"message", result.output}});
}

}  // namespace

void Runs::start(const Json& id, const Json& params) {
  const auto command = params.value("command", "");
  const Json arguments = params.value("arguments", Json::array());
  const bool is_known = command == test_command || command == bench_command;
  const bool is_complete = arguments.is_array() && arguments.size() == 2 &&
                           arguments[0].is_string() && arguments[1].is_number_unsigned();
  if (!is_known || !is_complete) {
    throw RequestError{ErrorCode::invalid_params, "there is no such command"};
  }
  const std::lock_guard lock(mutex_);
  runs_.remove_if([](const Run& run) { return run.is_over; });
  Run& run =
      runs_.emplace_back(Run{id, command == test_command ? RunKind::test : RunKind::bench,
                             path_of(arguments[0].get<std::string>()), arguments[1].get<unsigned>(),
                             params.value("workDoneToken", Json())});
  if (!run.token.is_null()) {
    show_begin(run);
  } else if (client_shows_progress) {
    ask_for_progress(run);
  }
  run.thread = std::jthread([this, &run](const std::stop_token& stop) { work(run, stop); });
}

void Runs::ask_for_progress(Run& run) {
  run.token = token_prefix + std::to_string(++last_token_);
  connection_.send({{"jsonrpc", "2.0"},
                    {"id", run.token},
                    {"method", "window/workDoneProgress/create"},
                    {"params", {{"token", run.token}}}});
}

void Runs::show_begin(Run& run) {
  const std::string name = std::filesystem::path(run.path).filename().string();
  const std::string title =
      (run.kind == RunKind::test ? "Testing " : "Timing ") + name + ":" + std::to_string(run.line);
  run.is_shown = true;
  connection_.send(
      progress(run.token, {{"kind", "begin"}, {"title", title}, {"cancellable", true}}));
}

void Runs::show_end(const Run& run, bool succeeded) {
  if (!run.is_shown) return;
  connection_.send(progress(
      run.token, {{"kind", "end"}, {"message", succeeded ? "succeeded" : "did not succeed"}}));
}

void Runs::progress_created(const Json& answer) {
  const std::lock_guard lock(mutex_);
  for (Run& run : runs_) {
    const bool is_meant = !run.is_over && !run.is_shown && run.token == answer.value("id", Json());
    if (is_meant && !run.token.is_null() && !answer.contains("error")) show_begin(run);
  }
}

void Runs::cancel_request(const Json& id) {
  const std::lock_guard lock(mutex_);
  for (Run& run : runs_) {
    if (run.id == id) run.thread.request_stop();
  }
}

void Runs::cancel_progress(const Json& token) {
  const std::lock_guard lock(mutex_);
  for (Run& run : runs_) {
    if (!token.is_null() && run.token == token) run.thread.request_stop();
  }
}

void Runs::stop_all() {
  std::list<Run> ending;
  {
    const std::lock_guard lock(mutex_);
    for (Run& run : runs_) run.thread.request_stop();
    ending.swap(runs_);
  }
  // Without the lock, which the threads need to end.
}

std::optional<RunResult> Runs::result_of(const Run& run, const std::stop_token& stop) {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return !is_busy_; })) return std::nullopt;
    is_busy_ = true;
  }
  RunResult result = services_.run(run.kind, run.path, run.line, stop);
  {
    const std::lock_guard lock(mutex_);
    is_busy_ = false;
  }
  changed_.notify_one();
  if (stop.stop_requested()) return std::nullopt;
  return result;
}

void Runs::work(Run& run, const std::stop_token& stop) {
  const std::optional<RunResult> result = result_of(run, stop);
  const std::lock_guard lock(mutex_);
  show_end(run, result && result->succeeded);
  run.is_over = true;
  if (!result) {
    connection_.send(error_answer(run.id, {ErrorCode::request_cancelled, "cancelled"}));
    return;
  }
  connection_.send(shown(*result));
  connection_.send(answer(run.id, {{"succeeded", result->succeeded}, {"output", result->output}}));
}

}  // namespace dagaz::tools::lsp
