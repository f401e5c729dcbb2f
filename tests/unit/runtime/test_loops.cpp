// Parallel loops, and into how many pieces reductions are cut.
#include <algorithm>
#include <doctest/doctest.h>

#include <atomic>

#include "context.h"
#include "test_program.h"

using test::Context;

namespace {

struct Visits {
  std::vector<std::atomic<int>> counts;
  std::atomic<int64_t> pieces{0};
  int64_t fails_at = -1;
};

int32_t visit(dz_context* context, void* environment, int64_t begin, int64_t end) {
  auto* visits = static_cast<Visits*>(environment);
  ++visits->pieces;
  dz_scratch(1000);
  for (int64_t i = begin; i < end; ++i) {
    if (i == visits->fails_at) {
      return dz_fail(context, 0, 0, nullptr);
    }
    ++visits->counts[static_cast<size_t>(i)];
  }
  return DZ_OK;
}

int32_t visit_rows(dz_context* context, void* environment, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    Visits row{std::vector<std::atomic<int>>(100)};
    if (dz_parallel_for(context, 100, 1, visit, &row, "", 0) != DZ_OK) {
      return DZ_ERROR;
    }
    for (const std::atomic<int>& count : row.counts) {
      *static_cast<std::atomic<int64_t>*>(environment) += count;
    }
  }
  return DZ_OK;
}

/// Each iteration takes a block of its own, which nobody else may have, and shares `environment`.
int32_t use_blocks(dz_context* context, void* environment, int64_t begin, int64_t end) {
  auto* shared = static_cast<dz_block*>(environment);
  for (int64_t i = begin; i < end; ++i) {
    dz_retain(shared);
    dz_block* own = nullptr;
    if (dz_allocate(context, 100 + i % 500, &own) != DZ_OK) {
      return DZ_ERROR;
    }
    auto* const value = static_cast<int64_t*>(own->data);
    *value = i;
    dz_release(shared);
    if (*value != i || own->references != 1) {
      return DZ_ERROR;
    }
    dz_release(own);
  }
  return DZ_OK;
}

Context with_threads(int threads) {
  dz_config* config = dzr_config_new(&test::cpu_program());
  dzr_config_set_num_threads(config, threads);
  return Context(config);
}

}  // namespace

TEST_CASE("a parallel loop visits every iteration once, in pieces of at least the grain") {
  for (const int threads : {1, 2, 7}) {
    const Context context = with_threads(threads);
    for (const int64_t count : {0, 1, 99, 1000, 12345}) {
      Visits visits{std::vector<std::atomic<int>>(static_cast<size_t>(count))};
      CHECK(dz_parallel_for(context, count, 100, visit, &visits, "", 0) == DZ_OK);
      for (const std::atomic<int>& visited : visits.counts) {
        REQUIRE(visited == 1);
      }
      CHECK(visits.pieces <= std::max<int64_t>(1, count / 100));
    }
  }
}

TEST_CASE("parallel loops nest") {
  const Context context = with_threads(4);
  std::atomic<int64_t> total{0};
  CHECK(dz_parallel_for(context, 200, 1, visit_rows, &total, "", 0) == DZ_OK);
  CHECK(total == 200 * 100);
}

TEST_CASE("the pieces of a loop share the memory and the blocks of a context") {
  const Context context = with_threads(4);
  const int64_t before = context.context->pool->statistics().in_use;
  dz_block* shared = nullptr;
  REQUIRE(dz_allocate(context, 1000, &shared) == DZ_OK);
  CHECK(dz_parallel_for(context, 100000, 1, use_blocks, shared, "", 0) == DZ_OK);
  CHECK(shared->references == 1);
  dz_release(shared);
  CHECK(context.context->pool->statistics().in_use == before);
}

TEST_CASE("a parallel loop reports a failure of one of its pieces") {
  const Context context = with_threads(4);
  Visits visits{std::vector<std::atomic<int>>(1000), 0, 777};
  CHECK(dz_parallel_for(context, 1000, 1, visit, &visits, "", 0) == DZ_PROGRAM_ERROR);
  CHECK(context.error().starts_with("Error: Index [?] out of bounds"));
}

TEST_CASE(
    "threads add with atomic instructions where copies of the arrays would be most of the work") {
  const auto pieces = [](int threads, int64_t operations, int64_t additions, int64_t size) {
    const Context context = with_threads(threads);
    return dz_addition_pieces(context, 1000000, 1000, operations, operations, additions, size);
  };
  CHECK(pieces(4, 50, 1, 1000) == 16);         // a copy for every piece
  CHECK(pieces(4, 1000, 1, 10000) == 4);       // of larger arrays for every thread
  CHECK(pieces(4, 50, 1, 1000000) == 4);
  CHECK(pieces(4, 50, 1, 1 << 30) == 0);       // none where they are larger than the work
  CHECK(pieces(4, 1000, 1, 1000000) == 0);     // nor where a lot of work adds little to large ones
  CHECK(pieces(2, 1, 10, 1 << 30) == 1);       // one thread where the other would stand in its way
  CHECK(pieces(4, 50, 1, -1) == 0);            // copies cannot be
  CHECK(pieces(1, 50, 1, 1 << 30) == 1);
  CHECK(pieces(4, 1000, -1, 1000) == 16);      // no atomic instructions
  CHECK(pieces(4, 1000, -1, 1000000) == 4);
  CHECK(pieces(4, 50, -1, 1 << 30) == 1);
}

TEST_CASE("small reductions are not cut into pieces") {
  const Context context = with_threads(4);
  CHECK(dz_piece_count(context, 199, 100) == 1);
  CHECK(dz_piece_count(context, 200, 100) == 2);
  CHECK(dz_piece_count(context, 1000000, 100) >= 4);
  CHECK(dz_piece_count(context, 0, 100) == 1);
  CHECK(dz_piece_count(with_threads(1), 1000000, 100) == 1);
}
