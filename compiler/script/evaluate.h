// Evaluates expressions of scripts by running the entry points of a compiled program.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/program.h"
#include "script/syntax.h"
#include "script/value.h"

namespace dagaz::script {

/// What scripts are evaluated with.
struct Machine {
  const ir::Program* program;  // its entry points and their types
  /// Runs an entry point: its results in the binary format, or nothing and `problem`.
  std::function<std::optional<std::string>(const std::string& entry, const std::string& input,
                                           std::string& problem)>
      run;
  /// The bytes of a file that the script names, or nothing.
  std::function<std::optional<std::string>(const std::string& name)> read;
  /// Builtins besides `$loaddata`, `$loadbytes` and `$restore`.  Sets `problem` where it knows the
  /// builtin, but not what to do with these arguments.
  std::function<std::optional<Value>(const std::string& builtin,
                                     const std::vector<Value>& arguments, std::string& problem)>
      builtin = {};
};

/// The value of `expression`; on a mistake in it or a failure of an entry point nothing and
/// `problem`.
std::optional<Value> evaluate(const Expression& expression, const Machine& machine,
                              std::string& problem);

/// Gives further arguments to a function; with all of them, calls it.
std::optional<Value> apply(const Value& function, std::vector<Value> arguments,
                           const Machine& machine, std::string& problem);

}  // namespace dagaz::script
