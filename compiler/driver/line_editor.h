// Lines from a person, with editing and history, or from a pipe.
#pragma once

#include <optional>
#include <string>

namespace dagaz::driver {

/// Edits with libedit where that is installed and standard input is a terminal; reads plain lines
/// otherwise.
class LineEditor {
 public:
  /// History is kept in `history_file` unless that is empty.
  explicit LineEditor(std::string history_file);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// The next line; nothing at the end.
  std::optional<std::string> read(const std::string& prompt);
  bool is_interactive() const { return is_interactive_; }

 private:
  using ReadLine = char* (*)(const char*);
  using TakeText = int (*)(const char*);

  bool is_interactive_;
  std::string history_file_;
  void* library_ = nullptr;
  ReadLine read_line_ = nullptr;
  TakeText add_history_ = nullptr;
  TakeText write_history_ = nullptr;
};

/// Where the history of the command `name` is kept: in the user's own folder; empty if there is
/// none.
std::string history_path(const std::string& name);

}  // namespace dagaz::driver
