// The text form of the tree, in: for tests and for `dagaz inspect FILE.tree`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "tree/tree.h"
#include "tree/verify.h"

namespace dagaz::tree {

struct ParsedProgram {
  Program program;
  /// Where each instruction stands, in the order of for_each_instruction.
  std::vector<Range> places;
};

/// Reads a whole program; reports the first mistake and gives nothing.
std::optional<ParsedProgram> parse(FileId file, const SourceFiles& files,
                                   Diagnostics& diagnostics);

/// Where what is violated stands; nowhere if it is the program as a whole.
Range place_of(const Violation& violation, const ParsedProgram& parsed);

/// Prints `program` and reads it back; what went wrong, or nothing.
std::string round_trip_problem(const Program& program);

}  // namespace dagaz::tree
