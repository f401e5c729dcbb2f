// The sim device with hand-written kernels: barriers, shuffles, and every kind of mistake that it
// is there to report.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <numeric>

#include "context.h"
#include "half.h"
#include "sim/matrix_products.h"
#include "test_program.h"

namespace {

enum Kernel {
  fill,
  block_sum,
  warp_sum,
  fail_odd,
  past_end,
  early_exit,
  race,
  shuffle_or_barrier,
  atomic_count,
  warp_private,
  missing,
  handshake,
  lost_updates,
  counted_updates,
  read_only_before_write,
  read_only_after_write,
  message,
  fenced_message,
  twice_fenced_message,
  neighbours,
  strided,
  last_to_arrive,
  warp_match,
  warp_product,
  half_product,
  kernel_count
};

int64_t* array_argument(void** arguments, int index) {
  return static_cast<int64_t*>(*static_cast<void**>(arguments[index]));
}
dz_failure_word* failure_argument(void** arguments) {
  return *static_cast<dz_failure_word**>(arguments[0]);
}
int64_t global_index(void* thread) {
  return int64_t{dz_sim_block_index(thread)} * dz_sim_block_size(thread) +
         dz_sim_thread_index(thread);
}
void store(void* thread, int64_t* where, int64_t value, int32_t flags = 1) {
  dz_sim_access(thread, where, 8, flags);
  *where = value;
}
int64_t load(void* thread, const int64_t* where, int32_t flags = 0) {
  dz_sim_access(thread, where, 8, flags);
  return *where;
}
constexpr int32_t shared_read = 2;
constexpr int32_t shared_write = 3;

// out[i] = i * factor
void fill_kernel(void* thread, void** arguments) {
  const int64_t factor = *static_cast<int64_t*>(arguments[2]);
  const int64_t i = global_index(thread);
  store(thread, array_argument(arguments, 1) + i, i * factor);
}

// Sums each block in shared memory, halving the number of adders between barriers.
void block_sum_kernel(void* thread, void** arguments) {
  auto* shared = static_cast<int64_t*>(dz_sim_shared(thread));
  const int32_t me = dz_sim_thread_index(thread);
  store(thread, shared + me, load(thread, array_argument(arguments, 1) + global_index(thread)),
        shared_write);
  dz_sim_barrier(thread);
  for (int32_t half = dz_sim_block_size(thread) / 2; half > 0; half /= 2) {
    if (me < half) {
      store(thread, shared + me,
            load(thread, shared + me, shared_read) +
                load(thread, shared + me + half, shared_read),
            shared_write);
    }
    dz_sim_barrier(thread);
  }
  if (me == 0) {
    store(thread, array_argument(arguments, 2) + dz_sim_block_index(thread), shared[0]);
  }
}

// Sums each warp by shuffles and stores the sum in every place of the warp.
void warp_sum_kernel(void* thread, void** arguments) {
  int64_t* place = array_argument(arguments, 1) + global_index(thread);
  int64_t value = load(thread, place);
  for (int32_t distance = 16; distance > 0; distance /= 2) {
    value += dz_sim_shuffle(thread, value, 2, distance);
  }
  store(thread, place, value);
}

// Stores which threads of the warp have the same index modulo 3.
void warp_match_kernel(void* thread, void** arguments) {
  int64_t* place = array_argument(arguments, 1) + global_index(thread);
  store(thread, place, dz_sim_shuffle(thread, global_index(thread) % 3, 4, 0));
}

// A product of a 16×16 and a 16×8 matrix of f16: elements are numbers of their rows and columns.
void warp_product_kernel(void* thread, void** arguments) {
  int64_t* const places = array_argument(arguments, 1);
  const int32_t lane = dz_sim_thread_index(thread) % 32;
  const int32_t group = lane >> 2;
  const int32_t in_group = lane % 4;
  uint16_t a[8];
  uint16_t b[4];
  float sums[4] = {1, 1, 1, 1};
  for (int32_t i = 0; i < 8; ++i) {
    const int32_t row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
    const int32_t column = in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);
    a[i] = dagaz::runtime::double_to_half(row - 2 * column);
  }
  for (int32_t i = 0; i < 4; ++i) {
    const int32_t row = in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0);
    b[i] = dagaz::runtime::double_to_half(3 * row + group);
  }
  dz_sim_multiply(thread, 1, a, b, sums);
  for (int32_t i = 0; i < 4; ++i) {
    const int32_t row = i < 2 ? group : group + 8;
    const int32_t column = in_group * 2 + (i & 1);
    store(thread, places + row * 8 + column, static_cast<int64_t>(sums[i]));
  }
}

