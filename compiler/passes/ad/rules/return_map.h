// The parts of the return sweep of a map: its state while it is being built, and the ways to emit
// it.
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/ad/interchange.h"
#include "passes/ad/reverse.h"
#include "passes/ad/rules/map_site.h"

namespace dagaz::passes::ad {

struct ReturnMap {
  ir::MapScanReduce map;
  /// Of the lambda's results.
  std::vector<std::optional<ir::Operand>> row_adjoints;
  /// Results of the lambda that a loop around kept, and what they are here.
  std::vector<ir::NameId> known;
  /// Active, from outside.
  std::vector<ir::NameId> free;
  AdjointTable outer;
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
  /// What the lambda gives, if the map is to give it too, and the arrays of that once it is
  /// emitted.
  std::vector<ir::Operand> values;
  std::vector<ir::Type> value_types;
  std::vector<ir::NameId> given_values;
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

/// Adjoints that are sums over the iterations, computed after the map.
using Sums = std::vector<std::pair<ir::NameId, SumOverIterations::Plan>>;

// emit_map.cpp
/// Emits the map; gives its results but accumulators.
std::vector<ir::NameId> emit_map(Reverse& r, const MapSite& site, ReturnMap& back);
/// The map for all iterations, then the sums; adds what they give to the adjoints.
void emit_at_once(Reverse& r, const MapSite& site, ReturnMap& back, SumOverIterations& sums, Sums plans);
/// Tells the report what became of arrays that every iteration uses as a whole.
void note_sums(Reverse& r, const ir::Statement& statement, const Sums& plans,
               const SumOverIterations& sums);

// chunked_map.cpp
/// Whether chunks of iterations save memory.
bool runs_in_chunks(const Reverse& r, const MapSite& site, const ReturnMap& back,
                    const SumOverIterations& sums);
/// As emit_at_once, chunk after chunk.
void emit_chunks(Reverse& r, const MapSite& site, ReturnMap& back, SumOverIterations& sums, Sums plans);

// mixed.cpp
/// Whether the lambda is differentiated forward, as a function of the scalars `inputs`.
bool core_goes_forward(Reverse& r, const MapSite& site, const std::vector<ir::NameId>& inputs);
/// Adds to the adjoints of the inputs, given those of the lambda's results.
void core_forward(Reverse& r, const ir::Lambda& lambda, const std::vector<ir::NameId>& inputs,
                  const std::vector<std::optional<ir::Operand>>& result_adjoints);

}  // namespace dagaz::passes::ad
