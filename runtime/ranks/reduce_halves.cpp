// Reduction by halves: in round k a rank and the one whose number differs in digit k exchange
// halves of what each has, and combine the half that they keep.  Their groups are neighbours in the
// order of ranks, so the order stays.
//
//   p = 4, elements 0 … 3 of each:   round 0: rank 0 keeps 01, rank 1 keeps 23, of 0∘1 …
//                                    round 1: rank 0 keeps 0, rank 2 keeps 1, of (0∘1)∘(2∘3) …
//
// Of p = 2^m + e ranks the first 2·e are pairs, of which one takes part for both.  Rabenseifner,
// "Optimization of collective reduction operations", 2004.
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "ranks/combine.h"
#include "ranks/ranks.h"
#include "ranks/reduce.h"

namespace dagaz::runtime {

namespace {

/// Those who take part in the rounds.
struct Players {
  int64_t pairs;   // e
  int64_t digits;  // m

  explicit Players(int64_t ranks)
      : digits(static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(ranks))) - 1) {
    pairs = ranks - (int64_t{1} << digits);
  }
  bool plays(int64_t rank) const { return rank >= 2 * pairs || rank % 2 == 0; }
  int64_t number_of(int64_t rank) const { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
  int64_t rank_of(int64_t number) const { return number < pairs ? 2 * number : number + pairs; }
};

/// Elements of an array.
struct Piece {
  int64_t first = 0;
  int64_t count = 0;

  Piece half(bool upper) const {
    const int64_t lower = count / 2;
    return upper ? Piece{first + lower, count - lower} : Piece{first, lower};
  }
};

/// What player `number` keeps of `count` elements after so many rounds.
Piece kept_after(int64_t rounds, int64_t number, int64_t count) {
  Piece piece{0, count};
  for (int64_t k = 0; k < rounds; ++k) {
    piece = piece.half(((number >> k) & 1) != 0);
  }
  return piece;
}

using Sums = std::span<const RankSum>;

char* at(const RankSum& sum, const Piece& piece) {
  return sum.whole + bytes_of(sum, piece.first);
}

/// Packs and unpacks a piece of each array, of which `piece_of` says which.
template <typename PieceOf>
std::vector<char> packed(Sums sums, const PieceOf& piece_of) {
  std::vector<char> message;
  for (const RankSum& one : sums) {
    const Piece piece = piece_of(one);
    const char* from = at(one, piece);
    message.insert(message.end(), from, from + bytes_of(one, piece.count));
  }
  return message;
}
template <typename PieceOf>
int64_t packed_bytes(Sums sums, const PieceOf& piece_of) {
  int64_t bytes = 0;
  for (const RankSum& one : sums) {
    bytes += bytes_of(one, piece_of(one).count);
  }
  return bytes;
}

/// `mine` ∘ `theirs`, or `theirs` ∘ `mine` where they come first.
template <typename PieceOf>
void combine_with(Sums sums, const PieceOf& piece_of, const std::vector<char>& message,
                  bool they_are_first) {
  const char* next = message.data();
  std::vector<std::max_align_t> theirs;
  for (const RankSum& one : sums) {
    const Piece piece = piece_of(one);
    const auto bytes = static_cast<size_t>(bytes_of(one, piece.count));
    theirs.resize(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(theirs.data(), next, bytes);
    next += bytes;
    char* const mine = at(one, piece);
    if (they_are_first) {
      combine_elements(one.combine, one.element, mine, piece.count, theirs.data());
      std::memcpy(mine, theirs.data(), bytes);
    } else {
      combine_elements(one.combine, one.element, theirs.data(), piece.count, mine);
    }
  }
}

}  // namespace

int Ranks::swap_with(int64_t rank, std::vector<char>& out, std::vector<char>& in) const {
  const auto message = [&](std::vector<char>& data) {
    return dz_rank_message{static_cast<int32_t>(rank), static_cast<int64_t>(data.size()),
                           data.data()};
  };
  const dz_rank_message to = message(out);
  const dz_rank_message from = message(in);
  return wait_in(&dz_rank_messages::send, &to, out.empty() ? 0 : 1, &from, in.empty() ? 0 : 1);
}

int Ranks::halve(std::span<const RankSum> sums) const {
  const Players players(size());
  const auto everything = [](const RankSum& one) { return Piece{0, one.count}; };
  const auto all_bytes = static_cast<size_t>(packed_bytes(sums, everything));
  std::vector<char> out;
  std::vector<char> in;
  if (!players.plays(index())) {
    out = packed(sums, everything);
    return swap_with(index() - 1, out, in);
  }
  if (index() < 2 * players.pairs) {
    in.resize(all_bytes);
    const int status = swap_with(index() + 1, out, in);
    if (status != 0) {
      return status;
    }
    combine_with(sums, everything, in, false);
  }
  const int64_t number = players.number_of(index());
  for (int64_t k = 0; k < players.digits; ++k) {
    const int64_t other = number ^ (int64_t{1} << k);
    const auto kept_by = [&](int64_t player) {
      return [=](const RankSum& one) { return kept_after(k + 1, player, one.count); };
    };
    out = packed(sums, kept_by(other));
    in.resize(static_cast<size_t>(packed_bytes(sums, kept_by(number))));
    const int status = swap_with(players.rank_of(other), out, in);
    if (status != 0) {
      return status;
    }
    combine_with(sums, kept_by(number), in, other < number);
  }
  return 0;
}

int Ranks::reduce_halves(std::span<const RankSum> sums) const {
  for (const RankSum& one : sums) {
    std::memcpy(one.whole, one.own, static_cast<size_t>(bytes_of(one, one.count)));
  }
  int status = halve(sums);
  if (status != 0) {
    return status;
  }
  const Players players(size());
  const auto kept_by = [&](int64_t rank) {
    return [=](const RankSum& one) {
      return players.plays(rank)
                 ? kept_after(players.digits, players.number_of(rank), one.count)
                 : Piece{};
    };
  };
  std::vector<int64_t> sizes;
  int64_t bytes = 0;
  for (int64_t rank = 0; rank < size(); ++rank) {
    sizes.push_back(packed_bytes(sums, kept_by(rank)));
    bytes += sizes.back();
  }
  const std::vector<char> own = packed(sums, kept_by(index()));
  std::vector<char> all(static_cast<size_t>(bytes));
  status = wait_in(&dz_rank_messages::gather, own.data(), all.data(), sizes.data());
  const char* next = all.data();
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const RankSum& one : sums) {
      const Piece piece = kept_by(rank)(one);
      const int64_t piece_bytes = bytes_of(one, piece.count);
      std::memcpy(at(one, piece), next, static_cast<size_t>(piece_bytes));
      next += piece_bytes;
    }
  }
  return status;
}

}  // namespace dagaz::runtime
