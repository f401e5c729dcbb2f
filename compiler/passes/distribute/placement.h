// Which operations ranks share, and which arrays are split among them, as a consequence of a
// choice.
//
// The choice names extents.  Every operation whose outermost dimension has such an extent is
// shared: each rank does its rows.  So is a reduction along such an extent; what the ranks have
// then meets. An array of which each rank has made its rows stays split; if somebody reads it
// elsewhere than at the row that he makes himself, it is gathered as soon as it is made. Everything
// else every rank does for itself: that is always right.
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"
#include "passes/distribute/additions.h"
#include "passes/distribute/deliveries.h"
#include "passes/distribute/notes.h"
#include "passes/distribute/reads.h"
#include "passes/distribute/taken_reads.h"

namespace dagaz::passes::distributing {

struct Choice {
  std::vector<ir::Operand> extents;
  ir::NameSet unshared;  // operations, by first result, that are not shared although they could be
  ir::NameSet unasked;   // what reads rows at places, of arrays that are gathered instead
  // What points write or add at places goes to those who have the rows: of scatters and histograms,
  // by first result, and of arrays that accumulators are opened for, by result.
  ir::NameSet delivered;
};

/// How ranks share an operation.
struct Share {
  std::size_t dimension;  // of its space; behind them all: the elements of a sum (inner_sums.h)
  bool reduces = false;   // along that dimension: results meet
};
/// The extent that is shared.
const ir::Operand& extent_of(const ir::Operation& operation, const Share& share);
SharedIndex index_of(const ir::Operation& operation, std::size_t dimension);

/// An array of which each rank has a part.
struct Split {
  ir::Operand extent;
  std::size_t dimension = 0;  // another one for views, and for what loops save of each step
  bool operator==(const Split&) const = default;
};

/// An array that is split by its rows is read through a window by points over `points`: those need
/// rows of other ranks.
struct WindowOver {
  ir::Operand points;
  Window window;
};

struct Placement {
  std::unordered_map<ir::NameId, Share> shares;  // by first result
  std::unordered_map<ir::NameId, Split> split;   // arrays
  ir::NameSet gathered;                          // those of them that are needed whole
  ir::NameSet left;                              // results, of which callers may want no more
  ir::NameSet accumulations;                     // whose additions are shared, by first result
  std::unordered_map<ir::NameId, std::vector<WindowOver>> windows;  // of arrays
  // Arrays that are read at a rank's own elements of other dimensions than they are split by.
  std::unordered_map<ir::NameId, std::vector<Split>> turned;
  Requests requests;  // for rows of arrays, of those who have them
  // Arrays that ranks add to in windows: the sums of rows go to those who have them.
  std::unordered_map<ir::NameId, WindowOver> added;
  // What goes to those who have the rows, by result as in a choice.
  std::unordered_map<ir::NameId, std::vector<Brought>> delivered;

  /// The dimension along which the array is split by the extent.
  std::optional<std::size_t> split_at(ir::NameId array, const ir::Operand& extent) const {
    const auto found = split.find(array);
    if (found == split.end() || found->second.extent != extent) return std::nullopt;
    return found->second.dimension;
  }
  bool has_rows(ir::NameId array, const ir::Operand& extent) const {
    return split_at(array, extent) == std::size_t{0};
  }
  /// Whether ranks send the array to each other as soon as it was made.
  bool is_sent(ir::NameId array) const {
    return gathered.contains(array) || turned.contains(array);
  }
  /// What is asked for; null: nothing, or the array is there.
  const Request* request_of(ir::NameId answers) const;
  /// The window of an array that is not needed whole; null: it has none.
  const WindowOver* window_of(ir::NameId array, const ir::Operand& points) const;
};

/// The space of a segmented operation; null for others.
const std::vector<ir::SpaceDimension>* space_of(const ir::Operation& operation);

/// The dimension of the value that an update writes into all of an array's split dimension.
std::optional<std::size_t> rows_of_value(const ir::Update& update, const Split& split);

/// Whether a point may fail, on the rank that has it.
bool may_fail(const ir::Operation& operation, const Definitions& definitions);
/// How many of the results, the first ones, ranks combine.
std::size_t combined_results(const ir::Statement& statement, const Share& share);

/// Who gets the results of a function: callers of an entry point, who may want a rank's own rows
/// alone, or the program.
enum class Results { for_callers, for_program };

/// What holds for a function whatever is chosen.
class Placer {
 public:
  Placer(const ir::Function& function, const ir::Names& names, Results results,
         const Requests& requests)
      : function_(function),
        names_(names),
        results_(results),
        requests_(requests),
        definitions_(function) {}

