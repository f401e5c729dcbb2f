// Ranks with a GPU each: which one, and that what kernels make is there before it is sent, what
// has come before they go on, and no more is copied or has memory than must.  In the stand-in
// nothing on a stream happens before somebody waits for it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "cuda/cuda_device.h"
#include "numbers.h"
#include "ranks/staging.h"

using namespace cuda_tests;
using namespace dagaz::runtime;

namespace {

constexpr int64_t count = 64;
constexpr int64_t other = 7;  // every word of another rank

/// What a test says of other ranks, and finds that this one has sent.
struct Others {
  std::vector<int64_t> sent;
  std::optional<int64_t> largest;  // what others have for the largest number
};
Others others;

/// This process is the last of two ranks.
int gather(void*, const void* part, void* whole, const int64_t* sizes) {
  std::fill_n(static_cast<int64_t*>(whole), sizes[0] / 8, other);
  auto* own = static_cast<char*>(whole) + sizes[0];
  std::memcpy(own, part, static_cast<size_t>(sizes[1]));
  others.sent.assign(static_cast<const int64_t*>(part),
                     static_cast<const int64_t*>(part) + sizes[1] / 8);
  return 0;
}
int maximum(void*, int64_t* value) {
  others.sent = {*value};
  *value = others.largest.value_or(*value);
  return 0;
}
int broadcast(void*, void*, int64_t, int32_t) { return 0; }

dz_rank_messages messages_of(int32_t on_machine) {
  return {1,       2,       nullptr, gather,  nullptr, nullptr, broadcast,
          maximum, nullptr, nullptr, nullptr, on_machine, nullptr, nullptr, 0};
}
const dz_rank_messages two = messages_of(0);

dz_config* config_with(const dz_rank_messages& messages) {
  others = {};
  dz_config* config = dzr_config_new(&program);
  config->ranks = &messages;
  return config;
}

std::string device_of(int32_t on_machine, const char* wanted) {
  const dz_rank_messages messages = messages_of(on_machine);
  dz_config* config = config_with(messages);
  dzr_config_set_device(config, wanted);
  const test::Context context(config);
  REQUIRE(context.context->usable);
  fake().fail_next_launch = 719;
  void* arguments[] = {nullptr};
  dz_launch(context, 1, 1, 1, 0, arguments, "", 0);
  dz_synchronise(context);
  return context.error();
}

}  // namespace

TEST_SUITE_BEGIN("ranks");

TEST_CASE("the ranks of a machine take its devices in turn") {
  CHECK(device_of(0, "").find("Alpha") != std::string::npos);
  CHECK(device_of(1, "").find("Beta") != std::string::npos);
  CHECK(device_of(2, "").find("Alpha") != std::string::npos);
  CHECK(device_of(1, "#0").find("Alpha") != std::string::npos);
  CHECK(device_of(1, "Alpha").find("Alpha") != std::string::npos);
}

TEST_CASE("a gather sends what kernels have made, and they go on with what has come") {
  {
    Numbers numbers(config_with(two));
    dz_context* const context = numbers.context;
    REQUIRE(numbers.add(100, 0) == DZ_OK);
    const int waits = fake().waits;
    dz_block* whole = nullptr;
    REQUIRE(dz_rank_gather(context, numbers.block, 0, 2 * count, 8, &whole) == DZ_OK);
    CHECK(others.sent.at(5) == 105);
    CHECK(others.sent.size() == count);
    CHECK(fake().waits == waits + 1);
    // A kernel over the rows of the other rank; then another gather through the same host memory.
    std::swap(numbers.block, whole);
    REQUIRE(numbers.add(30, 0) == DZ_OK);
    std::swap(numbers.block, whole);
    dz_block* again = nullptr;
    REQUIRE(dz_rank_gather(context, numbers.block, 0, 2 * count, 8, &again) == DZ_OK);
    int64_t found[] = {0, 0, 0};
    REQUIRE(dz_read(context, whole, 3 * 8, 8, &found[0]) == DZ_OK);
    REQUIRE(dz_read(context, whole, (count + 3) * 8, 8, &found[1]) == DZ_OK);
    REQUIRE(dz_read(context, again, 3 * 8, 8, &found[2]) == DZ_OK);
    CHECK(found[0] == other + 30);
    CHECK(found[1] == 103);
    CHECK(found[2] == other);
    dz_release(whole);
    dz_release(again);
  }
  check_nothing_left();
}