// Threads that do not all come to the same product.
void half_product_kernel(void* thread, void**) {
  const uint16_t factors[8] = {};
  float sums[4] = {};
  if (dz_sim_thread_index(thread) < 16) {
    dz_sim_multiply(thread, 1, factors, factors, sums);
  }
}

// Threads with an odd index fail; the others wait for them at a barrier.
void fail_odd_kernel(void* thread, void** arguments) {
  dz_failure_word* failure = failure_argument(arguments);
  if (dz_sim_thread_index(thread) % 2 == 1) {
    if (failure->code == 0) {
      failure->code = 1;
      failure->argument_count = 2;
      failure->arguments[0] = 77;
      failure->arguments[1] = 5;
    }
    return;
  }
  dz_sim_barrier(thread);
}

void past_end_kernel(void* thread, void** arguments) {
  store(thread, array_argument(arguments, 1) + global_index(thread) + 1, 0);
}

void early_exit_kernel(void* thread, void**) {
  if (dz_sim_thread_index(thread) != 3) {
    dz_sim_barrier(thread);
  }
}

void race_kernel(void* thread, void**) {
  auto* shared = static_cast<int64_t*>(dz_sim_shared(thread));
  const int32_t me = dz_sim_thread_index(thread);
  store(thread, shared + me, me, shared_write);
  load(thread, shared + (me + 1) % dz_sim_block_size(thread), shared_read);
}

void shuffle_or_barrier_kernel(void* thread, void**) {
  if (dz_sim_thread_index(thread) < 5) {
    dz_sim_shuffle(thread, 1, 0, 1);
  } else {
    dz_sim_barrier(thread);
  }
}

// Atomic additions to one word are no race; the sum is read after a barrier.
void atomic_count_kernel(void* thread, void** arguments) {
  auto* shared = static_cast<int64_t*>(dz_sim_shared(thread));
  const int32_t me = dz_sim_thread_index(thread);
  if (me == 0) {
    store(thread, shared, 0, shared_write);
  }
  dz_sim_barrier(thread);
  dz_sim_access(thread, shared, 8, 7);
  ++*shared;
  dz_sim_barrier(thread);
  if (me == 0) {
    store(thread, array_argument(arguments, 1), load(thread, shared, shared_read));
  }
}

// Neighbours of one warp exchange through shared memory, ordered by a shuffle.
void warp_private_kernel(void* thread, void** arguments) {
  auto* shared = static_cast<int64_t*>(dz_sim_shared(thread));
  const int32_t me = dz_sim_thread_index(thread);
  store(thread, shared + me, me, shared_write);
  dz_sim_shuffle(thread, 0, 3, 0);
  const int64_t other = load(thread, shared + (me ^ 1), shared_read);
  store(thread, array_argument(arguments, 1) + global_index(thread), other);
}

// Two blocks that wait for each other.
void handshake_kernel(void* thread, void** arguments) {
  int64_t* said = array_argument(arguments, 1);
  const int32_t me = dz_sim_block_index(thread);
  store(thread, said + me, -1, 5);
  while (load(thread, said + 1 - me, 4) != -1) {
    dz_sim_shuffle(thread, 0, 3, 0);
  }
}

// Every thread adds one without telling the others.
void lost_updates_kernel(void* thread, void** arguments) {
  int64_t* count = array_argument(arguments, 1);
  const int64_t before = load(thread, count);
  store(thread, count, before + 1);
}

