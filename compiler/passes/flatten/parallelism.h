// What of a body may become operations over the nest around it.
#pragma once

#include "ir/names.h"
#include "passes/flatten/nest.h"

namespace dagaz::passes::flattening {

/// Whether all points have values of one shape; `inside`: what a point binds.
bool is_regular(const ir::Type& type, const ir::NameSet& inside);
/// Whether the statement has parallelism to distribute.
bool is_parallel(const ir::Statement& statement, const ir::NameSet& inside,
                 const ir::Names& names);
/// Whether some statement is parallel and everything that may have to be stored is regular.
bool can_distribute(const Nest& nest, const ir::Body& body, const ir::Names& names);
/// Whether it is a map whose elements are sums, of many terms each; `inside`: bound in the nest.
bool is_product(const ir::Statement& statement, const ir::NameSet& inside);
/// Whether a point works on rows, several of which are products, as attention does: such a nest may
/// run whole, many points by a block.
bool works_on_products(const ir::Body& body, const ir::NameSet& inside);
/// The end of the chain of operations on rows that starts at statement number `begin`.
std::size_t end_of_chain(const ir::Body& body, std::size_t begin, const ir::NameSet& inside,
                         const ir::Names& names);

}  // namespace dagaz::passes::flattening
