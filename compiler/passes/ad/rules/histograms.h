// Two ways to differentiate a histogram with an operator that has no rule of its own.
#pragma once

#include <optional>
#include <vector>

#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

/// One operator of a histogram, and what it combines.
struct HistogramSite {
  const ir::HistogramOperator& op;
  ir::Operand width;                                  // emitted
  std::vector<ir::NameId> indices = {};               // original
  std::vector<ir::NameId> values = {};                // original
  std::vector<std::optional<Adjoint>> adjoints = {};  // of the results
};

/// The number of the bin that each element goes to; `bins` for those outside.
ir::NameId bin_numbers(Reverse& r, const ir::Operand& width, const std::vector<ir::NameId>& indices,
                       const std::vector<ir::Operand>& shape, const ir::Operand& bins);

/// Whether going from element to element is allowed, possible and better than sorting them.
bool runs_in_order(const Reverse& r, const ir::HistogramOperator& op);
/// Element after element (histogram_in_order.cpp).
void histogram_in_order(Reverse& r, const HistogramSite& site);
/// Sorted by bin (histogram_general.cpp).
void histogram_general(Reverse& r, const ir::Statement& statement, const HistogramSite& site);

}  // namespace dagaz::passes::ad