void counted_updates_kernel(void* thread, void** arguments) {
  int64_t* count = array_argument(arguments, 1);
  dz_sim_access(thread, count, 8, 5);
  __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

// Block 0 leaves a number for block 1 and then says so.
void send_number(void* thread, void** arguments, bool fenced, bool twice = false) {
  int64_t* data = array_argument(arguments, 1);
  if (dz_sim_block_index(thread) == 0) {
    store(thread, data + 8, 42);
    if (fenced) {
      dz_sim_fence(thread);
    }
    store(thread, data, -1, 5);
    return;
  }
  while (load(thread, data, 4) != -1) {
    dz_sim_shuffle(thread, 0, 3, 0);
  }
  if (twice) {
    dz_sim_fence(thread);
  }
  store(thread, data + 16, load(thread, data + 8));
}
void message_kernel(void* thread, void** arguments) { send_number(thread, arguments, false); }
void fenced_message_kernel(void* thread, void** arguments) { send_number(thread, arguments, true); }
void twice_fenced_message_kernel(void* thread, void** arguments) {
  send_number(thread, arguments, true, true);
}

// Each block leaves a number; the last one to arrive adds them up.
void last_to_arrive_kernel(void* thread, void** arguments) {
  constexpr int32_t blocks = 16;
  int64_t* data = array_argument(arguments, 1);
  store(thread, data + 1 + dz_sim_block_index(thread), 1);
  dz_sim_fence(thread);
  dz_sim_access(thread, data, 8, 5);
  const int64_t before = __atomic_fetch_add(data, 1, __ATOMIC_RELAXED);
  if (before != blocks - 1) {
    return;
  }
  dz_sim_fence(thread);
  int64_t total = 0;
  for (int32_t block = 0; block < blocks; ++block) {
    total += load(thread, data + 1 + block);
  }
  store(thread, data + 1 + blocks, total);
}

// Threads of a warp read numbers that lie side by side, or 256 bytes apart, and put them into the
// same bank of shared memory.
void neighbours_kernel(void* thread, void** arguments) {
  load(thread, array_argument(arguments, 1) + dz_sim_thread_index(thread));
}
void strided_kernel(void* thread, void** arguments) {
  const int32_t far = 32 * dz_sim_thread_index(thread);
  const int64_t value = load(thread, array_argument(arguments, 1) + far);
  store(thread, static_cast<int64_t*>(dz_sim_shared(thread)) + far, value, shared_write);
}

constexpr int32_t read_only = 8;

// The first thread of each block reads what the first of block 0 writes.
void read_only_before_write_kernel(void* thread, void** arguments) {
  int64_t* data = array_argument(arguments, 1);
  load(thread, data, read_only);
  store(thread, data, 1);
}
void read_only_after_write_kernel(void* thread, void** arguments) {
  int64_t* data = array_argument(arguments, 1);
  store(thread, data + 1, 1);
  load(thread, data, read_only);
  load(thread, data + 1, read_only);
}

const int32_t one_array[] = {8};
const int32_t two[] = {8, 8};
const dz_kernel kernels[] = {
    {"fill", fill_kernel, 2, two, "f.fut:1:1-9", 1},
    {"block_sum", block_sum_kernel, 2, two, "f.fut:2:1-9", 1},
    {"warp_sum", warp_sum_kernel, 1, one_array, "f.fut:3:1-9", 1},
    {"fail_odd", fail_odd_kernel, 0, nullptr, "f.fut:4:1-9", 1},
    {"past_end", past_end_kernel, 1, one_array, "f.fut:5:1-9", 1},
    {"early_exit", early_exit_kernel, 0, nullptr, "f.fut:6:1-9", 1},
    {"race", race_kernel, 0, nullptr, "f.fut:7:1-9", 1},
    {"shuffle_or_barrier", shuffle_or_barrier_kernel, 0, nullptr, "f.fut:8:1-9", 1},
    {"atomic_count", atomic_count_kernel, 1, one_array, "f.fut:9:1-9", 1},
    {"warp_private", warp_private_kernel, 1, one_array, "f.fut:10:1-9", 1},
    {"missing", nullptr, 0, nullptr, "", 1},
    {"handshake", handshake_kernel, 1, one_array, "f.fut:11:1-9", 1},
    {"lost_updates", lost_updates_kernel, 1, one_array, "f.fut:12:1-9", 1},
    {"counted_updates", counted_updates_kernel, 1, one_array, "f.fut:13:1-9", 1},
    {"read_only_before_write", read_only_before_write_kernel, 1, one_array, "f.fut:14:1-9", 1},
    {"read_only_after_write", read_only_after_write_kernel, 1, one_array, "f.fut:15:1-9", 1},
    {"message", message_kernel, 1, one_array, "f.fut:16:1-9", 1},
    {"fenced_message", fenced_message_kernel, 1, one_array, "f.fut:17:1-9", 1},
    {"twice_fenced_message", twice_fenced_message_kernel, 1, one_array, "f.fut:18:1-9", 1},
    {"neighbours", neighbours_kernel, 1, one_array, "f.fut:19:1-9", 1},
    {"strided", strided_kernel, 1, one_array, "f.fut:20:1-9", 1},
    {"last_to_arrive", last_to_arrive_kernel, 1, one_array, "f.fut:21:1-9", 1},
    {"warp_match", warp_match_kernel, 1, one_array, "f.fut:22:1-9", 1},
    {"warp_product", warp_product_kernel, 1, one_array, "f.fut:23:1-9", 1},
    {"half_product", half_product_kernel, 0, nullptr, "f.fut:24:1-9", 1},
};
const dz_failure failures[] = {{"Index [{}] out of bounds for array of shape [{}].", "f.fut:4:3"}};
const dz_program program = {DZ_ABI_VERSION, DZ_TARGET_SIM, "sim", 0, nullptr, 0, nullptr,
                            kernel_count, kernels, 1, failures, nullptr, 0, nullptr, 0, 0,
                            nullptr, 0, 0, nullptr, nullptr, nullptr, 0, nullptr, 0,
                            nullptr};

/// A context, a block of `count` numbers, and launches over it.
struct Sim {
  test::Context context{program};
  dz_block* block = nullptr;
  dz_block* sums = nullptr;

  explicit Sim(int64_t count) {
    REQUIRE(dz_allocate(context, count * 8, &block) == DZ_OK);
    REQUIRE(dz_allocate(context, 64 * 8, &sums) == DZ_OK);
    std::vector<int64_t> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    REQUIRE(dz_write(context, block, 0, count * 8, numbers.data()) == DZ_OK);
  }
  ~Sim() {
    dz_release(block);
    dz_release(sums);
  }
  int32_t launch(int kernel, int64_t grid, int32_t threads, int32_t shared_bytes = 0,
                 int64_t scalar = 0) {
    const bool wants_scalar = kernel == fill;
    void* second = wants_scalar ? static_cast<void*>(&scalar) : &sums->data;
    void* arguments[] = {&block->data, second};
    return dz_launch(context, kernel, grid, threads, shared_bytes, arguments, "f.fut:1:1", 0);
  }
  std::vector<int64_t> read(dz_block* from, int64_t count) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    REQUIRE(dz_read(context, from, 0, count * 8, values.data()) == DZ_OK);
    return values;
  }
};

}  // namespace

