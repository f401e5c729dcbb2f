// Reads a body as it would run in lanes, without emitting anything: which statements can, which
// each point has to run by itself, which rows are worth packing, and what the innermost loops do.
//
// The rules are those of emission (emit/lanes), over what is known of values instead of
// code for them: a value is the same for all points, affine in the points, or any (the uniform and
// varying values of ispc; Pharr and Mark, InPar 2012).
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plan/lane_values.h"
#include "plan/surroundings.h"

namespace dagaz::plan {

/// What happens, to whole vectors and to vectors whose elements lie apart in memory.
struct LaneWork {
  std::int64_t depth = 0;       // of the innermost loops
  std::int64_t operations = 0;  // there
  std::int64_t gathers = 0;
  std::int64_t all_operations = 0;  // everywhere, as often as loops are assumed to run
  std::int64_t all_gathers = 0;
  std::int64_t row_vectors = 0;  // vectors that each row of a block reads there for itself
};

class LaneReading {
 public:
  LaneReading(const Surroundings& around, const ir::LaneBlocks& blocks)
      : around_(&around), blocks_(blocks),
        rows_(walks_stretches(blocks) ? 1 : blocks.block_rows) {}

  /// An index of the space.
  void bind_index(ir::NameId name, bool along_rows, bool along_points);
  /// An array that is laid out with its points innermost.
  void lay_out(ir::NameId array);
  /// Packs rows of arrays that are read again and again and lie apart.
  void pack_rows(const ir::Body& body, const std::optional<ir::NameId>& rows);
  /// `body`, whose results that are arrays go to parts of arrays at the indices of `space`.
  std::vector<LaneResult> read(const ir::Body& body,
                               const std::vector<std::optional<LaneArrayValue>>& wanted);
  /// The part of a row-major array over the space, of points of this type.
  LaneArrayValue target(const std::vector<ir::SpaceDimension>& space, const ir::Type& type,
                        const Layout& layout);
  void put(const LaneArrayValue& target, const LaneResult& result, const ir::Type& type);
  std::vector<LaneResult> lambda(const ir::Lambda& lambda, const std::vector<LaneResult>& arguments,
                                 const std::vector<std::optional<LaneArrayValue>>& wanted);
  std::vector<LaneValue> start(const std::vector<ir::Operand>& neutral);
  void combine(const ir::Lambda& op, const std::vector<LaneValue>& running,
               const std::vector<LaneValue>& values);

  /// Whether everything read so far can run in lanes, but for what is serialised.
  bool is_legal() const { return legal_; }
  const LaneWork& work() const { return work_; }
  /// The blocks with what has been found: packed rows, serialised statements, rows inside.
  const ir::LaneBlocks& blocks() const { return blocks_; }
  /// The widths of the loops that read packed rows again.
  const std::vector<ir::Operand>& packed_widths() const { return packed_widths_; }

 private:
  struct Known {
    std::unordered_map<ir::NameId, LaneValue> scalars;
    std::unordered_map<ir::NameId, LaneArrayValue> arrays;
    std::unordered_map<ir::NameId, LaneSequence> sequences;
    std::unordered_map<ir::NameId, LaneAccumulator> accumulators;
    std::unordered_map<ir::NameId, LaneArrayValue> destinations;
  };
  struct Carried {
    std::size_t value;
    LaneArrayValue current;
    bool alternates;
  };
  using Iteration = std::function<void(const LaneValue& index)>;

  void refuse() { legal_ = false; }
  const ir::Type& type_of(ir::NameId name) const { return around_.names.type(name); }

  // ---- values
  LaneValue uniform(const ir::Operand& operand);
  LaneValue value_of(const ir::Operand& operand);
  void require_uniform(const ir::Operand& operand);
  LaneValue own_points() const;
  LaneValue any_of(bool by_row, bool by_point, ir::ScalarType type) const;
  LaneValue varying(ir::ScalarType type) const { return any_of(true, true, type); }
  LaneValue apply(ir::ScalarOp op, ir::ScalarType type, ir::ScalarType result,
                  const std::vector<LaneValue>& arguments);
  LaneValue moved(const LaneValue& start, const LaneValue& index, const Step& stride);
  LaneArrayValue array_of(ir::NameId name);
  LaneArrayValue part_of(const LaneArrayValue& array, const std::vector<LaneValue>& indices);
  LaneArrayValue new_array(const ir::Type& type);
  LaneArrayValue own_array(ir::NameId name);
  LaneArrayValue slice_of(const LaneArrayValue& array,
                          const std::vector<ir::SliceDimension>& dimensions);
  LaneArrayValue result_array(ir::NameId name);
  LaneResult result_of(const ir::Operand& operand);
  LaneResult element(ir::NameId array, const std::vector<LaneValue>& indices);
  LaneValue element_of(const LaneSequence& sequence, const LaneValue& index);
  LaneValue load(const LaneArrayValue& element, ir::ScalarType type);
  void store(const LaneArrayValue& element);
  void copy(const LaneArrayValue& target, const LaneArrayValue& source, const ir::Type& type);
  void bind(ir::NameId name, const LaneValue& value);
  void bind(ir::NameId name, const LaneArrayValue& array);
  void bind(ir::NameId name, const LaneResult& result);
  void count_work(bool in_unit_steps);
  void count_gathers(std::int64_t depth, std::int64_t vectors);
  void loop(const ir::Operand& width, const std::function<void()>& body);

