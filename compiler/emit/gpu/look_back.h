// Scans of scalars on a GPU in one kernel.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Emits what becomes of the scanned values at a point, and after them of the body's other results.
using PutScanned = std::function<void(const std::vector<Operand>& point,
                                      const std::vector<Value>& outputs)>;

/// Emits what becomes of the combination of all values of the last segment.
using PutTotals = std::function<void(const std::vector<Value>& totals)>;

/// Scans what the body of `e` gives, in tiles of `stretch` elements a thread; `types` are those of
/// the scanned values.
void look_back(Context& c, const ir::SegmentedScan& e, int stretch,
               const std::vector<ir::Type>& types, const PutScanned& put);
/// The same for sums of zeros and ones, i64.
void count_looking_back(Context& c, const ir::SegmentedScan& e, int stretch, const PutScanned& put,
                        const PutTotals& put_totals);
void scan_in_one_pass(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                      const ir::LookBack& plan, const std::vector<ir::Type>& types,
                      const std::vector<Destination>& targets);

}  // namespace dagaz::emit