TEST_CASE("sim runs a kernel without barriers on every thread") {
  Sim sim(1000);
  REQUIRE(sim.launch(fill, 10, 100, 0, 3) == DZ_OK);
  const std::vector<int64_t> values = sim.read(sim.block, 1000);
  for (int64_t i = 0; i < 1000; ++i) {
    REQUIRE(values[static_cast<size_t>(i)] == 3 * i);
  }
}

TEST_CASE("sim threads meet at barriers, whatever the order they run in") {
  for (const char* seed : {"1", "2", "3", "99"}) {
    setenv("DZ_SIM_SEED", seed, 1);
    Sim sim(4 * 256);
    REQUIRE(sim.launch(block_sum, 4, 256, 256 * 8) == DZ_OK);
    const std::vector<int64_t> sums = sim.read(sim.sums, 4);
    for (int64_t b = 0; b < 4; ++b) {
      CHECK(sums[static_cast<size_t>(b)] == 256 * 256 * b + 255 * 128);
    }
    unsetenv("DZ_SIM_SEED");
  }
}

TEST_CASE("sim shuffles exchange values within a warp") {
  Sim sim(128);
  REQUIRE(sim.launch(warp_sum, 1, 128) == DZ_OK);
  const std::vector<int64_t> values = sim.read(sim.block, 128);
  for (size_t i = 0; i < 128; ++i) {
    const auto warp = static_cast<int64_t>(i / 32);
    REQUIRE(values[i] == 32 * 32 * warp + 31 * 16);
  }
}

