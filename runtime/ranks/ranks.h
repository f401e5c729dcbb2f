// The processes that run a program together, as one context sees them.
//
// Each has an equal part of every array that is split: rank r of p has rows [n·r/p, n·(r+1)/p).
// What fails on one rank alone is told to the others when they next agree; every call of an entry
// point ends by agreeing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi.h"
#include "device.h"
#include "ranks/direct.h"
#include "ranks/messages.h"
#include "ranks/requests.h"
#include "ranks/windows.h"

namespace dagaz::runtime {

class Staging;
class Mail;         // windows.cpp
class SentWindows;  // windows.cpp
struct RowsAdded;   // windows.cpp
struct TurnedRows;  // turn.cpp
struct RankSum;     // reduce.h

/// Kinds of collective operations that are counted apart.
enum class Collective : std::uint8_t {
  agree,
  gather,
  turn,
  windows,
  add_rows,
  request,
  deliver,
  collect,
  reduce,
  call  // of an entry point, where ranks compare what they do
};

constexpr std::array<std::string_view, 10> collective_names{
    "agree",   "gather",  "turn",    "windows", "add_rows",
    "request", "deliver", "collect", "reduce",  "call"};
constexpr size_t counted_kinds = collective_names.size() - 1;

/// The text that one rank has, the first, or none, on all; false where it cannot be sent.  `ranks`
/// may be null: then it stays.
bool share_text(const dz_rank_messages* ranks, std::optional<std::string>& text, int root = 0);

/// While alive, the process ends with a message after so many seconds; 0: never.
class Patience {
 public:
  explicit Patience(int seconds);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  int seconds_;
  void (*before_)(int) = nullptr;
};

class Ranks {
 public:
  /// `messages` may be null: this process runs alone.
  /// With `check_seconds` the ranks compare what they are about to do, and wait for each other so
  /// long at most.
  Ranks(const dz_rank_messages* messages, int check_seconds);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  bool several() const { return messages_ != nullptr && messages_->size > 1; }
  int64_t index() const { return messages_ == nullptr ? 0 : messages_->rank; }
  int64_t size() const { return messages_ == nullptr ? 1 : messages_->size; }
  int64_t first(int64_t rows) const { return first_of(index(), rows); }
  int64_t count(int64_t rows) const { return count_of(index(), rows); }

  /// The status of all ranks: that of the first that failed, whose message the others report.
  int32_t agree(dz_context& context, int32_t own);
  /// The same at the end of a call, unless the ranks have agreed that it failed.
  int32_t settle(dz_context& context, int32_t own);
  /// Where ranks compare what they do, whether all are about to make this call with these
  /// arguments.
  int32_t start_call(dz_context& context, const dz_entry& entry,
                     const std::vector<dz_leaf>& arguments);
  /// Where the program has what is done next; the text stays.
  void set_place(const char* place) { place_ = place; }
  int32_t gather(dz_context& context, const dz_block& part, int64_t offset, dz_block& whole,
                 int64_t rows, int64_t row_bytes);
  /// Memory for an array of which this rank writes its rows alone.
  int32_t leave(dz_context& context, int64_t rows, int64_t row_bytes, dz_block** whole) const;
  /// Gathers the rows of an array that has those of this rank alone, in their place.
  int32_t make_whole(dz_context& context, dz_block& block);
  int32_t turn(dz_context& context, std::span<dz_rank_turned> all);
  int32_t windows(dz_context& context, std::span<dz_rank_window> all);
  /// The same in two steps: between them the rows of others are on their way.
  int32_t start_windows(dz_context& context, std::span<dz_rank_window> all);
  int32_t wait_windows(dz_context& context);
  int32_t add_rows(dz_context& context, std::span<dz_rank_added> all);
  int32_t request(Staging& staging, int64_t call, int64_t rows, std::span<const int64_t> places,
                  std::span<dz_rank_requested> all);
  /// What all ranks have for rows of this one.
  int32_t deliver(Staging& staging, int64_t call, int64_t rows, std::span<const int64_t> places,
                  std::span<dz_rank_delivered> all, OwnPlaces own);
  int32_t collect(dz_context& context, std::span<const dz_rank_piece> pieces);
  int32_t reduce(dz_context& context, std::span<const dz_rank_sum> sums);

