// The textual form of the IR, in: for tests and for `dagaz inspect --passes=… FILE.ir`.
#pragma once

#include <optional>
#include <unordered_map>

#include "ir/program.h"
#include "support/diagnostic.h"

namespace dagaz::ir {

/// Reads a whole program; reports the first mistake and gives nothing.
std::optional<Program> parse(FileId file, const SourceFiles& files, Diagnostics& diagnostics);

/// What `inspect --stage=plan` prints: `settings …`, and schedules by the first result of the
/// operations that they are for, `name: [version, …] …`.  Names are those with the same number.
struct PlanText {
  std::optional<Settings> settings;
  std::unordered_map<NameId, Schedule> schedules;
};
std::optional<PlanText> parse_plan(FileId file, const SourceFiles& files,
                                   Diagnostics& diagnostics);

}  // namespace dagaz::ir
