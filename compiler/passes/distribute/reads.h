// How the points of an operation read arrays: what decides whether ranks that share the points need
// whole arrays or only their part.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/program.h"

namespace dagaz::passes::distributing {

/// The positions of an index, among those of each read, at which it stands alone.  Empty: the array
/// is also read at other places, or otherwise.
using Positions = std::vector<std::size_t>;

/// For each array from outside that the operation mentions: where `index` stands in its reads.
std::unordered_map<ir::NameId, Positions> reads_at(const ir::Operation& operation, ir::NameId index,
                                                   const ir::Names& names);

/// Makes reads of `array` at `index`, in position `position`, reads of `part` at `local`.
void read_part(ir::Body& body, ir::NameId array, std::size_t position, ir::NameId part,
               ir::NameId local);

}  // namespace dagaz::passes::distributing
