// Maps over the same points that may run as one loop; see stencil.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/program.h"
#include "plan/inner_points.h"

namespace dagaz::plan {

/// Consecutive maps over [0, n).  Each reads results of earlier ones at its own point and, all on
/// the same side, a few points away.
struct Stencil {
  struct Read {
    std::size_t value;
    std::int64_t distance;
  };
  std::vector<const ir::Statement*> maps;
  bool downwards = false;              // whether they read on the side of greater indices
  std::vector<ir::NameId> values;      // the results of the maps, in order
  std::vector<std::optional<std::int64_t>> reach;  // how far away values are read, if they are
  std::unordered_map<ir::NameId, Read> reads;      // of values, by the name of the element
  // Elements of other arrays that an earlier one is, too.
  std::unordered_map<ir::NameId, ir::NameId> same;
  std::int64_t halo = 0;               // points before a piece that its first point depends on
  // Points low ≤ i < n - high are inner ones: what is known there.
  std::unordered_map<ir::NameId, ir::Operand> known;
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool reads_conditionally = false;    // an element, under a condition that is known inside
};

/// The longest stencil that `statements` begin with; none if the first is no map of this kind.
std::optional<Stencil> stencil_of(std::span<const ir::Statement> statements,
                              const KnownOutside& outside);

}  // namespace dagaz::plan