  // ---- statements
  bool varies(const ir::Statement& statement) const;
  void statement(const ir::Statement& statement);
  void uniform_statement(const ir::Statement& statement);
  void serialise(const ir::Statement& statement);
  void own_what_it_consumes(const ir::Statement& statement);
  void read(const ir::Statement& s, const ir::Identity& e);
  void read(const ir::Statement& s, const ir::Scalar& e);
  void read(const ir::Statement& s, const ir::Assert& e);
  void read(const ir::Statement& s, const ir::Index& e);
  void read(const ir::Statement& s, const ir::Slice& e);
  void read(const ir::Statement& s, const ir::Permute& e);
  void read(const ir::Statement& s, const ir::Reshape& e);
  void read(const ir::Statement& s, const ir::Iota& e);
  void read(const ir::Statement& s, const ir::Replicate& e);
  void read(const ir::Statement& s, const ir::ArrayLiteral& e);
  void read(const ir::Statement& s, const ir::Concat& e);
  void read(const ir::Statement& s, const ir::Copy& e);
  void read(const ir::Statement& s, const ir::Scratch& e);
  void read(const ir::Statement& s, const ir::Update& e);

  // ---- loops and branches
  void read(const ir::Statement& s, const ir::Branch& e);
  void uniform_branch(const ir::Statement& s, const ir::Branch& e);
  void chosen_branch(const ir::Statement& s, const ir::Branch& e, const LaneValue& condition);
  void masked_branch(const ir::Statement& s, const ir::Branch& e);
  void read(const ir::Statement& s, const ir::Loop& e);
  Carried carry(const ir::Loop& e, std::size_t k);
  void read(const ir::Statement& s, const ir::MapScanReduce& e);
  void step(const ir::Statement& s, const ir::MapScanReduce& e,
            const std::vector<LaneValue>& running,
            const std::vector<std::optional<LaneArrayValue>>& targets, const LaneValue& i);
  void continue_accumulator(ir::NameId to, const ir::Operand& from);
  void read(const ir::Statement& s, const ir::WithAccumulator& e);
  void read(const ir::Statement& s, const ir::Accumulate& e);
  void accumulate_own(const ir::Accumulate& e, const LaneAccumulator& own);
  bool add_in_rows(ir::NameId statement, const ir::Operand& count, const ir::Body& body,
                   const Iteration& iteration);
  std::int64_t rows_inside(const ir::Statement& s, const ir::MapScanReduce& e) const;
  bool in_rows(const ir::Statement& s, const ir::MapScanReduce& e,
               const std::vector<LaneValue>& running,
               const std::vector<std::optional<LaneArrayValue>>& targets, std::int64_t rows);
  bool try_rows(ir::NameId statement, std::int64_t rows, const std::function<void()>& read);
  void in_block_of_rows(std::int64_t rows, const Iteration& iteration);
  void in_shared_rows(const ir::Operand& width, std::int64_t rows, const Iteration& iteration);
  void in_disjoint_rows(const ir::Operand& width, std::int64_t rows, const Iteration& iteration);

  Surroundings around_;  // and what uniform statements of the body bind
  ir::LaneBlocks blocks_;
  std::int64_t rows_;  // of the block now; more than 1 also inside `inner_rows`
  Known known_;
  std::unordered_set<ir::NameId> prepared_;  // statements, by first result
  std::vector<ir::Operand> packed_widths_;
  std::int64_t depth_ = 0;
  bool masked_ = false;  // inside code that not all points run
  LaneWork work_;
  bool legal_ = true;
};

}  // namespace dagaz::plan
