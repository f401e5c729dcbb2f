// Makes a function do what a placement says.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/alias.h"
#include "ir/builder.h"
#include "passes/distribute/collectives.h"
#include "passes/distribute/notes.h"
#include "passes/distribute/placement.h"

namespace dagaz::passes::distributing {

/// The rows of a rank.
struct Rows {
  ir::NameId first;
  ir::NameId count;
};

/// Values that each rank has, and that are to be combined by an operator: `own` and `whole` are
/// scalars of its, or arrays of them over `outer`.
struct Combined {
  ir::Lambda op;
  std::vector<ir::Operand> neutral;
  std::vector<ir::Operand> outer;
  std::vector<ir::NameId> own = {};
  std::vector<ir::NameId> whole = {};
  bool commutative = false;
};

/// An array whose additions go to those who have its rows.
struct DeliveredInput {
  std::size_t input;  // of the scope that opens it
  ir::NameId whole;
  ir::AccumulatorInput open;
};

/// An addition where it arrives.
struct ArrivedAddition {
  ir::Operand total;
  ir::NameId places;
  std::vector<ir::NameId> further;
  ir::NameId values;
};

/// The lambda's results, with its parameters replaced by `arguments`.
std::vector<ir::Operand> apply(const ir::Lambda& lambda, const std::vector<ir::Operand>& arguments,
                               ir::Builder& b);

class Rewriter {
 public:
  /// Rows that are asked for or delivered count `asked` elements more than they have.
  Rewriter(ir::Program& program, const Placement& placement, const ir::Function& function,
           std::int64_t asked);

  void rewrite(ir::Function& function);

 private:
  // ---- rewrite.cpp
  void find_shared(const ir::Body& body);
  ir::Body body(ir::Body body, const std::vector<ir::NameId>& bound);
  ir::Body body(ir::Body body, const std::vector<ir::NameId>& bound, ir::Builder& out);
  ir::Statements statements(ir::Statements all, ir::Builder& out);
  void statement(ir::Statement statement, ir::Builder& out);
  void share(ir::Statement statement, const Share& share, ir::Builder& out);
  void share_space(ir::Operation& operation, const Share& share, const Rows& rows,
                   ir::Builder& out);
  void read_parts(ir::Operation& operation, const Share& share, const Rows& rows, ir::NameId local,
                  ir::Builder& out);
  std::pair<ir::NameId, std::size_t> part_of(ir::NameId array, const Positions& positions,
                                             const ir::Operand& extent, const Rows& rows,
                                             ir::Builder& out);
  bool reads_own_rows(ir::NameId array, const Positions& positions,
                      const ir::Operand& extent) const;
  /// Gives the statement results of its own; those that it had are what ranks have together.
  Combined take_results(ir::Statement& statement, std::size_t first, std::size_t count);
  std::vector<Combined> start_reduction(ir::Statement& statement);
  std::vector<Combined> start_reduction(ir::Statement& statement,
                                        const std::vector<ir::ReduceOperator>& operators,
                                        const std::vector<ir::Operand>& outer);
  std::vector<Combined> start_sums(ir::Statement& statement);
  void share_sums(ir::Operation& operation, const Share& share, const Rows& rows, ir::Builder& out);
  bool share_view(const ir::Statement& statement, ir::Builder& out);
  bool is_whole(ir::NameId view, const ir::Operation& operation) const;
  void update_part(const ir::Update& update, ir::NameId result, ir::Builder& out);
  /// A name for the rows of `whole` that this rank has.
  ir::NameId own_rows(ir::NameId whole, const Rows& rows, std::size_t dimension = 0);
  /// Binds `whole` to what all ranks have.
  void gather(ir::NameId whole, ir::Builder& out);
  /// Gathers and turns what was made.
  void send(const std::vector<ir::NameId>& all, ir::Builder& out);
  void add_shared(ir::NameId name, ir::Builder& out);
  void add_rows(const ir::Operand& extent, ir::Builder& out);
  const Rows& rows_of(const ir::Operand& extent) const;
  void note_extent(const ir::Operand& extent);
  void leave_results(ir::Body& body);
  bool shares_what_may_fail(const ir::Body& body) const;
  /// To be done before ranks meet.
  void agree(ir::Builder& out);

