// What threads of a block do together: shuffles within a warp, shared memory between warps.  All
// threads of the block take part; order is kept, so operators need not commute.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

inline constexpr std::int64_t warp_value_bytes = 8;   // of any element type
inline constexpr std::int64_t warp_slot_bytes = 128;  // 9 values

/// Where a thread is in its block.
struct Lane {
  Operand thread;
  Operand lane;
  Operand warp;
};
Lane this_lane(Context& c);

/// Shared memory for one value of each warp and one more.
std::vector<Place> warp_slots(Context& c, const std::vector<Running>& running);
Operand shared_bytes_for(const std::vector<ir::Type>& types);
std::vector<Value> shuffled(Context& c, const std::vector<Value>& values, ShuffleMode mode,
                            const Operand& distance);
/// `body` for distances 1, 2, 4, … below `threads`.
void for_distances(Context& c, int threads, const std::function<void(Operand)>& body);
void set_neutral(Context& c, const std::vector<Running>& running,
                 const std::vector<Operand>& neutral);
/// Combines `values`, which come before, with those of `running`.
void combine_before(Context& c, const std::vector<Running>& running,
                    const std::vector<Value>& values);

/// After it, the first thread of each warp holds the combination of its warp's values.
void reduce_warp(Context& c, const std::vector<Running>& running, int threads);
/// Combines what the first threads of the warps hold.
void reduce_warps(Context& c, const std::vector<Running>& running,
                  const std::vector<Operand>& neutral);
/// After it, the first thread of the block holds the combination of all values.
void reduce_block(Context& c, const std::vector<Running>& running,
                  const std::vector<Operand>& neutral);
/// An inclusive scan over each warp.
void scan_warp(Context& c, const std::vector<Running>& values, const Operand& lane);
/// An inclusive scan over the block of `values`, in front of which `carry` stands; afterwards
/// `carry` includes the whole block.
void scan_block(Context& c, const std::vector<Running>& values, const std::vector<Running>& carry);

}  // namespace dagaz::emit
