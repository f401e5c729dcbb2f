// Links: pieces of a scan that tasks of a CPU take in turn (emit/segmented/links.h).
//
// A task reads a link twice: to tell what it comes to, and then to scan it, by when the second
// cache has it.  Meanwhile what the task reads next is fetched there, too.  So a link is a part of
// that cache, and long beside what handing on costs.
#pragma once

#include <unordered_set>

#include "ir/program.h"
#include "plan/tunables.h"

namespace dagaz::plan {

/// The elements of a link; 0, no limit, where elements are arrays.
int link_of(const ir::SegmentedScan& scan, const std::unordered_set<ir::NameId>& iotas,
            const ir::Names& names, const Tunables& tunables);

}  // namespace dagaz::plan
