// Reverse mode by re-execution.
//
// For a scope, the forward sweep emits its statements; the return sweep walks them backwards and
// turns the adjoints of results into adjoints of operands.  A nested scope (lambda body, branch,
// loop body) emits both sweeps anew inside its own return code, so nothing inside it was stored;
// dead-code removal deletes what is not needed.  Only sequential loops store: what their plan says
// (loop_plan.h, rules/loop.cpp), from which the rest of an iteration follows.
//
// Adjoints are used linearly: once a contribution is added, the old sum is dead.  So an array
// adjoint that is `owned` may be updated in place.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/ad/activity.h"
#include "passes/ad/environment.h"
#include "passes/ad/interchange.h"
#include "passes/ad/loop_plan.h"
#include "passes/passes.h"

namespace dagaz::passes::ad {

/// Whether nobody else refers to a value, so that it may be updated in place.
enum class Ownership { owned, shared };

/// The sum of contributions so far to the adjoint of one name.
struct Adjoint {
  /// The dense value; nothing stands for zero.
  std::optional<ir::Operand> value;
  Ownership ownership = Ownership::shared;
  /// For an array used by the iterations of a map: contributions go to this accumulator instead.
  std::optional<ir::NameId> accumulator;
  /// For an array of which every iteration gives a whole array: contributions are kept apart, to
  /// be summed over the iterations one by one.
  bool deferred = false;
  std::vector<ir::Operand> contributions;
};

struct ReverseOptions {
  /// The result will be differentiated again: formulas that are only right to first order (the
  /// product by zero counts) are not used.
  bool differentiated_again = false;
  /// No other map is around: one that would keep arrays of every iteration may run in chunks.
  bool in_chunks = false;
  /// Elements of a chunk, at least.
  std::int64_t least_chunk = AdOptions{}.least_chunk;
  /// They may run one after the other.
  bool in_order = false;
};

class Reverse {
 public:
  Reverse(Environment& environment, AdReport* report, ReverseOptions options)
      : environment_(&environment),
        report_(report),
        options_(options),
        varied_(environment.names()) {}

  // Setting up.
  /// Declares an original name as differentiated.
  void activate(ir::NameId original) { varied_.seed(original, 1); }
  /// Finds what depends on the activated names.
  void analyse(const std::vector<ir::Statement>& statements) { varied_.run(statements); }

  // The two sweeps of a scope.
  void forward_sweep(const std::vector<ir::Statement>& statements);
  void return_sweep(const std::vector<ir::Statement>& statements);

  // Adjoints, of original operands.
  bool is_active(const ir::Operand& original) const;
  bool has_adjoint(const ir::Operand& original) const;
  void add_adjoint(const ir::Operand& original, ir::Operand contribution, Ownership ownership);
  /// Adds to array[indices…]; `value` is a scalar, or an array for the dimensions left.
  void add_at(ir::NameId original, const std::vector<ir::Operand>& indices, ir::Operand value);
  /// Adds to the part of an array.
  void add_slice(ir::NameId original, const std::vector<ir::SliceDimension>& dimensions,
                 ir::Operand value);
  /// The adjoint of a name bound in the scope, which is then forgotten; nothing if zero.
  std::optional<Adjoint> take(ir::NameId original);
  /// The dense adjoint; zeros if there is none.
  ir::Operand take_or_zero(ir::NameId original);
  /// The same, safe to update in place.
  ir::Operand take_owned(ir::NameId original);

 private:
  // What the forward sweep of a loop leaves for its return sweep: arrays over the iterations, and how
  // to get what is not in one.
  struct SavedLoop {
    LoopPlan plan;
    std::vector<ir::Operand> entries;    // per loop value
    std::vector<ir::Operand> values;     // as in the plan
    std::vector<SavedLoop> inner;        // as in the plan
    std::vector<ir::Operand> iteration;  // of the loops around that keep for this one
    ir::Operand trips;                   // i64

