// The return sweep of a map, which other rules come down to.
#pragma once

#include <optional>
#include <vector>

#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

/// A map that is differentiated: the statement's own, or one that a rule makes up.
struct MapSite {
  const ir::Statement* statement = nullptr;  // null for one that a rule makes up
  ir::Operand width = {};
  const ir::Lambda* lambda = nullptr;
  std::vector<std::optional<ir::NameId>> arrays = {};     // emitted; nothing for accumulators
  std::vector<std::optional<ir::NameId>> originals = {};  // whose adjoints the rows' adjoints are
  std::vector<std::optional<ir::Operand>> adjoints = {};  // emitted arrays, per result
  ir::ModeRequest mode = ir::ModeRequest::none;
  bool sequential = false;
  // For a flatmap: results whose adjoint is a part of one array, of which each iteration's part
  // is `sizes` long from `starts` on.
  std::vector<std::optional<ir::NameId>> segments = {};  // per result
  ir::NameId starts = {};
  ir::NameId sizes = {};
};

/// Emits the map of the return sweep, and adds what it gives to the adjoints.
void return_map(Reverse& r, const MapSite& site);

}  // namespace dagaz::passes::ad
