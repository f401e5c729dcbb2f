// Iterations of host code that threads have to themselves: dz_call_for_each.
#include <algorithm>
#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "context.h"
#include "test_program.h"

using test::Context;

namespace {

Context with_threads(int threads, int64_t cap = 0, bool profiles = false) {
  dz_config* config = dzr_config_new(&test::cpu_program());
  dzr_config_set_num_threads(config, threads);
  dzr_config_set_memory_cap(config, cap);
  dzr_config_set_profiling(config, profiles ? 1 : 0);
  return Context(config);
}

constexpr int64_t points_of_loop = 100;

/// What iterations see.
struct Iterations {
  std::vector<std::atomic<int>> counts;
  std::atomic<int> calls{0};
  std::atomic<int> with_threads{0};  // of loops inside that several threads may run
  int64_t fails_at = -1;
};

int32_t count_points(dz_context*, void* count, int64_t begin, int64_t end) {
  *static_cast<std::atomic<int>*>(count) += static_cast<int>(end - begin);
  return DZ_OK;
}

int32_t iterate(dz_context* context, void* environment, int64_t begin, int64_t end) {
  auto* all = static_cast<Iterations*>(environment);
  ++all->calls;
  for (int64_t i = begin; i < end; ++i) {
    if (i == all->fails_at) {
      return dz_fail(context, 0, 0, nullptr);
    }
    all->with_threads += dz_piece_count(context, 1000, 1) > 1 ? 1 : 0;
    const int32_t status = dz_parallel_for(context, points_of_loop, 1, count_points,
                                           &all->counts[static_cast<size_t>(i)], "loop", 8);
    if (status != DZ_OK) {
      return status;
    }
  }
  return DZ_OK;
}

bool visited_once(const Iterations& all) {
  return std::all_of(all.counts.begin(), all.counts.end(),
                     [](const std::atomic<int>& count) { return count == points_of_loop; });
}

/// Iterations with iterations inside, and loops in these.
int32_t iterate_twice(dz_context* context, void* environment, int64_t begin, int64_t end) {
  auto* all = static_cast<std::vector<Iterations>*>(environment);
  for (int64_t i = begin; i < end; ++i) {
    Iterations& own = (*all)[static_cast<size_t>(i)];
    const auto count = static_cast<int64_t>(own.counts.size());
    if (dz_call_for_each(context, count, iterate, &own, "inner") != DZ_OK) {
      return DZ_ERROR;
    }
  }
  return DZ_OK;
}

/// What iterations do with memory: each shares a block, takes one of its own, and fills a row.
struct Rows {
  dz_block* shared;
  dz_block* rows;
  int64_t row_bytes;
  int64_t temporary_bytes;
};

int32_t fill_row(dz_context* context, void* environment, int64_t begin, int64_t end) {
  const auto& rows = *static_cast<Rows*>(environment);
  for (int64_t i = begin; i < end; ++i) {
    dz_block* own = nullptr;
    if (const int32_t status = dz_allocate(context, rows.temporary_bytes, &own); status != DZ_OK) {
      return status;
    }
    dz_block* const other = rows.shared;
    dz_retain(other);
    dz_fill(context, own, 0, rows.row_bytes, static_cast<int32_t>(i % 100), 1);
    dz_copy(context, rows.rows, i * rows.row_bytes, own, 0, rows.row_bytes);
    dz_release(other);
    dz_release(own);
  }
  return DZ_OK;
}

std::string report_of(const Context& context) {
  char* text = dzr_context_report(context);
  std::string report = text;
  std::free(text);
  return report;
}

}  // namespace