    /// All arrays over iterations.
    std::vector<ir::Operand*> arrays();
  };
  // A map that is differentiated: the statement's own, or one that a rule makes up.
  struct MapSite {
    const ir::Statement* statement = nullptr;  // null for one that a rule makes up
    ir::Operand width;
    const ir::Lambda* lambda;
    std::vector<std::optional<ir::NameId>> arrays;     // emitted; nothing for accumulators
    std::vector<std::optional<ir::NameId>> originals;  // whose adjoints the rows' adjoints are
    std::vector<std::optional<ir::Operand>> adjoints;  // emitted arrays, per result
    ir::ModeRequest mode = ir::ModeRequest::none;
    bool sequential = false;
    // For a flatmap: results whose adjoint is a part of one array, of which each iteration's part
    // is `sizes` long from `starts` on.
    std::vector<std::optional<ir::NameId>> segments;  // per result
    ir::NameId starts = {};
    ir::NameId sizes = {};
  };

  // Forward sweep.
  void forward_statement(const ir::Statement& statement);
  // `key` is the statement of the original code, `statement` the same without accumulators.
  void forward_loop(const ir::Statement& key, const ir::Statement& statement,
                    const ir::Loop& loop);
  struct ForwardLoop;
  LoopPlan plan_of(const ir::Loop& loop, bool only_loop_values);
  bool is_known(const ir::Statement& statement) const;
  std::vector<ir::Statement> counted_while(const ir::Statement& statement);
  std::vector<ir::Statement> bounded_while(const ir::Statement& statement, const ir::Loop& loop);
  void check_bound(ir::Statement& statement, const ir::Loop& original,
                   std::vector<ir::Statement>& after);
  void copy_protected(const ir::Statement& statement);
  void inline_custom(const ir::Statement& statement, const ir::CustomDerivative& custom);

  // Return sweep: one rule for each operation.
  void return_statement(const ir::Statement& statement);
  void rule(const ir::Statement& statement, const ir::Scalar& scalar);
  void rule(const ir::Statement& statement, const ir::Update& update);
  void rule(const ir::Statement& statement, const ir::Iota& iota);
  void rule(const ir::Statement& statement, const ir::Replicate& replicate);
  void rule(const ir::Statement& statement, const ir::Concat& concat);
  void rule(const ir::Statement& statement, const ir::Reshape& reshape);
  void rule(const ir::Statement& statement, const ir::Permute& permute);
  struct ReturnBranch;
  void rule(const ir::Statement& statement, const ir::Branch& branch);
  void rule(const ir::Statement& statement, const ir::Loop& loop);
  void return_loop(const ir::Statement& key, const ir::Statement& statement,
                   const ir::Loop& loop, const std::vector<ir::Statement>& body);
  void rule(const ir::Statement& statement, const ir::Call& call);
  void rule(const ir::Statement& statement, const ir::MapScanReduce& map);
  void rule(const ir::Statement& statement, const ir::Histogram& histogram);
  void rule(const ir::Statement& statement, const ir::Scatter& scatter);
  void rule(const ir::Statement& statement, const ir::WithAccumulator& with);
  void rule(const ir::Statement& statement, const ir::Accumulate& accumulate);
  void rule(const ir::Statement& statement, const ir::FlatMap& flat_map);
  void rule(const ir::Statement& statement, const ir::CustomDerivative& custom);

