// Direct messages, on stand-ins for NCCL and the driver: what is sent goes from GPU to GPU in the
// order of its other work, without a wait or a copy by way of the host; and where NCCL cannot be
// had on all ranks, ranks find another way together.
#include <doctest/doctest.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cuda/nccl.h"
#include "fake_nccl.h"
#include "numbers.h"

using namespace cuda_tests;
using namespace dagaz::runtime;

namespace {

constexpr int64_t count = 64;
constexpr int64_t other = 7;  // every word of another rank that comes by MPI

FakeNcclState& fake_nccl() {
  void* library = dlopen("libnccl.so.2", RTLD_NOW);
  void* symbol = dlsym(library, "fake_nccl_state");
  REQUIRE(symbol != nullptr);
  return *static_cast<FakeNcclState*>(symbol);
}

/// What a test says of other ranks, and what these have been told by MPI.
struct Others {
  std::deque<int64_t> largest;  // what others have for the next largest numbers; then 0
  bool same_device = false;
  int gathers = 0;  // of rows
  std::vector<FakePiece> sent;
};
Others others;

/// This process is the second of three ranks.
int gather(void*, const void* part, void* whole, const int64_t* sizes) {
  char* next = static_cast<char*>(whole);
  const bool are_rows = sizes[1] != 16;  // else numbers of devices
  others.gathers += are_rows ? 1 : 0;
  for (int rank = 0; rank < 3; next += sizes[rank++]) {
    const auto bytes = static_cast<size_t>(sizes[rank]);
    if (rank == 1 || (!are_rows && others.same_device)) {
      std::memmove(next, part == nullptr ? next : part, bytes);
    } else if (are_rows) {
      std::fill_n(reinterpret_cast<int64_t*>(next), sizes[rank] / 8, other);
    } else {
      std::memset(next, 100 + rank, bytes);
    }
  }
  return 0;
}
int send(void*, const dz_rank_message* to, int32_t to_count, const dz_rank_message* from,
         int32_t from_count) {
  for (const dz_rank_message* one = to; one != to + to_count; ++one) {
    others.sent.push_back({one->rank, std::string(static_cast<char*>(one->data),
                                                  static_cast<size_t>(one->bytes))});
  }
  for (const dz_rank_message* one = from; one != from + from_count; ++one) {
    std::fill_n(static_cast<int64_t*>(one->data), one->bytes / 8, other);
  }
  return 0;
}
int maximum(void*, int64_t* value) {
  if (!others.largest.empty()) {
    *value = std::max(*value, others.largest.front());
    others.largest.pop_front();
  }
  return 0;
}
/// The first rank has the same environment, and has asked NCCL for an id.
int broadcast(void*, void* data, int64_t bytes, int32_t) {
  if (bytes > int64_t{sizeof(cuda::NcclId)}) {
    std::strcpy(static_cast<char*>(data) + sizeof(int), "here");
  }
  return 0;
}

dz_rank_messages messages(bool takes_device_memory) {
  return {1,       3,       nullptr, gather,  nullptr, send,    broadcast,
          maximum, nullptr, nullptr, nullptr, 0,       nullptr, nullptr,
          takes_device_memory ? 1 : 0};
}
const dz_rank_messages three = messages(false);
const dz_rank_messages three_by_mpi = messages(true);

dz_config* config_with(const dz_rank_messages& ranks = three) {
  others = {};
  dz_config* config = dzr_config_new(&program);
  config->ranks = &ranks;
  return config;
}

/// What has been done by way of the host so far.
struct HostWork {
  int reads = fake().reads;
  int writes = fake().writes;
  int waits = fake().waits;
  bool operator==(const HostWork&) const = default;
};

/// While alive, this is what is to carry messages.
struct Wanted {
  explicit Wanted(const char* carrier) { setenv("DAGAZ_DIRECT_MESSAGES", carrier, 1); }
  ~Wanted() { unsetenv("DAGAZ_DIRECT_MESSAGES"); }
};

std::vector<int64_t> words(const std::string& bytes) {
  std::vector<int64_t> all(bytes.size() / sizeof(int64_t));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

std::vector<int64_t> words(dz_context* context, dz_block* block, int64_t number) {
  std::vector<int64_t> all(static_cast<size_t>(number));
  REQUIRE(dz_read(context, block, 0, number * 8, all.data()) == DZ_OK);
  return all;
}

using Words = std::vector<int64_t>;

/// Rows 0 to 63 of the second of three ranks, and one beside them on each side.
dz_rank_window window_of(const Numbers& numbers) {
  return {numbers.block, 0, 3 * count, 3 * count, -1, 1, 0, 8, nullptr};
}

/// Gathers what a rank has by way of the host.
void check_staged(Numbers& numbers) {
  dz_block* whole = nullptr;
  REQUIRE(dz_rank_gather(numbers.context, numbers.block, 0, 3 * count, 8, &whole) == DZ_OK);
  CHECK(others.gathers == 1);
  const Words found = words(numbers.context, whole, 3 * count);
  CHECK(found[5] == other);
  CHECK(found[count + 5] == 5);
  dz_release(whole);
  CHECK(fake_nccl().communicators == 0);
}

}  // namespace

TEST_SUITE_BEGIN("direct");

TEST_CASE("gathered rows go from GPU to GPU, and nobody waits") {
  for (const int64_t rows : {3 * count, 3 * count - 1}) {
    fake_nccl() = {};
    {
      Numbers numbers(config_with());
      dz_context* const context = numbers.context;
      REQUIRE(numbers.add(100, 0) == DZ_OK);
      const HostWork before;
      dz_block* whole = nullptr;
      REQUIRE(dz_rank_gather(context, numbers.block, 0, rows, 8, &whole) == DZ_OK);
      // A kernel over rows of the first rank.
      std::swap(numbers.block, whole);
      REQUIRE(numbers.add(30, 0) == DZ_OK);
      std::swap(numbers.block, whole);
      CHECK(HostWork() == before);
      CHECK(others.gathers == 0);
      const Words found = words(context, whole, rows);
      CHECK(found[3] == 1000 + 30);
      CHECK(found.at(static_cast<size_t>(rows - 2 * count + 3)) == 103);
      CHECK(found.back() == 1001);
      REQUIRE(fake_nccl().sent.size() == 1);
      CHECK(words(fake_nccl().sent[0].bytes).at(5) == 105);
      CHECK(fake_nccl().gathers == (rows == 3 * count ? 1 : 0));
      dz_release(whole);
    }
    check_nothing_left();
    CHECK(fake_nccl().communicators == 0);
    CHECK(fake_nccl().aborted == 0);
    CHECK(fake_nccl().misuses == 0);
  }
}

TEST_CASE("rows of windows are pieces that match in order, started at once") {
  fake_nccl() = {};
  {
    Numbers numbers(config_with());
    REQUIRE(numbers.add(100, 0) == DZ_OK);
    const HostWork before;
    dz_rank_window windows[] = {window_of(numbers), window_of(numbers)};
    windows[1].high = 2;
    REQUIRE(dz_rank_windows(numbers.context, 2, windows) == DZ_OK);
    CHECK(HostWork() == before);
    CHECK(fake_nccl().groups == 1);
    const Words first = words(numbers.context, windows[0].window, count + 2);
    const Words second = words(numbers.context, windows[1].window, count + 3);
    CHECK(first.front() == 1000);
    CHECK(first[1] == 100);
    CHECK(first[count] == 163);
    CHECK(first.back() == 1001);
    CHECK(second.front() == 1002);
    CHECK(second[count + 1] == 1003);
    CHECK(second.back() == 1003);
    std::vector<std::pair<int, Words>> sent;
    for (const FakePiece& one : fake_nccl().sent) {
      sent.emplace_back(one.rank, words(one.bytes));
    }
    CHECK(sent == std::vector<std::pair<int, Words>>{
                      {0, {100}}, {2, {163}}, {0, {100, 101}}, {2, {163}}});
    dz_release(windows[0].window);
    dz_release(windows[1].window);
  }
  check_nothing_left();
  CHECK(fake_nccl().misuses == 0);
}

/// Two rows of six columns, and two columns of six rows, which were the first two and the last.
dz_rank_turned turned_of(const Numbers& numbers, bool later) {
  return {numbers.block, 0, later ? 1 : 0, 6, 6, 1, 1, 8, nullptr};
}

TEST_CASE("blocks that are turned are packed on the GPU where they do not lie together") {
  // With a driver that refuses to copy lines they are copied one by one.
  for (const int refuses : {0, 1}) {
    fake_nccl() = {};
    fake().fail_line_copies = refuses;
    {
      Numbers numbers(config_with());
      REQUIRE(numbers.add(100, 0) == DZ_OK);
      const HostWork before;
      dz_rank_turned all[] = {turned_of(numbers, true), turned_of(numbers, false)};
      REQUIRE(dz_rank_turn(numbers.context, 2, all) == DZ_OK);
      CHECK(HostWork() == before);
      const Words columns = words(numbers.context, all[0].turned, 12);
      CHECK(columns == Words{1000, 1000, 1000, 1000, 102, 103, 108, 109, 1002, 1002, 1002, 1002});
      const Words rows = words(numbers.context, all[1].turned, 12);
      CHECK(rows == Words{1001, 1001, 104, 105, 1003, 1003, 1001, 1001, 106, 107, 1003, 1003});
      std::vector<Words> sent;
      for (const FakePiece& one : fake_nccl().sent) {
        sent.push_back(words(one.bytes));
      }
      CHECK(sent == std::vector<Words>{{100, 101, 106, 107},
                                       {100, 101, 102, 103},
                                       {104, 105, 110, 111},
                                       {108, 109, 110, 111}});
      dz_release(all[0].turned);
      dz_release(all[1].turned);
    }
    check_nothing_left();
    CHECK(fake_nccl().misuses == 0);
  }
  fake().fail_line_copies = 0;
}

TEST_CASE("an array by parts is gathered in its place") {
  fake_nccl() = {};
  constexpr int64_t rows = 100000;
  {
    const test::Context context(config_with());
    const int64_t shape[] = {rows};
    const Words own(33334, 5);
    dz_array* const array = dzr_new_array_part(context, DZ_I64, 1, own.data(), shape);
    REQUIRE(array != nullptr);
    const HostWork before;
    REQUIRE(dz_rank_whole(context, array->block) == DZ_OK);
    CHECK(HostWork() == before);
    Words all(rows);
    REQUIRE(dzr_array_values(context, array, all.data()) == DZ_OK);
    CHECK(all[33332] == 1000);
    CHECK(all[33333] == 5);
    CHECK(all[66665] == 5);
    CHECK(all[66666] == 1001);
    dzr_free_array(context, array);
  }
  check_nothing_left();
  CHECK(fake_nccl().misuses == 0);
}

TEST_CASE("of large sums each rank gets its part directly, and hands round what they come to") {
  fake_nccl() = {};
  constexpr int64_t elements = 150001;
  {
    const test::Context context(config_with());
    dz_block* block = nullptr;
    REQUIRE(dz_allocate(context, elements * 8, &block) == DZ_OK);
    Words own(elements);
    std::iota(own.begin(), own.end(), 0);
    REQUIRE(dz_write(context, block, 0, elements * 8, own.data()) == DZ_OK);
    const int reads = fake().reads;
    const int writes = fake().writes;
    dz_rank_sum sum{DZ_ADD, DZ_I64, block, 0, elements, nullptr};
    REQUIRE(dz_rank_reduce(context, 1, &sum) == DZ_OK);
    CHECK(fake().reads == reads + 3);
    CHECK(fake().writes == writes + 1);
    const Words found = words(context, sum.whole, elements);
    CHECK(found[50000 - 1] == 1002);
    CHECK(found[50000] == 50000 + 1000 + 1001);
    CHECK(found[100000 - 1] == 100000 - 1 + 1000 + 1001);
    CHECK(found[100000] == 1003);
    REQUIRE(fake_nccl().sent.size() == 3);
    CHECK(words(fake_nccl().sent[0].bytes).back() == 50000 - 1);
    CHECK(words(fake_nccl().sent[1].bytes).front() == 100000);
    CHECK(words(fake_nccl().sent[2].bytes).front() == 50000 + 2001);
    dz_release(block);
    dz_release(sum.whole);
  }
  check_nothing_left();
  CHECK(fake_nccl().misuses == 0);
}

TEST_CASE("where NCCL cannot be had on all ranks, messages go by way of the host") {
  fake_nccl() = {};
  SUBCASE("another rank has none") {
    Numbers numbers(config_with());
    others.largest = {1};
    check_staged(numbers);
  }
  SUBCASE("it does not start here") {
    Numbers numbers(config_with());
    fake_nccl().fail_next_init = 2;
    check_staged(numbers);
    CHECK(fake_nccl().aborted == 0);
  }
  SUBCASE("it does not start on another rank") {
    Numbers numbers(config_with());
    others.largest = {0, 1};
    check_staged(numbers);
    CHECK(fake_nccl().aborted == 1);
  }
  SUBCASE("two ranks have the same GPU") {
    Numbers numbers(config_with());
    others.same_device = true;
    fake_nccl().fail_next_init = 5;  // nobody asks it
    check_staged(numbers);
    CHECK(fake_nccl().fail_next_init == 5);
  }
  SUBCASE("nobody wants it") {
    const Wanted wanted("off");
    Numbers numbers(config_with(three_by_mpi));
    check_staged(numbers);
  }
  check_nothing_left();
}

TEST_CASE("what is asked for and cannot be had is an error") {
  fake_nccl() = {};
  const auto failure = [](const char* carrier) {
    const Wanted wanted(carrier);
    Numbers numbers(config_with());
    others.same_device = true;
    dz_rank_window window = window_of(numbers);
    CHECK(dz_rank_windows(numbers.context, 1, &window) == DZ_ERROR);
    return numbers.context.error();
  };
  CHECK(failure("nccl").find("DAGAZ_DIRECT_MESSAGES=nccl, but NCCL takes one rank a GPU") !=
        std::string::npos);
  CHECK(failure("ncll").find("DAGAZ_DIRECT_MESSAGES needs nccl, mpi or off") != std::string::npos);
  check_nothing_left();
}

TEST_CASE("a failure of NCCL is told, and nobody waits for the others at the end") {
  for (const bool meanwhile : {false, true}) {
    fake_nccl() = {};
    {
      Numbers numbers(config_with());
      dz_rank_window window = window_of(numbers);
      REQUIRE(dz_rank_windows(numbers.context, 1, &window) == DZ_OK);
      dz_release(window.window);
      (meanwhile ? fake_nccl().async_error : fake_nccl().fail_next_send) = 6;
      CHECK(dz_rank_windows(numbers.context, 1, &window) == DZ_ERROR);
      CHECK(numbers.context.error().find("Error: messages between GPUs failed: NCCL 2.18.5: a "
                                         "stand-in's error") != std::string::npos);
      dz_release(window.window);
    }
    CHECK(fake_nccl().aborted == 1);
    CHECK(fake_nccl().communicators == 0);
    check_nothing_left();
  }
}

TEST_CASE("an MPI that takes addresses of GPU memory gets them when the GPU has been waited for") {
  fake_nccl() = {};
  {
    const Wanted wanted("mpi");
    Numbers numbers(config_with(three_by_mpi));
    REQUIRE(numbers.add(100, 0, 0, false) == DZ_OK);
    const HostWork before;
    dz_rank_window window = window_of(numbers);
    REQUIRE(dz_rank_windows(numbers.context, 1, &window) == DZ_OK);
    dz_block* whole = nullptr;
    REQUIRE(dz_rank_gather(numbers.context, numbers.block, 0, 3 * count, 8, &whole) == DZ_OK);
    CHECK(fake().reads == before.reads);
    CHECK(fake().writes == before.writes);
    CHECK(fake().waits == before.waits + 2);
    CHECK(others.gathers == 1);
    REQUIRE(others.sent.size() == 2);
    CHECK(words(others.sent[0].bytes) == Words{100});
    CHECK(words(others.sent[1].bytes) == Words{163});
    const Words rows = words(numbers.context, window.window, count + 2);
    CHECK(rows.front() == other);
    CHECK(rows[1] == 100);
    CHECK(words(numbers.context, whole, 3 * count)[count + 5] == 105);
    dz_release(window.window);
    dz_release(whole);
  }
  check_nothing_left();
}

TEST_CASE("without NCCL an MPI that says that it takes addresses gets them") {
  fake_nccl() = {};
  {
    Numbers numbers(config_with(three_by_mpi));
    others.largest = {1};
    const HostWork before;
    dz_rank_window window = window_of(numbers);
    REQUIRE(dz_rank_windows(numbers.context, 1, &window) == DZ_OK);
    CHECK(fake().reads == before.reads);
    CHECK(others.sent.size() == 2);
    dz_release(window.window);
  }
  {
    // All must.
    Numbers numbers(config_with(three_by_mpi));
    others.largest = {1, 1};
    check_staged(numbers);
  }
  check_nothing_left();
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("old_nccl");
TEST_CASE("an NCCL that lacks a function is not used") {
  CHECK(cuda::nccl().problem == "libnccl.so.2 lacks ncclSend: NCCL is older than 2.7");
  Numbers numbers(config_with());
  check_staged(numbers);
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("missing_nccl");
TEST_CASE("a machine without NCCL sends by way of the host") {
  if (cuda::nccl().problem.empty()) {
    MESSAGE("[SKIP] this machine has NCCL");
    return;
  }
  CHECK(cuda::nccl().problem.starts_with("libnccl.so.2 could not be loaded ("));
  Numbers numbers(config_with());
  dz_block* whole = nullptr;
  REQUIRE(dz_rank_gather(numbers.context, numbers.block, 0, 3 * count, 8, &whole) == DZ_OK);
  CHECK(others.gathers == 1);
  CHECK(words(numbers.context, whole, 3 * count)[count + 5] == 5);
  dz_release(whole);
}
TEST_SUITE_END();
