// Points of a space in lanes: a block of neighbouring points runs through one copy of the code,
// each scalar of the body a vector with a lane for every point (SPMD on SIMD; Pharr and Mark,
// "ispc: A SPMD compiler for high-performance CPU programming", InPar 2012).  Private to this
// folder; the strategy is described in lanes.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "imperative/lowering.h"

namespace dagaz::imperative {

/// The shape of a block: `rows` points along one dimension of the space, each with `columns`
/// vectors of `width` points along another.
struct LaneBlock {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t width;
  std::int64_t span() const { return columns * width; }  // points of a row
  std::int64_t points() const { return rows * span(); }
};

/// An i64 that moves evenly over a block: base + row·row_step + point·point_step.
struct Affine {
  Operand base;
  Operand row_step = ir::i64_operand(0);
  Operand point_step = ir::i64_operand(0);
};

/// A scalar of every point of a block.
struct LaneScalar {
  ScalarType type = ScalarType::i64;
  bool by_row = false;    // differs between rows
  bool by_point = false;  // differs within a row: its pieces have lanes
  std::optional<Affine> affine;
  std::vector<Operand> pieces;  // where not affine: rows × columns, repeated where they agree
  bool is_uniform() const { return !by_row && !by_point; }
};

/// An array of every point: like `place`, but for where it starts.
struct LaneArray {
  Place place;  // its offset is unused
  LaneScalar offset;
};

/// An array of every point without memory: `start` everywhere, or counting from there.
struct LaneVirtual {
  LaneScalar start;
  std::optional<Operand> stride;
};

/// Emits an iteration of a loop, or those of a block of rows, which differ in the index.
using RowFunction = std::function<void(const LaneScalar& index)>;

/// Lowers one body for blocks of points, as its schedule says.
class Lanes {
  friend class ContractionLowering;

 public:
  Lanes(Lowering& lowering, const ir::LaneBlocks& plan)
      : low_(lowering), plan_(plan), block_{plan.block_rows, plan.columns, plan.width} {}

  /// A map, in host code or inside a task.
  static void map(Lowering& lowering, const ir::Statement& s, const ir::SegmentedMap& e,
                  const ir::LaneBlocks& plan, const std::vector<Destination>& targets);
  /// The first stage of a reduction.
  static void reduce_pieces(Lowering& lowering, const ir::Statement& s,
                            const ir::SegmentedReduce& e, const ir::LaneBlocks& plan,
                            const Pieces& pieces, const Operand& cost,
                            const std::vector<Destination>& mapped,
                            const std::vector<Place>& partial);

  /// What a body gives: one or the other; nothing for an accumulator.
  struct Result {
    std::optional<LaneScalar> scalar;
    std::optional<LaneArray> array;
  };

  /// Does what of `body` needs no row index and copies rows of arrays that are read again and again
  /// to where their points are neighbours; the indices but for `rows` are bound.
  void prepare(const ir::Body& body, const std::optional<NameId>& rows);
  /// Binds an index of the space.
  void bind_index(NameId name, const Operand& base, bool along_rows, bool along_points);
  std::vector<Result> body(const ir::Body& body, const std::vector<std::optional<LaneArray>>& at);
  /// The part of `target` that belongs to the points at `indices`.
  LaneArray part(const Place& target, const std::vector<NameId>& indices);
  void put(const LaneArray& target, const Result& result, const ir::Type& type);
  /// The running values of reductions over all points, and their combination.
  std::vector<LaneScalar> start(const std::vector<Operand>& neutral);
  void combine(const ir::Lambda& op, const std::vector<LaneScalar>& running,
               const std::vector<LaneScalar>& values);
  /// Combines the lanes of `running` into `totals`, values of the thread.
  void finish(const std::vector<LaneScalar>& running, const Running& totals);
 private:
  // ---- lanes.cpp
  static void for_blocks(Lowering& low, const Operand& count, const Operand& cost,
                         const std::function<void(Operand)>& body);
  static void map_moved_blocks(Lowering& low, const ir::Statement& s, const ir::SegmentedMap& e,
                               const ir::LaneBlocks& plan, const std::vector<Destination>& targets);
  static void map_whole_blocks(Lowering& low, const ir::Statement& s, const ir::SegmentedMap& e,
                               const ir::LaneBlocks& plan, const std::vector<Destination>& targets);
  static void reduce_blocks(Lowering& low, const ir::SegmentedReduce& e,
                            const ir::LaneBlocks& plan, const std::vector<Destination>& mapped,
                            const std::vector<Operand>& outer, const Operand& start,
                            const Operand& count, const std::vector<Running>& totals);
  void map_point(const ir::Statement& s, const ir::SegmentedMap& e,
                 const std::vector<Destination>& targets);
  /// A bug: the schedule runs in lanes what cannot.
  [[noreturn]] static void refuse(std::string_view what);

