// What has been entered so far, as a row of files each of which opens the one before: a name may be
// defined again, and each text keeps its place in messages.  Nothing is interpreted: an expression
// becomes the entry point of a program that is compiled and run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/options.h"
#include "query/analysis.h"

namespace dagaz::driver {

class ReplSession {
 public:
  explicit ReplSession(CompileOptions options) : options_(std::move(options)) {}

  /// Starts again with all names of the program at `path`, those that it keeps to itself included.
  /// On failure prints why, and nothing changes.
  bool load(const std::string& path);

  /// What a text turns out to be.
  enum class Kind { declarations, expression, unfinished, wrong };
  /// `text` is the input number `number`.  The mistakes of a wrong one are printed.
  Kind classify(const std::string& text, int number);
  /// Adds declarations; prints their mistakes.
  void define(const std::string& text, int number);
  /// Prints the value of an expression; `time` also how long it takes.
  enum class Timing { without, with };
  void evaluate(const std::string& text, int number, Timing timing = Timing::without);
  void print_type(const std::string& text, int number);
  /// Prints the program of an expression at a stage of compilation.
  void inspect(const std::string& text, int number, InspectStage stage);

 private:
  struct Checked {
    std::unique_ptr<query::Analysis> analysis;
    const check::Scheme* scheme = nullptr;
  };

  std::string root_name(int number) const;
  std::string heading() const;
  syntax::FileReader reader() const;
  /// Whether there were errors, which are printed.
  bool report(const query::Analysis& analysis) const;
  Checked check_expression(const std::string& text, int number);
  /// The program whose entry point gives the parts of the value.
  std::string program(const std::string& text, const std::vector<std::string>& parts) const;
  bool run(const std::string& program, int number, const std::vector<std::string>& arguments,
           std::string& output) const;

  CompileOptions options_;
  std::string folder_;                        // of the program that was loaded
  std::string opening_;                       // what opens all that is defined
  std::map<std::string, std::string> files_;  // by path
};

}  // namespace dagaz::driver
