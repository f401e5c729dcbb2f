// From rows to columns and back: every rank has a block for every other.  The blocks are packed in
// the order of ranks, those of all arrays that are turned at once behind each other, and go all to
// all.  As direct messages each block goes alone, packed on the device unless it lies together.
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

Lines rows_of(const Block& block, int64_t first, int64_t count) {
  const int64_t row = block.middle * block.columns * block.inner_bytes;
  return {block.data + first * row, block.outer, block.rows * row, count * row};
}

Lines columns_of(const Block& block, int64_t first, int64_t count) {
  return {block.data + first * block.inner_bytes, block.outer * block.rows * block.middle,
          block.columns * block.inner_bytes, count * block.inner_bytes};
}

/// The next lines of a message, from memory or into it.
void move_lines(Move direction, const Lines& lines, char*& message) {
  for (int64_t k = 0; lines.bytes > 0 && k < lines.count; ++k) {
    char* const line = lines.data + k * lines.stride;
    const bool packs = direction == Move::pack;
    std::memcpy(packs ? message : line, packs ? line : message, static_cast<size_t>(lines.bytes));
    message += lines.bytes;
  }
}

}  // namespace

/// One array, on its way into a message or out of one.
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
Lines Ranks::block_of(const TurnedRows& one, int64_t rank) const {
  const dz_rank_turned& what = one.what;
  Block block{one.data, what.outer, what.rows, what.middle, what.columns, what.inner_bytes};
  if (one.by_columns()) {
    block.rows = count(what.rows);
    return columns_of(block, first_of(rank, what.columns), count_of(rank, what.columns));
  }
  block.columns = count(what.columns);
  return rows_of(block, first_of(rank, what.rows), count_of(rank, what.rows));
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

namespace {

/// Memory of the device in which blocks lie together that do not where they are.
class PackedBlocks {
 public:
  explicit PackedBlocks(dz_context& context) : context_(context) {}
  ~PackedBlocks() { dz_release(packed_); }
  PackedBlocks(const PackedBlocks&) = delete;
  PackedBlocks& operator=(const PackedBlocks&) = delete;

  int32_t make(std::span<const Lines> blocks) {
    int64_t bytes = 0;
    for (const Lines& one : blocks) {
      bytes += one.are_together() ? 0 : one.total();
    }
    return bytes == 0 ? DZ_OK : dz_allocate(&context_, bytes, &packed_);
  }
  /// Where the next block lies together.
  Lines next(const Lines& block) {
    if (block.are_together()) {
      return block;
    }
    auto* const data = static_cast<char*>(advance(packed_->data, taken_));
    taken_ += block.total();
    return {data, block.count, block.bytes, block.bytes};
  }

 private:
  dz_context& context_;
  dz_block* packed_ = nullptr;
  int64_t taken_ = 0;
};

}  // namespace

int32_t Ranks::turn_directly(dz_context& context, std::span<const dz_rank_turned> all) {
  std::vector<Lines> before;  // of each rank, those of all arrays
  std::vector<Lines> after;
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (const dz_rank_turned& one : all) {
      auto* const own = static_cast<char*>(advance(one.block->data, one.offset));
      auto* const turned = static_cast<char*>(one.turned->data);
      before.push_back(block_of({one, own, Move::pack}, rank));
      after.push_back(block_of({one, turned, Move::unpack}, rank));
    }
  }
  PackedBlocks out(context);
  PackedBlocks in(context);
  int32_t status = out.make(before);
  if (status == DZ_OK) {
    status = in.make(after);
  }
  std::vector<dz_rank_message> to;
  std::vector<dz_rank_message> from;
  std::vector<Lines> received;
  int64_t bytes = 0;
  for (size_t i = 0; i < before.size() && status == DZ_OK; ++i) {
    const auto rank = static_cast<int64_t>(i / all.size());
    const Lines sent = out.next(before[i]);
    if (sent.data != before[i].data) {
      status = context.device->copy_lines(sent, before[i]);
    }
    received.push_back(rank == index() ? sent : in.next(after[i]));
    if (rank != index()) {
      add_piece(to, rank, sent.data, sent.total());
      add_piece(from, rank, received[i].data, received[i].total());
      bytes += sent.total();
    }
  }
  if (status != DZ_OK) {
    return status;
  }
  note(Collective::turn, bytes);
  status = move(to, from);
  for (size_t i = 0; i < after.size() && status == DZ_OK; ++i) {
    if (received[i].data != after[i].data) {
      const int64_t line = after[i].bytes;
      status = context.device->copy_lines(after[i], {received[i].data, after[i].count, line, line});
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
  const int32_t same = start_moving(context, Collective::turn, size);
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
  if (direct_ != nullptr) {
    return turn_directly(context, all);
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
        move_lines(one.direction, block_of(one, rank), message);
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
