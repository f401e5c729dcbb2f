// Copies to shared memory that threads of the sim device do not wait for, and every mistake that
// can be made with them.
#include <doctest/doctest.h>

#include <cstdlib>
#include <numeric>
#include <string>

#include "context.h"
#include "test_program.h"

namespace {

enum Kernel {
  exchange,
  in_groups,
  at_once,
  too_few,
  apart,
  over_reads,
  source_written,
  shifted,
  past_end,
  kernel_count
};

constexpr int32_t threads = 64;
constexpr int64_t pair_bytes = 16;

int64_t* numbers_of(void** arguments) {
  return static_cast<int64_t*>(*static_cast<void**>(arguments[1]));
}
int64_t* shared_of(void* thread) { return static_cast<int64_t*>(dz_sim_shared(thread)); }
int64_t load_shared(void* thread, const int64_t* where) {
  dz_sim_access(thread, where, 8, 2);
  return *where;
}
void store(void* thread, int64_t* where, int64_t value) {
  dz_sim_access(thread, where, 8, 1);
  *where = value;
}
/// Begins to copy a thread's pair, of which so many bytes are present, as a group.
void copy_pair(void* thread, void** arguments, int64_t present = pair_bytes) {
  const int32_t me = dz_sim_thread_index(thread);
  dz_sim_copy(thread, shared_of(thread) + 2 * me, numbers_of(arguments) + 2 * me, pair_bytes,
              present);
  dz_sim_commit(thread);
}

// Each thread leaves its neighbour's pair, the second number of which is absent, behind the others.
void exchange_kernel(void* thread, void** arguments) {
  const int32_t me = dz_sim_thread_index(thread);
  copy_pair(thread, arguments, 8);
  dz_sim_await(thread, 0);
  dz_sim_barrier(thread);
  const int64_t* other = shared_of(thread) + 2 * (me ^ 1);
  int64_t* out = numbers_of(arguments) + 2 * threads + 2 * me;
  store(thread, out, load_shared(thread, other));
  store(thread, out + 1, load_shared(thread, other + 1));
}

// Two groups of a copy each: the last `pending` are on their way when number `read` is read.
void read_of_two(void* thread, void** arguments, int32_t pending, int32_t read) {
  for (int64_t k = 0; k < 2; ++k) {
    dz_sim_copy(thread, shared_of(thread) + k, numbers_of(arguments) + 5 + k, 8, 8);
    dz_sim_commit(thread);
  }
  dz_sim_await(thread, pending);
  store(thread, numbers_of(arguments), load_shared(thread, shared_of(thread) + read));
}
void in_groups_kernel(void* thread, void** arguments) { read_of_two(thread, arguments, 1, 0); }
void too_few_kernel(void* thread, void** arguments) { read_of_two(thread, arguments, 1, 1); }

void at_once_kernel(void* thread, void** arguments) {
  copy_pair(thread, arguments);
  load_shared(thread, shared_of(thread) + 2 * dz_sim_thread_index(thread));
}

// All await their own, and do not meet.
void apart_kernel(void* thread, void** arguments) {
  copy_pair(thread, arguments);
  dz_sim_await(thread, 0);
  load_shared(thread, shared_of(thread) + 2 * (dz_sim_thread_index(thread) ^ 1));
}

// Somebody may still have to read where the next copies go.
void over_reads_kernel(void* thread, void** arguments) {
  copy_pair(thread, arguments);
  dz_sim_await(thread, 0);
  dz_sim_barrier(thread);
  load_shared(thread, shared_of(thread) + 2 * (dz_sim_thread_index(thread) ^ 1));
  copy_pair(thread, arguments);
}

void source_written_kernel(void* thread, void** arguments) {
  copy_pair(thread, arguments);
  store(thread, numbers_of(arguments) + 2 * dz_sim_thread_index(thread) + 1, 0);
  dz_sim_await(thread, 0);
}

void shifted_kernel(void* thread, void** arguments) {
  dz_sim_copy(thread, shared_of(thread) + 1, numbers_of(arguments), pair_bytes, pair_bytes);
}

void past_end_kernel(void* thread, void** arguments) {
  dz_sim_copy(thread, shared_of(thread), numbers_of(arguments) + 4 * threads - 1, pair_bytes,
              dz_sim_thread_index(thread) == 0 ? 8 : pair_bytes);
}

const int32_t one_array[] = {8};
const dz_kernel kernels[] = {
    {"exchange", exchange_kernel, 1, one_array, "f.fut:1:1-9", 1},
    {"in_groups", in_groups_kernel, 1, one_array, "f.fut:2:1-9", 1},
    {"at_once", at_once_kernel, 1, one_array, "f.fut:3:1-9", 1},
    {"too_few", too_few_kernel, 1, one_array, "f.fut:4:1-9", 1},
    {"apart", apart_kernel, 1, one_array, "f.fut:5:1-9", 1},
    {"over_reads", over_reads_kernel, 1, one_array, "f.fut:6:1-9", 1},
    {"source_written", source_written_kernel, 1, one_array, "f.fut:7:1-9", 1},
    {"shifted", shifted_kernel, 1, one_array, "f.fut:8:1-9", 1},
    {"past_end", past_end_kernel, 1, one_array, "f.fut:9:1-9", 1},
};
const dz_program program = {DZ_ABI_VERSION, DZ_TARGET_SIM, "sim", 0, nullptr, 0, nullptr,
                            kernel_count, kernels, 0, nullptr, nullptr, 0, nullptr, 0, 0,
                            nullptr, 0, 0, nullptr, nullptr, nullptr, 0, nullptr, 0,
                            nullptr};

/// A context, and four numbers for each thread, which are counted.
struct Sim {
  test::Context context;
  dz_block* block = nullptr;

