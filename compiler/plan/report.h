// The schedules of a program as text: what `inspect --stage=plan` prints and `--plan` reads.
#pragma once

#include <string>

#include "ir/program.h"
#include "support/source.h"

namespace dagaz::plan {

/// For each parallel operation of the host, and for each inside a thread that has a choice, its
/// first result and its schedule (the form of ir::parse_schedules), below a comment that says what
/// and where it is.
std::string report(const ir::PlannedProgram& program, const SourceFiles& files);

}  // namespace dagaz::plan
