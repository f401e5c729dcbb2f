// Reads of elements that lie side by side as an index counts up, at places that are known before
// anything else of the body runs: what can be fetched ahead.
#pragma once

#include <vector>

#include "plan/surroundings.h"

namespace dagaz::plan {

struct ElementRead {
  ir::NameId result;
  bool of_segment;  // other indices tell where the elements begin, too
};

/// The reads of `body` along `index`, of arrays around it and of rows that it takes of these.
std::vector<ElementRead> element_reads(const ir::Body& body, ir::NameId index,
                                       const Surroundings& around);

}  // namespace dagaz::plan
