// Text with an indentation: line ends and spaces are written when something follows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dagaz::tools {

class Writer {
 public:
  void text(std::string_view text);
  /// One space, unless the line ends here.
  void space() { space_ = line_ends_ == 0; }
  void newline();
  void blank_line();
  /// `text`, and the end of the line.
  void comment(std::string_view text);
  /// Where the next text will stand, in characters from the left.
  std::size_t column() const;
  /// All that was written, with one line end behind it.
  std::string take();

  /// How far lines that begin from now on are moved to the right.
  std::size_t indentation = 0;

 private:
  void begin();

  std::string out_;
  std::size_t column_ = 0;
  int line_ends_ = 0;  // two are a blank line
  bool space_ = false;
};

/// While alive, lines are moved `by` to the right of where they were.
class Indent {
 public:
  Indent(Writer& writer, std::size_t by) : writer_(writer), before_(writer.indentation) {
    writer.indentation += by;
  }
  ~Indent() { writer_.indentation = before_; }
  Indent(const Indent&) = delete;
  Indent& operator=(const Indent&) = delete;

 private:
  Writer& writer_;
  std::size_t before_;
};

/// While alive, lines begin below what is written next.
class Align : public Indent {
 public:
  explicit Align(Writer& writer) : Indent(writer, 0) { writer.indentation = writer.column(); }
};

}  // namespace dagaz::tools
