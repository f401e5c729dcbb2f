// The tables of intrinsics, one for each file that builds some.
#pragma once

#include <span>

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

std::span<const Intrinsic> parallel_intrinsics();      // parallel.cpp
std::span<const Intrinsic> compaction_intrinsics();    // compaction.cpp
std::span<const Intrinsic> first_order_intrinsics();   // first_order.cpp
std::span<const Intrinsic> flat_view_intrinsics();     // flat_views.cpp
std::span<const Intrinsic> stream_intrinsics();        // streams.cpp
std::span<const Intrinsic> derivative_intrinsics();    // derivatives.cpp

}  // namespace dagaz::elaborate
