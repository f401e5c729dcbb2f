// The shapes of blocks in vector lanes: how many vectors, how wide, and when they pay.
#pragma once

#include <optional>
#include <vector>

#include "plan/lane_reading.h"

namespace dagaz::plan {

/// Where a nest runs.
enum class Around { host, task };

inline constexpr int most_vectors = 64;  // of a block
inline constexpr int most_lanes = 64;    // of a vector

/// Inside a task sizes tend to be smaller: blocks are, too.  The sums of a block stay in registers.
ir::LaneBlocks block_for(const ir::Body& body, const Surroundings& around, bool has_rows,
                         Around where);
bool has_loops(const ir::Body& body);
/// Whether points evaluate functions of reals beside what ends them early or writes to memory, or
/// divide integers of up to four bytes: only in lanes are these vectors.
bool are_vectors_in_lanes_only(const ir::Body& body);
/// Whether points go along rows of arrays, so that it matters most how these lie.  A few elements
/// are no row.
bool has_rows_inside(const ir::Body& body, const Tunables& tunables);
inline bool is_power_of_two(int number) { return number > 0 && (number & (number - 1)) == 0; }

/// Whether the innermost loops reach memory in unit steps, or compute a lot for each vector that
/// they gather.
bool reads_enough_in_steps(const LaneWork& work, const Tunables& tunables);
/// Whether lanes are worth it: for what has loops inside by what these do, else by how much there
/// is to do.
bool is_worthwhile(const ir::Body& body, const LaneWork& work, const Tunables& tunables);
/// Guards under which packed rows are read often enough; nothing where it is known that they are
/// not. What sizes inside the body are nobody knows before.
std::optional<std::vector<ir::Guard>> worth_packing(const ir::Body& body,
                                                    const std::vector<ir::Operand>& widths,
                                                    const Tunables& tunables);
void add_guard(std::vector<ir::Guard>& guards, const ir::Operand& size, std::int64_t least);

}  // namespace dagaz::plan