TEST_CASE("sim tells threads of a warp who has the same value") {
  Sim sim(64);
  REQUIRE(sim.launch(warp_match, 1, 64) == DZ_OK);
  const std::vector<int64_t> values = sim.read(sim.block, 64);
  CHECK(values[0] == 0x49249249);
  CHECK(values[31] == 0x92492492);
  CHECK(values[32] == 0x49249249);
}

TEST_CASE("sim multiplies matrices of a warp") {
  Sim sim(128);
  REQUIRE(sim.launch(warp_product, 1, 32) == DZ_OK);
  const std::vector<int64_t> products = sim.read(sim.block, 128);
  for (int64_t i = 0; i < 16; ++i) {
    for (int64_t j = 0; j < 8; ++j) {
      int64_t sum = 1;
      for (int64_t k = 0; k < 16; ++k) sum += (i - 2 * k) * (3 * k + j);
      CHECK(products[static_cast<size_t>(i * 8 + j)] == sum);
    }
  }
}

TEST_CASE("sim reports products of matrices that a part of a warp makes") {
  Sim sim(32);
  CHECK(sim.launch(half_product, 1, 32) == DZ_ERROR);
  CHECK(sim.context.error().find("waits at a shuffle that its warp never reaches") !=
        std::string::npos);
}

TEST_CASE("sim sees 11 bits of factors that it rounds, and all of those it does not") {
  using dagaz::runtime::sim::MatrixUnit;
  // Of a 16×8 and an 8×8 matrix of f32, and of an 8×4 and a 4×8 one of f64, whose elements are the
  // same in each row of the one and in each column of the other.
  std::array<float, 4> rows;
  std::array<float, 2> points;
  rows.fill(1.000244140625F);  // 1 + 2^-12
  points.fill(3);
  std::array<std::array<float, 4>, 32> sums{};
  std::array<dagaz::runtime::sim::MatrixParts, 32> warp{};
  for (size_t lane = 0; lane < warp.size(); ++lane) {
    warp[lane] = {rows.data(), points.data(), sums[lane].data()};
  }
  multiply_matrices(MatrixUnit::tf32, warp);
  CHECK(sums[7] == std::array<float, 4>{24, 24, 24, 24});
  const double row = 1 + 0x1p-40;
  const double point = 3;
  std::array<std::array<double, 2>, 32> exact{};
  for (size_t lane = 0; lane < warp.size(); ++lane) warp[lane] = {&row, &point, exact[lane].data()};
  multiply_matrices(MatrixUnit::f64, warp);
  CHECK(exact[31] == std::array<double, 2>{12 * row, 12 * row});
}

TEST_CASE("sim reports failures of kernels at the next wait, and then goes on") {
  Sim sim(64);
  REQUIRE(sim.launch(fail_odd, 2, 64) == DZ_OK);
  CHECK(dz_synchronise(sim.context) == DZ_PROGRAM_ERROR);
  CHECK(sim.context.error() ==
        "Error: Index [77] out of bounds for array of shape [5].\n\nBacktrace:\n-> #0  f.fut:4:3");
  REQUIRE(sim.launch(fill, 1, 64, 0, 1) == DZ_OK);
  CHECK(sim.read(sim.block, 64)[63] == 63);
}

