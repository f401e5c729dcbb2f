// What loops of the host and accumulators there share.
#pragma once

#include <vector>

#include "ir/builder.h"

namespace dagaz::passes::flattening {

/// All of an array of this type at its outermost `indices`.
std::vector<ir::SliceDimension> part_at(const std::vector<ir::Operand>& indices,
                                        const ir::Type& type);

/// bins[indices] = op bins[indices] updates, if the indices are inside `shape`; else nothing.
/// The next bins.
std::vector<ir::NameId> combine_where_inside(const std::vector<ir::NameId>& bins,
                                             const std::vector<ir::Operand>& shape, ir::Lambda op,
                                             const std::vector<ir::Operand>& indices,
                                             const std::vector<ir::Operand>& updates,
                                             ir::Builder& body);

}  // namespace dagaz::passes::flattening