  // ---- lanes_remainder.cpp
  /// How many rows, and points of a row, of a block belong to other blocks, too.
  struct Shared {
    Operand rows;
    Operand points;
  };
  void store_remainder(const LaneArray& target, const LaneScalar& value, const Shared& shared);

  // ---- lanes_layout.cpp
  /// A copy that has the outermost dimension innermost in memory.
  static LaneArray laid_out(Lowering& low, NameId array);

  // ---- lanes_packing.cpp
  void pack(NameId name);
  void copy_rows(const LaneArray& target, const LaneArray& source, const ir::Type& type);
  /// Elements from `first` on of the points of a vector.
  struct Square {
    Operand first;
    std::int64_t row;
    std::int64_t column;
  };
  bool is_collected(const LaneArray& target, const ir::Type& type) const;
  bool turns_over(const ir::Type& type) const;
  bool turn_over(const LaneArray& target, const LaneArray& source, const ir::Type& type);
  void turn_square(const LaneArray& target, const LaneArray& source, const Square& square,
                   ScalarType type);

  // ---- lanes_values.cpp
  Operand zero() const { return ir::i64_operand(0); }
  LaneScalar uniform(const Operand& operand) const;
  LaneScalar scalar_of(const Operand& operand) const;
  Operand uniform_operand(const Operand& operand) const;
  std::vector<Operand> uniform_shape(const std::vector<Operand>& shape) const;
  Operand piece(const LaneScalar& scalar, std::int64_t row, std::int64_t column);
  Operand with_lanes(const Operand& operand, ScalarType type);
  NameId lane_variable(std::string_view base, ScalarType type);
  LaneScalar make(ScalarType type, bool by_row, bool by_point,
                  const std::function<Operand(std::int64_t row, std::int64_t column)>& piece_at);
  LaneScalar apply(ScalarOp op, ScalarType type, ScalarType result,
                   const std::vector<LaneScalar>& arguments);
  std::optional<LaneScalar> apply_affine(ScalarOp op, const std::vector<LaneScalar>& arguments);
  LaneScalar add(const LaneScalar& a, const LaneScalar& b);
  LaneScalar times(const LaneScalar& a, const Operand& factor);
  LaneArray array_of(NameId name) const;
  LaneArray part_of(const LaneArray& array, const std::vector<LaneScalar>& indices);
  LaneScalar own_points() const;
  LaneArray new_array(const ir::Type& type, std::string_view base);
  LaneScalar load(const LaneArray& element, ScalarType type);
  void store(const LaneArray& element, const LaneScalar& value);
  void copy(const LaneArray& target, const LaneArray& source, const ir::Type& type);
  Place spill(const LaneScalar& scalar);
  void move(const LaneScalar& variables, const LaneScalar& value);
  LaneScalar variables(ScalarType type, const LaneScalar& initial);
  void bind(NameId name, const LaneScalar& scalar);
  void bind(NameId name, const LaneArray& array);
  void bind(NameId name, const Result& result);
  void loop(const Operand& width, const std::function<void(Operand)>& body);

