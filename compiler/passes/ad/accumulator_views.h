// Which names are views of one accumulator: every write, scope and call that is handed an
// accumulator gives it back under another name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::ad {

/// For views of accumulators, the accumulator that each is a view of.
using AccumulatorRoots = std::unordered_map<ir::NameId, ir::NameId>;

using FunctionTable = std::map<std::string, ir::Function>;

/// Adds the views that `body`, which hands accumulators to none but these functions, makes of those
/// known to `roots`.
void add_views(const ir::Body& body, AccumulatorRoots& roots, const FunctionTable& functions);

/// For each result of a function, the parameter that it gives back; nothing for values.
std::vector<std::optional<std::size_t>> given_back(const ir::Function& function,
                                                   const ir::Names& names,
                                                   const FunctionTable& functions);

/// Whether a call in `body` hands on accumulators.
bool has_accumulating_call(const ir::Body& body);

}  // namespace dagaz::passes::ad
