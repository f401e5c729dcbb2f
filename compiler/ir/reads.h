// Which arrays a body reads at the places of its points, and how many bytes that is.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "ir/program.h"

namespace dagaz::ir {

/// Those that statements of the body read elements of, but for `computed`, which have no memory.
std::unordered_set<NameId> arrays_read(const Body& body,
                                       const std::unordered_set<NameId>& computed);
/// An element of each of them.
std::int64_t bytes_read(const Body& body, const std::unordered_set<NameId>& computed,
                        const Names& names);

}  // namespace dagaz::ir
