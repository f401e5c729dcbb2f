// The way of an accumulator through a body: what it is handed to hands it on, under another name.
// And the body without it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes {

/// Whether the accumulator is handed to the statement.
bool uses(const ir::Statement& statement, ir::NameId accumulator, const ir::Names& names);
/// Which result of `statement` the accumulator `enters` is after it; nothing if something else
/// happens to it than additions in maps, branches and scopes of other accumulators.
std::optional<std::size_t> exit_of(const ir::Statement& statement, ir::NameId enters,
                                   const ir::Names& names);
/// The parameter of a map that an array is handed to.
std::optional<std::size_t> parameter_of(const ir::MapScanReduce& map, ir::NameId array);
template <typename T>
void erase_at(std::vector<T>& list, std::size_t place) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
}
/// Takes an accumulator out of `body`, whose statements all have an exit for it.
void remove_accumulator(ir::Body& body, ir::NameId enters, const ir::Names& names);
/// Takes it out of a branch, a scope of others or a map that has this exit for it.
void remove_accumulator(ir::Statement& statement, ir::NameId enters, std::size_t exit,
                        const ir::Names& names);

}  // namespace dagaz::passes
