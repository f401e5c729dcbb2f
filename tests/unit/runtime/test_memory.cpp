// The memory pool, scratch stacks and parallel loops.
#include <algorithm>
#include <doctest/doctest.h>

#include <atomic>
#include <set>

#include "context.h"
#include "test_program.h"

using test::Context;

TEST_CASE("freed memory is handed out again") {
  const Context context(test::cpu_program());
  dz_block* first = nullptr;
  REQUIRE(dz_allocate(context, 100000, &first) == DZ_OK);
  void* data = first->data;
  CHECK(reinterpret_cast<uintptr_t>(data) % 64 == 0);
  dz_retain(first);
  dz_release(first);
  CHECK(context.context->pool->statistics().cached == 0);
  dz_release(first);
  CHECK(context.context->pool->statistics().cached >= 100000);
  dz_block* second = nullptr;
  REQUIRE(dz_allocate(context, 99000, &second) == DZ_OK);
  CHECK(second->data == data);
  CHECK(second->bytes == 99000);
  dz_release(second);
  CHECK(dzr_context_clear_caches(context) == DZ_OK);
  CHECK(context.context->pool->statistics().cached == 0);
  CHECK(context.context->pool->statistics().peak >= 100000);
}

TEST_CASE("memory of every size is large enough, wasted little, and found again") {
  const Context context(test::cpu_program());
  const int64_t constants = context.context->pool->statistics().in_use;
  for (int64_t bytes = 1; bytes < (int64_t{1} << 24); bytes += 1 + bytes / 3) {
    dz_block* block = nullptr;
    REQUIRE(dz_allocate(context, bytes, &block) == DZ_OK);
    const int64_t in_use = context.context->pool->statistics().in_use - constants;
    REQUIRE(in_use >= bytes);
    REQUIRE(in_use <= std::max(bytes + 63, bytes + bytes * 2 / 5));
    std::memset(block->data, 7, static_cast<size_t>(bytes));
    void* data = block->data;
    dz_release(block);
    REQUIRE(dz_allocate(context, bytes, &block) == DZ_OK);
    REQUIRE(block->data == data);
    dz_release(block);
    dzr_context_clear_caches(context);
  }
}

TEST_CASE("the cap counts cached memory, which is given back to make room") {
  dz_config* config = dzr_config_new(&test::cpu_program());
  dzr_config_set_memory_cap(config, 1 << 20);
  const Context context(config);
  dz_block* small[8];
  for (dz_block*& block : small) {
    REQUIRE(dz_allocate(context, 100000, &block) == DZ_OK);
  }
  dz_block* more = nullptr;
  CHECK(dz_allocate(context, 500000, &more) == DZ_OUT_OF_MEMORY);
  CHECK(context.error().find("could not allocate 500000 bytes") != std::string::npos);
  for (dz_block* block : small) {
    dz_release(block);
  }
  REQUIRE(dz_allocate(context, 900000, &more) == DZ_OK);
  const dagaz::runtime::MemoryStatistics now = context.context->pool->statistics();
  CHECK(now.in_use + now.cached <= 1 << 20);
  dz_release(more);
}

TEST_CASE("blocks of size zero and impossible sizes") {
  const Context context(test::cpu_program());
  dz_block* block = nullptr;
  REQUIRE(dz_allocate(context, 0, &block) == DZ_OK);
  CHECK(block->bytes == 0);
  dz_release(block);
  CHECK(dz_allocate(context, -5, &block) == DZ_OUT_OF_MEMORY);
  CHECK(dz_allocate(context, INT64_MAX, &block) == DZ_OUT_OF_MEMORY);
  dz_release(nullptr);
}

TEST_CASE("reads and writes outside a block are refused") {
  const Context context(test::cpu_program());
  dz_block* block = nullptr;
  REQUIRE(dz_allocate(context, 16, &block) == DZ_OK);
  int64_t value = 0;
  CHECK(dz_write(context, block, 8, 8, &value) == DZ_OK);
  CHECK(dz_write(context, block, 9, 8, &value) == DZ_ERROR);
  CHECK(dz_read(context, block, -1, 8, &value) == DZ_ERROR);
  CHECK(dz_copy(context, block, 0, block, 16, 1) == DZ_ERROR);
  CHECK(dz_copy(context, block, 0, block, 8, 8) == DZ_OK);
  dz_release(block);
}