  explicit Sim(dz_config* config) : context(config) {
    std::vector<int64_t> numbers(4 * threads);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto bytes = static_cast<int64_t>(8 * numbers.size());
    REQUIRE(dz_allocate(context, bytes, &block) == DZ_OK);
    REQUIRE(dz_write(context, block, 0, bytes, numbers.data()) == DZ_OK);
  }
  Sim() : Sim(dzr_config_new(&program)) {}
  ~Sim() { dz_release(block); }

  int32_t launch(int kernel, int32_t count = threads) {
    void* arguments[] = {&block->data};
    return dz_launch(context, kernel, 1, count, threads * pair_bytes, arguments, "f.fut:1:1", 0);
  }
  std::vector<int64_t> read() {
    std::vector<int64_t> numbers(4 * threads);
    REQUIRE(dz_read(context, block, 0, static_cast<int64_t>(8 * numbers.size()),
                    numbers.data()) == DZ_OK);
    return numbers;
  }
  /// Launches what must be reported with these words.
  void reports(int kernel, const std::string& words) {
    CHECK(launch(kernel) == DZ_ERROR);
    CHECK(context.error().find(words) != std::string::npos);
  }
};

}  // namespace

TEST_CASE("copies are there once they are awaited and threads have met; what is absent is 0") {
  for (const char* seed : {"1", "2", "3"}) {
    setenv("DZ_SIM_SEED", seed, 1);
    setenv("DZ_SIM_RACES", "1", 1);
    Sim sim;
    REQUIRE(sim.launch(exchange) == DZ_OK);
    const std::vector<int64_t> numbers = sim.read();
    for (size_t me = 0; me < threads; ++me) {
      CHECK(numbers[2 * (threads + me)] == static_cast<int64_t>(2 * (me ^ 1)));
      CHECK(numbers[2 * (threads + me) + 1] == 0);
    }
    unsetenv("DZ_SIM_RACES");
    unsetenv("DZ_SIM_SEED");
  }
}

TEST_CASE("groups of copies are awaited in their order") {
  Sim sim;
  REQUIRE(sim.launch(in_groups, 1) == DZ_OK);
  CHECK(sim.read()[0] == 5);
  CHECK(sim.launch(too_few, 1) == DZ_ERROR);
  CHECK(sim.context.error() ==
        "Error: kernel too_few (f.fut:4:1-9): thread 0 of block 0 reads 8 bytes at offset 8 of "
        "shared memory, where a copy of thread 0 arrives, which has not been awaited "
        "(threads in the order of --sim-seed=1)");
}

TEST_CASE("sim reports copies that nobody awaited, and others' that no barrier orders") {
  Sim().reports(at_once, "arrives, which has not been awaited");
  Sim().reports(over_reads, "arrives, which has not been awaited");
  Sim().reports(apart, "race in shared memory: thread ");
}

TEST_CASE("sim reports writes to what a copy may still read") {
  Sim().reports(source_written, "which has not been awaited");
}

TEST_CASE("sim reports copies from outside memory, and to places that are not aligned") {
  Sim().reports(past_end, "reads 8 bytes outside its memory");
  Sim().reports(shifted, "copies 16 bytes to shared memory that is not aligned to them");
}

TEST_CASE("a profile of sim counts copies, as what they read") {
  dz_config* config = dzr_config_new(&program);
  dzr_config_set_profiling(config, 1);
  Sim sim(config);
  REQUIRE(sim.launch(exchange) == DZ_OK);
  char* text = dzr_context_report(sim.context);
  const std::string report = text;
  std::free(text);
  CHECK(report.find("\"loads\":64,\"stores\":128,\"atomics\":0,\"l1_read_bytes\":1280,") !=
        std::string::npos);
  CHECK(report.find("\"shared_accesses\":192") != std::string::npos);
}
