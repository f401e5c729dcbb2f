// Every pass on the array IR: one declaration and one sentence each.  A pass changes a program and
// says whether it did.  registry.cpp has their names, what each needs before it and where it
// stands; a pass, its function, its file and its tests are called the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"
#include "passes/tunables.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace dagaz::passes {

// ---------------------------------------------------------------- optimisation

/// Removes statements, loop values, lambda results and parameters whose values are never used.
bool eliminate_dead_code(ir::ParallelProgram& program);
/// Evaluates equal operations of one scope, and of the scopes inside it, once.
bool common_subexpressions(ir::ParallelProgram& program);
/// Clamps at zero the sizes that are known to count elements only inside a loop or map, so that
/// arrays can leave it.
bool clamp_sizes(ir::ParallelProgram& program);
/// Applies the equations of the files in simplify/ until none fires: constants, indices, views,
/// known branches and trip counts, degenerate maps and reductions; moves invariant code outwards.
bool simplify(ir::ParallelProgram& program);
/// Replaces calls of functions that do not call themselves by their bodies.
bool inline_functions(ir::ParallelProgram& program, const Tunables& tunables);
/// Merges producers into consumers, and neighbours of one width with each other, so that
/// intermediate arrays vanish.
bool fuse(ir::ParallelProgram& program, const Tunables& tunables);
/// Turns maps over indices that are taken apart into a quotient and a remainder into maps over
/// both.
bool split_indices(ir::ParallelProgram& program);
/// Computes products under masks for all points, and then masks them.
bool lift_products(ir::ParallelProgram& program);
/// Takes slices of what a map reads instead of what it makes, so that it can be fused with what
/// reads them.
bool slice_before_maps(ir::ParallelProgram& program);
/// Computes what a map stores for later maps over the same elements there, where that saves more
/// memory traffic than it costs.
bool rematerialise(ir::ParallelProgram& program, const Tunables& tunables);
/// Reads and writes parts of arrays where they are, rather than copies of them, or twice.
bool avoid_copies(ir::ParallelProgram& program);

/// Moves maps over a few points (a basis, of which tangents are taken) inside the maps over many
/// that they are around, where these reduce.
bool interchange(ir::ParallelProgram& program, const Tunables& tunables);
/// Turns sums at a few points that read the same elements into sums for one loop.
bool share_sums(ir::ParallelProgram& program, const Tunables& tunables);

// ---------------------------------------------------------------- differentiation

/// What was differentiated how: one entry for each construct that the AD pass met.
struct AdReportEntry {
  ir::LocationId location;
  std::string rule;
  std::string mode;
  std::string reason;
  std::string stored;  // what is saved for the reverse sweep, and a formula of its size
};
struct AdReport {
  std::vector<AdReportEntry> entries;
  std::vector<ir::Location> locations;
};

/// Lets a map save what is expensive to compute for a later one that computes the same.  `report`
/// may be null.
bool save_values(ir::ParallelProgram& program, AdReport* report);

/// Turns accumulation that calls functions into updates of arrays, so that no function is handed an
/// accumulator.
bool sequence_accumulating_calls(ir::ParallelProgram& program);
/// Whether any Differentiate or CustomDerivative is left.
bool has_derivatives(const ir::ParallelProgram& program);
struct AdOptions {
  /// What runs in chunks in order to keep less has so many elements in each at least: enough to
  /// keep the target busy.  0: nothing runs in chunks.
  std::int64_t least_chunk = Tunables{}.chunk_elements;
  /// Whether the elements of a chunk may run one after the other where that is less work.
  bool in_order = true;
  /// Whether ranks share the points of maps (ad/row_reads.h).
  bool for_ranks = false;
  /// Most tangents of one call that are computed beside each other, not by a map over them.
  std::int64_t tangents_together = Tunables{}.tangents_together;
  /// Most chunks of an operation, whose elements are more where it is long.
  std::int64_t most_chunks = Tunables{}.most_chunks;
  /// How many times what a loop's values take each iteration may keep besides.
  std::int64_t kept_beyond_values = Tunables{}.kept_beyond_values;
};
/// Removes every Differentiate and CustomDerivative, innermost first; `report` may be null.
bool differentiate(ir::ParallelProgram& program, AdReport* report, const AdOptions& options);
/// Turns accumulation of one number a point into histograms.
bool make_histograms(ir::ParallelProgram& program);
/// The report as text for people.
std::string print(const AdReport& report, const SourceFiles& files);

