// Sequences of work that come again become graphs, and what runs is what was asked for.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "numbers.h"

using namespace cuda_tests;

namespace {

constexpr int64_t count = 64;  // elements of a block

/// Two blocks, and what is in them if everything is done as asked.
struct Blocks {
  test::Context context{program};
  std::array<dz_block*, 2> blocks{};
  std::array<std::vector<int64_t>, 2> expected;

  Blocks() {
    for (size_t i = 0; i < 2; ++i) {
      REQUIRE(dz_allocate(context, count * 8, &blocks[i]) == DZ_OK);
      REQUIRE(dz_clear(context, blocks[i], 0, count * 8) == DZ_OK);
      expected[i].assign(count, 0);
    }
  }
  ~Blocks() {
    dz_release(blocks[0]);
    dz_release(blocks[1]);
  }
  int32_t add(size_t block, int64_t amount) {
    int8_t more = 0;
    void* arguments[] = {&blocks[block]->data, &amount, &more};
    for (int64_t& element : expected[block]) {
      element += amount;
    }
    return dz_launch(context, 0, 2, 32, 0, arguments, "f.fut:1:1", 0);
  }
  void copy(size_t target) {
    expected[target] = expected[1 - target];
    REQUIRE(dz_copy(context, blocks[target], 0, blocks[1 - target], 0, count * 8) == DZ_OK);
  }
  void clear(size_t block) {
    expected[block].assign(count, 0);
    REQUIRE(dz_clear(context, blocks[block], 0, count * 8) == DZ_OK);
  }
  void write(size_t block, int64_t value) {
    expected[block][3] = value;
    REQUIRE(dz_write(context, blocks[block], 3 * 8, 8, &value) == DZ_OK);
  }
  void check() {
    for (size_t i = 0; i < 2; ++i) {
      std::vector<int64_t> found(count);
      REQUIRE(dz_read(context, blocks[i], 0, count * 8, found.data()) == DZ_OK);
      REQUIRE(found == expected[i]);
    }
  }
  /// A turn of a loop that swaps its memory.
  void turn(int64_t number) {
    const auto to = static_cast<size_t>(number % 2);
    copy(to);
    REQUIRE(add(to, 1) == DZ_OK);
  }
};

struct Counts {
  int launches = fake().launches;
  int graph_launches = fake().graph_launches;
  int graphs_made = fake().graphs_made;
};

Counts operator-(const Counts& a, const Counts& b) {
  return {a.launches - b.launches, a.graph_launches - b.graph_launches,
          a.graphs_made - b.graphs_made};
}

}  // namespace

TEST_SUITE_BEGIN("graphs");

TEST_CASE("a loop that swaps its memory becomes one graph") {
  {
    Blocks blocks;
    const Counts before;
    for (int64_t turn = 0; turn < 200; ++turn) {
      blocks.turn(turn);
    }
    blocks.check();
    const Counts made = Counts() - before;
    CHECK(made.graphs_made == 1);
    CHECK(made.graph_launches >= 8);
    CHECK(made.launches < 80);
  }
  check_nothing_left();
}

TEST_CASE("a call that comes again is graphs alone") {
  {
    Blocks blocks;
    Counts last;
    for (int call = 0; call < 6; ++call) {
      const Counts before;
      for (int64_t step = 0; step < 100; ++step) {
        REQUIRE(blocks.add(static_cast<size_t>(step % 2), step) == DZ_OK);
      }
      blocks.check();
      last = Counts() - before;
    }
    CHECK(last.graphs_made == 0);
    CHECK(last.launches == 0);
    CHECK(last.graph_launches > 0);
    CHECK(last.graph_launches <= 4);
  }
  check_nothing_left();
}