TEST_CASE("a kernel that has failed is known when ranks agree") {
  {
    Numbers numbers(config_with(two));
    void* arguments[] = {nullptr};
    REQUIRE(dz_launch(numbers.context, 1, 1, 1, 0, arguments, "", 0) == DZ_OK);
    CHECK(dz_rank_agree(numbers.context) == DZ_PROGRAM_ERROR);
    CHECK(others.sent.at(0) == 1);  // two ranks less this one's number
    CHECK(numbers.context.error().find("Index [9] out of bounds") != std::string::npos);
  }
  check_nothing_left();
}

TEST_CASE("what an arena lacks on one rank it lacks on all") {
  {
    Numbers numbers(config_with(two));
    others.largest = 2 + 4096;
    CHECK(dz_rank_agree(numbers.context) == DZ_OUT_OF_MEMORY);
    CHECK(numbers.context.context->arena.lacked == 4096);
  }
  check_nothing_left();
}

TEST_CASE("an array by parts has memory for a rank's own rows until it is gathered") {
  for (const int maps : {1, 0}) {
    fake().mapped_memory = maps;
    const int64_t before = fake().memory_in_use;
    constexpr int64_t rows = 100000;
    {
      const test::Context context(config_with(two));
      const int64_t shape[] = {rows};
      std::vector<int64_t> own(rows / 2);
      std::iota(own.begin(), own.end(), 0);
      const int64_t start = fake().memory_in_use;
      dz_array* const array = dzr_new_array_part(context, DZ_I64, 1, own.data(), shape);
      REQUIRE(array != nullptr);
      const int64_t taken = fake().memory_in_use - start;
      CHECK(taken >= (maps != 0 ? rows * 4 : rows * 8));
      CHECK(taken <= (maps != 0 ? rows * 4 + 2 * 4096 : rows * 9));
      std::vector<int64_t> found(rows / 2);
      REQUIRE(dzr_array_values_part(context, array, found.data()) == DZ_OK);
      CHECK(found == own);
      REQUIRE(dz_rank_whole(context, array->block) == DZ_OK);
      std::vector<int64_t> all(rows);
      REQUIRE(dzr_array_values(context, array, all.data()) == DZ_OK);
      CHECK(all[0] == other);
      CHECK(all[rows / 2 - 1] == other);
      CHECK(all[rows / 2] == 0);
      CHECK(all[rows - 1] == rows / 2 - 1);
      dzr_free_array(context, array);
    }
    CHECK(fake().memory_in_use == before);
  }
  fake().mapped_memory = 1;
  check_nothing_left();
}

TEST_CASE("of rows that others want no more is copied than pays") {
  {
    const test::Context context(config_with(two));
    constexpr int64_t row_bytes = int64_t{256} << 10;
    dz_block* block = nullptr;
    REQUIRE(dz_allocate(context, 64 * row_bytes, &block) == DZ_OK);
    for (int64_t row = 0; row < 64; ++row) {
      REQUIRE(dz_write(context, block, row * row_bytes, 8, &row) == DZ_OK);
    }
    const auto look = [&](const std::vector<int64_t>& rows, int64_t bytes) {
      Staging staging(*context.context);
      const StagedRows found = staging.look_at_rows(*block, 0, bytes, rows);
      REQUIRE(staging.fetch() == DZ_OK);
      std::vector<int64_t> words;
      for (size_t k = 0; k < rows.size(); ++k) {
        words.push_back(*reinterpret_cast<const int64_t*>(found.row(k, rows[k])));
      }
      return words;
    };
    int reads = fake().reads;
    CHECK(look({2, 40, 41}, row_bytes) == std::vector<int64_t>{2, 40, 41});
    CHECK(fake().reads == reads + 2);
    // Short ones are quicker with what is between them.
    reads = fake().reads;
    CHECK(look({0, 0}, 8) == std::vector<int64_t>{0, 0});
    CHECK(look({5, 3, 9}, row_bytes / 1024 * 1024).back() == 9);
    dz_release(block);
  }
  check_nothing_left();
}