  // ---- turns.cpp
  void note_turned();
  void turn(const std::vector<ir::NameId>& all, ir::Builder& out);
  void permute_turned(const ir::Permute& permute, ir::NameId result, ir::Builder& out);
  /// What this rank has of an array that ranks have turned to that; nothing: they have not.
  std::optional<ir::NameId> turned_part(ir::NameId array, const Split& split) const;

  // ---- windows.cpp
  /// A window that statements of the same body want.
  struct Wanted {
    ir::NameId array;
    const WindowOver* window;
  };
  /// The rows of a window, in memory of this rank.
  struct Fetched {
    ir::Operand points;
    ir::NameId memory;
    ir::Operand count;
  };
  std::vector<Wanted> windows_of(const ir::Statement& statement);
  void want_windows(const ir::Statements& statements);
  bool is_fetched(const Wanted& wanted) const;
  void fetch_windows(const ir::Statement& statement, ir::Builder& out);
  ir::Operand window_rows(ir::NameId array, const WindowOver& window, ir::Builder& out) const;
  Fetched fetched_window(ir::NameId array, const ir::Operand& points) const;

  // ---- requests.cpp
  void want_answers(const ir::Statements& statements);
  void ask(ir::NameId answers, const Rows& rows, ir::Builder& out);

  // ---- deliver.cpp
  void deliver_results(const ir::Statement& statement, const Rows& rows, ir::Builder& out);
  std::vector<ir::NameId> write_rows(const ir::Operation& operation, const SamePlaces& same,
                                     const PlacesGiven& given, ir::Builder& out);
  std::vector<ir::NameId> scatter_delivered(const ir::SegmentedScatter& scatter,
                                            const SamePlaces& same, const Delivered& delivered,
                                            ir::Builder& out);
  std::vector<ir::HistogramOperator> bins_of_rank(const ir::SegmentedHistogram& histogram,
                                                  const SamePlaces& same, ir::Builder& out);
  std::vector<ir::NameId> add_to_bins(const ir::SegmentedHistogram& histogram,
                                      const SamePlaces& same, const Delivered& arrays,
                                      std::vector<ir::HistogramOperator> operators,
                                      ir::Builder& out);
  std::vector<ir::NameId> combine_bins(const ir::SegmentedHistogram& histogram,
                                       const SamePlaces& same, const PlacesGiven& given,
                                       ir::Builder& out);
  ir::Operand elements_of(const ir::Operand& points, const std::vector<ir::Type>& values,
                          ir::Builder& out) const;
  ir::Operand combining_sends_less(const std::vector<ir::Operand>& combined,
                                   const ir::Operand& delivered, ir::Builder& out);
  /// What the rows of this rank begin with, as memory of its own.
  ir::NameId rows_to_write(ir::NameId array, const ir::Operand& extent, ir::Builder& out);

  // ---- deliver_additions.cpp
  std::vector<NotedAddition> notes_to_take(ir::WithAccumulator& with,
                                           const std::vector<DeliveredInput>& inputs,
                                           const Accumulators& accumulators, ir::Builder& out);
  std::vector<ArrivedAddition> deliver_notes(const std::vector<NotedAddition>& notes,
                                             const std::vector<NoteArrays>& arrays,
                                             const std::vector<DeliveredInput>& inputs,
                                             ir::Builder& out);
  ir::NameId add_arrived(const DeliveredInput& input, const std::vector<NotedAddition>& notes,
                         const std::vector<ArrivedAddition>& arrived, ir::AccumulatorInput open,
                         ir::Builder& out);
  ir::AccumulatorInput rows_of_rank(const DeliveredInput& input, ir::Builder& out);
  std::vector<ir::Operand> combine_notes(const std::vector<NotedAddition>& notes,
                                         const std::vector<NoteArrays>& arrays,
                                         const std::vector<DeliveredInput>& inputs,
                                         ir::Builder& out);
  ArrivedAddition in_a_row(const NoteArrays& arrays, ir::Builder& out) const;
  ir::Operand combining_sends_less(const std::vector<NotedAddition>& notes,
                                   const std::vector<NoteArrays>& arrays,
                                   const std::vector<DeliveredInput>& inputs, ir::Builder& out);
  /// Binds what this rank has of each input then: the additions of all, delivered, or combined
  /// where that sends less.
  void bring_notes(const std::vector<NotedAddition>& notes, const std::vector<NoteArrays>& arrays,
                   const std::vector<DeliveredInput>& inputs, ir::Builder& out);

