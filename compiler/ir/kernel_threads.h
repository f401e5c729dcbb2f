// What schedules for a GPU count in.
#pragma once

namespace dagaz::ir {

/// Threads of a GPU's block, as all kernels have them, and of its warp.
inline constexpr int block_threads = 256;
inline constexpr int warp_threads = 32;
/// Bytes of a block's shared memory for what blocks of rows stage, and keep for each row.
inline constexpr int staged_bytes = 15360;

}  // namespace dagaz::ir
