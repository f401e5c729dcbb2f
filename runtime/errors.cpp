// Keeping the first error, and wording the failures of programs.
#include "errors.h"

#include <string_view>

namespace dagaz::runtime {

int32_t Errors::report(int32_t status, std::string text) {
  const std::lock_guard lock(mutex_);
  if (status_ == DZ_OK) {
    status_ = status;
    text_ = std::move(text);
  }
  return status;
}

void Errors::begin_call() {
  const std::lock_guard lock(mutex_);
  status_ = DZ_OK;
}

std::optional<std::string> Errors::take() {
  const std::lock_guard lock(mutex_);
  std::optional<std::string> text = std::move(text_);
  text_.reset();
  status_ = DZ_OK;
  return text;
}

int32_t Errors::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::string failure_text(const dz_failure& failure, int32_t argument_count,
                         const int64_t* arguments) {
  std::string text = "Error: ";
  std::string_view rest = failure.text == nullptr ? "unknown failure" : failure.text;
  int32_t next = 0;
  for (size_t hole = rest.find("{}"); hole != std::string_view::npos; hole = rest.find("{}")) {
    text += rest.substr(0, hole);
    text += next < argument_count ? std::to_string(arguments[next]) : "?";
    ++next;
    rest.remove_prefix(hole + 2);
  }
  text += rest;
  if (failure.backtrace == nullptr || *failure.backtrace == '\0') {
    return text;
  }
  text += "\n\nBacktrace:";
  std::string_view lines = failure.backtrace;
  for (int number = 0; !lines.empty(); ++number) {
    const size_t end = lines.find('\n');
    text += number == 0 ? "\n-> #" : "\n   #";
    text += std::to_string(number) + "  ";
    text += lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return text;
}

}  // namespace dagaz::runtime
