// The code that one program becomes under different tunables, as text: equal texts are equal code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "ir/program.h"

namespace dagaz::driver {

/// The source is read once; what comes before plans is kept while the tunables of passes stay.
class CodeTexts {
 public:
  explicit CodeTexts(const CompileOptions& options);

  /// The imperative tree with these tunables, each NAME=VALUE, in place of the options'; empty if
  /// the program does not compile.
  std::string text_with(const std::vector<std::string>& tuned);

 private:
  Compilation compilation_;
  std::optional<ir::ParallelProgram> program_;
  std::optional<passes::Tunables> passes_;  // that `flat_` was made with
  ir::FlatProgram flat_;
};

}  // namespace dagaz::driver
