// Combining what each rank has, element by element, in the order of ranks: not by MPI_Allreduce,
// which promises neither an order nor the same bits everywhere.
//
// Each rank combines one part of the elements of all, and hands the result round: 2·n·(p−1)/p
// elements sent by each, the least that there is (Thakur, Rabenseifner and Gropp, "Optimization of
// collective communication operations in MPICH", 2005).  Few elements go to everybody at once.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "context.h"
#include "ranks/combine.h"
#include "ranks/ranks.h"
#include "values.h"

namespace dagaz::runtime {

namespace {

/// Bytes from all ranks together up to which one message is better than two; and bytes of each up to
/// which getting those of all, in as many rounds as the number of ranks has digits, is better than a
/// message to every rank (bench/ranks).
constexpr int64_t few_bytes = 4096;
constexpr int64_t few_bytes_each = 512;

int64_t bytes_of(const dz_rank_sum& sum, int64_t count) {
  return count * element_info(sum.element).bytes;
}

const char* own_of(const dz_rank_sum& sum) {
  return static_cast<const char*>(advance(sum.block->data, sum.offset));
}

void append(std::vector<char>& to, const char* from, int64_t bytes) {
  to.insert(to.end(), from, from + bytes);
}

/// Messages are packed; elements are combined where they are aligned.
class Unpacker {
 public:
  explicit Unpacker(const std::vector<char>& packed) : next_(packed.data()) {}

  void copy(void* to, int64_t bytes) {
    std::memcpy(to, next_, static_cast<size_t>(bytes));
    next_ += bytes;
  }
  /// The first replaces what is there.
  void combine(const dz_rank_sum& sum, int64_t count, bool is_first, void* into) {
    const int64_t bytes = bytes_of(sum, count);
    if (is_first) {
      return copy(into, bytes);
    }
    aligned_.resize(static_cast<size_t>(bytes));
    copy(aligned_.data(), bytes);
    combine_elements(sum.combine, sum.element, aligned_.data(), count, into);
  }

 private:
  const char* next_;
  std::vector<char> aligned_;
};

}  // namespace

int32_t Ranks::reduce(dz_context& context, dz_rank_sum* sums, int32_t count) {
  const std::span<const dz_rank_sum> all(sums, static_cast<size_t>(count));
  int64_t bytes = 0;
  for (const dz_rank_sum& one : all) {
    bytes += bytes_of(one, one.count);
  }
  if (several()) {
    const int32_t same = compare(context, Collective::reduce, bytes);
    if (same != DZ_OK) {
      return same;
    }
    note(Collective::reduce, bytes);
    const bool are_few = bytes * size() <= few_bytes || bytes <= few_bytes_each;
    return are_few ? reduce_few(context, all, bytes) : reduce_parts(context, all);
  }
  for (const dz_rank_sum& one : all) {
    std::memcpy(one.whole->data, own_of(one), static_cast<size_t>(bytes_of(one, one.count)));
  }
  return DZ_OK;
}

int32_t Ranks::reduce_few(dz_context& context, std::span<const dz_rank_sum> sums, int64_t bytes) {
  std::vector<char> own;
  for (const dz_rank_sum& one : sums) {
    append(own, own_of(one), bytes_of(one, one.count));
  }
  std::vector<char> all(static_cast<size_t>(bytes * size()));
  const std::vector<int64_t> sizes(static_cast<size_t>(size()), bytes);
  const int status =
      wait_in(&dz_rank_messages::gather, own.data(), all.data(), sizes.data());
  Unpacker unpacker(all);
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const dz_rank_sum& one : sums) {
      unpacker.combine(one, one.count, rank == 0, one.whole->data);
    }
  }
  return checked(context, status);
}

int32_t Ranks::reduce_parts(dz_context& context, std::span<const dz_rank_sum> sums) {
  std::vector<char> own;
  std::vector<int64_t> to;
  for (int64_t rank = 0; rank < size(); ++rank) {
    const auto before = static_cast<int64_t>(own.size());
    for (const dz_rank_sum& one : sums) {
      const char* part = own_of(one) + bytes_of(one, first_of(rank, one.count));
      append(own, part, bytes_of(one, count_of(rank, one.count)));
    }
    to.push_back(static_cast<int64_t>(own.size()) - before);
  }
  const int64_t mine = to[static_cast<size_t>(index())];
  const std::vector<int64_t> from(static_cast<size_t>(size()), mine);
  std::vector<char> parts(static_cast<size_t>(mine * size()));
  int status = wait_in(&dz_rank_messages::exchange, own.data(), to.data(), parts.data(),
                                   from.data());
  if (status != 0) {
    return checked(context, status);
  }
  Unpacker unpacker(parts);
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const dz_rank_sum& one : sums) {
      unpacker.combine(one, this->count(one.count), rank == 0, mine_of(one));
    }
  }
  own.resize(0);
  for (const dz_rank_sum& one : sums) {
    append(own, static_cast<const char*>(mine_of(one)), bytes_of(one, this->count(one.count)));
  }
  std::vector<char> all(static_cast<size_t>(std::accumulate(to.begin(), to.end(), int64_t{0})));
  status = wait_in(&dz_rank_messages::gather, own.data(), all.data(), to.data());
  Unpacker results(all);
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const dz_rank_sum& one : sums) {
      results.copy(advance(one.whole->data, bytes_of(one, first_of(rank, one.count))),
                   bytes_of(one, count_of(rank, one.count)));
    }
  }
  return checked(context, status);
}

void* Ranks::mine_of(const dz_rank_sum& sum) const {
  return advance(sum.whole->data, bytes_of(sum, first(sum.count)));
}

}  // namespace dagaz::runtime
