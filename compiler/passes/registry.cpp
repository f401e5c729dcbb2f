#include "passes/registry.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "passes/choose_by_device.h"
#include "passes/scalarise/read_parts.h"
#include "support/spelling.h"

namespace dagaz::passes {

namespace {

using ir::ParallelProgram;
using ir::Program;
using ir::Stage;

// Runs a pass on a program of the parallel stage.
template <typename Run>
bool in_parallel(Program& program, const Run& run) {
  ParallelProgram parallel{std::move(program)};
  const bool changed = run(parallel);
  program = std::move(parallel.program);
  return changed;
}

template <bool (*pass)(ParallelProgram&)>
bool parallel(Program& program, const PassOptions&) {
  return in_parallel(program, pass);
}

template <bool (*pass)(ParallelProgram&, const Tunables&)>
bool tuned(Program& program, const PassOptions& options) {
  return in_parallel(program, [&](ParallelProgram& each) { return pass(each, options.tunables); });
}

// A GPU needs more elements at a time than a CPU, and none in order: a chunk takes a launch for
// each of its steps. Ranks have their parts of everything; chunks after one another would each be
// shared anew.
AdOptions derivative_options(const PassOptions& options) {
  const Tunables& tunables = options.tunables;
  AdOptions result{.least_chunk = tunables.chunk_elements,
                   .in_order = true,
                   .tangents_together = tunables.tangents_together,
                   .most_chunks = tunables.most_chunks,
                   .kept_beyond_values = tunables.kept_beyond_values};
  if (options.target == FlattenTarget::gpu) result.least_chunk = tunables.gpu_chunk_elements;
  if (options.for_ranks) result.least_chunk = 0;
  result.for_ranks = options.for_ranks;
  result.in_order = options.target == FlattenTarget::cpu && !options.for_ranks;
  return result;
}
bool differentiated(Program& program, const PassOptions& options) {
  return in_parallel(program, [&](ParallelProgram& each) {
    return differentiate(each, options.report, derivative_options(options));
  });
}

// A GPU computes a hundred numbers while one travels.
bool with_saved_values(Program& program, const PassOptions& options) {
  if (options.target != FlattenTarget::cpu) return false;
  return in_parallel(program,
                     [&](ParallelProgram& each) { return save_values(each, options.report); });
}

// Threads of a GPU are many, and have few registers.
bool with_shared_sums(Program& program, const PassOptions& options) {
  return options.target == FlattenTarget::cpu && tuned<share_sums>(program, options);
}

bool with_batched_loops(Program& program, const PassOptions& options) {
  return in_parallel(program, [&](ParallelProgram& each) {
    return batch_loops(each, options.target, options.tunables);
  });
}

bool gathered(Program& program, const PassOptions& options) {
  return in_parallel(program, [&](ParallelProgram& each) {
    return scatter_to_gather(each, options.target, options.for_ranks, options.tunables);
  });
}

bool scalarised(Program& program, const PassOptions& options) {
  return in_parallel(program, [&](ParallelProgram& each) {
    return scalarise(each, options.target, options.tunables);
  });
}

bool read_by_parts(Program& program, const PassOptions&) {
  bool changed = false;
  for (ir::Function& function : program.functions) {
    if (scalarising::read_parts(function, program)) changed = true;
  }
  return changed;
}

bool flattened(Program& program, const PassOptions& options) {
  FlattenOptions how{options.target, options.tunables.nested_operations,
                     options.tunables.host_product, options.tunables.handed_on_operations};
  // Ranks share points, and must not decide by threads, which each may have another number of.
  if (options.for_ranks) how.host_product = 0;
  program = flatten(ParallelProgram{std::move(program)}, how).program;
  return true;
}

// Threads of a GPU may share a row.
bool with_folded_scans(Program& program, const PassOptions& options) {
  if (options.target != FlattenTarget::cpu) return false;
  ir::FlatProgram flat{std::move(program)};
  const bool changed = fold_scans(flat);
  program = std::move(flat.program);
  return changed;
}

bool with_dropped_scans(Program& program, const PassOptions&) {
  ir::FlatProgram flat{std::move(program)};
  const bool changed = drop_scanned(flat);
  program = std::move(flat.program);
  return changed;
}

bool with_memory_on_sides(Program& program, const PassOptions&) {
  ir::FlatProgram flat{std::move(program)};
  const bool changed = move_to_sides(flat);
  program = std::move(flat.program);
  return changed;
}

// A core of a CPU adds a row in vectors.
bool with_binned_elements(Program& program, const PassOptions& options) {
  if (options.target != FlattenTarget::gpu) return false;
  ir::FlatProgram flat{std::move(program)};
  const bool changed = bin_elements(flat, options.tunables);
  program = std::move(flat.program);
  return changed;
}

// A CPU's caches keep what is written until it is read.
bool with_points_computed(Program& program, const PassOptions& options) {
  if (options.target != FlattenTarget::gpu) return false;
  ir::FlatProgram flat{std::move(program)};
  const bool changed = compute_where_read(flat, options.tunables);
  program = std::move(flat.program);
  return changed;
}

bool with_wrapped_indices(Program& program, const PassOptions&) {
  ir::FlatProgram flat{std::move(program)};
  const bool changed = wrap_indices(flat);
  program = std::move(flat.program);
  return changed;
}

bool distributed(Program& program, const PassOptions& options) {
  ir::FlatProgram flat{std::move(program)};
  const Tunables& tunables = options.tunables;
  const bool changed = distribute(
      flat, {tunables.rank_element, tunables.rank_message, tunables.rank_asked, tunables.rank_count,
             tunables.rank_extent, tunables.rank_steps, tunables.rank_bins, tunables.rank_overlap});
  program = std::move(flat.program);
  return changed;
}

bool chosen_by_device(Program& program, const PassOptions& options) {
  return in_parallel(
      program, [&](ParallelProgram& each) { return choose_by_device(each, options.target); });
}

constexpr Pass passes[] = {
    {"choose-by-device", chosen_by_device, Stage::parallel, Need::required,
     "Takes the numbers that a program has for a CPU, or those for a GPU.",
     "First: what is meant for the other device is gone after inlining and simplification."},
    {"inline-functions", tuned<inline_functions>, Stage::parallel, Need::optional,
     "Replaces calls of functions that do not call themselves by their bodies.",
     "Before all others that look at code: none sees through a call."},
    {"sequence-accumulating-calls", parallel<sequence_accumulating_calls>, Stage::parallel,
     Need::required, "Turns accumulation that calls functions into updates of arrays in turn.",
     "After inlining, which leaves few such calls; neither differentiation nor any target hands "
     "accumulators to functions."},
    {"simplify", parallel<simplify>, Stage::parallel, Need::optional,
     "Applies equations until none fires, and moves invariant code outwards.",
     "After every pass that leaves copies, literals, views or unused values behind."},
    {"clamp-sizes", parallel<clamp_sizes>, Stage::parallel, Need::optional,
     "Clamps at zero the sizes that count elements only inside a loop or map.",
     "Between two simplifications: the first moves numbers and asserts out of scopes, the second "
     "the arrays of these sizes."},
    {"common-subexpressions", parallel<common_subexpressions>, Stage::parallel, Need::optional,
     "Evaluates equal operations of a scope, and of those inside it, once.",
     "After simplification, which makes what is equal look equal; before fusion, for a shared "
     "array has one producer."},
    {"fuse", tuned<fuse>, Stage::parallel, Need::optional,
     "Merges producers into consumers, and neighbours of one width with each other.",
     "After simplification and sharing: a copy or an unused result between two operations keeps "
     "them apart.  Makes work for simplification, and that room for more fusion: two rounds "
     "reach almost everything."},
    {"slice-before-maps", parallel<slice_before_maps>, Stage::parallel, Need::optional,
     "Takes slices of what a map reads instead of what it makes.",
     "After a first fusion: a map that makes less than it reads is best merged into what it "
     "reads.  Before a second, which merges what is left with what reads the slices."},
    {"split-indices", parallel<split_indices>, Stage::parallel, Need::optional,
     "Turns maps over indices that are taken apart by a few into maps over quotients.",
     "After fusion, which merges maps of one width; before simplification, which decides what the "
     "remainders tell."},
    {"lift-products", parallel<lift_products>, Stage::parallel, Need::optional,
     "Computes products under masks for all points, and then masks them.",
     "After fusion, when products are sums; before differentiation, which then sees products of "
     "matrices."},
    {"batch-loops", with_batched_loops, Stage::parallel, Need::optional,
     "Moves loops outside of maps whose points multiply by the same matrices in them.",
     "After fusion, when products are maps of sums; before differentiation, which then sees "
     "products of matrices."},
    {"eliminate-dead-code", parallel<eliminate_dead_code>, Stage::parallel, Need::optional,
     "Removes statements, results and parameters whose values are never used, and functions.",
     "At the end of each group of passes; simplification and fusion clean up on their own."},
    {"differentiate", differentiated, Stage::parallel, Need::required,
     "Replaces each derivative by the code that computes it, innermost first.",
     "After fusion: what is fused is differentiated as one, and keeps nothing in between.  No "
     "later stage knows derivatives."},
    {"interchange", tuned<interchange>, Stage::parallel, Need::optional,
     "Moves maps over a few points inside maps over many that they are around.",
     "After fusion, when nests of maps are what they will be."},
    {"scatter-to-gather", gathered, Stage::parallel, Need::optional,
     "Turns additions at places that the indices of points tell into reads.",
     "Before `make-histograms`: such additions would be histograms as well."},
    {"share-sums", with_shared_sums, Stage::parallel, Need::optional,
     "Turns sums at a few points that read the same elements into sums for one loop.",
     "After `scatter-to-gather`, which makes such points; before the last fusion, which makes the "
     "loop."},
    {"make-histograms", parallel<make_histograms>, Stage::parallel, Need::optional,
     "Turns accumulation of one number a point into histograms.",
     "After the last fusion of what adds; arrays that histograms are handed as they are need no "
     "copies, which the simplification after it removes."},
    {"save-values", with_saved_values, Stage::parallel, Need::optional,
     "Lets a map save what is expensive to compute for a later map that computes it too.",
     "After all fusion: until then, what is computed twice may come together.  On CPUs: a GPU "
     "computes a hundred numbers while one travels."},
    {"rematerialise", tuned<rematerialise>, Stage::parallel, Need::optional,
     "Computes what a map stores for later maps there instead, where that saves traffic.",
     "After `save-values`: what is saved is not to be computed again."},
    {"avoid-copies", parallel<avoid_copies>, Stage::parallel, Need::optional,
     "Reads and writes parts of arrays where they are, rather than copies of them.",
     "After all fusion, which moves reads: a copied row may be read until the array is written."},
    {"read-parts", read_by_parts, Stage::parallel, Need::optional,
     "Lets maps read the parts of an array that was put together to be read once.",
     "A step of `scalarise`, by itself for tests."},
    {"scalarise", scalarised, Stage::parallel, Need::optional,
     "Replaces arrays of a few elements by scalars where nothing needs them in memory.",
     "After fusion and differentiation, which see more in arrays; before flattening, so that "
     "host code and threads profit alike.  Leaves views and literals to simplification."},
    {"flatten", flattened, Stage::flat, Need::required,
     "Turns nested parallelism into segmented operations over iteration spaces.",
     "Last: targets run segmented operations only."},
    {"fold-scans", with_folded_scans, Stage::flat, Need::optional,
     "Reduces what a thread scans as it comes.",
     "After flattening, which says what runs in threads; before scheduling.", Stage::flat},
    {"drop-scanned", with_dropped_scans, Stage::flat, Need::optional,
     "Leaves out of memory what a scan computes and nobody reads.",
     "After `fold-scans`, which knows scans without a lambda behind them.", Stage::flat},
    {"distribute", distributed, Stage::flat, Need::required,
     "Divides the work of entry points among ranks; only where ranks are asked for.",
     "After flattening, which leaves the operations whose outermost dimension ranks share.",
     Stage::flat},
    {"bin-elements", with_binned_elements, Stage::flat, Need::optional,
     "Makes histograms of rows histograms of elements.",
     "After `distribute`: what ranks share is rows.", Stage::flat},
    {"compute-where-read", with_points_computed, Stage::flat, Need::optional,
     "Computes what a map stores for later operations over the same space there.",
     "After flattening, which leaves such maps; after `distribute`, which shares them.",
     Stage::flat},
    {"move-to-sides", with_memory_on_sides, Stage::flat, Need::optional,
     "Makes new memory on the one side of a branch that needs it.",
     "After the last pass that moves what is invariant out of loops.", Stage::flat},
    {"wrap-indices", with_wrapped_indices, Stage::flat, Need::optional,
     "Turns remainders of indices that are moved a little into differences.",
     "After `scatter-to-gather` and `distribute`, which know what is read round by its remainders.",
     Stage::flat},
};

}  // namespace

std::span<const Pass> all_passes() { return passes; }

const Pass* find_pass(std::string_view name) {
  const auto found = std::find_if(std::begin(passes), std::end(passes),
                                  [&](const Pass& pass) { return pass.name == name; });
  return found == std::end(passes) ? nullptr : &*found;
}

std::string meant_pass(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Pass& pass : passes) names.push_back(pass.name);
  return did_you_mean(name, names);
}

}  // namespace dagaz::passes
