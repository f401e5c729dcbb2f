// How often the lines of a program are executed.
//
// After checking, the outermost expression that begins on a line becomes `let _ = #[trace(l)] () in
// e`, where `l` names the line, so that what holds for traces (docs/traces.md) holds for counts:
// each evaluation counts once, whatever passes do, and derivatives count what they compute once.
// The interpreter is told of every trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/compile.h"

namespace dagaz::driver {

/// The option of `dagaz run --target=interpreter` after which the file for counts is named.
inline constexpr std::string_view count_lines_option = "--count-lines";

/// Of each file, lines (from 1) and how often they were executed.
using LineCounts = std::map<std::string, std::map<int, int64_t>>;

/// The front end; where the program's `arguments` ask for counts, its lines but those of the
/// standard library count, and the file has them all with 0.
std::optional<ir::ParallelProgram> front_end_for(Compilation& compilation,
                                                const std::vector<std::string>& arguments);
/// Counts what a trace says, if it is about a line; false if it is an ordinary trace.
bool count_line(LineCounts& counts, const SourceFiles& files, std::string_view label);

/// Adds counts to a file, a line each; false if it cannot be written.
bool append_counts(const std::string& path, const LineCounts& counts);
/// Adds what is in a file to `counts`.
void add_counts(LineCounts& counts, const std::string& path);

}  // namespace dagaz::driver
