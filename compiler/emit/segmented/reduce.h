// Reductions along the innermost dimension of a space.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

/// Computes the body at `point`, writes what is mapped, and hands the `reduced` values to `use`.
void with_point(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                std::size_t reduced, const std::vector<Destination>& mapped,
                const std::vector<Operand>& point,
                const std::function<void(const std::vector<Value>&)>& use);
void reduce_point(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                  const std::vector<Running>& running, const std::vector<Destination>& mapped,
                  const std::vector<Operand>& point);
/// All of a segment in loops of one thread.
void reduce_segment(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                    const ir::Iterations& way, const std::vector<Place>& totals,
                    const std::vector<Destination>& mapped, const std::vector<Operand>& segment);

}  // namespace dagaz::emit
