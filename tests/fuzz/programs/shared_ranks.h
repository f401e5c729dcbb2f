// Ranks as processes of one machine that share memory: what MPI does, without starting it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "ranks/messages.h"

namespace dagaz::fuzz {

/// Runs `program` as so many ranks at once, of which this process is the first; the exit status,
/// that of all of them.  Where they differ, or one does not end well, this process ends by a
/// signal.
int run_as_ranks(int ranks, const std::function<int(const dz_rank_messages*)>& program);

}  // namespace dagaz::fuzz