// ---------------------------------------------------------------- parallelism

enum class FlattenTarget { cpu, gpu };
struct FlattenOptions {
  FlattenTarget target = FlattenTarget::cpu;
  /// Most operations that each point of a deeper nest repeats.
  std::int64_t nested_operations = Tunables{}.nested_operations;
  /// Terms of a product for each thread that make it one of the host; 0: none is.
  std::int64_t host_product = Tunables{}.host_product;
  /// Operations for each element that a point hands on which make it one of a nest of its own.
  std::int64_t handed_on_operations = Tunables{}.handed_on_operations;
};
/// Moves loops that multiply by matrices of all points outside of the maps that they are in.
bool batch_loops(ir::ParallelProgram& program, FlattenTarget target, const Tunables& tunables);
/// Additions at places that the indices of points tell become reads.
bool scatter_to_gather(ir::ParallelProgram& program, FlattenTarget target, bool for_ranks,
                       const Tunables& tunables);
/// Whether it will make reads of all additions to the accumulators of `with`, a statement that
/// opens them for a nest; `ranges`: arrays 0, 1, 2, … around.
bool elements_know_who_adds(const ir::Statement& with, ir::NameSet ranges, bool for_ranks,
                            ir::Names& names);
/// Replaces arrays of a few elements by scalars where nothing needs them in memory.  Leaves
/// literals whose elements are read for simplification.
bool scalarise(ir::ParallelProgram& program, FlattenTarget target, const Tunables& tunables);
/// Turns nested parallelism into segmented operations over iteration spaces.
ir::FlatProgram flatten(ir::ParallelProgram program, const FlattenOptions& options);

/// What a thread scans only to reduce it is reduced as it comes.
bool fold_scans(ir::FlatProgram& program);

/// What a scan computes and nobody reads is not stored.
bool drop_scanned(ir::FlatProgram& program);

/// New memory that one side of a branch alone needs is made there.
bool move_to_sides(ir::FlatProgram& program);

/// Histograms of rows become histograms of elements.
bool bin_elements(ir::FlatProgram& program, const Tunables& tunables);

/// What a map stores for later operations over the same space is computed there.
bool compute_where_read(ir::FlatProgram& program, const Tunables& tunables);
/// Turns remainders of indices that are moved a little into differences.
bool wrap_indices(ir::FlatProgram& program);

/// What ranks gain and pay, in operations of one of them, and for what sizes.
struct RankCosts {
  std::int64_t element =
      Tunables{}.rank_element;  // of an array that each rank gets from the others
  std::int64_t message = Tunables{}.rank_message;  // of each collective operation
  std::int64_t asked = Tunables{}.rank_asked;  // elements that a row counts more that is asked for
  std::int64_t ranks = Tunables{}.rank_count;
  std::int64_t unknown_extent = Tunables{}.rank_extent;
  std::int64_t unknown_steps = Tunables{}.rank_steps;  // of a loop
  // Bins of a histogram, or elements that is added to, where nothing else over these is shared.
  std::int64_t unknown_bins = Tunables{}.rank_bins;
  std::int64_t overlap = Tunables{}.rank_overlap;  // not 0: points run while rows are on their way
};
/// Divides the work of entry points among ranks (ir/ranks.h).
bool distribute(ir::FlatProgram& program, const RankCosts& costs);

}  // namespace dagaz::passes
