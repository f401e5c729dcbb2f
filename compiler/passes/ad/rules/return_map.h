// The state of a return map while it is being built.
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

struct Reverse::ReturnMap {
  ir::MapScanReduce map;
  /// Of the lambda's results.
  std::vector<std::optional<ir::Operand>> row_adjoints;
  /// Results of the lambda that a loop around kept, and what they are here.
  std::vector<ir::NameId> known;
  /// Active, from outside.
  std::vector<ir::NameId> free;
  std::unordered_map<ir::NameId, Adjoint> outer;
  /// Of arrays from outside: the parameters.
  std::unordered_map<ir::NameId, ir::NameId> accumulators;
  /// Those opened for this map.
  std::unordered_map<ir::NameId, ir::NameId> opened;
  std::vector<ir::Statement> statements;
  /// Scalars from outside with a contribution.
  std::vector<ir::NameId> summed;
  std::vector<ir::Operand> reduced;
  /// Arrays whose rows have an adjoint.
  std::vector<std::size_t> rows;
  std::vector<ir::Operand> mapped;
  std::vector<ir::Type> mapped_types;
  /// Contributions that are summed outside.
  std::vector<std::pair<ir::NameId, ir::Operand>> sums;
  /// Those of them that accumulators take.
  std::vector<std::pair<ir::NameId, ir::Operand>> accumulated;
  /// Accumulators, in order.
  std::vector<ir::NameId> given_back;
  bool is_histogram = false;
  /// Of the segment, for a flatmap.
  ir::NameId start;
  ir::NameId size;
};

}  // namespace dagaz::passes::ad
