// The conversation: what a line asks for.  What is asked is done by repl_session.h.
#include "driver/repl_command.h"

#include <csignal>
#include <iostream>
#include <string>

#include "driver/line_editor.h"
#include "driver/repl_session.h"
#include "support/check.h"

namespace dagaz::driver {

namespace {

constexpr const char* help_text =
    "An expression is compiled and its value printed; a declaration is kept.  A text that is not\n"
    "finished goes on in the next line; an empty line gives it up.\n"
    ":load FILE   start again with the names of a program\n"
    ":type EXP    the type, without evaluating\n"
    ":time EXP    the microseconds of five runs\n"
    ":ad EXP      which rules of differentiation were used, and why\n"
    ":plan EXP    how each parallel operation runs\n"
    ":ir EXP      the optimised program\n"
    ":help        this text\n"
    ":quit        the end, as does the end of the input\n";

class Repl {
 public:
  explicit Repl(const ReplOptions& options)
      : session_(options.compile), editor_(history_path("repl")) {}

  int run(const std::string& file) {
    if (!file.empty() && !session_.load(file)) return 1;
    if (editor_.is_interactive()) {
      std::cout << "dagaz repl; :help says what can be asked, :quit ends.\n";
    }
    while (!is_over_) {
      const auto line = editor_.read("[" + std::to_string(number_) + "]> ");
      if (!line) break;
      if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
      if (line->starts_with(":")) {
        command(*line);
      } else {
        enter(*line);
      }
      ++number_;
    }
    std::cout << (editor_.is_interactive() ? "\n" : "") << "Leaving 'dagaz repl'.\n";
    return 0;
  }

 private:
  using Kind = ReplSession::Kind;

  // A text that may go on in further lines.
  void enter(std::string text) {
    Kind kind = session_.classify(text, number_);
    while (kind == Kind::unfinished) {
      const auto more = editor_.read("...> ");
      if (!more || more->empty()) {
        std::cerr << "dagaz: the text is not finished\n";
        return;
      }
      text += "\n" + *more;
      kind = session_.classify(text, number_);
    }
    if (kind == Kind::declarations) session_.define(text, number_);
    if (kind == Kind::expression) session_.evaluate(text, number_);
  }

  void command(const std::string& line) {
    const std::size_t space = line.find_first_of(" \t");
    const std::string name = line.substr(0, space);
    const std::size_t begin = line.find_first_not_of(" \t", space);
    std::string rest = begin == std::string::npos || space == std::string::npos
                           ? ""
                           : line.substr(begin);
    rest.erase(rest.find_last_not_of(" \t\r") + 1);
    if (name == ":quit" || name == ":q") {
      is_over_ = true;
    } else if (name == ":help") {
      std::cout << help_text;
    } else if (name == ":load" && !rest.empty()) {
      session_.load(rest);
    } else if (!rest.empty() && asks_about_expression(name)) {
      if (is_expression(rest)) about(name, rest);
    } else {
      std::cerr << "dagaz: there is no command `" << line << "`; :help lists all\n";
    }
  }

  static bool asks_about_expression(const std::string& name) {
    return name == ":type" || name == ":time" || name == ":ad" || name == ":plan" ||
           name == ":ir";
  }

  bool is_expression(const std::string& text) {
    const Kind kind = session_.classify(text, number_);
    if (kind == Kind::expression) return true;
    if (kind != Kind::wrong) std::cerr << "dagaz: `" << text << "` is no expression\n";
    return false;
  }

  void about(const std::string& name, const std::string& text) {
    if (name == ":type") session_.print_type(text, number_);
    if (name == ":time") session_.evaluate(text, number_, ReplSession::Timing::with);
    if (name == ":ad") session_.inspect(text, number_, InspectStage::ad);
    if (name == ":plan") session_.inspect(text, number_, InspectStage::plan);
    if (name == ":ir") session_.inspect(text, number_, InspectStage::optimised);
  }

  ReplSession session_;
  LineEditor editor_;
  int number_ = 0;
  bool is_over_ = false;
};

}  // namespace

int repl_command(const ReplOptions& options) {
  const Doing doing("talking");
  // An interruption is for the program that runs.
  std::signal(SIGINT, SIG_IGN);
  return Repl(options).run(options.compile.file);
}

}  // namespace dagaz::driver