  // rules/loop.cpp
  struct ReturnLoop;
  std::vector<bool> carried_values(const ir::Statement& statement, const ir::Loop& loop);
  void recompute_values(const ir::Statement& statement, const ir::Loop& loop,
                        const ir::Operand& iteration);
  struct Restored {
    ir::NameId original;
    ir::NameId array;
    ir::Operand value;  // of the array
  };
  std::vector<Restored> restore_entries(const SavedLoop& saved, const ir::Statement& statement,
                                        const ir::Loop& loop, const ir::Operand& iteration);
  std::vector<Restored> restore_values(const SavedLoop& saved, const ir::Operand& iteration);
  Restored restored_value(ir::NameId original, const ir::Operand& array,
                          const std::vector<ir::Operand>& place);
  void forget_values(const SavedLoop& saved);
  // The names of values among `free` that adjoints may be added to.
  std::vector<ir::NameId> outer_active_names(const std::vector<ir::NameId>& free) const;
  // What a nested scope that was handed the adjoint of a name gives back.
  void replace_adjoint(ir::NameId original, ir::NameId after);

  // rules/map.cpp, mixed.cpp
  using Sums = std::vector<std::pair<ir::NameId, SumOverMap::Plan>>;
  struct ReturnMap;
  void return_map(const MapSite& site);
  void enter_map(const MapSite& site, ReturnMap& back);
  void take_known_results(const MapSite& site, ReturnMap& back);
  void add_segment(const MapSite& site, std::size_t result, const ReturnMap& back);
  void leave_map(const MapSite& site, ReturnMap& back);
  void sweep_iteration(const MapSite& site, ReturnMap& back);
  Sums plan_sums(ReturnMap& back, SumOverMap& sums);
  void close_map(ReturnMap& back, const SumOverMap& sums);
  void note_accumulators(const ir::Statement& statement, const ReturnMap& back);
  // emit_map.cpp
  std::vector<ir::Binder> fresh_results(const std::vector<ir::Type>& types);
  ir::Statement map_statement(const MapSite& site, ReturnMap& back,
                              std::vector<ir::Binder> results,
                              const std::vector<ir::Binder>& last);
  ir::WithAccumulator open_accumulators(ReturnMap& back);
  void emit_in_accumulators(const MapSite& site, ReturnMap& back, ir::WithAccumulator with,
                            const std::vector<ir::Binder>& results,
                            const std::vector<ir::Binder>& last);
  std::vector<ir::NameId> emit_map(const MapSite& site, ReturnMap& back);
  void emit_at_once(const MapSite& site, ReturnMap& back, SumOverMap& sums, Sums plans);
  // rules/chunked_map.cpp
  bool runs_in_chunks(const MapSite& site, const ReturnMap& back, const SumOverMap& sums) const;
  ir::Operand chunk_size(const MapSite& site, const SumOverMap& sums, const Sums& plans);
  void keep_repeated_values(ReturnMap& back, const SumOverMap& sums);
  void emit_chunks(const MapSite& site, ReturnMap& back, SumOverMap& sums, Sums plans);
  void note_sums(const ir::Statement& statement, const Sums& plans, const SumOverMap& sums);
  const ir::Lambda* keep(ir::Lambda lambda);
  ir::NameId add_accumulator(ReturnMap& back, ir::NameId name, const ir::Type& type);
  void set_summed(ir::NameId name, Adjoint adjoint);
  bool core_goes_forward(const MapSite& site, const std::vector<ir::NameId>& inputs);
  void core_forward(const ir::Lambda& lambda, const std::vector<ir::NameId>& inputs,
                    const std::vector<std::optional<ir::Operand>>& result_adjoints);
  // rules/reduce.cpp, rules/scan.cpp
  void return_reduce(const ir::Statement& statement, const ir::MapScanReduce& map);
  bool add_to_winner(ir::NameId original, ir::NameId winner, const ir::Operand& adjoint);
  void reduce_extremum(const ir::Statement& statement, const ir::MapScanReduce& map,
                       ir::Operand adjoint);
  void reduce_product(const ir::MapScanReduce& map, ir::Operand adjoint);
  ir::Lambda constant_operator(const ir::Lambda& op);
  const ir::Lambda* middle_operator(const ir::Statement& statement, const ir::Lambda& op);
  void reduce_general(const ir::Statement& statement, const ir::MapScanReduce& map);
  void return_scan(const ir::Statement& statement, const ir::MapScanReduce& map);
  struct ScanSite;
  struct ScanRecurrence;
  std::vector<ir::NameId> scan_recurrence(const ScanSite& site);
  bool scan_needs_loop(const ir::MapScanReduce& map) const;
  std::vector<ir::Statement> scan_as_loop(const ir::Statement& statement,
                                          const ir::MapScanReduce& map);
  /// xs reversed along the outer dimension.
  ir::NameId reversed(ir::NameId array, const ir::Operand& width);
  /// [first, xs[0], …, xs[width-2]]
  ir::NameId shifted(ir::NameId array, const ir::Operand& first, const ir::Operand& width);

