// What plans know of the processor that runs the program, and the sizes chosen for it.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/kernel_threads.h"
#include "plan/tunables.h"

namespace dagaz::plan {

using ir::block_threads;
using ir::warp_threads;

/// Vector registers, and what its caches hold.  The defaults are those of x86-64-v3; processors
/// differ little in what their first two caches hold, and panels that are a little too small cost
/// little.
struct TargetDescription {
  int registers = 16;
  int register_bytes = 32;
  int first_cache_bytes = 32 << 10;
  int second_cache_bytes = 512 << 10;
  int cache_line_bytes = 64;
  // Instructions that write the lanes of a mask, or bring these together, in vectors of
  // `register_bytes`.
  bool has_masks = false;
  // Of the oldest GPU that runs the program: its compute capability, 10 · major + minor; and
  // whether factors of f32 products may be rounded to the 11 bits of its matrix instructions.
  int gpu = 70;
  bool rounds_factors = false;
  Tunables tunables = {};
};

/// By its name as `--cpu` has it; `native` is the one that compiles.
TargetDescription target_named(std::string_view cpu);
/// The compute capability of a GPU by its name, as `--gpu` has it: 90 for sm_90a; 0 for what is
/// none.
int capability_named(std::string_view gpu);

}  // namespace dagaz::plan
