// What goes wrong on a GPU while a program runs, in the stand-in for the driver: memory that runs
// out at any place, kernels that fail in loops, a device that stops working, contexts in several
// threads, and the cap of memory.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "numbers.h"

using namespace cuda_tests;

namespace {

constexpr int64_t row_bytes = 16384 * 8;  // too large to be a part of a slab

// What a compiled program does: steps of a loop that make a block and launch over it, then a read.
// Blocks are released where they are not needed any more, also when something fails.
int32_t steps(dz_context* context, int64_t count, int64_t failing, int64_t* result) {
  dz_block* state = nullptr;
  int32_t status = dz_allocate(context, row_bytes, &state);
  if (status == DZ_OK) {
    status = dz_clear(context, state, 0, row_bytes);
  }
  for (int64_t step = 0; status == DZ_OK && step < count; ++step) {
    dz_block* next = nullptr;
    status = dz_allocate(context, row_bytes << step, &next);
    if (status != DZ_OK) {
      break;
    }
    status = dz_copy(context, next, 0, state, 0, row_bytes);
    dz_release(state);
    state = next;
    if (status == DZ_OK) {
      int64_t amount = 1;
      int8_t more = 0;
      void* arguments[] = {&state->data, &amount, &more};
      status = dz_launch(context, step == failing ? 1 : 0, 2, 32, 0, arguments, "f.fut:1:1", 0);
    }
  }
  if (status == DZ_OK) {
    status = dz_read(context, state, 0, 8, result);
  }
  dz_release(state);
  return status;
}

int32_t steps_entry(dz_context* context, const dz_leaf* in, dz_leaf* out) {
  return steps(context, static_cast<int64_t>(in[0].bits), static_cast<int64_t>(in[1].bits),
               reinterpret_cast<int64_t*>(&out[0].bits));
}

const dz_leaf_type i64_leaf[] = {{DZ_I64, 0}};
const dz_type types[] = {{"i64", "i64", DZ_SCALAR_TYPE, 0, 1, i64_leaf, 0, nullptr, 0, 0}};
const dz_parameter inputs[] = {{"count", 0, 0}, {"failing", 0, 0}};
const dz_parameter outputs[] = {{"", 0, 0}};
const dz_entry entries[] = {{"steps", "", steps_entry, 2, inputs, 1, outputs}};

const dz_program& stepping() {
  static const dz_program made = [] {
    dz_program with_entry = program;
    with_entry.type_count = 1;
    with_entry.types = types;
    with_entry.entry_count = 1;
    with_entry.entries = entries;
    return with_entry;
  }();
  return made;
}

int call(dz_context* context, int64_t count, int64_t failing, int64_t* result) {
  void* outs[] = {result};
  const void* ins[] = {&count, &failing};
  return dzr_call_entry(context, 0, outs, ins);
}

constexpr int64_t none = -1;

/// A device of the stand-in, whole again at the end.
struct Alpha {
  ~Alpha() { fake().faulted[0] = 0; }
};

}  // namespace

TEST_SUITE_BEGIN("faults");

TEST_CASE("memory that runs out at any allocation is said, and the context goes on") {
  // The failure word and the staging memory come before the program's first block.
  constexpr int64_t of_start = 2;
  constexpr int64_t of_program = 7;
  for (int64_t granted = 0; granted <= of_start + of_program; ++granted) {
    CAPTURE(granted);
    {
      fake().allocations_left = granted;
      const test::Context context(stepping());
      CHECK(context.context->usable == (granted >= of_start));
      int64_t result = 0;
      if (granted < of_start) {
        CHECK(context.error().find("CUDA_ERROR_FAKE") != std::string::npos);
        CHECK(call(context, 6, none, &result) != DZ_OK);
      } else if (granted < of_start + of_program) {
        CHECK(call(context, 6, none, &result) == DZ_OUT_OF_MEMORY);
        CHECK(context.error().starts_with("Error: out of memory: could not allocate "));
        CHECK(context.context->pool->statistics().in_use == 0);
        fake().allocations_left = INT64_MAX;
        CHECK(call(context, 6, none, &result) == DZ_OK);
        CHECK(result == 6);
      } else {
        CHECK(call(context, 6, none, &result) == DZ_OK);
        CHECK(result == 6);
      }
      fake().allocations_left = INT64_MAX;
    }
    check_nothing_left();
  }
}