  // rules/histogram.cpp
  struct HistogramSite;
  ir::NameId scattered_adjoints(const ir::Operand& width, const std::vector<ir::NameId>& indices,
                                ir::NameId adjoint, const std::vector<ir::Operand>& shape);
  void histogram_product(const HistogramSite& site);
  ir::NameId map_here(
      const ir::Operand& width, const std::vector<ir::NameId>& arrays,
      const std::function<ir::Operand(const std::vector<ir::NameId>&)>& element);
  ir::NameId map_bins(
      const std::vector<ir::Operand>& shape, const std::vector<ir::NameId>& arrays,
      const std::function<ir::Operand(const std::vector<ir::NameId>&)>& element);
  bool has_histogram_rule(const ir::HistogramOperator& each) const;

  // rules/histogram_general.cpp
  struct SortedBins;
  void histogram_general(const ir::Statement& statement, const ir::HistogramOperator& histogram,
                         const ir::Operand& width, const std::vector<ir::NameId>& indices,
                         const std::vector<ir::NameId>& originals,
                         const std::vector<std::optional<ir::Operand>>& adjoints);
  void histogram_destinations(const ir::HistogramOperator& histogram, const ir::Operand& bins,
                              const ir::Operand& width, const std::vector<ir::NameId>& indices,
                              const std::vector<ir::NameId>& originals,
                              const std::vector<ir::NameId>& destinations,
                              const std::vector<std::optional<ir::Operand>>& adjoints);
  ir::NameId bin_numbers(const ir::Operand& width, const std::vector<ir::NameId>& indices,
                         const std::vector<ir::Operand>& shape, const ir::Operand& bins);
  std::vector<ir::NameId> sort_by_bit(const ir::Operand& width, ir::NameId keys,
                                      ir::NameId order, const ir::Operand& bit);
  SortedBins sort_bins(const ir::Operand& width, ir::NameId numbers, const ir::Operand& bins);
  std::vector<ir::NameId> segmented_scan(const ir::Operand& width, ir::NameId flags,
                                         const std::vector<ir::NameId>& arrays,
                                         const ir::Lambda& op,
                                         const std::vector<ir::Operand>& neutral);
  std::vector<ir::NameId> from_bins(const SortedBins& sorted, const ir::Lambda& op,
                                    const std::vector<ir::NameId>& destinations,
                                    const std::vector<ir::NameId>& before);
  ir::NameId choose_rows(const ir::Operand& width, ir::NameId flags, const ir::Operand& value,
                         ir::NameId array);
  ir::Operand choose(const ir::Operand& condition, const ir::Operand& yes,
                     const ir::Operand& no);

