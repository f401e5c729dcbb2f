// Scans that say where elements go, and the scatters that put them there, which may run as one
// loop; see compaction.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// A scan over [0, n) that numbers the points that satisfy a condition, or several, each its own;
/// and scatters of what these points keep.
struct Compaction {
  struct Target {
    ir::NameId destination;
    ir::NameId result;
    std::size_t value;  // position among the body's results
  };
  /// What one condition keeps: `flag` is its position among the body's results.
  struct List {
    std::size_t scanned;  // the scan's operator
    std::size_t flag;
    bool negated = false;
    ir::Operand size;     // of the arrays that it fills
    std::vector<Target> targets;
  };

  /// How many points a condition keeps, counted by a sum of its own.
  struct Count {
    std::size_t scanned;
    ir::NameId result;
  };

  const ir::SegmentedScan* scan;
  std::vector<const ir::SegmentedScatter*> scatters;
  std::vector<List> lists;
  std::vector<Count> counts;
  ir::Body body;                     // of a point: conditions and values
  std::vector<ir::NameId> indices;   // names of the point in the body
  std::size_t statements = 0;        // after the scan, up to the last scatter or count
};

/// What `statements` begin with; nothing if the first is no such scan, or if what it gives is also
/// read after the scatters, by other statements or in `results`.
std::optional<Compaction> compaction_of(std::span<const ir::Statement> statements,
                                        const std::vector<ir::Operand>& results,
                                        const ir::Names& names);

}  // namespace dagaz::plan
