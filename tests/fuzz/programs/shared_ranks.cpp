#include "shared_ranks.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <vector>

namespace dagaz::fuzz {

namespace {

constexpr std::size_t slot_bytes = std::size_t{64}
                                   << 20;  // what a rank hands over at once, at most
constexpr long wait_seconds = 20;          // for the others

/// Returns when `done` does.  Who waits in vain ends, and the first sees that.
template <typename Done>
void wait_for(const Done& done) {
  const std::time_t start = std::time(nullptr);
  for (int tries = 0; !done(); ++tries) {
    if (tries > 1000) usleep(20);
    if (std::time(nullptr) - start > wait_seconds) std::abort();
  }
}

/// What one rank sends another.
struct Letter {
  std::atomic<int> full{0};
  std::int64_t bytes = 0;
  char data[slot_bytes - 64];
};

/// What all ranks see: a slot for each, letters of each to each, and where they wait for each
/// other.
struct Shared {
  std::atomic<int> arrived{0};
  std::atomic<int> round{0};
};

struct Rank {
  Shared* shared;
  char* slots;
  int index;
  int size;

  Letter& letter(int from, int to) const {
    // Memory that was never written is zero, as an empty letter is.
    return *reinterpret_cast<Letter*>(slot(size + from * size + to));
  }
  char* slot(int rank) const { return slots + static_cast<std::size_t>(rank) * slot_bytes; }

  /// All go on when all are there.
  void meet() const {
    const int round = shared->round.load();
    if (shared->arrived.fetch_add(1) + 1 == size) {
      shared->arrived.store(0);
      shared->round.fetch_add(1);
      return;
    }
    wait_for([&] { return shared->round.load() != round; });
  }
  void put(const void* data, std::size_t offset, std::size_t bytes) const {
    if (offset + bytes > slot_bytes) std::abort();
    if (bytes > 0) std::memcpy(slot(index) + offset, data, bytes);
  }
};

const Rank& rank_of(void* communicator) { return *static_cast<const Rank*>(communicator); }
std::size_t size_of(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

int gather(void* communicator, const void* part, void* whole, const std::int64_t* sizes) {
  const Rank& rank = rank_of(communicator);
  auto* to = static_cast<char*>(whole);
  const char* own = to;
  for (int r = 0; r < rank.index; ++r) own += sizes[r];
  rank.put(part == nullptr ? own : part, 0, size_of(sizes[rank.index]));
  rank.meet();
  for (int r = 0; r < rank.size; ++r) {
    std::memcpy(to, rank.slot(r), size_of(sizes[r]));
    to += sizes[r];
  }
  rank.meet();
  return 0;
}

/// Sizes first, then what goes to each.
int exchange(void* communicator, const void* parts, const std::int64_t* to, void* own,
             const std::int64_t* from) {
  const Rank& rank = rank_of(communicator);
  const std::size_t header = sizeof(std::int64_t) * static_cast<std::size_t>(rank.size);
  std::int64_t total = 0;
  for (int r = 0; r < rank.size; ++r) total += to[r];
  rank.put(to, 0, header);
  rank.put(parts, header, size_of(total));
  rank.meet();
  auto* next = static_cast<char*>(own);
  for (int r = 0; r < rank.size; ++r) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank.size));
    std::memcpy(sizes.data(), rank.slot(r), header);
    if (sizes[static_cast<std::size_t>(rank.index)] != from[r]) std::abort();
    std::size_t at = header;
    for (int k = 0; k < rank.index; ++k) at += size_of(sizes[static_cast<std::size_t>(k)]);
    std::memcpy(next, rank.slot(r) + at, size_of(from[r]));
    next += from[r];
  }
  rank.meet();
  return 0;
}

/// Letters that were sent, and those that will be received.
using Expected = std::vector<dz_rank_message>;

