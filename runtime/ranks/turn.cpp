// From rows to columns and back: every rank has a block for every other.  The blocks are packed in
// the order of ranks, those of all arrays that are turned at once behind each other, and go all to
// all.
#include <cstring>
#include <numeric>

#include "context.h"
#include "ranks/ranks.h"
#include "ranks/staging.h"

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

}  // namespace

/// One array on the host, on its way into a message or out of one.
struct TurnedRows {
  const dz_rank_turned& what;
  char* data;
  Move direction;

  /// Whether a message has columns: what is sent by who has all of them.
  bool by_columns() const { return (what.later != 0) == (direction == Move::pack); }
};

/// The bytes that this rank has of an array, before or after.
int64_t Ranks::part_of(const dz_rank_turned& one, bool before) const {
  const int64_t own = (one.later != 0) == before ? count(one.rows) * one.columns
                                                 : one.rows * count(one.columns);
  return one.outer * one.middle * one.inner_bytes * own;
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

/// What goes to a rank, or has come from it.
void Ranks::move_turned(const TurnedRows& one, int64_t rank, char*& message) const {
  const dz_rank_turned& what = one.what;
  Block block{one.data, what.outer, what.rows, what.middle, what.columns, what.inner_bytes};
  if (one.by_columns()) {
    block.rows = count(what.rows);
    move_columns(one.direction, block, message, first_of(rank, what.columns),
                 count_of(rank, what.columns));
  } else {
    block.columns = count(what.columns);
    move_rows(one.direction, block, message, first_of(rank, what.rows),
              count_of(rank, what.rows));
  }
}

/// Who is alone has all rows and all columns.
static int32_t copy_turned(dz_context& context, std::span<const dz_rank_turned> all) {
  int32_t status = DZ_OK;
  for (const dz_rank_turned& one : all) {
    if (status == DZ_OK) {
      status = context.device->copy(one.turned->data, advance(one.block->data, one.offset),
                                    one.outer * one.rows * one.middle * one.columns *
                                        one.inner_bytes);
    }
  }
  return status;
}

static int64_t sum_of(const std::vector<int64_t>& all) {
  return std::accumulate(all.begin(), all.end(), int64_t{0});
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
  for (dz_rank_turned& one : all) {
    const int32_t status = dz_allocate(&context, part_of(one, false), &one.turned);
    if (status != DZ_OK) {
      return status;
    }
  }
  if (!several()) {
    return copy_turned(context, all);
  }
  Staging staging(context);
  std::vector<TurnedRows> before;
  std::vector<TurnedRows> after;
  for (const dz_rank_turned& one : all) {
    // Packing writes nothing there.
    char* own = const_cast<char*>(staging.look(*one.block, one.offset, part_of(one, true)));
    before.push_back({one, own, Move::pack});
    after.push_back({one, staging.fill(*one.turned, 0, part_of(one, false)), Move::unpack});
  }
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  const std::vector<int64_t> to = turned_bytes(all, true);
  const std::vector<int64_t> from = turned_bytes(all, false);
  std::vector<char> out(static_cast<size_t>(sum_of(to)));
  std::vector<char> in(static_cast<size_t>(sum_of(from)));
  const auto move_all_of = [&](const std::vector<TurnedRows>& arrays, char* message) {
    for (int64_t rank = 0; rank < this->size(); ++rank) {
      for (const TurnedRows& one : arrays) {
        move_turned(one, rank, message);
      }
    }
  };
  move_all_of(before, out.data());
  note(Collective::turn, static_cast<int64_t>(out.size()) - to[static_cast<size_t>(index())]);
  const int status = wait_in(&dz_rank_messages::exchange, out.data(), to.data(), in.data(),
                             from.data());
  move_all_of(after, in.data());
  return status != 0 ? checked(context, status) : staging.store();
}

}  // namespace dagaz::runtime

int32_t dz_rank_turn(dz_context* context, int32_t count, dz_rank_turned* turned) {
  return context->ranks.turn(*context, {turned, static_cast<size_t>(count)});
}