TEST_CASE("sim reports accesses outside memory before they happen") {
  Sim sim(64);
  CHECK(sim.launch(past_end, 1, 64) == DZ_ERROR);
  CHECK(sim.context.error() == "Error: kernel past_end (f.fut:5:1-9): thread 63 of block 0 writes "
                               "8 bytes outside its memory: 0 bytes past the end of a block of "
                               "512 bytes (threads in the order of --sim-seed=1)");
}

TEST_CASE("sim reports shared memory that was not asked for") {
  Sim sim(64);
  CHECK(sim.launch(race, 1, 64, 8) == DZ_ERROR);
  CHECK(sim.context.error().find("of shared memory, which has 8 bytes") != std::string::npos);
}

TEST_CASE("sim reports barrier divergence") {
  Sim sim(64);
  CHECK(sim.launch(early_exit, 1, 64) == DZ_ERROR);
  CHECK(sim.context.error() == "Error: kernel early_exit (f.fut:6:1-9): barrier divergence: "
                               "thread 63 of block 0 waits at a barrier, but thread 3 of block 0 "
                               "has left the kernel (threads in the order of --sim-seed=1)");
  CHECK(sim.launch(shuffle_or_barrier, 1, 32) == DZ_ERROR);
  CHECK(sim.context.error().find("waits at a barrier, thread 4 of block 0 at a shuffle") !=
        std::string::npos);
  REQUIRE(sim.launch(fill, 1, 64, 0, 1) == DZ_OK);
}

TEST_CASE("sim reports races in shared memory") {
  Sim sim(64);
  CHECK(sim.launch(race, 1, 64, 64 * 8) == DZ_ERROR);
  CHECK(sim.context.error().find("race in shared memory: thread ") != std::string::npos);
}

TEST_CASE("sim knows what orders accesses: atomics, barriers, shuffles") {
  Sim sim(64);
  REQUIRE(sim.launch(atomic_count, 1, 64, 8) == DZ_OK);
  CHECK(sim.read(sim.block, 1)[0] == 64);
  REQUIRE(sim.launch(warp_private, 1, 64, 64 * 8) == DZ_OK);
  CHECK(sim.read(sim.block, 2) == std::vector<int64_t>{1, 0});
}

TEST_CASE("sim refuses what a GPU refuses") {
  Sim sim(64);
  CHECK(sim.launch(fill, 1, 2048) == DZ_ERROR);
  CHECK(sim.context.error().find("the limit is 1024") != std::string::npos);
  CHECK(sim.launch(fill, 1, 32, 1 << 20) == DZ_ERROR);
  CHECK(sim.context.error().find("bytes of shared memory; the limit is") != std::string::npos);
  CHECK(sim.launch(missing, 1, 32) == DZ_ERROR);
  CHECK(sim.launch(kernel_count, 1, 32) == DZ_ERROR);
  CHECK(sim.launch(fill, 0, 32) == DZ_OK);
}

TEST_CASE("sim runs blocks together, so that they can wait for each other") {
  Sim sim(64);
  REQUIRE(sim.launch(handshake, 2, 1) == DZ_OK);
  CHECK(sim.read(sim.block, 2) == std::vector<int64_t>{-1, -1});
}

TEST_CASE("threads that give way show updates that are lost") {
  const auto updates = [](Kernel kernel) {
    Sim sim(1);
    REQUIRE(dz_clear(sim.context, sim.block, 0, 8) == DZ_OK);
    REQUIRE(sim.launch(kernel, 4, 256) == DZ_OK);
    return sim.read(sim.block, 1)[0];
  };
  CHECK(updates(lost_updates) == 1024);  // not seen while threads run to their ends
  for (const char* seed : {"1", "2", "3"}) {
    setenv("DZ_SIM_TURN", "4", 1);
    setenv("DZ_SIM_SEED", seed, 1);
    CHECK(updates(lost_updates) < 1024);
    CHECK(updates(counted_updates) == 1024);
    unsetenv("DZ_SIM_TURN");
    unsetenv("DZ_SIM_SEED");
  }
}

