#include "ranks/windows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>

#include "context.h"
#include "ranks/combine.h"
#include "ranks/ranks.h"
#include "ranks/staging.h"
#include "values.h"

namespace dagaz::runtime {

int64_t first_row(int64_t rank, int64_t ranks, int64_t rows) {
  return static_cast<int64_t>(static_cast<__int128>(rows) * rank / ranks);
}

/// What goes to and comes from one rank each, in one message.
class Mail {
 public:
  void add(int64_t rank, const char* from, int64_t bytes) {
    data_[rank].insert(data_[rank].end(), from, from + bytes);
  }
  /// So many bytes more will come.
  void expect(int64_t rank, int64_t bytes) {
    data_[rank].resize(data_[rank].size() + static_cast<size_t>(bytes));
  }
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

/// Where a row of its block, or of its window, begins.
int64_t place_of(const dz_rank_window& one, int64_t row) {
  return one.offset + row * one.row_bytes;
}
int64_t bytes_of(const dz_rank_window& one, const WindowPiece& piece) {
  return piece.rows * one.row_bytes;
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

/// Windows whose rows are on their way: where they will be, and what they are sent in.
class SentWindows {
 public:
  explicit SentWindows(dz_context& context) : staging_(context) {}
  ~SentWindows() {
    for (dz_block* one : windows_) {
      dz_release(one);
    }
  }
  SentWindows(const SentWindows&) = delete;
  SentWindows& operator=(const SentWindows&) = delete;

  Staging& staging() { return staging_; }
  Mail& out() { return out_; }
  Mail& in() { return in_; }
  /// Whoever has made the window may give it up before its rows are there.
  void keep(dz_block* window) {
    dz_retain(window);
    windows_.push_back(window);
  }
  /// Rows that will come from a rank, and where they are stored then.
  void expect(int64_t rank, int64_t bytes, char* target) {
    in_.expect(rank, bytes);
    rows_.push_back({rank, bytes, target});
  }
  void store_rows() {
    for (const Rows& one : rows_) {
      std::memcpy(one.target, in_.next(one.rank, one.bytes), static_cast<size_t>(one.bytes));
    }
  }
  void* under_way = nullptr;  // of the table of messages

 private:
  struct Rows {
    int64_t rank;
    int64_t bytes;
    char* target;
  };
  Staging staging_;
  Mail out_;
  Mail in_;
  std::vector<dz_block*> windows_;
  std::vector<Rows> rows_;
};

Ranks::Ranks(const dz_rank_messages* messages, int check_seconds)
    : messages_(messages), check_seconds_(check_seconds) {}

Ranks::~Ranks() = default;

int32_t Ranks::windows(dz_context& context, std::span<dz_rank_window> all) {
  const int32_t started = start_windows(context, all);
  return started != DZ_OK ? started : wait_windows(context);
}

int32_t Ranks::start_windows(dz_context& context, std::span<dz_rank_window> all) {
  int64_t size = 0;
  for (const dz_rank_window& one : all) {
    size += one.rows * one.row_bytes;
  }
  const int32_t same = start_moving(context, Collective::windows, size);
  if (same != DZ_OK || direct_ != nullptr) {
    return same != DZ_OK ? same : windows_directly(context, all);
  }
  auto sent = std::make_unique<SentWindows>(context);
  std::vector<const char*> given;
  for (dz_rank_window& one : all) {
    const int32_t status = start_window(context, one, *sent, given);
    if (status != DZ_OK) {
      return status;
    }
  }
  if (!several()) {
    return DZ_OK;
  }
  const int32_t fetched = sent->staging().fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  Mail& out = sent->out();
  auto next_given = given.begin();
  for (const dz_rank_window& one : all) {
    for (const WindowPiece& piece : plan_of(shape_of(one)).given) {
      out.add(piece.rank, *next_given++, bytes_of(one, piece));
    }
  }
  const std::vector<dz_rank_message> to = out.messages();
  const std::vector<dz_rank_message> from = sent->in().messages();
  note(Collective::windows, out.bytes(), static_cast<int64_t>(to.size()));
  const int status = messages_->start(messages_->communicator, to.data(),
                                      static_cast<int32_t>(to.size()), from.data(),
                                      static_cast<int32_t>(from.size()), &sent->under_way);
  sent_windows_ = std::move(sent);
  return checked(context, status);
}

int32_t Ranks::wait_windows(dz_context& context) {
  if (sent_windows_ == nullptr) {
    return DZ_OK;
  }
  const std::unique_ptr<SentWindows> sent = std::move(sent_windows_);
  const int status = wait_in(&dz_rank_messages::finish, sent->under_way);
  sent->store_rows();
  return status != 0 ? checked(context, status) : sent->staging().store();
}

/// Memory for a window with the rank's own rows in it; rows that the array does not have stay as
/// they are: nobody reads them.
int32_t Ranks::make_window(dz_context& context, dz_rank_window& one) {
  const WindowPlan& plan = plan_of(shape_of(one));
  int32_t status = dz_allocate(&context, plan.rows * one.row_bytes, &one.window);
  for (const WindowPiece& piece : plan.kept) {
    if (status == DZ_OK) {
      status = context.device->copy(advance(one.window->data, piece.window * one.row_bytes),
                                    advance(one.block->data, place_of(one, piece.own)),
                                    bytes_of(one, piece));
    }
  }
  return status;
}

/// Each piece of each array is a message.
int32_t Ranks::windows_directly(dz_context& context, std::span<dz_rank_window> all) {
  std::vector<dz_rank_message> to;
  std::vector<dz_rank_message> from;
  int64_t bytes = 0;
  for (dz_rank_window& one : all) {
    const int32_t status = make_window(context, one);
    if (status != DZ_OK) {
      return status;
    }
    const WindowPlan& plan = plan_of(shape_of(one));
    for (const WindowPiece& piece : plan.given) {
      add_piece(to, piece.rank, advance(one.block->data, place_of(one, piece.own)),
                bytes_of(one, piece));
      bytes += bytes_of(one, piece);
    }
    for (const WindowPiece& piece : plan.taken) {
      add_piece(from, piece.rank, advance(one.window->data, piece.window * one.row_bytes),
                bytes_of(one, piece));
    }
  }
  note(Collective::windows, bytes, static_cast<int64_t>(to.size()));
  return move(to, from);
}

int32_t Ranks::start_window(dz_context& context, dz_rank_window& one, SentWindows& sent,
                            std::vector<const char*>& given) {
  const WindowPlan& plan = plan_of(shape_of(one));
  const int32_t status = make_window(context, one);
  if (status != DZ_OK) {
    return status;
  }
  sent.keep(one.window);
  for (const WindowPiece& piece : plan.given) {
    given.push_back(
        sent.staging().look(*one.block, place_of(one, piece.own), bytes_of(one, piece)));
  }
  for (const WindowPiece& piece : plan.taken) {
    const int64_t bytes = bytes_of(one, piece);
    sent.expect(piece.rank, bytes,
                sent.staging().fill(*one.window, piece.window * one.row_bytes, bytes));
  }
  return DZ_OK;
}

/// Sends what is in one, and receives what is expected in the other.
int Ranks::exchange_mail(Collective kind, Mail& out, Mail& in) {
  const std::vector<dz_rank_message> to = out.messages();
  const std::vector<dz_rank_message> from = in.messages();
  note(kind, out.bytes(), static_cast<int64_t>(to.size()));
  return wait_in(&dz_rank_messages::send, to.data(), static_cast<int32_t>(to.size()),
                 from.data(), static_cast<int32_t>(from.size()));
}

/// What is added to the rows of one array, on the host.
struct RowsAdded {
  const dz_rank_added& what;
  const char* added;  // the window
  const char* own;
  char* sums;

  int64_t row_bytes() const { return what.shape.row_bytes; }
  int64_t bytes(const WindowPiece& piece) const { return bytes_of(what.shape, piece); }
  /// Adds rows to those of this rank that a piece says.
  void add(const WindowPiece& piece, const char* from) const {
    const auto element = static_cast<int32_t>(what.element);
    // What came in a message may begin anywhere.
    std::vector<std::max_align_t> aligned(
        static_cast<size_t>(bytes(piece)) / sizeof(std::max_align_t) + 1);
    std::memcpy(aligned.data(), from, static_cast<size_t>(bytes(piece)));
    combine_elements(DZ_ADD, element, aligned.data(), bytes(piece) / element_info(element).bytes,
                     sums + piece.own * row_bytes());
  }
};

/// In the order of ranks.
void Ranks::add_pieces(const RowsAdded& one, const WindowPlan& plan, Mail& in) const {
  const auto add_own = [&] {
    for (const WindowPiece& piece : plan.kept) {
      one.add(piece, one.added + piece.window * one.row_bytes());
    }
  };
  bool own_added = false;
  for (const WindowPiece& piece : plan.given) {
    if (!own_added && piece.rank > index()) {
      add_own();
      own_added = true;
    }
    one.add(piece, in.next(piece.rank, one.bytes(piece)));
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
  Staging staging(context);
  std::vector<RowsAdded> sums;
  for (dz_rank_added& one : all) {
    const WindowPlan& plan = plan_of(shape_of(one.shape));
    const int64_t bytes = count(one.shape.rows) * one.shape.row_bytes;
    const int32_t status = dz_allocate(&context, bytes, &one.shape.window);
    if (status != DZ_OK) {
      return status;
    }
    sums.push_back({one,
                    staging.look(*one.shape.block, one.shape.offset,
                                 plan.rows * one.shape.row_bytes),
                    staging.look(*one.own, one.own_offset, bytes),
                    staging.fill(*one.shape.window, 0, bytes)});
  }
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  Mail out;
  Mail in;
  for (const RowsAdded& one : sums) {
    const WindowPlan& plan = plan_of(shape_of(one.what.shape));
    std::memcpy(one.sums, one.own,
                static_cast<size_t>(count(one.what.shape.rows) * one.row_bytes()));
    for (const WindowPiece& piece : plan.taken) {
      out.add(piece.rank, one.added + piece.window * one.row_bytes(), one.bytes(piece));
    }
    for (const WindowPiece& piece : plan.given) {
      in.expect(piece.rank, one.bytes(piece));
    }
  }
  const int status = several() ? exchange_mail(Collective::add_rows, out, in) : 0;
  for (const RowsAdded& one : sums) {
    add_pieces(one, plan_of(shape_of(one.what.shape)), in);
  }
  return status != 0 ? checked(context, status) : staging.store();
}

}  // namespace dagaz::runtime

int32_t dz_rank_windows(dz_context* context, int32_t count, dz_rank_window* windows) {
  return context->ranks.windows(*context, {windows, static_cast<size_t>(count)});
}

int32_t dz_rank_start_windows(dz_context* context, int32_t count, dz_rank_window* windows) {
  return context->ranks.start_windows(*context, {windows, static_cast<size_t>(count)});
}

int32_t dz_rank_wait_windows(dz_context* context) { return context->ranks.wait_windows(*context); }

int32_t dz_rank_add_rows(dz_context* context, int32_t count, dz_rank_added* added) {
  return context->ranks.add_rows(*context, {added, static_cast<size_t>(count)});
}