TEST_CASE("threads have iterations of host code to themselves, or meet inside of them") {
  struct Case {
    int threads;
    int64_t count;
    bool apart;
  };
  for (const auto& [threads, count, apart] :
       {Case{1, 8, false}, Case{4, 1, false}, Case{4, 3, false}, Case{4, 4, true},
        Case{4, 5, false}, Case{4, 7, true}, Case{2, 1, false}, Case{2, 3, false},
        Case{2, 5, true}, Case{3, 5, true}, Case{3, 4, false}, Case{5, 4, true},
        Case{5, 16, true}, Case{5, 11, false}, Case{2, 200, true}, Case{2, 0, false}}) {
    CAPTURE(threads);
    CAPTURE(count);
    const Context context = with_threads(threads);
    Iterations all{std::vector<std::atomic<int>>(static_cast<size_t>(count))};
    CHECK(dz_call_for_each(context, count, iterate, &all, "") == DZ_OK);
    CHECK(visited_once(all));
    CHECK((all.calls > 1) == apart);
    const bool meet = threads > 1 && count > 0 && !apart;
    CHECK(dz_threads_meet(context, count) == (meet ? 1 : 0));
    CHECK(all.with_threads == (meet ? count : 0));
    CHECK(dz_piece_count(context, 1000, 1) == (threads == 1 ? 1 : 4 * threads));
  }
}

TEST_CASE("iterations of host code nest") {
  for (const int threads : {2, 3, 4, 5}) {
    CAPTURE(threads);
    const Context context = with_threads(threads);
    for (const size_t outer : {1U, 2U, 30U}) {
      std::vector<Iterations> all(outer);
      for (Iterations& one : all) {
        one.counts = std::vector<std::atomic<int>>(30);
      }
      const auto count = static_cast<int64_t>(outer);
      CHECK(dz_call_for_each(context, count, iterate_twice, &all, "outer") == DZ_OK);
      for (const Iterations& one : all) {
        REQUIRE(visited_once(one));
        REQUIRE(one.with_threads == 0);
      }
    }
  }
}

TEST_CASE("a failure in an iteration of host code is reported") {
  for (const int threads : {2, 3, 4, 5}) {
    const Context context = with_threads(threads);
    Iterations all{std::vector<std::atomic<int>>(100), 0, 0, 77};
    CHECK(dz_call_for_each(context, 100, iterate, &all, "") == DZ_PROGRAM_ERROR);
    CHECK(context.error().starts_with("Error: Index [?] out of bounds"));
    CHECK(dz_piece_count(context, 1000, 1) == 4 * threads);
  }
}

TEST_CASE("iterations of host code share a context's memory, up to its limit") {
  constexpr int64_t count = 200;
  constexpr int64_t row_bytes = 1000;
  for (const int threads : {2, 3, 4, 5}) {
    CAPTURE(threads);
    const Context context = with_threads(threads, int64_t{1} << 20);
    Rows rows{nullptr, nullptr, row_bytes, 2 * row_bytes};
    REQUIRE(dz_allocate(context, 1, &rows.shared) == DZ_OK);
    REQUIRE(dz_allocate(context, count * row_bytes, &rows.rows) == DZ_OK);
    const int64_t before = context.context->pool->statistics().in_use;
    CHECK(dz_call_for_each(context, count, fill_row, &rows, "") == DZ_OK);
    const auto* bytes = static_cast<const char*>(rows.rows->data);
    for (int64_t i = 0; i < count * row_bytes; ++i) {
      REQUIRE(bytes[i] == i / row_bytes % 100);
    }
    rows.temporary_bytes = int64_t{1} << 20;
    CHECK(dz_call_for_each(context, count, fill_row, &rows, "") == DZ_OUT_OF_MEMORY);
    CHECK(context.error().find("could not allocate 1048576 bytes") != std::string::npos);
    CHECK(rows.shared->references == 1);
    CHECK(context.context->pool->statistics().in_use == before);
    dz_release(rows.rows);
    dz_release(rows.shared);
  }
}

TEST_CASE("a profile has iterations that threads have to themselves as one loop") {
  for (const auto& [count, name] : {std::pair{8, "points"}, std::pair{3, "loop"}}) {
    CAPTURE(count);
    const Context context = with_threads(4, 0, true);
    Iterations all{std::vector<std::atomic<int>>(static_cast<size_t>(count))};
    CHECK(dz_call_for_each(context, count, iterate, &all, "points") == DZ_OK);
    const std::string report = report_of(context);
    const bool are_points = name == std::string("points");
    CHECK((report.find("\"place\":\"points\"") != std::string::npos) == are_points);
    CHECK((report.find("\"place\":\"loop\"") != std::string::npos) == !are_points);
    CHECK(report.find("\"bytes\":" + std::to_string(8 * count)) != std::string::npos);
  }
}
