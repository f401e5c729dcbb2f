// See protocol.h.
#include "tools/lsp/protocol.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

namespace dagaz::tools::lsp {

namespace {

constexpr std::string_view end_of_head = "\r\n\r\n";

// The number behind `Content-Length:`; header names do not depend on case.
std::optional<std::size_t> content_length(std::string_view head) {
  constexpr std::string_view wanted = "content-length:";
  for (std::size_t line = 0; line < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", line), head.size());
    std::string name(head.substr(line, wanted.size()));
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (name == wanted) {
      std::string_view digits = head.substr(line + wanted.size(), end - line - wanted.size());
      digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
      std::size_t length = 0;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), length);
      if (read.ec == std::errc()) return length;
    }
    line = end + 2;
  }
  return std::nullopt;
}

}  // namespace

Json answer(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_answer(const Json& id, const RequestError& error) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(error.code)}, {"message", error.message}}}};
}

bool Connection::fill() {
  std::array<char, 65536> bytes;
  ssize_t count = 0;
  do {
    count = read(input_, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

bool Connection::has_input(int milliseconds) {
  if (!buffer_.empty()) return true;
  pollfd waiting{input_, POLLIN, 0};
  return poll(&waiting, 1, milliseconds) > 0;
}

std::optional<Json> Connection::receive() {
  std::size_t head = 0;
  while ((head = buffer_.find(end_of_head)) == std::string::npos) {
    if (!fill()) return std::nullopt;
  }
  const std::size_t begin = head + end_of_head.size();
  const std::optional<std::size_t> length = content_length(buffer_.substr(0, head));
  if (!length) {
    buffer_.erase(0, begin);
    return Json();
  }
  while (buffer_.size() - begin < *length) {
    if (!fill()) return std::nullopt;
  }
  const std::string body = buffer_.substr(begin, *length);
  buffer_.erase(0, begin + *length);
  Json message = Json::parse(body, nullptr, false);
  return message.is_discarded() ? Json() : message;
}

void Connection::send(const Json& message) {
  const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string text = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const std::lock_guard lock(sending_);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(output_, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

}  // namespace dagaz::tools::lsp
