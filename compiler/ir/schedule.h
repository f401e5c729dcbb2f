// How a parallel operation runs: a value that plan/ decides, and that emission follows.
//
// A schedule is a list of versions; the first whose guards hold runs, and the last one has no
// guard. Each version names a strategy and its parameters, and is right for every size that its
// guards let through, whatever its parameters are: plan/ adds the guards that they need, and
// refuses the others.
//
// Names in a schedule refer to what the operation's body binds, or to what is around it.  They are
// renamed with the operation, but are no uses: a schedule keeps nothing alive.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/field_list.h"
#include "ir/matrix_unit.h"
#include "ir/type.h"

namespace dagaz::ir {

/// The product of a number, of sizes and, if `resident`, of the threads that fill the device: those of
/// a CPU's team, or all that a GPU holds at once; if `block_bytes`, of the shared memory that a block may have there besides `staged_bytes`.
struct Product {
  std::int64_t factor = 1;
  std::vector<Operand> sizes;
  bool resident = false;
  bool block_bytes = false;
  bool is_number() const { return sizes.empty() && !resident && !block_bytes; }
  bool operator==(const Product&) const = default;
  DZ_FIELDS(factor, sizes, resident, block_bytes)
};

/// Holds where `size` is at least `least`; of a number, each of several sizes in `least` takes no
/// less than 1.
struct Guard {
  Product size;
  Product least;
  bool operator==(const Guard&) const = default;
  DZ_FIELDS(size, least)
};
inline Guard at_least(const Operand& size, std::int64_t least) {
  return {{1, {size}}, {least, {}}};
}

/// How a thread's loop runs, over points or over the elements of a segment: it does as many
/// iterations as are a multiple of `whole_vectors`, and what is left in vectors under masks; 0: all
/// in one loop.  That one stays `rolled` where iterations wait for one another, or are so few that
/// they would not reach one of LLVM's that is unrolled: short loops end soon then.
struct Iterations {
  int whole_vectors = 0;
  bool rolled = false;
  bool operator==(const Iterations&) const = default;
};

/// Each point by itself: in tasks that walk rows of the space on a CPU, by a thread on a GPU, which
/// does `points` of them where they are short.  A loop over a task's points, or inside one, runs as
/// `Iterations` say; with `edges` those at the ends of rows, where it is asked how near these are,
/// run apart from the others.
struct Pointwise : Iterations {
  using Base = Iterations;
  static constexpr std::string_view mnemonic = "pointwise";
  int points = 1;
  bool edges = false;
  bool operator==(const Pointwise&) const = default;
  DZ_FIELDS(points, whole_vectors, rolled, edges)
};

/// What becomes of the points that are left where a block does not divide an extent.
enum class Remainder : std::uint8_t {
  moved,      // the last block is moved back; points that two blocks share are computed twice
  serialised  // one by one
};

/// A statement inside the body whose iterations run `rows` at a time, as rows of the block.
struct InnerRows {
  NameId statement;  // its first result
  int rows = 1;
  bool operator==(const InnerRows&) const = default;
  DZ_FIELDS(statement, rows)
};

/// Blocks of neighbouring points in vector lanes: each scalar of the body is a vector with a lane
/// for every point (SPMD on SIMD; Pharr and Mark, "ispc", InPar 2012).  `columns` vectors of
/// `width` points along dimension `points` of the space, and `block_rows` of them along dimension
/// `rows`, which share in registers what does not differ between rows (Goto and van de Geijn, TOMS
/// 2008).
struct LaneBlocks {
  static constexpr std::string_view mnemonic = "lane_blocks";
  int points = 0;
  int rows = -1;  // none
  int block_rows = 1;
  int columns = 1;
  int width = 1;
  int chunk = 64;  // blocks of rows that meet all points before the next, in one task, at most
  int least_chunk = 1;  // and at least, where larger ones would leave threads without a task
  // Tasks with other points of the same rows occupy threads, too, since they share what is packed;
  // otherwise threads have rows of their own.
  bool shares_rows = false;
  Remainder remainder = Remainder::moved;
  std::vector<NameId> packed;  // views: rows copied to where the points of a block are neighbours
  std::vector<NameId> laid_out;    // arrays copied so before the blocks start
  std::vector<NameId> serialised;  // statements, by first result, that each point runs by itself
  std::vector<InnerRows> inner_rows;
  // Rows that statements inside make: as many elements as lanes are written where the points are
  // neighbours, and then turned over to where each point has a stretch of memory, if it has one.
  std::vector<NameId> turned;
  // Results, by position, whose rows are written where the points are neighbours, and then turned
  // over to where each point has a stretch of memory, if it has one.
  std::vector<int> collected;
  bool totals = false;  // of a scan: so does what pieces come to, before they are scanned
  // Reads: what lies `ahead` bytes behind the element of one point of each vector is fetched; where
  // each point walks a stretch of its own, of the next one with the next elements.
  std::vector<NameId> fetched = {};
  int ahead = 0;
  // Of a reduction: values, by position, that are places, of which lanes keep the step at which
  // they met them (plan/places.h).
  std::vector<int> places = {};
  bool operator==(const LaneBlocks&) const = default;
  DZ_FIELDS(points, rows, block_rows, columns, width, chunk, least_chunk, shares_rows, remainder,
            packed, laid_out, serialised, inner_rows, turned, collected, totals, fetched, ahead,
            places)
};

/// How values of rows or of points are read for a panel, in which the values that one element of a
/// sum needs are neighbours.
enum class Packing : std::uint8_t {
  singly,       // one by one
  by_points,    // vectors of neighbouring rows or points
  by_elements   // vectors of neighbouring elements, which cross over in registers
};

/// Sums over elements of what combines values of a row with values of a point, like a product of
/// matrices.  Values are copied to panels of `block_rows` rows, and of `columns` vectors of `width`
/// points, for `depth` elements at a time; each pair of panels is a block of sums in registers
/// (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", TOMS 2008; Van Zee
/// and van de Geijn, "BLIS", TOMS 2015).
struct Contraction {
  static constexpr std::string_view mnemonic = "contraction";
  int rows = 0;           // dimensions of the space; -1: there is one row
  int points = 1;
  std::vector<int> joined_rows;    // dimensions that are rows and points as well, further out
  std::vector<int> joined_points;
  int block_rows = 1;
  int columns = 1;
  int width = 1;
  int depth = 256;        // elements of a panel
  int cached = 1;         // panels of rows that one cache holds
  int most_rows = 1;  // panels that a task has, at most and, where the space has as many, at least
  int most_points = 1;
  int least_rows = 1;
  int least_points = 1;
  int split = 0;          // elements from which on several tasks share a sum; 0: none do
  Packing row_packing = Packing::singly;
  Packing point_packing = Packing::singly;
  int crossing = 8;  // rows or points, and elements, that cross over at once
  // Elements more that a line of a staged panel has, so that those that are written one after the
  // other lie in different banks of shared memory.
  int row_gap = 0;
  int point_gap = 0;
  bool unrolled = true;  // the loop over the elements of a sum
  int together = 0;  // blocks of a kernel whose registers a multiprocessor holds at once, at least
  // What multiplies and adds, if not each thread for itself: a warp then has 8 times the rows, and
  // 4 times the points, of a thread, and lines of a staged panel are what `Packing` says.
  MatrixUnit unit = MatrixUnit::none;
  // Chunks of a GPU's sums that shared memory has room for, and how many neighbours of rows, and of
  // points, a copy brings there of which no thread waits; 0: they go through registers.
  int stages = 2;
  int row_copies = 0;
  int point_copies = 0;
  std::vector<NameId> of_rows;    // scalars that panels hold
  std::vector<NameId> of_points;
  std::vector<NameId> kept_rows;  // scalars that are the same for all elements of a sum
  std::vector<NameId> kept_points;
  bool operator==(const Contraction&) const = default;
  DZ_FIELDS(rows, points, joined_rows, joined_points, block_rows, columns, width, depth, cached,
            most_rows, most_points, least_rows, least_points, split, row_packing, point_packing,
            crossing, row_gap, point_gap, unrolled, together, unit, stages, row_copies,
            point_copies, of_rows, of_points, kept_rows, kept_points)
};

/// Reductions whose segments, not elements, are neighbours in memory: `tile` accumulators at a time
/// take `steps` elements of each segment per pass.
struct Interchanged {
  static constexpr std::string_view mnemonic = "interchanged";
  int tile = 256;
  int steps = 4;
  bool operator==(const Interchanged&) const = default;
  DZ_FIELDS(tile, steps)
};

/// A row of an accumulator that the iterations of a loop add to.
struct AddedRow {
  NameId loop;                   // its result
  std::vector<Operand> indices;  // all but the last of the row's elements'; known at a turn's end
  bool operator==(const AddedRow&) const = default;
  DZ_FIELDS(loop, indices)
};

/// What points add to accumulators is computed for `elements` of them in a loop that vectorises,
/// and held for a loop that adds.  On a GPU each thread holds `rows` of at most so many elements,
/// and groups of as many threads add one after the other's (emit/gpu/handed_rows.cpp).
struct HeldBlocks {
  static constexpr std::string_view mnemonic = "held_blocks";
  int elements = 256;
  std::vector<AddedRow> rows = {};
  bool operator==(const HeldBlocks&) const = default;
  DZ_FIELDS(elements, rows)
};

/// This map and the `maps` - 1 statements after it as one loop over their points (a sliding
/// window); inner points, where conditions are known, apart from those at the ends, and in vectors
/// if `vectorised`, also where those do not look worthwhile.
struct FusedStencil {
  static constexpr std::string_view mnemonic = "fused_stencil";
  int maps = 1;
  bool vectorised = true;
  bool operator==(const FusedStencil&) const = default;
  DZ_FIELDS(maps, vectorised)
};

/// This scan, which says where a filter puts what it keeps, and the `statements` after it, up to
/// the last scatter that puts it there, as one loop: what a piece of the points keeps is appended
/// to what those before it have.  Points run `width` at a time in vector lanes, of which those that
/// stay are brought together, or one by one.
struct Compaction {
  static constexpr std::string_view mnemonic = "compaction";
  int statements = 1;
  int width = 1;
  bool operator==(const Compaction&) const = default;
  DZ_FIELDS(statements, width)
};

/// Segments of a reduction, scan or histogram cut into pieces, which tasks or threads walk; what
/// the pieces give is combined afterwards.  A CPU takes as many pieces as are worth a task, a GPU
/// as many as it holds threads, `most` of each segment, and of `least` elements each.  Before that
/// threads of a GPU combine `at_once` partial results each, in so many `rounds` as there are more:
/// a tree, where one thread at the end would be slow.  They combine up to `most_at_once` each where
/// `at_once` are left then, at most, for that spares a round.
///
/// A task of a CPU that reduces reads `streams` of memory side by side: pieces of so many
/// neighbouring segments, and each that is left in so many parts, whose lengths are odd multiples
/// of `line` elements (plan/streams.h).
struct InPieces {
  static constexpr std::string_view mnemonic = "in_pieces";
  int most = 1 << 20;
  int least = 1;
  int rounds = 0;
  int at_once = 32;
  int most_at_once = 64;
  int streams = 1;
  int line = 1;
  bool operator==(const InPieces&) const = default;
  DZ_FIELDS(most, least, rounds, at_once, most_at_once, streams, line)
};

/// Each segment walked by one task or thread.  A reduction fetches what `fetched`, elements that
/// lie side by side in segments, read `ahead` bytes behind the beginning of each segment.
struct BySegments : Iterations {
  using Base = Iterations;
  static constexpr std::string_view mnemonic = "by_segments";
  std::vector<NameId> fetched = {};
  int ahead = 0;
  bool operator==(const BySegments&) const = default;
  DZ_FIELDS(whole_vectors, fetched, ahead, rolled)
};

/// Segments reduced by warps of a GPU, or by blocks where they are longer than `warp`; where there
/// are fewer than the device holds up to `blocks` share one, if that leaves `elements` for each
/// thread (Harris, "Optimizing parallel reduction in CUDA").  Threads stride, so that a warp reads
/// neighbours; where operators do not commute warps take tiles, of which each thread combines a
/// `stretch`.  `joined`: elements are reductions themselves, and threads take what these reduce.
///
/// Points of a map by warps, or by blocks if `warp` is 0.  Where rows of arrays around are `tiled`
/// the warps of a block go through these together, from copies in shared memory; where they are
/// `turned` neighbouring threads copy elements of neighbouring rows.  Those `copied` do not pass
/// through registers.  Shared memory has room for `stages` tiles of each array: with more than one
/// the next are asked for before the warps go through one.
struct Teams {
  static constexpr std::string_view mnemonic = "teams";
  int warp = 1024;
  int blocks = 1024;
  int elements = 8;
  int stretch = 0;
  bool joined = false;
  std::vector<NameId> tiled = {};
  std::vector<NameId> turned = {};
  std::vector<NameId> copied = {};
  int stages = 1;
  bool operator==(const Teams&) const = default;
  DZ_FIELDS(warp, blocks, elements, stretch, joined, tiled, turned, copied, stages)
};

/// Values of a product's rows, or points, that a block copies to shared memory while no thread
/// waits, so many neighbours at once.
struct CopiedValues {
  NameId product;
  int neighbours = 1;
  bool operator==(const CopiedValues&) const = default;
  DZ_FIELDS(product, neighbours)
};

/// Points of a map by blocks of a GPU, `rows` neighbours along the innermost dimension each, whose
/// own arrays stay in shared memory (Dao et al., "FlashAttention", NeurIPS 2022).  `products` are
/// statements of the map, by what they make first, whose sums for all these rows are tiles,
/// `points` wide.  Where these read neighbours in memory for neighbouring rows, or points, and not
/// for elements of the sum, they are `turned`.  Shared memory has room for `stages` chunks of
/// `depth` elements where values are `copied`, and else for two.  A multiprocessor has registers
/// for `together` blocks at once, at least; 0: for as many as the assembler finds.
struct RowBlocks {
  static constexpr std::string_view mnemonic = "row_blocks";
  int rows = 16;
  int points = 64;
  int depth = 16;  // elements of a sum that are staged at a time
  int stages = 2;
  int together = 0;
  std::vector<NameId> products;
  std::vector<NameId> turned_rows;
  std::vector<NameId> turned_points;
  std::vector<CopiedValues> copied_rows = {};
  std::vector<CopiedValues> copied_points = {};
  bool operator==(const RowBlocks&) const = default;
  DZ_FIELDS(rows, points, depth, stages, together, products, turned_rows, turned_points,
            copied_rows, copied_points)
};

/// Points of a map, or whole segments of a reduction, by threads of a GPU that have a tile of them
/// in common: `rows` along the dimension before the innermost and `points` along that.  What a tile
/// reads of the arrays `staged` lies in a box for each, which the block copies to shared memory
/// first (Micikevicius, "3D finite difference computation on GPUs using CUDA", GPGPU 2009); those
/// `copied` do not pass through registers, and no thread waits before all are asked for.  Of these,
/// `wide` ones are copied 16 bytes at a time where their lines are aligned to that.
struct StagedTiles {
  static constexpr std::string_view mnemonic = "staged_tiles";
  int rows = 1;
  int points = 256;
  std::vector<NameId> staged;
  std::vector<NameId> copied = {};
  std::vector<NameId> wide = {};
  bool operator==(const StagedTiles&) const = default;
  DZ_FIELDS(rows, points, staged, copied, wide)
};

/// A scan in one kernel, whose blocks take tiles of `stretch` elements a thread and look back at
/// what the tiles before have published (Merrill and Garland, "Single-pass parallel prefix scan
/// with decoupled look-back", 2016).  Or a map whose points are passes of radix sorts.
struct LookBack {
  static constexpr std::string_view mnemonic = "look_back";
  int stretch = 1;
  bool operator==(const LookBack&) const = default;
  DZ_FIELDS(stretch)
};

/// A scan in three kernels: blocks reduce their parts, a thread a segment finds what stands before
/// each, blocks scan them.  Blocks share segments as those of `Teams` do.
struct InStages {
  static constexpr std::string_view mnemonic = "in_stages";
  int blocks = 1024;
  int elements = 8;
  bool operator==(const InStages&) const = default;
  DZ_FIELDS(blocks, elements)
};

/// A histogram whose bins each block of a GPU has for itself in shared memory, if it has at least
/// `elements` for each bin: filled by atomic instructions, or else each by one thread (Gómez-Luna
/// et al., "An optimized approach to histogram computation on GPU", 2013).  The latter are combined
/// as the results of pieces are.  Or a map whose points add to such arrays.
struct BlockBins {
  static constexpr std::string_view mnemonic = "block_bins";
  int elements = 8;
  bool atomic = false;
  int rounds = 0;
  int at_once = 32;
  int most_at_once = 64;
  bool operator==(const BlockBins&) const = default;
  DZ_FIELDS(elements, atomic, rounds, at_once, most_at_once)
};

/// A histogram by atomic instructions on the bins themselves, a thread an element.
struct AtomicBins {
  static constexpr std::string_view mnemonic = "atomic_bins";
  bool operator==(const AtomicBins&) const = default;
  DZ_FIELDS()
};

/// A histogram whose bins are guarded by locks, at most `most` of them, a thread an element
/// (Henriksen et al., "Compiling generalized histograms for GPU", 2020).
struct LockedBins {
  static constexpr std::string_view mnemonic = "locked_bins";
  int most = 1 << 20;
  bool operator==(const LockedBins&) const = default;
  DZ_FIELDS(most)
};

using Strategy = std::variant<Pointwise, LaneBlocks, Interchanged, HeldBlocks, FusedStencil,
                              Contraction, Compaction, InPieces, BySegments, Teams, RowBlocks,
                              StagedTiles, LookBack, InStages, BlockBins, AtomicBins, LockedBins>;

struct Version {
  std::vector<Guard> when;
  Strategy strategy;
  bool operator==(const Version&) const = default;
  DZ_FIELDS(when, strategy)
};

/// A write inside the body that appends to one of many lists: what lies `ahead` bytes behind its
/// element is fetched, for it is written soon.
struct Append {
  NameId write;  // its result
  int ahead = 0;
  bool operator==(const Append&) const = default;
  DZ_FIELDS(write, ahead)
};

/// Empty before plan/.  What a point takes is a sum of products, in operations like an addition, or
/// its share of operations on vectors.
/// Pieces of a histogram have bins of their own, and at least `least_piece` elements, so that bins
/// are fewer; where there is no such sum segments are not cut.  Pieces of a map that accumulates
/// have copies of the arrays from so many points on; where there is no such sum that is decided
/// when the program runs.
struct Schedule {
  std::vector<Version> versions;
  std::vector<Product> operations;  // of a point
  int lanes = 0;  // so many points take as long as one: they run in vectors; 0: one by one
  std::vector<Product> additions;   // numbers that it adds to accumulators
  std::vector<Product> least_piece;
  int apart = 0;  // points so far apart along the outermost dimension add to different elements
  std::vector<Append> appends;
  // Bytes of a strip of each result, which a task makes in its cache and then copies past the
  // caches to where it belongs, if the results have as many bytes as the settings say; 0: they
  // never go so.
  int strip = 0;
  // Elements of a piece of a scan or filter, at most, where a CPU's tasks share segments, or of a
  // reduction whose lanes walk stretches; 0: as many as there are for each piece.
  int link = 0;
  bool operator==(const Schedule&) const = default;
  DZ_FIELDS(versions, operations, lanes, additions, least_piece, apart, appends, strip, link)
};

/// Calls `function` for each name and size of the schedule.
void for_each_operand(const Schedule& schedule,
                      const std::function<void(const Operand&)>& function);
/// Replaces each by what `function` gives; names by names.
void replace_operands(Schedule& schedule, const std::function<Operand(const Operand&)>& function);

}  // namespace dagaz::ir
