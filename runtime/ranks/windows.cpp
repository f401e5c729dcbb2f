#include "ranks/windows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>

#include "context.h"
#include "ranks/combine.h"
#include "ranks/ranks.h"
#include "values.h"

namespace dagaz::runtime {

int64_t first_row(int64_t rank, int64_t ranks, int64_t rows) {
  return static_cast<int64_t>(static_cast<__int128>(rows) * rank / ranks);
}

/// What goes to and comes from one rank each, in one message.
class Mail {
 public:
  std::vector<char>& with(int64_t rank) { return data_[rank]; }
  int64_t bytes() const {
    int64_t sum = 0;
    for (const auto& [rank, data] : data_) {
      sum += static_cast<int64_t>(data.size());
    }
    return sum;
  }
  std::vector<dz_rank_message> messages() {
    std::vector<dz_rank_message> all;
    for (auto& [rank, data] : data_) {
      all.push_back(
          {static_cast<int32_t>(rank), static_cast<int64_t>(data.size()), data.data()});
    }
    return all;
  }
  /// Of what has come, the next bytes from a rank.
  const char* next(int64_t rank, int64_t bytes) {
    int64_t& at = read_[rank];
    const char* from = data_[rank].data() + at;
    at += bytes;
    return from;
  }

 private:
  std::map<int64_t, std::vector<char>> data_;
  std::map<int64_t, int64_t> read_;
};

namespace {

int64_t owner_of(int64_t row, int64_t ranks, int64_t rows) {
  return static_cast<int64_t>(((static_cast<__int128>(row) + 1) * ranks - 1) / rows);
}

/// The window of `reader`, piece by piece: found(owner, piece).
template <typename Found>
int64_t walk_window(const WindowShape& shape, int64_t reader, int64_t ranks, const Found& found) {
  const int64_t first = first_row(reader, ranks, shape.points);
  const int64_t points = first_row(reader + 1, ranks, shape.points) - first;
  if (points == 0 || shape.rows == 0) {
    return 0;
  }
  const int64_t total = points + shape.high - shape.low;
  for (int64_t k = 0; k < total;) {
    int64_t row = first + shape.low + k;
    if (shape.wraps != 0) {
      row = (row % shape.rows + shape.rows) % shape.rows;
    } else if (row < 0) {
      k += std::min(-row, total - k);
      continue;
    } else if (row >= shape.rows) {
      break;
    }
    const int64_t owner = owner_of(row, ranks, shape.rows);
    const int64_t start = first_row(owner, ranks, shape.rows);
    const int64_t end = first_row(owner + 1, ranks, shape.rows);
    const int64_t count = std::min(end - row, total - k);
    found(owner, WindowPiece{reader, row - start, k, count});
    k += count;
  }
  return total;
}

WindowShape shape_of(const dz_rank_window& one) {
  return {one.rows, one.points, one.low, one.high, one.wraps};
}

char* row_of(dz_block* block, int64_t offset, int64_t row, const dz_rank_window& one) {
  return static_cast<char*>(advance(block->data, offset + row * one.row_bytes));
}

}  // namespace

WindowPlan plan_window(const WindowShape& shape, int64_t rank, int64_t ranks) {
  WindowPlan plan;
  for (int64_t reader = 0; reader < ranks; ++reader) {
    const int64_t total =
        walk_window(shape, reader, ranks, [&](int64_t owner, WindowPiece piece) {
          if (reader == rank && owner == rank) {
            plan.kept.push_back(piece);
          } else if (reader == rank) {
            piece.rank = owner;
            plan.taken.push_back(piece);
          } else if (owner == rank) {
            plan.given.push_back(piece);
          }
        });
    if (reader == rank) {
      plan.rows = total;
    }
  }
  return plan;
}

const WindowPlan& Ranks::plan_of(const WindowShape& shape) {
  const auto found = plans_.find(shape);
  if (found != plans_.end()) {
    return found->second;
  }
  return plans_.emplace(shape, plan_window(shape, index(), size())).first->second;
}

int32_t Ranks::windows(dz_context& context, std::span<dz_rank_window> all) {
  int64_t size = 0;
  for (const dz_rank_window& one : all) {
    size += one.rows * one.row_bytes;
  }
  const int32_t same = compare(context, Collective::windows, size);
  if (same != DZ_OK) {
    return same;
  }
  Mail out;
  Mail in;
  for (dz_rank_window& one : all) {
    const WindowPlan& plan = plan_of(shape_of(one));
    const int64_t bytes = plan.rows * one.row_bytes;
    const int32_t status = dz_allocate(&context, bytes, &one.window);
    if (status != DZ_OK) {
      return status;
    }
    // Rows that the array does not have stay as they are: nobody reads them.
    for (const WindowPiece& piece : plan.given) {
      const char* from = row_of(one.block, one.offset, piece.own, one);
      std::vector<char>& data = out.with(piece.rank);
      data.insert(data.end(), from, from + piece.rows * one.row_bytes);
    }
    for (const WindowPiece& piece : plan.taken) {
      std::vector<char>& data = in.with(piece.rank);
      data.resize(data.size() + static_cast<size_t>(piece.rows * one.row_bytes));
    }
    for (const WindowPiece& piece : plan.kept) {
      std::memcpy(row_of(one.window, 0, piece.window, one),
                  row_of(one.block, one.offset, piece.own, one),
                  static_cast<size_t>(piece.rows * one.row_bytes));
    }
  }
  if (!several()) {
    return DZ_OK;
  }
  const std::vector<dz_rank_message> to = out.messages();
  const std::vector<dz_rank_message> from = in.messages();
  note(Collective::windows, out.bytes(), static_cast<int64_t>(to.size()));
  const int status =
      wait_in(&dz_rank_messages::send, to.data(), static_cast<int32_t>(to.size()),
                      from.data(), static_cast<int32_t>(from.size()));
  for (dz_rank_window& one : all) {
    for (const WindowPiece& piece : plan_of(shape_of(one)).taken) {
      const int64_t bytes = piece.rows * one.row_bytes;
      std::memcpy(row_of(one.window, 0, piece.window, one), in.next(piece.rank, bytes),
                  static_cast<size_t>(bytes));
    }
  }
  return checked(context, status);
}

/// Adds rows to those of this rank that a piece says.
void Ranks::add_piece(const dz_rank_added& one, const WindowPiece& piece, const char* from) {
  const auto element = static_cast<int32_t>(one.element);
  const int64_t row_elements = one.shape.row_bytes / element_info(element).bytes;
  // What came in a message may begin anywhere.
  std::vector<std::max_align_t> aligned(
      static_cast<size_t>(piece.rows * one.shape.row_bytes) / sizeof(std::max_align_t) + 1);
  std::memcpy(aligned.data(), from, static_cast<size_t>(piece.rows * one.shape.row_bytes));
  combine_elements(DZ_ADD, element, aligned.data(), piece.rows * row_elements,
                   row_of(one.shape.window, 0, piece.own, one.shape));
}

/// In the order of ranks.
void Ranks::add_pieces(const dz_rank_added& one, const WindowPlan& plan, Mail& in) const {
  const auto add_own = [&] {
    for (const WindowPiece& piece : plan.kept) {
      add_piece(one, piece, row_of(one.shape.block, one.shape.offset, piece.window, one.shape));
    }
  };
  bool own_added = false;
  for (const WindowPiece& piece : plan.given) {
    if (!own_added && piece.rank > index()) {
      add_own();
      own_added = true;
    }
    add_piece(one, piece, in.next(piece.rank, piece.rows * one.shape.row_bytes));
  }
  if (!own_added) {
    add_own();
  }
}

int32_t Ranks::add_rows(dz_context& context, std::span<dz_rank_added> all) {
  int64_t size = 0;
  for (const dz_rank_added& one : all) {
    size += one.shape.rows * one.shape.row_bytes;
  }
  const int32_t same = compare(context, Collective::add_rows, size);
  if (same != DZ_OK) {
    return same;
  }
  Mail out;
  Mail in;
  for (dz_rank_added& one : all) {
    const WindowPlan& plan = plan_of(shape_of(one.shape));
    const int64_t bytes = count(one.shape.rows) * one.shape.row_bytes;
    const int32_t status = dz_allocate(&context, bytes, &one.shape.window);
    if (status != DZ_OK) {
      return status;
    }
    std::memcpy(one.shape.window->data, advance(one.own->data, one.own_offset),
                static_cast<size_t>(bytes));
    for (const WindowPiece& piece : plan.taken) {
      const char* from = row_of(one.shape.block, one.shape.offset, piece.window, one.shape);
      std::vector<char>& data = out.with(piece.rank);
      data.insert(data.end(), from, from + piece.rows * one.shape.row_bytes);
    }
    for (const WindowPiece& piece : plan.given) {
      std::vector<char>& data = in.with(piece.rank);
      data.resize(data.size() + static_cast<size_t>(piece.rows * one.shape.row_bytes));
    }
  }
  int status = 0;
  if (several()) {
    const std::vector<dz_rank_message> to = out.messages();
    const std::vector<dz_rank_message> from = in.messages();
    note(Collective::add_rows, out.bytes(), static_cast<int64_t>(to.size()));
    status = wait_in(&dz_rank_messages::send, to.data(), static_cast<int32_t>(to.size()),
                             from.data(), static_cast<int32_t>(from.size()));
  }
  for (const dz_rank_added& one : all) {
    add_pieces(one, plan_of(shape_of(one.shape)), in);
  }
  return checked(context, status);
}

}  // namespace dagaz::runtime

int32_t dz_rank_windows(dz_context* context, int32_t count, dz_rank_window* windows) {
  return context->ranks.windows(*context, {windows, static_cast<size_t>(count)});
}

int32_t dz_rank_add_rows(dz_context* context, int32_t count, dz_rank_added* added) {
  return context->ranks.add_rows(*context, {added, static_cast<size_t>(count)});
}