TEST_CASE("a kernel that fails in a loop is reported in the program's words at its end") {
  {
    const test::Context context(stepping());
    for (int64_t failing = 0; failing < 4; ++failing) {
      int64_t result = -7;
      CHECK(call(context, 4, failing, &result) == DZ_PROGRAM_ERROR);
      CHECK(context.error() ==
            "Error: Index [9] out of bounds for array of shape [4].\n\n"
            "Backtrace:\n-> #0  a.fut:1:2");
      CHECK(result == -7);
      CHECK(context.context->pool->statistics().in_use == 0);
      CHECK(call(context, 4, none, &result) == DZ_OK);
      CHECK(result == 4);
    }
  }
  check_nothing_left();
}

TEST_CASE("a context whose GPU has stopped says so, and those of other devices live") {
  {
    const Alpha whole_again;
    dz_config* config = dzr_config_new(&program);
    dzr_config_set_device(config, "Beta");
    Numbers other(config);
    Numbers numbers;
    REQUIRE(numbers.add(1, 0) == DZ_OK);
    fake().fault_next_wait = 700;
    CHECK(dz_synchronise(numbers.context) == DZ_ERROR);
    const std::string first = numbers.context.error();
    CHECK(first.starts_with("Error: waiting for the GPU failed: CUDA_ERROR_FAKE: "));
    CHECK(first.find("\nThe last kernel started was add (add.fut:1:1-5).") != std::string::npos);
    CHECK(
        first.ends_with("\nThe GPU Stand-in Alpha does nothing more for this process; its other "
                        "devices do."));
    int64_t value = 0;
    const std::string again =
        "Error: this context has failed before, and so has all of this process "
        "on the GPU Stand-in Alpha: waiting for the GPU failed: ";
    CHECK(numbers.read(0, &value) == DZ_ERROR);
    CHECK(numbers.context.error().starts_with(again));
    CHECK(numbers.add(1, 0) == DZ_ERROR);
    CHECK(numbers.context.error().starts_with(again));
    dz_block* block = nullptr;
    CHECK(dz_allocate(numbers.context, 1 << 20, &block) != DZ_OK);
    CHECK(numbers.context.error().starts_with(again));
    CHECK(other.add(5, 0) == DZ_OK);
    CHECK(other.read(1, &value) == DZ_OK);
    CHECK(value == 6);
    const test::Context late(program);  // on the device that has failed
    CHECK(!late.context->usable);
    CHECK(late.error().find("failed: CUDA_ERROR_FAKE") != std::string::npos);
  }
  check_nothing_left();
}

TEST_CASE("contexts in two threads do not see each other") {
  {
    std::array<bool, 2> good{};
    const auto work = [&](size_t me) {
      const test::Context context(stepping());
      bool all = context.context->usable;
      for (int64_t round = 0; round < 50 && all; ++round) {
        int64_t result = 0;
        // One of them fails every other time.
        const bool fails = me == 1 && round % 2 == 0;
        const int status = call(context, 3, fails ? 2 : none, &result);
        all = fails ? status == DZ_PROGRAM_ERROR && !context.error().empty()
                    : status == DZ_OK && result == 3 && context.error().empty();
      }
      good[me] = all;
    };
    std::thread first(work, 0);
    std::thread second(work, 1);
    first.join();
    second.join();
    CHECK(good[0]);
    CHECK(good[1]);
  }
  check_nothing_left();
}

TEST_CASE("a cap bounds what is held on the GPU, and what is cached makes room") {
  {
    constexpr int64_t cap = 1 << 20;
    dz_config* config = dzr_config_new(&program);
    dzr_config_set_memory_cap(config, cap);
    Numbers numbers(config);
    const int64_t own = fake().memory_in_use - 64 * 8;  // the device's, outside the pool
    std::vector<dz_block*> blocks;
    dz_block* block = nullptr;
    while (dz_allocate(numbers.context, 100000, &block) == DZ_OK) {
      blocks.push_back(block);
      REQUIRE(fake().memory_in_use - own <= cap);
    }
    CHECK(blocks.size() == 9);
    const std::string error = numbers.context.error();
    CHECK(error.starts_with("Error: out of memory: could not allocate 100000 bytes ("));
    CHECK(error.ends_with(", limit 1048576 bytes)"));
    for (dz_block* one : blocks) {
      dz_release(one);
    }
    // All of it is cached now, in pieces that are too small.
    CHECK(fake().memory_in_use - own > 900000);
    REQUIRE(dz_allocate(numbers.context, 900000, &block) == DZ_OK);
    CHECK(fake().memory_in_use - own <= cap);
    dz_release(block);
    numbers.context.context->pool->clear();
    CHECK(fake().memory_in_use - own == 64 * 8);
    CHECK(numbers.add(1, 0) == DZ_OK);
  }
  check_nothing_left();
}

TEST_SUITE_END();
