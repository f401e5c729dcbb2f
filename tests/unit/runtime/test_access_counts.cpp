// What sim counts of accesses that are made here one by one.
#include <doctest/doctest.h>

#include "sim/access_checker.h"
#include "sim/access_counts.h"

namespace {

using dagaz::runtime::sim::access_atomic;
using dagaz::runtime::sim::access_past_l1;
using dagaz::runtime::sim::access_shared;
using dagaz::runtime::sim::access_write;
using dagaz::runtime::sim::AccessCounts;
using dagaz::runtime::sim::LaunchShape;
using dagaz::runtime::sim::MemoryFacts;
using dagaz::runtime::sim::SectorCache;
using dagaz::runtime::sim::Traffic;

constexpr MemoryFacts facts = {1, 2048, 4096, 1 << 20, 100};
constexpr LaunchShape one_block = {1024, 1, 0};
const char places[4] = {};  // of accesses

void check(const Traffic& found, int64_t read, int64_t written) {
  CHECK(found.read == read);
  CHECK(found.written == written);
}

/// What all lanes of a warp do at a place: lane i accesses `bytes` at first + i * stride.
struct Warp {
  AccessCounts& counts;
  int32_t block = 0;
  int32_t warp = 0;

  void access(uint64_t first, uint64_t stride, int64_t bytes, int32_t flags = 0, int place = 0) {
    for (int32_t lane = 31; lane >= 0; --lane) {
      counts.add({block, 32 * warp + lane, places + place,
                  first + stride * static_cast<uint64_t>(lane), bytes, flags});
    }
  }
};

/// What one warp asks of L1 for an access.
int64_t asked(uint64_t first, uint64_t stride, int64_t bytes) {
  AccessCounts counts(facts, one_block);
  Warp{counts}.access(first, stride, bytes);
  counts.end_blocks();
  CHECK(counts.l2().read == counts.l1().read);
  CHECK(counts.memory().read == counts.l1().read);
  CHECK(counts.memory_microseconds() == static_cast<double>(counts.l1().read) / 100);
  return counts.l1().read;
}

}  // namespace

TEST_CASE("a warp asks for the sectors of its lanes, each once") {
  CHECK(asked(4096, 0, 4) == 32);
  CHECK(asked(4096, 4, 4) == 128);
  CHECK(asked(4096 + 4, 4, 4) == 128 + 32);
  CHECK(asked(4096, 32, 4) == 1024);
  CHECK(asked(4096, 16, 16) == 512);
  CHECK(asked(4096 + 8, 16, 16) == 512 + 32);
  CHECK(asked(4096, 1, 1) == 32);
}

TEST_CASE("what a block reads again comes from its L1 cache, what others read from L2") {
  AccessCounts counts(facts, one_block);
  Warp{counts, 0, 0}.access(4096, 4, 4);
  Warp{counts, 0, 1}.access(4096, 4, 4);
  counts.end_phase();
  Warp{counts, 0, 2}.access(4096, 4, 4);
  check(counts.l1(), 256, 0);
  counts.end_phase();
  check(counts.l1(), 384, 0);
  check(counts.l2(), 128, 0);
  Warp{counts, 1, 0}.access(4096, 4, 4);
  counts.end_blocks();
  check(counts.l2(), 256, 0);
  check(counts.memory(), 128, 0);
}

TEST_CASE("blocks of a multiprocessor share its L1 cache, without their shared memory") {
  const auto read_twice = [](const LaunchShape& launch) {
    AccessCounts counts(facts, launch);
    for (int time = 0; time < 2; ++time) {
      for (uint64_t first = 0; first < 2048; first += 128) {
        Warp{counts}.access(first, 4, 4);
      }
      counts.end_phase();
    }
    return counts.l2().read;
  };
  CHECK(read_twice({1024, 1, 0}) == 2048);
  CHECK(read_twice({1024, 2, 0}) == 2048);
  CHECK(read_twice({512, 4, 0}) == 4096);
  CHECK(read_twice({1024, 1, 2048}) == 2048);
  CHECK(read_twice({1024, 1, 2080}) == 4096);
}