  /// What this rank has handed over, a line for each kind.
  std::string counts() const;

 private:
  int64_t first_of(int64_t rank, int64_t rows) const { return first_row(rank, size(), rows); }
  int64_t count_of(int64_t rank, int64_t rows) const {
    return first_of(rank + 1, rows) - first_of(rank, rows);
  }
  int32_t start_moving(dz_context& context, Collective kind, int64_t size);
  int32_t connect(dz_context& context);
  /// Directly, between the devices.
  int32_t move(std::span<const dz_rank_message> to, std::span<const dz_rank_message> from);
  int32_t gather_directly(void* whole, std::span<const int64_t> sizes);
  int32_t windows_directly(dz_context& context, std::span<dz_rank_window> all);
  int32_t turn_directly(dz_context& context, std::span<const dz_rank_turned> all);
  int32_t make_window(dz_context& context, dz_rank_window& one);
  int32_t start_window(dz_context& context, dz_rank_window& one, SentWindows& sent,
                       std::vector<const char*>& given);
  int exchange_mail(Collective kind, Mail& out, Mail& in);
  void add_pieces(const RowsAdded& one, const WindowPlan& plan, Mail& in) const;
  int64_t part_of(const dz_rank_turned& one, bool before) const;
  std::vector<int64_t> turned_bytes(std::span<const dz_rank_turned> all, bool of_sender) const;
  Lines block_of(const TurnedRows& one, int64_t rank) const;
  const WindowPlan& plan_of(const WindowShape& shape);
  int exchange_counts(const std::vector<int64_t>& to, std::vector<int64_t>& from) const;
  int64_t to_others(const std::vector<int64_t>& counts, int64_t bytes) const;
  using PlaceSorter = SortedPlaces (*)(std::span<const int64_t>, int64_t rows, int64_t ranks);
  int make_plan(RequestPlan& plan, SortedPlaces asked, int64_t rows);
  int renew_plan(RequestPlan& plan, std::span<const int64_t> places, int64_t rows, PlaceSorter sort,
                 int64_t& bytes);
  std::vector<int64_t> part_bytes(int64_t rows, int64_t row_bytes) const;
  void note(Collective kind, int64_t bytes, int64_t messages = 0);
  int32_t checked(dz_context& context, int status) const;
  /// Calls an operation of the engine, which ends when the other ranks are there; where ranks
  /// compare what they do, they are waited for so long at most.
  template <typename Operation, typename... Arguments>
  int wait_in(Operation operation, Arguments... arguments) const {
    const Patience patience(patience_);
    return (messages_->*operation)(messages_->communicator, arguments...);
  }
  int32_t compare_devices(dz_context& context);
  int32_t compare(dz_context& context, Collective kind, int64_t size, uint64_t mark = 0);
  int32_t reduce_directly(dz_context& context, std::span<const dz_rank_sum> sums);
  int reduce_few(std::span<const RankSum> sums, int64_t bytes) const;
  int reduce_parts(std::span<const RankSum> sums) const;
  int reduce_halves(std::span<const RankSum> sums) const;
  int halve(std::span<const RankSum> sums) const;
  int swap_with(int64_t rank, std::vector<char>& out, std::vector<char>& in) const;
  /// Where this rank's part of the elements is left.
  char* mine_of(const RankSum& sum) const;

  struct Counted {
    int64_t calls = 0;
    int64_t bytes = 0;
    int64_t messages = 0;  // where they go to some ranks alone
  };
  const dz_rank_messages* messages_;
  std::array<Counted, counted_kinds> counted_{};
  std::map<WindowShape, WindowPlan> plans_;  // of the windows so far
  std::unique_ptr<SentWindows> sent_windows_;  // those that nobody has waited for
  // Of this call, by where the program asks or delivers: its place and a number.
  std::map<std::pair<std::string, int64_t>, RequestPlan> requests_;
  const int check_seconds_;       // 0: nothing is compared
  int patience_ = 0;              // seconds for what was compared last; 0: without end
  const char* place_ = "";
  bool devices_compared_ = false;
  bool connected_ = false;  // ranks know what carries direct messages
  std::unique_ptr<DirectMessages> direct_;  // null: nothing does
  bool settled_ = false;  // this call has failed, and all ranks know
};

}  // namespace dagaz::runtime