TEST_CASE("short sequences, and what never comes again, are started one by one") {
  {
    Blocks blocks;
    const Counts before;
    for (int64_t i = 0; i < 20; ++i) {
      REQUIRE(blocks.add(0, 1) == DZ_OK);
      blocks.check();
    }
    for (int64_t i = 0; i < 1000; ++i) {
      REQUIRE(blocks.add(0, i) == DZ_OK);
    }
    blocks.check();
    const Counts made = Counts() - before;
    CHECK(made.graphs_made == 0);
    CHECK(made.launches == 1020);
  }
  check_nothing_left();
}

TEST_CASE("what is withheld runs in order whatever comes instead of the rest") {
  {
    Blocks blocks;
    const auto learn = [&] {
      for (int64_t step = 0; step < 10; ++step) {
        REQUIRE(blocks.add(0, step) == DZ_OK);
      }
      blocks.check();
    };
    learn();
    learn();
    for (int64_t prefix = 0; prefix <= 10; ++prefix) {
      for (int other = 0; other < 6; ++other) {
        CAPTURE(prefix);
        CAPTURE(other);
        for (int64_t step = 0; step < prefix; ++step) {
          REQUIRE(blocks.add(0, step) == DZ_OK);
        }
        switch (other) {
          case 0: REQUIRE(blocks.add(0, 77) == DZ_OK); break;
          case 1: blocks.copy(1); break;
          case 2: blocks.clear(0); break;
          case 3: blocks.write(0, 5); break;
          case 4: {
            std::vector<int64_t> values(count, prefix);  // waits
            blocks.expected[1] = values;
            REQUIRE(dz_write(blocks.context, blocks.blocks[1], 0, count * 8, values.data()) ==
                    DZ_OK);
            break;
          }
          default: {
            // Memory that the work uses is given back to the driver.
            dz_block* block = nullptr;
            REQUIRE(dz_allocate(blocks.context, 200000, &block) == DZ_OK);
            REQUIRE(dz_copy(blocks.context, block, 0, blocks.blocks[0], 0, count * 8) == DZ_OK);
            REQUIRE(dz_copy(blocks.context, blocks.blocks[1], 0, block, 0, count * 8) == DZ_OK);
            blocks.expected[1] = blocks.expected[0];
            dz_release(block);
            blocks.context.context->pool->clear();
          }
        }
        blocks.check();
        learn();
        learn();
      }
    }
    CHECK(fake().misuses == 0);
  }
  check_nothing_left();
}

TEST_CASE("random work with repetitions does what was asked for") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    {
      std::mt19937 random(seed);
      Blocks blocks;
      const auto below = [&](int n) {
        return static_cast<int>(random() % static_cast<unsigned>(n));
      };
      std::vector<std::vector<int>> phrases(3);  // of numbers of work
      for (std::vector<int>& phrase : phrases) {
        phrase.resize(static_cast<size_t>(1 + below(50)));
        for (int& one : phrase) {
          one = below(9);
        }
      }
      for (int round = 0; round < 60; ++round) {
        const std::vector<int>& phrase = phrases[static_cast<size_t>(below(3))];
        const size_t stop = below(4) == 0 ? static_cast<size_t>(below(50)) : phrase.size();
        for (size_t i = 0; i < std::min(stop, phrase.size()); ++i) {
          const int one = phrase[i];
          const auto block = static_cast<size_t>(one % 2);
          if (one < 5) {
            REQUIRE(blocks.add(block, one) == DZ_OK);
          } else if (one < 7) {
            blocks.copy(block);
          } else if (one == 7) {
            blocks.clear(0);
          } else {
            blocks.write(1, 9);
          }
        }
        if (below(3) == 0) {
          blocks.check();
        }
      }
      blocks.check();
    }
    check_nothing_left();
  }
}

