// Which elements a body reads, of which arrays, and how many bytes that is.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "ir/program.h"

namespace dagaz::ir {

/// An element at `indices` of an array, which is no row of another one.
struct ElementRead {
  NameId array;
  std::vector<Operand> indices;
};

/// Those that statements of the body read, also of rows that it takes of arrays.
std::vector<ElementRead> elements_read(const Body& body, const Names& names);
/// The arrays that these are of, but for `computed`, which have no memory.
std::unordered_set<NameId> arrays_read(const Body& body, const std::unordered_set<NameId>& computed,
                                       const Names& names);
/// The bytes of an element of each of them.
std::int64_t bytes_read(const Body& body, const std::unordered_set<NameId>& computed,
                        const Names& names);

}  // namespace dagaz::ir
