// A program with two kernels and a context with a block of numbers, on the stand-in for the driver.
#pragma once

#include <cstdint>

#include "context.h"
#include "fake_driver.h"
#include "test_program.h"

namespace cuda_tests {

/// Kernels: `add` (0), `fail` (1), one that the GPU code lacks (2), and `add` as one that cannot
/// fail (3).
dz_program make_program(const char* ptx);
extern const dz_program program;

FakeCudaState& fake();

/// After a context is gone, nothing of it may be left in the driver.
void check_nothing_left();

struct Numbers {
  test::Context context;
  dz_block* block = nullptr;

  explicit Numbers(dz_config* config = dzr_config_new(&program));
  ~Numbers() { dz_release(block); }
  int32_t add(int64_t amount, int8_t more, int32_t shared_bytes = 0, bool may_fail = true);
  int32_t read(int64_t index, int64_t* value) {
    return dz_read(context, block, index * 8, 8, value);
  }
};

}  // namespace cuda_tests