  // ---- lanes_statements.cpp
  bool varies(const ir::Statement& statement) const;
  bool is_serialised(const ir::Statement& statement) const;
  void statement(const ir::Statement& statement);
  Result result_of(const Operand& operand) const;
  Result element(NameId array, const std::vector<LaneScalar>& indices);
  LaneScalar virtual_element(const LaneVirtual& array, const LaneScalar& index);
  std::vector<Result> lambda(const ir::Lambda& lambda, const std::vector<Result>& arguments,
                             const std::vector<std::optional<LaneArray>>& at);
  LaneArray result_array(NameId name);
  void lower(const ir::Statement& s, const ir::Identity& e);
  void lower(const ir::Statement& s, const ir::Scalar& e);
  void lower(const ir::Statement& s, const ir::Assert& e);
  void lower(const ir::Statement& s, const ir::Index& e);
  void lower(const ir::Statement& s, const ir::Slice& e);
  void lower(const ir::Statement& s, const ir::Permute& e);
  void lower(const ir::Statement& s, const ir::Reshape& e);
  void lower(const ir::Statement& s, const ir::Iota& e);
  void lower(const ir::Statement& s, const ir::Replicate& e);
  void lower(const ir::Statement& s, const ir::ArrayLiteral& e);
  void lower(const ir::Statement& s, const ir::Copy& e);
  void lower(const ir::Statement& s, const ir::Scratch& e);
  void lower(const ir::Statement& s, const ir::Update& e);
  void lower(const ir::Statement& s, const ir::Branch& e);  // lanes_control.cpp
  void lower(const ir::Statement& s, const ir::Loop& e);    // lanes_control.cpp
  void lower(const ir::Statement& s, const ir::MapScanReduce& e);
  void lower(const ir::Statement& s, const ir::Accumulate& e);  // lanes_accumulate.cpp
  template <typename Operation>
  void lower(const ir::Statement&, const Operation&) {
    refuse(Operation::mnemonic);
  }
  void step(const ir::Statement& s, const ir::MapScanReduce& e,
            const std::vector<LaneScalar>& running, const std::vector<LaneArray>& targets,
            const LaneScalar& i);

  // ---- lanes_accumulate.cpp
  Operand sum_of(const std::vector<Operand>& vectors, const ir::Scalar& op);
  Operand sum_of_row(const LaneScalar& value, std::int64_t row, const ir::Scalar& op);
  void accumulate_lanes(const ir::Accumulate& e);
  void accumulate_rows(const ir::Accumulate& e, const Accumulator& accumulator,
                       const std::vector<LaneScalar>& indices, const LaneScalar& value);

  LaneArray own_array(NameId name);
  LaneArray slice_of(const LaneArray& array, const std::vector<ir::SliceDimension>& dimensions);

  // ---- lanes_rows.cpp
  /// How many iterations of a statement run at once.
  std::int64_t rows_inside(const ir::Statement& s) const;
  LaneScalar row_of(const LaneScalar& scalar, std::int64_t row) const;
  void in_block_of_rows(const Operand& first, std::int64_t rows, const RowFunction& iteration);
  void in_shared_rows(const Operand& width, std::int64_t rows, const RowFunction& iteration);
  void in_disjoint_rows(const Operand& count, std::int64_t rows, const RowFunction& iteration);

  // ---- lanes_control.cpp
  struct Carried;
  void uniform_branch(const ir::Statement& s, const ir::Branch& e);
  void step(const std::vector<LaneScalar>& carried, const std::vector<Result>& next);
  Carried carry(const ir::Loop& e, std::size_t k);
  void put_next(const ir::Loop& e, const Carried& carried, const LaneArray& result);
  void step(const Carried& carried);

  // ---- lanes_serial.cpp
  /// A scalar of every point in memory; the offset of an array where `array` says the rest, or the
  /// start of one without memory.
  struct Spilled {
    NameId name;
    Place values;
    std::optional<Place> array;
    const LaneVirtual* without_memory = nullptr;
  };
  LaneArray spilled(const Place& values);
  std::vector<Spilled> spill_inputs(const ir::Statement& statement);
  void take(const Spilled& input, const Operand& point);
  void own_what_it_consumes(const ir::Statement& s);
  void one_by_one(const ir::Statement& s);

  /// Values that differ between points, and where results are wanted.
  struct Known {
    std::unordered_map<NameId, LaneScalar> scalars;
    std::unordered_map<NameId, LaneArray> arrays;
    std::unordered_map<NameId, LaneVirtual> virtual_arrays;
    std::unordered_map<NameId, LaneArray> destinations;
  };
  Lowering& low_;
  const ir::LaneBlocks& plan_;
  LaneBlock block_;  // has more rows inside statements of plan_.inner_rows
  Known known_;
  std::unordered_set<NameId> prepared_;  // statements, by their first result
  std::unordered_map<NameId, LaneArray> before_packing_;
  std::optional<Shared> shared_;  // where results lie in the place of what points read
};

}  // namespace dagaz::imperative
