// libedit is opened when it is wanted: a compiler on a machine without it needs nothing more.
#include "driver/line_editor.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace dagaz::driver {

namespace fs = std::filesystem;

template <typename F>
static F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

LineEditor::LineEditor(std::string history_file)
    : is_interactive_(isatty(STDIN_FILENO) != 0), history_file_(std::move(history_file)) {
  if (!is_interactive_) return;
  library_ = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return;
  read_line_ = symbol<ReadLine>(library_, "readline");
  add_history_ = symbol<TakeText>(library_, "add_history");
  write_history_ = symbol<TakeText>(library_, "write_history");
  const auto read_history = symbol<TakeText>(library_, "read_history");
  const auto start = symbol<void (*)()>(library_, "using_history");
  if (start != nullptr) start();
  if (read_history != nullptr && !history_file_.empty()) read_history(history_file_.c_str());
}

LineEditor::~LineEditor() {
  if (write_history_ == nullptr || history_file_.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(history_file_).parent_path(), error);
  write_history_(history_file_.c_str());
}

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  if (read_line_ == nullptr) {
    std::cout << prompt << std::flush;
    std::string line;
    return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
  }
  char* text = read_line_(prompt.c_str());
  if (text == nullptr) return std::nullopt;
  std::string line = text;
  std::free(text);
  if (!line.empty() && add_history_ != nullptr) add_history_(line.c_str());
  return line;
}

std::string history_path(const std::string& name) {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state == nullptr && home == nullptr) return "";
  const fs::path base = state != nullptr ? fs::path(state) : fs::path(home) / ".local" / "state";
  return (base / "dagaz" / (name + "_history")).string();
}

}  // namespace dagaz::driver
