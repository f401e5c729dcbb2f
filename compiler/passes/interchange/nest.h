// Nests of maps with scalar results inside the body of a narrow map, and the same nests with the
// narrow map innermost.
#pragma once

#include <optional>
#include <vector>

#include "ir/builder.h"
#include "ir/names.h"

namespace dagaz::passes::interchanging {

using namespace ir;  // NOLINT: private header of the pass

/// A map of a nest, and what stands before the next one.
struct Level {
  Operand width;
  std::vector<NameId> arrays;
  std::vector<Binder> parameters;
  std::vector<Statement> before;
};

/// Maps inside each other, split by what differs between the points of the narrow map around them:
/// the levels do not, `core` does.  The core's results are scalars.
struct Nest {
  std::vector<Level> levels;
  Body core;
  std::vector<Type> result_types;
};

/// `statement` as a nest, if it is one that depends on some of `variant` (the names that the narrow
/// map binds) and whose levels need none of them but by reading elements.
std::optional<Nest> nest_of(const Statement& statement, NameSet variant, Names& names);

/// Whether a point of the nest reduces over something that the narrow map has a part in.
bool reduces(const Nest& nest);

/// Whether `map` is nothing but a map of values.
bool is_plain(const MapScanReduce& map, const Names& names);
/// Whether `operand` is one of `set`.
bool is_in(const Operand& operand, const NameSet& set);
/// Whether `statement` uses one of `set`.
bool uses(const Statement& statement, const NameSet& set, const Names& names);

}  // namespace dagaz::passes::interchanging
