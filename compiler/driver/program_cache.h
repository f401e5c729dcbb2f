// Compiled programs, kept by all that they were made of: the compiler, the options, this processor
// and the texts of the program and of what it imports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache_folder.h"
#include "driver/options.h"
#include "support/diagnostic.h"
#include "syntax/imports.h"

namespace dagaz::driver {

/// What compiling a program makes.
struct CompiledProgram {
  std::string messages;            // warnings, as they are printed
  std::vector<std::string> parts;  // object files, or one executable
};

/// What the parts are.
enum class PartsAre { objects, executable };

/// The kept results of one compilation.
class ProgramCache {
 public:
  /// `prefix`: of symbols.  A folder that was asked for and cannot be used is an error.
  ProgramCache(const CompileOptions& options, PartsAre what, std::string_view prefix,
               Diagnostics& diagnostics);

  bool is_on() const { return folder_.has_value(); }
  /// What an earlier compilation made, if that would be made again.
  std::optional<CompiledProgram> find() const;
  /// Reads files for the compilation, and notes what it has read.
  syntax::FileReader reader();
  /// Keeps what the compilation made of what `reader` has read.
  void keep(const CompiledProgram& program) const;

 private:
  struct Read {
    std::string path;
    std::string digest;  // of its text; empty where there is none
  };

  std::optional<runtime::CacheFolder> folder_;  // nothing: nothing is kept
  std::string key_;
  syntax::FileReader read_;
  std::vector<Read> reads_;
};

}  // namespace dagaz::driver
