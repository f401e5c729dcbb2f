// From rows to columns and back: every rank has a block for every other.  The blocks are packed in the
// order of ranks, those of all arrays that are turned at once behind each other, and go all to all.
#include <cstring>
#include <numeric>

#include "context.h"
#include "ranks/ranks.h"

namespace dagaz::runtime {

namespace {

enum class Move : std::uint8_t { pack, unpack };

/// An array of `outer` × `rows` × `middle` × `columns` × `inner_bytes` in memory of this rank, some
/// of whose rows or columns are in a message.
struct Block {
  char* data;
  int64_t outer;
  int64_t rows;
  int64_t middle;
  int64_t columns;
  int64_t inner_bytes;
};

/// The next `bytes` of a message.
void move(Move direction, char* memory, char*& message, int64_t bytes) {
  if (direction == Move::pack) {
    std::memcpy(message, memory, static_cast<size_t>(bytes));
  } else {
    std::memcpy(memory, message, static_cast<size_t>(bytes));
  }
  message += bytes;
}

/// `count` pieces, `stride` bytes apart.
void move_all(Move direction, char* memory, char*& message, int64_t count, int64_t stride,
              int64_t bytes) {
  for (int64_t k = 0; bytes > 0 && k < count; ++k) {
    move(direction, memory + k * stride, message, bytes);
  }
}

void move_rows(Move direction, const Block& block, char*& message, int64_t first, int64_t count) {
  const int64_t row = block.middle * block.columns * block.inner_bytes;
  move_all(direction, block.data + first * row, message, block.outer, block.rows * row,
           count * row);
}

void move_columns(Move direction, const Block& block, char*& message, int64_t first,
                  int64_t count) {
  const int64_t line = block.columns * block.inner_bytes;
  move_all(direction, block.data + first * block.inner_bytes, message,
           block.outer * block.rows * block.middle, line, count * block.inner_bytes);
}

/// What a rank has before, or after, with so many rows and columns.
Block block_of(const dz_rank_turned& one, void* data, int64_t rows, int64_t columns) {
  return {static_cast<char*>(data), one.outer, rows, one.middle, columns, one.inner_bytes};
}

/// What a rank sends: columns, if it has all of them.
bool by_columns(const dz_rank_turned& one, Move direction) {
  return (one.later != 0) == (direction == Move::pack);
}

}  // namespace

int32_t Ranks::start_turn(dz_context& context, std::span<dz_rank_turned> all) const {
  for (dz_rank_turned& one : all) {
    const int64_t rest = one.outer * one.middle * one.inner_bytes;
    const int64_t own = one.later != 0 ? one.rows * count(one.columns)
                                       : count(one.rows) * one.columns;
    const int32_t status = dz_allocate(&context, rest * own, &one.turned);
    if (status != DZ_OK) {
      return status;
    }
  }
  return DZ_OK;
}

/// The bytes of each rank's blocks, in the order of ranks.
std::vector<int64_t> Ranks::turned_bytes(std::span<const dz_rank_turned> all,
                                         bool of_sender) const {
  std::vector<int64_t> bytes;
  for (int64_t rank = 0; rank < size(); ++rank) {
    bytes.push_back(0);
    for (const dz_rank_turned& one : all) {
      const bool columns = (one.later != 0) == of_sender;
      const int64_t block = columns ? count(one.rows) * count_of(rank, one.columns)
                                    : count_of(rank, one.rows) * count(one.columns);
      bytes.back() += one.outer * one.middle * one.inner_bytes * block;
    }
  }
  return bytes;
}

void Ranks::pack_turned(std::span<const dz_rank_turned> all, char* message) const {
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const dz_rank_turned& one : all) {
      void* data = advance(one.block->data, one.offset);
      if (by_columns(one, Move::pack)) {
        move_columns(Move::pack, block_of(one, data, count(one.rows), one.columns), message,
                     first_of(rank, one.columns), count_of(rank, one.columns));
      } else {
        move_rows(Move::pack, block_of(one, data, one.rows, count(one.columns)), message,
                  first_of(rank, one.rows), count_of(rank, one.rows));
      }
    }
  }
}

void Ranks::unpack_turned(std::span<const dz_rank_turned> all, char* message) const {
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const dz_rank_turned& one : all) {
      void* data = one.turned->data;
      if (by_columns(one, Move::unpack)) {
        move_columns(Move::unpack, block_of(one, data, count(one.rows), one.columns), message,
                     first_of(rank, one.columns), count_of(rank, one.columns));
      } else {
        move_rows(Move::unpack, block_of(one, data, one.rows, count(one.columns)), message,
                  first_of(rank, one.rows), count_of(rank, one.rows));
      }
    }
  }
}

int32_t Ranks::turn(dz_context& context, std::span<dz_rank_turned> all) {
  int64_t size = 0;
  for (const dz_rank_turned& one : all) {
    size += one.outer * one.rows * one.middle * one.columns * one.inner_bytes;
  }
  const int32_t same = compare(context, Collective::turn, size);
  if (same != DZ_OK) {
    return same;
  }
  const int32_t started = start_turn(context, all);
  if (started != DZ_OK) {
    return started;
  }
  const std::vector<int64_t> to = turned_bytes(all, true);
  const std::vector<int64_t> from = turned_bytes(all, false);
  std::vector<char> out(static_cast<size_t>(std::accumulate(to.begin(), to.end(), int64_t{0})));
  pack_turned(all, out.data());
  if (!several()) {
    unpack_turned(all, out.data());
    return DZ_OK;
  }
  note(Collective::turn, static_cast<int64_t>(out.size()) - to[static_cast<size_t>(index())]);
  std::vector<char> in(static_cast<size_t>(std::accumulate(from.begin(), from.end(), int64_t{0})));
  const int status = wait_in(&dz_rank_messages::exchange, out.data(), to.data(), in.data(),
                                         from.data());
  unpack_turned(all, in.data());
  return checked(context, status);
}

}  // namespace dagaz::runtime

int32_t dz_rank_turn(dz_context* context, int32_t count, dz_rank_turned* turned) {
  return context->ranks.turn(*context, {turned, static_cast<size_t>(count)});
}