TEST_CASE("stores arrive late unless a fence stands behind them") {
  const auto received = [](Kernel kernel) {
    int good = 0;
    setenv("DZ_SIM_TURN", "2", 1);
    for (int seed = 1; seed <= 20; ++seed) {
      setenv("DZ_SIM_SEED", std::to_string(seed).c_str(), 1);
      Sim sim(24);
      REQUIRE(sim.launch(kernel, 2, 1) == DZ_OK);
      const std::vector<int64_t> values = sim.read(sim.block, 24);
      CHECK(values[8] == 42);  // at the end of the launch all have
      good += values[16] == 42 ? 1 : 0;
    }
    unsetenv("DZ_SIM_TURN");
    unsetenv("DZ_SIM_SEED");
    return good;
  };
  CHECK(received(fenced_message) == 20);
  CHECK(received(message) < 20);
}

TEST_CASE("sim reports races in global memory") {
  setenv("DZ_SIM_RACES", "1", 1);
  Sim sim(2048);
  CHECK(sim.launch(message, 2, 1) == DZ_ERROR);
  CHECK(sim.context.error() ==
        "Error: kernel message (f.fut:16:1-9): race in global memory: thread 0 of block 1 reads 8 "
        "bytes that thread 0 of block 0 has written, and nothing orders the two "
        "(threads in the order of --sim-seed=1)");
  REQUIRE(dz_clear(sim.context, sim.block, 0, 2048 * 8) == DZ_OK);
  // Without the acquiring half it is a race, too.
  CHECK(sim.launch(fenced_message, 2, 1) == DZ_ERROR);
  REQUIRE(dz_clear(sim.context, sim.block, 0, 2048 * 8) == DZ_OK);
  CHECK(sim.launch(twice_fenced_message, 2, 1) == DZ_OK);
  CHECK(sim.launch(lost_updates, 1, 2) == DZ_ERROR);
  CHECK(sim.launch(counted_updates, 4, 256) == DZ_OK);
  CHECK(sim.launch(block_sum, 4, 256, 256 * 8) == DZ_OK);
  CHECK(sim.launch(fill, 8, 256, 0, 1) == DZ_OK);
  unsetenv("DZ_SIM_RACES");
}

TEST_CASE("races are told from atomic operations in the order in which these happen") {
  setenv("DZ_SIM_RACES", "1", 1);
  setenv("DZ_SIM_TURN", "2", 1);
  for (int seed = 1; seed <= 20; ++seed) {
    setenv("DZ_SIM_SEED", std::to_string(seed).c_str(), 1);
    Sim sim(24);
    REQUIRE(dz_clear(sim.context, sim.block, 0, 24 * 8) == DZ_OK);
    CHECK(sim.launch(last_to_arrive, 16, 1) == DZ_OK);
    CHECK(sim.read(sim.block, 24)[17] == 16);
  }
  unsetenv("DZ_SIM_RACES");
  unsetenv("DZ_SIM_TURN");
  unsetenv("DZ_SIM_SEED");
}

