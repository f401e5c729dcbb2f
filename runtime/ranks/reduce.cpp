// Combining what each rank has, element by element, in the order of ranks: not by MPI_Allreduce,
// which promises neither an order nor the same bits everywhere.
//
// Few elements go to everybody at once.  Of more, each rank combines one part of the elements of
// all, and hands the result round: 2·n·(p−1)/p elements sent by each, the least that there is.
// Their parts come directly from all others, or by halves (reduce_halves.cpp): which of the three
// is the fastest follows from what messages cost (Thakur, Rabenseifner and Gropp, "Optimization of
// collective communication operations in MPICH", 2005).  Between devices much goes another way
// (reduce_directly.cpp).
#include "ranks/reduce.h"

#include <bit>
#include <cstring>
#include <numeric>

#include "context.h"
#include "ranks/combine.h"
#include "ranks/ranks.h"
#include "ranks/staging.h"

namespace dagaz::runtime {

namespace {

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
  void combine(const RankSum& sum, int64_t count, bool is_first, void* into) {
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

/// What a rank has that is alone.
static int32_t copy_sums(dz_context& context, std::span<const dz_rank_sum> sums) {
  int32_t status = DZ_OK;
  for (const dz_rank_sum& one : sums) {
    const int64_t bytes = one.count * element_info(one.element).bytes;
    if (status == DZ_OK) {
      status = context.device->copy(one.whole->data, advance(one.block->data, one.offset), bytes);
    }
  }
  return status;
}

/// What each of the ways costs, in messages without content (bench/ranks/loggp.py).
ReduceBy fastest_reduction(int64_t ranks, int64_t bytes) {
  const auto p = static_cast<double>(ranks);
  const double each = static_cast<double>(bytes) / bytes_of_a_message;
  const auto below = static_cast<double>(std::bit_width(static_cast<uint64_t>(ranks)) - 1);
  const bool divides = std::has_single_bit(static_cast<uint64_t>(ranks));
  const double rounds = divides ? below : below + 1;  // of what everybody gets from everybody
  const double parts = 2 * each * (p - 1) / p + rounds;
  const double at_once = rounds + each * (p - 1);
  const double directly = parts + (p - 1);
  const double by_halves = parts + below + (divides ? 0 : 1 + each);
  if (at_once <= directly && at_once <= by_halves) {
    return ReduceBy::everything;
  }
  return directly <= by_halves ? ReduceBy::parts : ReduceBy::halves;
}

int32_t Ranks::reduce(dz_context& context, std::span<const dz_rank_sum> sums) {
  int64_t bytes = 0;
  for (const dz_rank_sum& one : sums) {
    bytes += one.count * element_info(one.element).bytes;
  }
  if (!several()) {
    return copy_sums(context, sums);
  }
  const bool is_much = bytes >= least_reduced_directly;
  const int32_t same = is_much ? start_moving(context, Collective::reduce, bytes)
                               : compare(context, Collective::reduce, bytes);
  if (same != DZ_OK) {
    return same;
  }
  note(Collective::reduce, bytes);
  if (is_much && direct_ != nullptr) {
    return reduce_directly(context, sums);
  }
  Staging staging(context);
  std::vector<RankSum> all;
  for (const dz_rank_sum& one : sums) {
    const int64_t size = one.count * element_info(one.element).bytes;
    all.push_back({one.combine, one.element, one.count,
                   staging.look(*one.block, one.offset, size), staging.fill(*one.whole, 0, size)});
  }
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  const auto reduced = [&] {
    switch (fastest_reduction(size(), bytes)) {
      case ReduceBy::everything: return reduce_few(all, bytes);
      case ReduceBy::parts: return reduce_parts(all);
      case ReduceBy::halves: break;
    }
    return reduce_halves(all);
  };
  const int status = reduced();
  return status != 0 ? checked(context, status) : staging.store();
}

int Ranks::reduce_few(std::span<const RankSum> sums, int64_t bytes) const {
  std::vector<char> own;
  for (const RankSum& one : sums) {
    append(own, one.own, bytes_of(one, one.count));
  }
  std::vector<char> all(static_cast<size_t>(bytes * size()));
  const std::vector<int64_t> sizes(static_cast<size_t>(size()), bytes);
  const int status =
      wait_in(&dz_rank_messages::gather, own.data(), all.data(), sizes.data());
  Unpacker unpacker(all);
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const RankSum& one : sums) {
      unpacker.combine(one, one.count, rank == 0, one.whole);
    }
  }
  return status;
}

int Ranks::reduce_parts(std::span<const RankSum> sums) const {
  std::vector<char> own;
  std::vector<int64_t> to;
  for (int64_t rank = 0; rank < size(); ++rank) {
    const auto before = static_cast<int64_t>(own.size());
    for (const RankSum& one : sums) {
      const char* part = one.own + bytes_of(one, first_of(rank, one.count));
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
    return status;
  }
  Unpacker unpacker(parts);
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const RankSum& one : sums) {
      unpacker.combine(one, this->count(one.count), rank == 0, mine_of(one));
    }
  }
  own.resize(0);
  for (const RankSum& one : sums) {
    append(own, mine_of(one), bytes_of(one, this->count(one.count)));
  }
  std::vector<char> all(static_cast<size_t>(std::accumulate(to.begin(), to.end(), int64_t{0})));
  status = wait_in(&dz_rank_messages::gather, own.data(), all.data(), to.data());
  Unpacker results(all);
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const RankSum& one : sums) {
      results.copy(one.whole + bytes_of(one, first_of(rank, one.count)),
                   bytes_of(one, count_of(rank, one.count)));
    }
  }
  return status;
}

char* Ranks::mine_of(const RankSum& sum) const {
  return sum.whole + bytes_of(sum, first(sum.count));
}

}  // namespace dagaz::runtime
