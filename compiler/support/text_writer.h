// An indentation-aware string builder, used by every printer.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace dagaz {

/// Appends text; each line starts with two spaces per open indentation.
class TextWriter {
 public:
  TextWriter& operator<<(std::string_view text) {
    for (const char c : text) {
      if (c == '\n') {
        at_line_start_ = true;
      } else if (at_line_start_) {
        out_.append(2 * depth_, ' ');
        at_line_start_ = false;
      }
      out_ += c;
    }
    return *this;
  }
  TextWriter& operator<<(char c) { return *this << std::string_view(&c, 1); }
  template <std::integral I>
    requires(!std::same_as<I, char> && !std::same_as<I, bool>)
  TextWriter& operator<<(I number) {
    return *this << std::string_view(std::to_string(number));
  }
  void indent() { ++depth_; }
  void dedent() { --depth_; }
  const std::string& str() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::size_t depth_ = 0;
  bool at_line_start_ = true;
};

}  // namespace dagaz
