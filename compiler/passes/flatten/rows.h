// Nests whose points compute several rows.
#pragma once

#include <optional>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"
#include "passes/flatten/nest.h"

namespace dagaz::passes::flattening {

/// Where a body is cut, and what the first part gives the second beside results.
struct Cut {
  std::size_t place;
  std::vector<ir::NameId> kept;
};

/// Whether only one part computes it: maps, reductions, and what is neither cheap nor an assertion.
bool is_made_once(const ir::Statement& statement, const ir::Names& names);
/// Whether the statements from number `from` on write only over arrays that they make: what is
/// handed to them may be somebody's result.  `functions`: that they may call.
bool writes_only_its_own(const ir::Body& body, std::size_t from, const ir::Names& names,
                         const std::vector<ir::Function>& functions);
/// The first place beside a product, or behind points that take so many operations for each element
/// that they give, where the body can be cut; one that takes no memory, if there is.
std::optional<Cut> place_to_cut(const Nest& nest, const ir::Body& body, const ir::Names& names,
                                const std::vector<ir::Function>& functions,
                                std::int64_t handed_on_operations);

}  // namespace dagaz::passes::flattening
