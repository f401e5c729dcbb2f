// How arrays are used, as far as plans and memory depend on it.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/program.h"

namespace dagaz::plan {

/// Iotas and replicated scalars in `body` and inside it that are only read element by element: they
/// need no memory.
std::unordered_set<ir::NameId> element_only_arrays(const ir::Body& body, const ir::Names& names);

/// Whether the `result`-th result of `body` is `parameter` with nothing but updates in between.
bool is_updated_in_place(const ir::Body& body, std::size_t result, ir::NameId parameter,
                         const ir::Names& names);

/// Results of a map's body, or of maps inside, that may be written over an array that the body
/// makes, and these arrays: each is read last by what makes the result, element by element.
std::unordered_map<ir::NameId, ir::NameId> overwritten_by(const ir::SegmentedMap& map,
                                                          const ir::Names& names);

}  // namespace dagaz::plan