static int64_t mark_of_scratch() {
  return reinterpret_cast<std::intptr_t>(dz_scratch_chunk()->next);
}

TEST_CASE("scratch memory is a stack") {
  const int64_t start = mark_of_scratch();
  char* first = static_cast<char*>(dz_scratch(100));
  const int64_t inner = mark_of_scratch();
  std::set<void*> seen;
  for (int64_t size = 1; size < (int64_t{1} << 22); size *= 2) {
    void* memory = dz_scratch(size);
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(memory) % 64 == 0);
    std::memset(memory, 1, static_cast<size_t>(size));
    CHECK(seen.insert(memory).second);
  }
  dz_scratch_reset(inner);
  CHECK(static_cast<char*>(dz_scratch(8)) == first + 128);
  dz_scratch_reset(start);
  CHECK(dz_scratch(100) == first);
  CHECK(dz_scratch(-1) == nullptr);
  CHECK(dz_scratch(int64_t{1} << 50) == nullptr);
  dz_scratch_reset(start);
  // As code does that takes from the chunk by itself.
  dz_chunk* chunk = dz_scratch_chunk();
  REQUIRE(chunk->end - chunk->next >= 64);
  chunk->next += 64;
  CHECK(dz_scratch(1) == first + 64);
  dz_scratch_reset(start);
}

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

/// What iterations of host code see.
struct Iterations {
  std::vector<std::atomic<int>> counts;
  std::atomic<int> calls{0};
  std::atomic<int> with_threads{0};  // of loops inside that several threads may run
  int64_t fails_at = -1;
};

int32_t iterate(dz_context* context, void* environment, int64_t begin, int64_t end) {
  auto* all = static_cast<Iterations*>(environment);
  ++all->calls;
  for (int64_t i = begin; i < end; ++i) {
    if (i == all->fails_at) {
      return dz_fail(context, 0, 0, nullptr);
    }
    all->with_threads += dz_piece_count(context, 1000, 1) > 1 ? 1 : 0;
    Visits row{std::vector<std::atomic<int>>(100)};
    if (dz_parallel_for(context, 100, 1, visit, &row, "", 0) != DZ_OK) {
      return DZ_ERROR;
    }
    for (const std::atomic<int>& count : row.counts) {
      all->counts[static_cast<size_t>(i)] += count;
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

TEST_CASE("threads have iterations of host code to themselves, or meet inside of them") {
  struct Case {
    int threads;
    int64_t count;
    bool apart;
  };
  for (const auto& [threads, count, apart] :
       {Case{1, 8, false}, Case{4, 1, false}, Case{4, 3, false}, Case{4, 4, true},
        Case{4, 5, false}, Case{4, 7, true}, Case{2, 200, true}, Case{2, 0, false}}) {
    CAPTURE(threads);
    CAPTURE(count);
    const Context context = with_threads(threads);
    Iterations all{std::vector<std::atomic<int>>(static_cast<size_t>(count))};
    CHECK(dz_call_for_each(context, count, iterate, &all) == DZ_OK);
    for (const std::atomic<int>& visited : all.counts) {
      REQUIRE(visited == 100);
    }
    CHECK((all.calls > 1) == apart);
    CHECK(all.with_threads == (apart || threads == 1 ? 0 : count));
    CHECK(dz_piece_count(context, 1000, 1) == (threads == 1 ? 1 : 4 * threads));
  }
}

TEST_CASE("a failure in an iteration of host code is reported") {
  const Context context = with_threads(4);
  Iterations all{std::vector<std::atomic<int>>(100), 0, 0, 77};
  CHECK(dz_call_for_each(context, 100, iterate, &all) == DZ_PROGRAM_ERROR);
  CHECK(context.error().starts_with("Error: Index [?] out of bounds"));
  CHECK(dz_piece_count(context, 1000, 1) == 16);
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
