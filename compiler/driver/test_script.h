// Test inputs in the peer's script language: expressions over the entry points of the program.
//
//   e ::= let x = e in e | let (x, …) = e in e | f a … | $builtin a … | a
//   a ::= literal | "text" | x | f | (e, …) | {x = e, …} | a.x | x[e, …]
//
// Builtins: `$loaddata "file"`, the values in a file; `$loadbytes "file"`, its bytes; and `$restore
// "type" "file"`, a value that the server stored.  A tuple given to a function is its arguments.  Where two expressions follow each other, white space
// decides: `f [1]` applies, `x[1]` indexes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "ir/program.h"

namespace dagaz::driver {

/// What scripts are evaluated with.
struct ScriptContext {
  const ir::Program& program;    // its entry points and their types
  std::filesystem::path folder;  // where files are looked for
  /// Runs an entry point: its results in the binary format, or nothing and `problem`.
  std::function<std::optional<std::string>(const std::string& entry, const std::string& input,
                                           std::string& problem)>
      run;
};

/// The values of `script`, one behind the other, as input for a program; on a mistake in the
/// script or a failure of an entry point nothing and `problem`.
std::optional<std::string> evaluate_script(const std::string& script,
                                           const ScriptContext& context, std::string& problem);

}  // namespace dagaz::driver