TEST_CASE("more sequences than are kept take turns without being made again and again") {
  {
    Blocks blocks;
    Counts before;
    for (int call = 0; call < 5; ++call) {
      for (int64_t i = 0; i < 200; ++i) {
        for (int64_t step = 0; step < 5; ++step) {
          REQUIRE(blocks.add(0, i) == DZ_OK);
        }
        REQUIRE(dz_synchronise(blocks.context) == DZ_OK);
      }
    }
    const Counts made = Counts() - before;
    CHECK(made.graphs_made == 64);
    CHECK(made.graph_launches >= 64 * 3);
    // What has not been seen for long makes room.
    for (int64_t i = 0; i < 1300; ++i) {
      for (int64_t step = 0; step < 5; ++step) {
        REQUIRE(blocks.add(1, i % 3) == DZ_OK);
      }
      REQUIRE(dz_synchronise(blocks.context) == DZ_OK);
    }
    blocks.check();
    CHECK((Counts() - before).graphs_made >= 64 + 3);
  }
  check_nothing_left();
}

TEST_CASE("a failure in a graph's kernel is the program's, as without it") {
  {
    const Blocks blocks;
    for (int call = 0; call < 4; ++call) {
      for (int step = 0; step < 8; ++step) {
        REQUIRE(dz_launch(blocks.context, 1, 1, 32, 0, nullptr, "f.fut:1:1", 0) == DZ_OK);
      }
      CHECK(dz_synchronise(blocks.context) == DZ_PROGRAM_ERROR);
      CHECK(blocks.context.error().starts_with("Error: Index [9] out of bounds"));
      CHECK(dz_synchronise(blocks.context) == DZ_OK);
    }
  }
  check_nothing_left();
}

TEST_CASE("graphs that cannot be made or started") {
  {
    Blocks blocks;
    const auto call = [&] {
      int32_t status = DZ_OK;
      for (int64_t step = 0; status == DZ_OK && step < 8; ++step) {
        status = blocks.add(0, step);
      }
      return status == DZ_OK ? dz_synchronise(blocks.context) : status;
    };
    fake().fail_graphs = 801;
    const Counts before;
    for (int i = 0; i < 4; ++i) {
      CHECK(call() == DZ_OK);
    }
    blocks.check();
    CHECK((Counts() - before).launches == 32);
    fake().fail_graphs = 0;
  }
  check_nothing_left();
  {
    Blocks blocks;
    const auto launch = [&] {
      for (int64_t step = 0; step < 8; ++step) {
        if (blocks.add(0, step) != DZ_OK) {
          return false;
        }
      }
      return dz_synchronise(blocks.context) == DZ_OK;
    };
    for (int i = 0; i < 3; ++i) {
      CHECK(launch());
    }
    fake().fail_next_graph_launch = 701;
    CHECK_FALSE(launch());
    CHECK(blocks.context.error().starts_with("Error: starting a graph of kernels failed: "));
    for (int64_t& element : blocks.expected[0]) {
      element -= 28;  // nothing of it ran
    }
    CHECK(launch());
    blocks.check();
  }
  check_nothing_left();
}

TEST_CASE("kernels that are timed or debugged are started one by one") {
  for (const bool timed : {true, false}) {
    {
      dz_config* config = dzr_config_new(&program);
      if (timed) {
        dzr_config_set_profiling(config, 1);
      } else {
        dzr_config_set_debugging(config, 1);
        dzr_config_set_logging(config, 0);
      }
      Numbers numbers(config);
      const Counts before;
      for (int i = 0; i < 200; ++i) {
        REQUIRE(numbers.add(1, 0) == DZ_OK);
      }
      CHECK((Counts() - before).launches == 200);
      int64_t value = 0;
      CHECK(numbers.read(3, &value) == DZ_OK);
      CHECK(value == 203);
    }
    check_nothing_left();
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("no_graphs");

TEST_CASE("a driver without graphs runs everything one by one") {
  {
    Blocks blocks;
    const Counts before;
    for (int64_t turn = 0; turn < 200; ++turn) {
      blocks.turn(turn);
    }
    blocks.check();
    CHECK((Counts() - before).launches == 200);
  }
  check_nothing_left();
}

TEST_SUITE_END();
