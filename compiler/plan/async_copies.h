// What a GPU copies to shared memory while nobody waits (cp.async of sm_80 and newer): which sides
// of a product's tiles, how many neighbours at once, and for how many chunks there is room (Kerr,
// Merrill, Demouth and Tran, "CUTLASS: fast linear algebra in CUDA C++", 2017, and its main loop in
// stages for sm_80).
//
// Such a copy takes elements of memory as they are: a side whose values are computed, or are
// rounded for the matrix instructions, goes through registers as on older GPUs.  (Rounded where it
// is read, a factor would be so by each warp that reads it: three times as often.)  What a
// condition makes zero is such an element, too.  A copy takes 4, 8 or 16 bytes.  Where lines of
// what is staged run as memory does, one takes 16 bytes of neighbours, if these are such when the
// program runs, and aligned; where they cross, an element.  That also pays: it is one instruction
// instead of a load and a store, and what is on its way waits in no register.
//
// A chunk is asked for when `stages` - 1 others are still to be multiplied, by all blocks of a
// multiprocessor: so many that memory has answered meanwhile, if there is room for them.
//
// A box of an array (gpu_staging.h) begins anywhere, so that its elements are copied one by one, if
// they are as wide as a copy.  A thread that stores what it has loaded waits for memory each time;
// one that copies has asked for all of its elements when it waits.  Long lines of a box are made a
// little longer, so that they begin and end at multiples of 16 bytes, if lines of the array do.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/product_parts.h"
#include "plan/surroundings.h"
#include "support/function_ref.h"

namespace dagaz::plan {

/// Whether the target copies single elements of this type.
bool copies_elements(const TargetDescription& target, ir::ScalarType type);
/// How many neighbours of this type the widest copy takes; 1 as well where there are no copies.
std::int64_t neighbours_copied(const TargetDescription& target, ir::ScalarType type);
/// Sets the copies of a tile whose sizes are known, where the target has copies; `is_memory` tells
/// arrays that lie in the device's memory.
void find_copies(ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                 const SumParts& parts, FunctionRef<bool(ir::NameId)> is_memory,
                 const Surroundings& around);
/// Sets its stages as well.
void choose_copies(ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                   const SumParts& parts, const Surroundings& around);
/// Whether lines of what is staged are whole numbers of copies.
bool has_whole_copies(const ir::Contraction& plan);

}  // namespace dagaz::plan