  Placement place(const Choice& choice);
  /// The ways in which an operation can be shared, the best first.
  std::vector<Share> ways(const ir::Statement& statement) const;

 private:
  void place(const ir::Statement& statement);
  void place(const ir::Branch& branch, const std::vector<ir::Binder>& results);
  void place(const ir::Loop& loop, const std::vector<ir::Binder>& results);
  bool place_view(const ir::Operation& operation, ir::NameId result);
  bool place(const ir::Permute& permute, ir::NameId result);
  bool place(const ir::Index& read, ir::NameId result);
  bool place(const ir::Update& update, ir::NameId result);
  void add_view(ir::NameId result, ir::NameId array, Split split);
  std::vector<Split> splits_of_state(const ir::Loop& loop, std::size_t k, ir::NameId result) const;
  bool is_split(const ir::Operand& operand, const Split& split) const;
  std::optional<Share> way(const ir::Statement& statement);
  bool combines_more(const ir::Statement& statement, const Share& share, const Reads& reads) const;
  bool reads_rows(const std::pair<const ir::NameId, ArrayReads>& read,
                  const ir::Operand& extent) const;
  bool reads_window(const std::pair<const ir::NameId, ArrayReads>& read,
                    const ir::Operand& extent) const;
  std::optional<Split> turn(const std::pair<const ir::NameId, ArrayReads>& read,
                            const ir::Operand& extent) const;
  bool asks(const ir::Statement& statement, ir::NameId array) const;
  bool is_chosen(const ir::Operand& extent) const;
  bool delivers(const ir::Statement& statement) const;
  const Notes& notes(const ir::WithAccumulator& with, ir::NameId first,
                     const Accumulators& accumulators);
  std::vector<Brought> brought_to(const ir::AccumulatorInput& open, std::size_t input,
                                  const Notes& notes) const;
  void share_deliveries(const ir::Statement& statement);
  void need_rows(ir::NameId array, const ir::Operand& extent);
  void add_turn(ir::NameId array, Split split);
  void add_window(ir::NameId array, const ir::Operand& points, const Window& window);
  bool adds(const ir::Statement& statement) const;
  bool shares_additions(const ir::WithAccumulator& with);
  void place(const ir::WithAccumulator& with, const std::vector<ir::Binder>& results);
  std::optional<WindowOver> added_window(const ir::WithAccumulator& with, std::size_t input,
                                         const Accumulators& accumulators);
  void share(const ir::Statement& statement, const Share& share);
  bool is_gathered(ir::NameId array) const;
  void leave(const ir::Operand& result);
  void need(const ir::Operand& operand);
  void need_all(const ir::Statement& statement);
  const Reads& reads_of(const ir::Statement& statement, std::size_t dimension);

  const ir::Function& function_;
  const ir::Names& names_;
  const Results results_;
  const Requests& requests_;  // that may be made
  const Definitions definitions_;
  const Choice* choice_ = nullptr;
  Placement placement_;
  std::unordered_map<ir::NameId, ir::NameId> views_;  // of arrays that are split
  std::unordered_map<ir::NameId, std::vector<int>> orders_;  // of the dimensions of permuted ones
  std::unordered_map<ir::NameId, std::unordered_map<std::size_t, Reads>> reads_;
  std::unordered_map<ir::NameId, std::unordered_map<std::size_t, AdditionWindows>> additions_;
  std::unordered_map<ir::NameId, std::optional<Accumulators>> accumulators_;
  // By the dimensions that are shared.
  std::unordered_map<ir::NameId, std::pair<std::vector<std::size_t>, Notes>> notes_;
};

}  // namespace dagaz::passes::distributing