TEST_CASE("warps take turns, so that one finds what another has just read") {
  constexpr MemoryFacts small = {1, 2048, 128, 1 << 20, 100};
  AccessCounts counts(small, one_block);
  for (int32_t warp = 0; warp < 4; ++warp) {
    for (uint64_t first = 0; first < 1024; first += 128) {
      Warp{counts, 0, warp}.access(first, 4, 4);
    }
  }
  counts.end_phase();
  check(counts.l1(), 4096, 0);
  check(counts.l2(), 1024, 0);
}

TEST_CASE("what is stored goes to L2 each time, and to memory once") {
  AccessCounts counts(facts, one_block);
  Warp{counts}.access(4096, 4, 4, access_write);
  counts.end_phase();
  Warp{counts}.access(4096, 4, 4, access_write);
  counts.end_phase();
  Warp{counts}.access(4096, 0, 4);
  counts.end_blocks();
  check(counts.l1(), 32, 256);
  check(counts.l2(), 32, 256);
  check(counts.memory(), 0, 128);
}

TEST_CASE("atomic operations are done by L2") {
  AccessCounts counts(facts, one_block);
  Warp{counts}.access(4096, 0, 4, access_atomic | access_write);
  counts.end_phase();
  Warp{counts}.access(4096, 4, 4, access_atomic | access_write);
  counts.end_phase();
  // A load of what others change.
  Warp{counts}.access(4096, 0, 4, access_atomic);
  counts.end_blocks();
  check(counts.l1(), 32, 160);
  check(counts.l2(), 32, 160);
  check(counts.memory(), 128, 128);
  CHECK(counts.report().find("\"atomics\":96,") != std::string::npos);
}

TEST_CASE("copies of 16 bytes go past L1") {
  AccessCounts counts(facts, one_block);
  for (int time = 0; time < 2; ++time) {
    Warp{counts}.access(4096, 16, 16, access_past_l1);
    counts.end_phase();
  }
  check(counts.l2(), 1024, 0);
  check(counts.memory(), 512, 0);
}

TEST_CASE("what leaves L2 is read again, and written back each time") {
  constexpr MemoryFacts small = {1, 2048, 0, 256, 100};
  AccessCounts counts(small, one_block);
  for (int time = 0; time < 2; ++time) {
    Warp{counts}.access(0, 4, 4, access_write, 0);
    Warp{counts}.access(1024, 4, 4, 0, 1);
    Warp{counts}.access(2048, 4, 4, 0, 2);
  }
  counts.end_blocks();
  check(counts.memory(), 512, 256);
}

TEST_CASE("lanes that come to a place more often than others make requests of their own") {
  AccessCounts counts(facts, one_block);
  for (int32_t lane = 0; lane < 32; ++lane) {
    for (int32_t time = 0; time <= lane % 2; ++time) {
      counts.add({0, lane, places,
                  128 * static_cast<uint64_t>(time) + 4 * static_cast<uint64_t>(lane), 4, 0});
    }
  }
  counts.end_blocks();
  check(counts.l1(), 256, 0);
  CHECK(counts.report().find("\"sectors_per_request\":4.00,\"least_sectors_per_request\":3.00,") !=
        std::string::npos);
}

TEST_CASE("accesses of 8 bytes to shared memory are done in halves of a warp") {
  AccessCounts counts(facts, one_block);
  Warp{counts}.access(0, 8, 8, access_shared, 0);
  Warp{counts}.access(0, 256, 8, access_shared, 1);
  counts.end_blocks();
  check(counts.l1(), 0, 0);
  CHECK(counts.report().find("\"shared_accesses\":64,\"bank_conflicts_per_request\":7.50") !=
        std::string::npos);
}

TEST_CASE("the sector that was used longest ago leaves a cache first") {
  SectorCache cache(64);
  CHECK(!cache.read(1));
  CHECK(!cache.read(2));
  CHECK(cache.read(1));
  CHECK(!cache.read(3));
  CHECK(cache.read(1));
  CHECK(!cache.read(2));
  cache.write(1);
  cache.write(1);
  CHECK(cache.written_back() == 1);
  SectorCache none(0);
  CHECK(!none.read(1));
  CHECK(!none.read(1));
  none.write(1);
  none.write(1);
  CHECK(none.written_back() == 2);
}
