// Small blocks as parts of slabs, on a device that counts what it is asked for.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "context.h"
#include "test_program.h"

using namespace dagaz::runtime;

namespace {

constexpr int64_t slab_bytes = int64_t{2} << 20;

/// Memory of the host, and as much of it as it is told.
class CountingDevice final : public Device {
 public:
  std::map<void*, int64_t> held;
  int64_t held_bytes = 0;
  int64_t limit = int64_t{1} << 30;
  int64_t left = INT64_MAX;  // allocations that succeed
  bool consistent = true;    // whether what is released was allocated so

  ~CountingDevice() override { CHECK(consistent); }

  int32_t allocate(int64_t bytes, void** out) override {
    if (held_bytes + bytes > limit || left == 0) {
      return DZ_OUT_OF_MEMORY;
    }
    --left;
    *out = std::aligned_alloc(256, static_cast<size_t>((bytes + 255) / 256 * 256));
    held[*out] = bytes;
    held_bytes += bytes;
    return DZ_OK;
  }
  void release(void* data, int64_t bytes) override {
    consistent = consistent && held.count(data) == 1 && held[data] == bytes;
    held_bytes -= bytes;
    held.erase(data);
    std::free(data);
  }
  int64_t slab_bytes() const override { return ::slab_bytes; }
  bool repeats_work() const override { return true; }
  int32_t read(std::span<const Read>) override { return DZ_OK; }
  int32_t write(void*, int64_t, const void*) override { return DZ_OK; }
  int32_t copy(void*, const void*, int64_t) override { return DZ_OK; }
  int32_t fill(void*, int64_t, const Pattern&) override { return DZ_OK; }
  int32_t launch(const Launch&) override { return DZ_OK; }
  int32_t synchronise() override { return DZ_OK; }
  int64_t property(int32_t) const override { return 0; }
  int64_t memory_limit() const override { return 0; }
};

/// A pool on such a device.
struct Slabs {
  test::Context context;
  CountingDevice device;
  MemoryPool pool;
  std::vector<dz_block*> blocks;

  explicit Slabs(int64_t cap = 0)
      : context(test::cpu_program()), pool(*context.context, device, cap) {}

  bool take(int64_t bytes) {
    dz_block* block = nullptr;
    if (pool.allocate(bytes, &block) != DZ_OK) {
      return false;
    }
    blocks.push_back(block);
    return true;
  }
  void free_all() {
    for (dz_block* block : blocks) {
      pool.destroy(block);
    }
    blocks.clear();
  }
  bool adds_up() const {
    const MemoryStatistics now = pool.statistics();
    return now.in_use + now.cached == device.held_bytes;
  }
};

}  // namespace

TEST_CASE("small blocks are parts of one slab, apart and aligned") {
  Slabs slabs;
  for (int64_t bytes = 0; bytes < 60000; bytes = bytes * 5 / 4 + 30) {
    REQUIRE(slabs.take(bytes));
    dz_block* block = slabs.blocks.back();
    CHECK(reinterpret_cast<uintptr_t>(block->data) % 256 == 0);
    std::memset(block->data, static_cast<int>(slabs.blocks.size()), static_cast<size_t>(bytes));
  }
  CHECK(slabs.device.held.size() == 1);
  CHECK(slabs.adds_up());
  for (size_t i = 0; i < slabs.blocks.size(); ++i) {
    const auto* data = static_cast<const unsigned char*>(slabs.blocks[i]->data);
    for (int64_t byte = 0; byte < slabs.blocks[i]->bytes; ++byte) {
      REQUIRE(data[byte] == i + 1);
    }
  }
  REQUIRE(slabs.take(100000));
  CHECK(slabs.device.held.size() == 2);  // alone
  CHECK(slabs.adds_up());
  slabs.free_all();
  CHECK(slabs.adds_up());
  CHECK(slabs.pool.statistics().in_use == 0);
}

TEST_CASE("parts are handed out again, and so is a slab whose parts are all free") {
  Slabs slabs;
  REQUIRE(slabs.take(100));
  void* const data = slabs.blocks[0]->data;
  slabs.free_all();
  REQUIRE(slabs.take(100));
  CHECK(slabs.blocks[0]->data == data);
  slabs.free_all();
  // Each size needs most of a slab, and the sizes share it one after another.
  for (const int64_t bytes : {1000, 5000, 64000, 300, 20000}) {
    for (int64_t taken = 0; taken < slab_bytes * 3 / 4; taken += bytes) {
      REQUIRE(slabs.take(bytes));
    }
    CHECK(slabs.adds_up());
    slabs.free_all();
  }
  CHECK(slabs.device.held.size() <= 2);
  CHECK(slabs.adds_up());
}

