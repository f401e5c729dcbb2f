// What is known of values and arrays while a body is read as it would run in lanes, and the work
// that computing and reaching them is.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "plan/lane_values.h"
#include "plan/surroundings.h"

namespace dagaz::plan {

/// What happens, to whole vectors and to vectors whose elements lie apart in memory.
struct LaneWork {
  std::int64_t depth = 0;       // of the innermost loops
  std::int64_t operations = 0;  // there; what would not run in vectors else, as many as it costs
  std::int64_t gathers = 0;
  std::int64_t all_operations = 0;  // everywhere, as often as loops are assumed to run
  std::int64_t all_gathers = 0;
  std::int64_t row_vectors = 0;  // vectors that each row of a block reads there for itself
};

class LaneKnowledge {
 public:
  LaneKnowledge(const Surroundings& around, const ir::LaneBlocks& blocks)
      : around_(&around), blocks_(blocks), rows_(walks_stretches(blocks) ? 1 : blocks.block_rows) {}

  /// An index of the space.
  void bind_index(ir::NameId name, bool along_rows, bool along_points);
  /// An array that is laid out with its points innermost.
  void lay_out(ir::NameId array);
  void put(const LaneArrayValue& target, const LaneResult& result, const ir::Type& type);

  /// Whether everything read so far can run in lanes, but for what is serialised.
  bool is_legal() const { return legal_; }
  const LaneWork& work() const { return work_; }
  /// The blocks with what has been found: packed rows, serialised statements, rows inside.
  const ir::LaneBlocks& blocks() const { return blocks_; }

 protected:
  struct Known {
    std::unordered_map<ir::NameId, LaneValue> scalars;
    std::unordered_map<ir::NameId, LaneArrayValue> arrays;
    std::unordered_map<ir::NameId, LaneSequence> sequences;
    std::unordered_map<ir::NameId, LaneAccumulator> accumulators;
    std::unordered_map<ir::NameId, LaneArrayValue> destinations;
  };

  void refuse() { legal_ = false; }
  const ir::Type& type_of(ir::NameId name) const { return around_.names.type(name); }

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
  /// How often code runs inside loops that are nested so deep.
  std::int64_t assumed_runs(std::int64_t depth) const;
  void count_work(bool in_unit_steps);
  void count_operations(std::int64_t cost);
  void count_gathers(std::int64_t depth, std::int64_t vectors);
  void loop(const ir::Operand& width, const std::function<void()>& body);

  Surroundings around_;  // and what uniform statements of the body bind
  ir::LaneBlocks blocks_;
  std::int64_t rows_;  // of the block now; more than 1 also inside `inner_rows`
  Known known_;
  std::int64_t depth_ = 0;
  bool masked_ = false;   // inside code that not all points run
  bool in_turn_ = false;  // in a loop whose iterations come one after another
  LaneWork work_;
  bool legal_ = true;
};

}  // namespace dagaz::plan
