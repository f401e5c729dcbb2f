// Points of a map by teams of threads on a GPU, as plan/gpu_rows.h has it.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emit/gpu/block.h"
#include "emit/gpu/row_tiles.h"
#include "plan/gpu_rows.h"

namespace dagaz::emit {

/// Emits one map as its schedule says.
class RowTeams : public Emitter {
 public:
  RowTeams(Context& c, const ir::SegmentedMap& e, const ir::Teams& plan,
           const std::vector<Destination>& targets);
  void run();

 private:
  /// A row in a buffer.
  struct Staged {
    Place place;
    bool filled = false;  // with this thread's elements
  };
  using ElementFunction = std::function<void(const Operand& i)>;

  bool is_block() const { return threads_ == block_threads; }
  /// Whether the warps of a block do the same at a time, so that all of them can meet.
  bool is_in_step() const { return !tiles_.is_empty(); }
  void lay_out();
  std::size_t most_running() const;
  void emit_point(const std::vector<Operand>& point);
  void place_buffers();
  void emit_rows(const ir::Statement& s);
  void meet();
  void meet_readers(const std::vector<NameId>& used);
  void copy_crossed(const std::vector<NameId>& used);
  void fill(const ir::Statement& s);
  Operand filled(const ir::Operation& operation, const Operand& i);
  void emit_rows(const ir::Statement& s, const ir::Update& e);
  void emit_rows(const ir::Statement& s, const ir::Branch& e);
  void emit_side(const ir::Statement& s, const ir::Body& side);
  void emit_rows(const ir::Statement& s, const ir::MapScanReduce& e);
  void emit_scan(const ir::Statement& s, const ir::MapScanReduce& e);
  void for_own_elements(const Operand& width, const ElementFunction& body);
  void for_tiled_elements(const ir::MapScanReduce& e, const ElementFunction& body);
  void write_result(const Place& result, const Operand& i, const Value& value);
  std::vector<Value> own_elements(const std::vector<NameId>& arrays, const Operand& i);
  void put(const ir::Statement& s, std::size_t from, const std::vector<Value>& values,
           const Operand& i);
  void keep_rows(const std::vector<NameId>& read, const std::vector<ir::Binder>& made);
  NameId root(NameId name) const;
  void hand_out(const ir::Statement& s, const std::vector<ir::ReduceOperator>& operators,
                const std::vector<Running>& running);
  void scan_team(const std::vector<Running>& values, const std::vector<Running>& carry);

  Context& c_;
  const ir::SegmentedMap& e_;
  const std::int64_t threads_;  // of a team
  RowTiles tiles_;
  const plan::RowChain chain_;
  const std::vector<Destination>& targets_;
  std::vector<Operand> buffers_;  // where the first team's lie, in bytes
  Operand shared_bytes_;

  // The point that is emitted.
  Lane here_;
  Operand rank_;  // of the thread in its team
  std::optional<Operand> exists_;  // whether there is such a point; it is another's otherwise
  std::unordered_map<NameId, Staged> staged_;
  std::unordered_map<NameId, Place> results_;  // rows where they are wanted
  // Since the threads have last met: rows that they have made, and those of which they have read
  // each other's elements.
  std::unordered_set<NameId> unmet_;
  std::unordered_set<NameId> crossed_;
};

}  // namespace dagaz::emit