TEST_CASE("a slab is given back when none of its parts is in use") {
  Slabs slabs;
  for (int i = 0; i < 3000; ++i) {
    REQUIRE(slabs.take(1000));
  }
  CHECK(slabs.device.held.size() == 2);
  dz_block* const kept = slabs.blocks.back();
  slabs.blocks.pop_back();
  slabs.free_all();
  slabs.pool.clear();
  CHECK(slabs.device.held.size() == 1);
  CHECK(slabs.adds_up());
  slabs.blocks.push_back(kept);
  REQUIRE(slabs.take(1000));
  slabs.free_all();
  slabs.pool.clear();
  CHECK(slabs.device.held.empty());
  CHECK(slabs.pool.statistics().cached == 0);
}

TEST_CASE("where there is no memory for a slab, or the cap is small, blocks are taken alone") {
  for (const bool capped : {false, true}) {
    Slabs slabs(capped ? 1 << 20 : 0);
    slabs.device.limit = 1 << 20;
    int64_t taken = 0;
    while (slabs.take(16384)) {
      ++taken;
    }
    CHECK(taken == 64);
    CHECK(slabs.device.held.size() == 64);
    CHECK(slabs.adds_up());
    CHECK(slabs.context.error().starts_with("Error: out of memory: could not allocate 16384 "));
    slabs.free_all();
    REQUIRE(slabs.take(900000));  // what is cached makes room
    CHECK(slabs.adds_up());
    slabs.free_all();
  }
}

TEST_CASE("a cap bounds slabs, too") {
  constexpr int64_t cap = int64_t{40} << 20;
  Slabs slabs(cap);
  while (slabs.take(30000)) {
    REQUIRE(slabs.device.held_bytes <= cap);
  }
  CHECK(slabs.pool.statistics().in_use > cap * 9 / 10);
  // One part keeps its slab.
  dz_block* const kept = slabs.blocks[0];
  slabs.blocks.erase(slabs.blocks.begin());
  slabs.free_all();
  CHECK_FALSE(slabs.take(cap - 30000));
  CHECK(slabs.take(cap - slab_bytes - slab_bytes));
  CHECK(slabs.device.held_bytes <= cap);
  CHECK(slabs.adds_up());
  slabs.blocks.push_back(kept);
  slabs.free_all();
}

TEST_CASE("memory that runs out at any request leaves a pool in order") {
  constexpr int64_t requests = 14;  // ten for large blocks, four for slabs
  for (int64_t granted = 0; granted <= requests; ++granted) {
    Slabs slabs;
    slabs.device.left = granted;
    bool all = true;
    for (int i = 0; i < 400; ++i) {
      all = slabs.take(i % 40 == 0 ? 300000 : 20000 + i) && all;
    }
    CHECK(all == (granted == requests));
    CHECK(slabs.adds_up());
    slabs.device.left = INT64_MAX;
    CHECK(slabs.take(20000));
    CHECK(slabs.take(300000));
    slabs.free_all();
    slabs.pool.clear();
    CHECK(slabs.device.held.empty());
  }
}

TEST_CASE("a call that does what the last one did finds its memory in the same places") {
  Slabs slabs;
  const auto call = [&](unsigned seed) {
    std::vector<void*> places;
    for (int i = 0; i < 30; ++i) {
      REQUIRE(slabs.take(i % 3 == 0 ? 200000 : 1000));
      places.push_back(slabs.blocks.back()->data);
    }
    // In whatever order it gives it back.
    for (size_t i = slabs.blocks.size(); i > 1; --i) {
      seed = seed * 1664525 + 1013904223;
      std::swap(slabs.blocks[i - 1], slabs.blocks[seed % i]);
    }
    slabs.free_all();
    return places;
  };
  const std::vector<void*> first = call(1);
  for (unsigned seed = 2; seed < 10; ++seed) {
    CHECK(call(seed) == first);
  }
}
