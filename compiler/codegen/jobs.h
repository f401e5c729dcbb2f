// Independent jobs on a few threads.
#pragma once

#include <functional>
#include <vector>

namespace dagaz::codegen {

using Job = std::function<void()>;

/// Runs all of `jobs`, started in order, on at most `threads` threads (0: one for each processor),
/// of which the caller's is one.
void run(const std::vector<Job>& jobs, unsigned threads);

}  // namespace dagaz::codegen
