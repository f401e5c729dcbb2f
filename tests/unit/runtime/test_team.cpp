// Teams of threads: each piece is done once, whoever does it, and loops end when all are.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "cpu/team.h"

namespace {

using dagaz::runtime::Team;

/// Runs a loop of the team; `piece` takes the piece and whether its thread began the loop.
template <typename Piece>
void run(Team& team, int64_t pieces, const Piece& piece) {
  team.run(pieces, {[](const void* loop, int64_t which, bool began) {
                      (*static_cast<const Piece*>(loop))(which, began);
                    },
                    &piece});
}

/// How often each piece of a loop was done.
std::vector<int> counts(Team& team, size_t pieces) {
  std::vector<std::atomic<int>> done(pieces);
  run(team, static_cast<int64_t>(pieces),
      [&](int64_t piece, bool) { done[static_cast<size_t>(piece)].fetch_add(1); });
  return {done.begin(), done.end()};
}

void wait_until(const std::atomic<int>& number, int value) {
  while (number.load() < value) {
    std::this_thread::yield();
  }
}

TEST_CASE("each piece of a loop is done once") {
  for (const int threads : {1, 2, 3, 8}) {
    for (const bool awake : {false, true}) {
      Team team(threads, awake);
      for (const size_t pieces : {1U, 2U, 3U, 7U, 16U, 1000U}) {
        CAPTURE(threads);
        CAPTURE(pieces);
        CHECK(counts(team, pieces) == std::vector<int>(pieces, 1));
      }
    }
  }
}

TEST_CASE("what threads leave in memory is there when the loop ends") {
  Team team(4, true);
  std::vector<int> numbers(64);
  for (int round = 1; round <= 20000; ++round) {
    run(team, 64, [&](int64_t piece, bool) { ++numbers[static_cast<size_t>(piece)]; });
    if (numbers != std::vector<int>(64, round)) {
      FAIL("round " << round);
    }
  }
}

TEST_CASE("threads that sleep come for a loop") {
  for (const bool awake : {false, true}) {
    Team team(9, awake);
    for (int round = 0; round < 3; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      // No thread goes on before all are there.
      std::atomic<int> there{0};
      run(team, 9, [&](int64_t, bool) {
        there.fetch_add(1);
        wait_until(there, 9);
      });
    }
  }
}

TEST_CASE("a loop tells who began it") {
  Team team(2, true);
  const auto here = std::this_thread::get_id();
  std::atomic<int> there{0};
  run(team, 2, [&](int64_t, bool began) {
    CHECK(began == (std::this_thread::get_id() == here));
    there.fetch_add(1);
    wait_until(there, 2);
  });
}

TEST_CASE("a thread begins with the same pieces each time") {
  Team team(2, true);
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> there{0};
    int64_t first = -1;
    run(team, 8, [&](int64_t piece, bool began) {
      if (began && first < 0) {
        first = piece;
      }
      there.fetch_add(1);
      wait_until(there, 2);
    });
    CHECK(first == 0);
  }
}

TEST_CASE("pieces of one share are done by others, too") {
  Team team(2, true);
  std::atomic<int> others{0};
  // Who began waits in its first piece until the other thread has done all the rest.
  run(team, 8, [&](int64_t, bool began) {
    if (began) {
      wait_until(others, 7);
    } else {
      others.fetch_add(1);
    }
  });
  CHECK(others.load() == 7);
}

TEST_CASE("loops inside loops, more than there are places for") {
  Team team(3, true);
  std::atomic<int> done{0};
  run(team, 5, [&](int64_t, bool) {
    run(team, 4, [&](int64_t, bool) {
      run(team, 3, [&](int64_t, bool) {
        run(team, 2, [&](int64_t, bool) { done.fetch_add(1); });
      });
    });
  });
  CHECK(done.load() == 5 * 4 * 3 * 2);
}

TEST_CASE("a thread that waits for its loop does not start a piece of an outer one") {
  Team team(4, true);
  std::atomic<bool> mixed{false};
  static thread_local int outer = 0;
  run(team, 64, [&](int64_t, bool) {
    if (outer++ != 0) {
      mixed = true;
    }
    run(team, 4, [&](int64_t, bool) { std::this_thread::yield(); });
    --outer;
  });
  CHECK(!mixed);
}

TEST_CASE("several teams at once") {
  Team one(2, true);
  Team other(2, true);
  std::atomic<int> done{0};
  const auto loops = [&](Team& team) {
    for (int round = 0; round < 2000; ++round) {
      run(team, 4, [&](int64_t, bool) { done.fetch_add(1); });
    }
  };
  std::thread beside([&] { loops(other); });
  loops(one);
  beside.join();
  CHECK(done.load() == 2 * 2000 * 4);
}

// ThreadSanitizer cannot follow threads of a process that forked.
#if defined(__SANITIZE_THREAD__)
constexpr bool has_thread_sanitizer = true;
#elif defined(__has_feature)
constexpr bool has_thread_sanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool has_thread_sanitizer = false;
#endif

TEST_CASE("a process that forks runs loops alone, and leaves the threads to its parent" *
          doctest::skip(has_thread_sanitizer)) {
  auto team = std::make_unique<Team>(3, true);
  CHECK(counts(*team, 8) == std::vector<int>(8, 1));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool fine = counts(*team, 8) == std::vector<int>(8, 1);
    team.reset();
    _exit(fine ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(counts(*team, 8) == std::vector<int>(8, 1));
}

}  // namespace