  // rules/histogram_in_order.cpp
  struct ElementLoop;
  bool runs_in_order(const ir::HistogramOperator& histogram) const;
  std::vector<ir::NameId> with_neutral(const ir::HistogramOperator& histogram,
                                       const ir::Operand& bins, std::vector<ir::NameId> filled);
  std::vector<ir::NameId> before_neutral(const ir::HistogramOperator& histogram,
                                         const ir::Operand& bins,
                                         std::vector<ir::NameId> adjoints);
  void histogram_in_order(const ir::HistogramOperator& histogram, const ir::Operand& width,
                          const std::vector<ir::NameId>& indices,
                          const std::vector<ir::NameId>& originals,
                          const std::vector<std::optional<ir::Operand>>& adjoints);
  std::vector<ir::NameId> numbers_before(const ir::HistogramOperator& histogram,
                                         const ir::Operand& width, const ir::Operand& bins,
                                         ir::NameId places,
                                         const std::vector<ir::NameId>& values);
  ir::NameId with_last_bin(ir::NameId array, const ir::Operand& last, const ir::Operand& bins);
  std::vector<ir::Operand> operand_adjoints(const ir::Lambda& op,
                                            const std::vector<ir::Operand>& arguments,
                                            const std::vector<ir::Operand>& adjoints);

  // rules/indexing.cpp
  /// array[indices…], or zero where an index is outside.
  ir::Operand guarded_index(ir::NameId array, const std::vector<ir::Operand>& indices);
  /// Adds `value` to the part of the array at `dimensions`, in its accumulator.
  void accumulate(ir::NameId original, Adjoint& adjoint,
                  const std::vector<ir::SliceDimension>& dimensions, ir::Operand value);
  ir::NameId accumulate_nest(ir::NameId accumulator, std::vector<ir::Operand> indices,
                             std::span<const ir::SliceDimension> dimensions, ir::Operand value);

  // rules/accumulator.cpp
  bool touches_accumulators(const ir::Statement& statement) const;
  ir::Statement without_accumulators(ir::Statement statement) const;
  ir::NameId overwritten_by_zeros(const ir::WithAccumulator& with, std::size_t index,
                                  ir::NameId array);

  // Statements that stand for another one in both sweeps, made on its forward sweep.
  const std::vector<ir::Statement>& replace(
      const ir::Statement& statement, const std::function<std::vector<ir::Statement>()>& make);
  /// How many numbers an emitted array holds, for people: "n·m f64".
  std::string size_formula(const ir::Type& type);
  /// The same for each of some original arrays, under one label: "prefixes: n f64".
  std::string size_formulas(const std::string& label, const std::vector<ir::NameId>& originals);
  void note(const ir::Statement& statement, std::string rule, std::string mode,
            std::string reason, std::string stored = "");

  ir::Names& names() { return environment_->names(); }
  ir::Builder& out() { return environment_->out(); }

  Environment* environment_;
  AdReport* report_;
  ReverseOptions options_;
  Dependence varied_;
  std::unordered_map<ir::NameId, Adjoint> adjoints_;
  int maps_around_ = 0;  // return maps whose body is being emitted
  std::unordered_map<const ir::Statement*, SavedLoop> saved_loops_;
  std::unordered_map<const ir::Statement*, std::unique_ptr<std::vector<ir::Statement>>>
      replacements_;
  // For the accumulators of original code whose scope is being swept: the array that the adjoints
  // of writes are read from, if any.
  std::unordered_map<ir::NameId, std::optional<ir::NameId>> accumulator_reads_;
  // Loops that only count the iterations of another one.
  std::unordered_set<const ir::Statement*> counting_;
  // Lambdas that rules make up: tables above refer to their statements by address.
  std::vector<std::unique_ptr<ir::Lambda>> made_up_;
  // Statements without the accumulators whose scope is being swept.
  std::unordered_map<const ir::Statement*, ir::Statement> stripped_;
  // In the return sweep of an iteration: values of its body that were kept, arrays that it does not
  // have, and loops that it does not execute again.
  std::unordered_map<ir::NameId, ir::Operand> known_;
  ir::NameSet unknown_;
  std::unordered_set<const ir::Statement*> not_repeated_;
  // Arrays that hold their final values throughout a loop (#[true_dep]); updates change nothing.
  std::unordered_set<ir::NameId> final_arrays_;
};

}  // namespace dagaz::passes::ad
