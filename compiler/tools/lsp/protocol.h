// JSON-RPC messages over a pair of pipes, as the Language Server Protocol frames them.
#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace dagaz::tools::lsp {

using Json = nlohmann::json;

/// The codes of the protocol for requests that cannot be answered.
enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  not_initialized = -32002,
  request_failed = -32803,
  request_cancelled = -32800,
};

/// Why a request cannot be answered.  Thrown by handlers, caught where they are called.
struct RequestError {
  ErrorCode code;
  std::string message;
};

/// The messages that answer the request `id`.
Json answer(const Json& id, Json result);
Json error_answer(const Json& id, const RequestError& error);

/// Reads from one file descriptor and writes to another; neither is closed.
class Connection {
 public:
  Connection(int input, int output) : input_(input), output_(output) {}

  /// The next message; nothing at the end of the input.  A null value is a message that is no JSON.
  std::optional<Json> receive();
  /// Whether there is something to receive within so many milliseconds.
  bool has_input(int milliseconds);
  /// Several threads may send.
  void send(const Json& message);

 private:
  bool fill();

  int input_;
  int output_;
  std::string buffer_;
  std::mutex sending_;
};

}  // namespace dagaz::tools::lsp
