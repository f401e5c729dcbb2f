// The memory pool and scratch stacks.
#include <algorithm>
#include <doctest/doctest.h>

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