  // ---- loops.cpp
  ir::NameId rows_to_keep(ir::NameId array, const Split& split, ir::Builder& out);
  void share_loop(ir::Statement statement, ir::Builder& out);
  void share_branch(ir::Statement statement, ir::Builder& out);

  // ---- accumulations.cpp
  std::vector<Combined> start_histogram(ir::Statement& statement, ir::Builder& out);
  /// What a rank writes to of an array that is whole: its rows, as memory of its own.
  void keep_rows(ir::NameId& destination, const Rows& rows, ir::Builder& out);
  void share_additions(ir::Statement statement, ir::Builder& out);
  RowsAdded start_window(ir::Statement& statement, std::size_t input,
                         const Accumulators& accumulators, ir::Builder& out);
  std::optional<ir::NameId> filled_rows(ir::NameId array, const ir::Operand& extent,
                                        ir::Builder& out);
  ir::NameId rows_to_add_to(ir::NameId array, const ir::Operand& extent, ir::Builder& out);
  /// The results of a scope behind `from`: which of them are rows of this rank.
  void take_rows(ir::Statement& statement, ir::Lambda& scope, std::size_t from,
                 std::vector<ir::NameId>& gathered);
  ir::Operand element_of(ir::Operand value) const;
  ir::NameId start(ir::NameId array, std::size_t outer, const ir::Operand& neutral,
                   ir::Builder& out);

  // ---- scans.cpp
  std::vector<ir::NameId> totals_of(const ir::SegmentedScan& scan,
                                    const std::vector<ir::NameId>& scanned, const Rows& rows,
                                    ir::Builder& out);
  std::vector<ir::NameId> before(const ir::SegmentedScan& scan,
                                 const std::vector<ir::NameId>& totals, ir::Builder& out);
  void share_scan(ir::Statement statement, const Share& share, ir::Builder& out);

  // ---- meet.cpp
  void reduce(const std::vector<const Combined*>& sums, ir::Builder& out);
  void collect(const std::vector<const Combined*>& all, ir::Builder& out);
  /// Combines what is pending.
  void meet(ir::Builder& out);
  void meet(std::vector<Combined> all, ir::Builder& out);
  /// What this rank has of the rows, combined with those of what all have.
  std::vector<ir::NameId> combine_rows(const std::vector<ir::NameId>& own, const Combined& met,
                                       ir::Builder& out);
  bool is_pending(ir::NameId name) const;
  bool waits_for_meeting(const ir::Statement& statement) const;
  bool may_overtake(const ir::Statement& statement, const ir::Statements& waiting) const;

  ir::Program& program_;
  ir::Names& names_;
  const Placement& placement_;
  const std::int64_t asked_;
  const Definitions definitions_;
  const ir::AliasInfo aliases_;
  Collectives collectives_;
  std::vector<std::pair<ir::Operand, Rows>> rows_;  // of the extents that are shared
  std::vector<ir::Operand> shared_extents_;
  std::unordered_map<ir::NameId, ir::NameId> own_;          // the rows of split arrays
  std::unordered_map<ir::NameId, ir::Operand> replicated_;  // the value of each element
  std::unordered_map<ir::NameId, std::vector<std::pair<Split, ir::NameId>>> turned_;
  ir::NameSet scratch_;                                     // memory that nothing was written to
  /// A scope whose points add to windows.
  struct OpenAdditions {
    Accumulators accumulators;
    std::vector<const WindowOver*> windows;  // of its inputs; null: none
  };
  std::vector<OpenAdditions> open_;
  std::vector<Wanted> wanted_;                                    // in this body
  std::unordered_map<ir::NameId, std::vector<Fetched>> fetched_;  // in this body and around it
  std::vector<ir::NameId> answers_;  // that are asked for in this body
  std::vector<Combined> pending_;  // what nobody has wanted to know yet
  bool unagreed_ = false;          // whether one rank alone may have failed
};

}  // namespace dagaz::passes::distributing