int start(void* communicator, const dz_rank_message* to, std::int32_t to_count,
          const dz_rank_message* from, std::int32_t from_count, void** under_way) {
  const Rank& rank = rank_of(communicator);
  for (std::int32_t i = 0; i < to_count; ++i) {
    Letter& letter = rank.letter(rank.index, to[i].rank);
    wait_for([&] { return letter.full.load() == 0; });
    if (size_of(to[i].bytes) > sizeof letter.data) std::abort();
    std::memcpy(letter.data, to[i].data, size_of(to[i].bytes));
    letter.bytes = to[i].bytes;
    letter.full.store(1);
  }
  *under_way = new Expected(from, from + from_count);
  return 0;
}

/// Only those who are named in messages wait, each for its letters.
int finish(void* communicator, void* under_way) {
  const Rank& rank = rank_of(communicator);
  const std::unique_ptr<Expected> expected(static_cast<Expected*>(under_way));
  for (const dz_rank_message& one : *expected) {
    Letter& letter = rank.letter(one.rank, rank.index);
    wait_for([&] { return letter.full.load() == 1; });
    if (letter.bytes != one.bytes) std::abort();
    std::memcpy(one.data, letter.data, size_of(one.bytes));
    letter.full.store(0);
  }
  return 0;
}

int send(void* communicator, const dz_rank_message* to, std::int32_t to_count,
         const dz_rank_message* from, std::int32_t from_count) {
  void* under_way = nullptr;
  start(communicator, to, to_count, from, from_count, &under_way);
  return finish(communicator, under_way);
}

int broadcast(void* communicator, void* data, std::int64_t bytes, std::int32_t root) {
  const Rank& rank = rank_of(communicator);
  if (rank.index == root) rank.put(data, 0, size_of(bytes));
  rank.meet();
  if (rank.index != root && bytes > 0) std::memcpy(data, rank.slot(root), size_of(bytes));
  rank.meet();
  return 0;
}

int maximum(void* communicator, std::int64_t* value) {
  const Rank& rank = rank_of(communicator);
  rank.put(value, 0, sizeof *value);
  rank.meet();
  for (int r = 0; r < rank.size; ++r) {
    std::int64_t other = 0;
    std::memcpy(&other, rank.slot(r), sizeof other);
    if (other > *value) *value = other;
  }
  rank.meet();
  return 0;
}

// Programs of the generator print what they have.
int write_file(void*, const char*, std::int64_t, const dz_file_piece*, std::int32_t, char*) {
  std::abort();
}

void give_up(void*) { std::abort(); }

void leave(const dz_rank_messages*) {}

int run(Rank rank, const std::function<int(const dz_rank_messages*)>& program) {
  const dz_rank_messages messages{rank.index, rank.size, &rank,      gather,  exchange,
                                  send,       broadcast, maximum,    write_file, give_up,
                                  leave,      rank.index, start,     finish,     0};
  return program(&messages);
}

}  // namespace

int run_as_ranks(int ranks, const std::function<int(const dz_rank_messages*)>& program) {
  const auto slots_of_all = static_cast<std::size_t>(ranks * (ranks + 1));
  const std::size_t bytes = 4096 + slots_of_all * slot_bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  auto* shared = new (memory) Shared;
  char* slots = static_cast<char*>(memory) + 4096;
  std::vector<pid_t> others;
  for (int r = 1; r < ranks; ++r) {
    const pid_t other = fork();
    if (other < 0) std::abort();
    if (other == 0) _exit(run({shared, slots, r, ranks}, program));
    others.push_back(other);
  }
  const int status = run({shared, slots, 0, ranks}, program);
  for (const pid_t other : others) {
    int ended = 0;
    const bool well =
        waitpid(other, &ended, 0) == other && WIFEXITED(ended) && WEXITSTATUS(ended) == status;
    if (!well) std::abort();
  }
  munmap(memory, bytes);
  return status;
}

}  // namespace dagaz::fuzz