TEST_CASE("a profile of sim says what kernels ask of memory") {
  dz_config* config = dzr_config_new(&program);
  dzr_config_set_profiling(config, 1);
  const test::Context context(config);
  dz_block* block = nullptr;
  REQUIRE(dz_allocate(context, 1024 * 8, &block) == DZ_OK);
  REQUIRE(dz_clear(context, block, 0, 1024 * 8) == DZ_OK);
  void* arguments[] = {&block->data};
  REQUIRE(dz_launch(context, neighbours, 2, 32, 0, arguments, "f.fut:1:1", 0) == DZ_OK);
  REQUIRE(dz_launch(context, strided, 1, 32, 8192, arguments, "f.fut:1:1", 0) == DZ_OK);
  char* text = dzr_context_report(context);
  const std::string report = text;
  std::free(text);
  CHECK(report.find("\"loads\":64,\"stores\":0,\"atomics\":0,\"l1_read_bytes\":512,"
                    "\"l1_written_bytes\":0,\"l2_read_bytes\":512,\"l2_written_bytes\":0,"
                    "\"memory_read_bytes\":256,\"memory_written_bytes\":0,"
                    "\"estimated_memory_microseconds\":0.003,"
                    "\"sectors_per_atomic\":0.00,\"sectors_per_request\":8.00,"
                    "\"least_sectors_per_request\":8.00,\"shared_accesses\":0,"
                    "\"bank_conflicts_per_request\":0.00") != std::string::npos);
  CHECK(report.find("{\"memory_read_bytes\":0,\"memory_written_bytes\":8192}") !=
        std::string::npos);
  CHECK(report.find("\"sectors_per_request\":32.00,\"least_sectors_per_request\":8.00,"
                    "\"shared_accesses\":32,\"bank_conflicts_per_request\":15.00") !=
        std::string::npos);
  dz_release(block);
}

TEST_CASE("sim reports reads through the read-only cache of what the kernel writes") {
  Sim sim(64);
  CHECK(sim.launch(read_only_before_write, 1, 1) == DZ_ERROR);
  CHECK(sim.context.error() == "Error: kernel read_only_before_write (f.fut:14:1-9): thread 0 of "
                               "block 0 writes 8 bytes that the kernel has read through the "
                               "read-only cache (threads in the order of --sim-seed=1)");
  CHECK(sim.launch(read_only_after_write, 1, 1) == DZ_ERROR);
  CHECK(sim.context.error().find("reads 8 bytes through the read-only cache that the kernel has "
                                 "written") != std::string::npos);
  // The next kernel may.
  REQUIRE(sim.launch(fill, 1, 64, 0, 1) == DZ_OK);
}

TEST_CASE("a seed that the context asks for goes before the environment's, and is named") {
  setenv("DZ_SIM_SEED", "5", 1);
  const auto problem = [](std::optional<uint64_t> seed) {
    dz_config* config = dzr_config_new(&program);
    config->sim_seed = seed;
    const test::Context context(config);
    dz_block* block = nullptr;
    REQUIRE(dz_allocate(context, 64 * 8, &block) == DZ_OK);
    void* arguments[] = {&block->data};
    CHECK(dz_launch(context, past_end, 1, 64, 0, arguments, "f.fut:1:1", 0) == DZ_ERROR);
    dz_release(block);
    return context.error();
  };
  CHECK(problem(std::nullopt).ends_with("(threads in the order of --sim-seed=5)"));
  CHECK(problem(7).ends_with("(threads in the order of --sim-seed=7)"));
  unsetenv("DZ_SIM_SEED");
}

TEST_CASE("sim has the facts of the device that is asked for") {
  const auto with = [](const char* name) {
    dz_config* config = dzr_config_new(&program);
    dzr_config_set_device(config, name);
    return config;
  };
  const test::Context large(with("h100"));
  CHECK(dz_property(large, DZ_MULTIPROCESSORS) == 132);
  CHECK(dz_property(large, DZ_RESIDENT_THREADS) == 132 * 2048);
  CHECK(dz_property(large, DZ_MAX_SHARED_BYTES) == 227 << 10);
  const test::Context small(program);
  CHECK(dz_property(small, DZ_MULTIPROCESSORS) == 4);
  CHECK(test::Context(with("b7000")).error() ==
        "no simulated GPU is called `b7000`; there are `small`, `h100`");
}

TEST_CASE("large blocks with many barriers do not run out of stacks") {
  Sim sim(32 * 1024);
  REQUIRE(sim.launch(block_sum, 32, 1024, 1024 * 8) == DZ_OK);
  CHECK(sim.read(sim.sums, 1)[0] == 1023 * 512);
}
