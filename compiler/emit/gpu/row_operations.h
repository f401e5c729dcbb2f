// What the threads of a team do with the rows of a point, as plan/gpu_rows.h has it.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emit/gpu/block.h"
#include "emit/gpu/row_tiles.h"
#include "plan/gpu_rows.h"

namespace dagaz::emit {

/// Emits the operations of one chain.
class RowOperations : public Emitter {
 public:
  /// `threads`: of a team, a warp or a block.
  RowOperations(Context& c, const plan::RowChain& chain, RowTiles& tiles, std::int64_t threads)
      : Emitter(c), c_(c), chain_(chain), tiles_(tiles), threads_(threads) {}

  /// Host: gives buffers for so many points memory of a block behind `bytes`; returns the end.
  Operand lay_out(std::int64_t rows, Operand bytes);
  /// Threads: names that memory, in which there is nothing.
  void place_buffers();
  /// Goes to a point, whose rows are of this number in their buffers: `exists` as below, `results`
  /// the rows that are wanted elsewhere.
  void begin(const Lane& here, std::optional<Operand> exists, const Operand& number,
             std::unordered_map<NameId, Place> results);
  void run(const ir::Statement& s);
  /// Rows that others have made are in their buffers.
  void take(const std::vector<ir::Binder>& rows);
  /// The row that `name` is, after updates perhaps.
  NameId root(NameId name) const;
  /// The memory of a buffer.
  NameId block_of(std::size_t buffer) const { return blocks_[buffer]; }

 private:
  /// A row in a buffer.
  struct Staged {
    Place place = {};
    bool filled = false;  // with this thread's elements
  };
  using ElementFunction = std::function<void(const Operand& i)>;

  bool is_block() const { return threads_ == block_threads; }
  /// Whether the warps of a block do the same at a time, so that all of them can meet.
  bool is_in_step() const { return !tiles_.is_empty(); }
  void meet();
  void meet_readers(const std::vector<NameId>& used);
  void copy_crossed(const std::vector<NameId>& used);
  void fill(const ir::Statement& s);
  Operand filled(const ir::Operation& operation, const Operand& i);
  void run(const ir::Statement& s, const ir::Update& e);
  void run(const ir::Statement& s, const ir::Branch& e);
  void emit_side(const ir::Statement& s, const ir::Body& side);
  void run(const ir::Statement& s, const ir::MapScanReduce& e);
  void emit_scan(const ir::Statement& s, const ir::MapScanReduce& e);
  void for_own_elements(const Operand& width, const ElementFunction& body);
  void for_tiled_elements(const ir::MapScanReduce& e, const ElementFunction& body);
  void write_result(const Place& result, const Operand& i, const Value& value);
  std::vector<Value> own_elements(const std::vector<NameId>& arrays, const Operand& i);
  void put(const ir::Statement& s, std::size_t from, const std::vector<Value>& values,
           const Operand& i);
  void keep_rows(const std::vector<NameId>& read, const std::vector<ir::Binder>& made);
  void hand_out(const ir::Statement& s, const std::vector<ir::ReduceOperator>& operators,
                const std::vector<Running>& running);
  void scan_team(const std::vector<Running>& values, const std::vector<Running>& carry);

  Context& c_;
  const plan::RowChain& chain_;
  RowTiles& tiles_;
  const std::int64_t threads_;
  std::vector<Operand> buffers_;  // where the first point's lie, in bytes
  std::vector<NameId> blocks_;    // their names in the kernel

  // The point that is emitted.
  Lane here_;
  Operand rank_;                   // of the thread in its team
  std::optional<Operand> exists_;  // whether there is such a point; it is another's otherwise
  std::unordered_map<NameId, Staged> staged_;
  std::unordered_map<NameId, Place> results_;  // rows where they are wanted
  // Since the threads have last met: rows that they have made, and those of which they have read
  // each other's elements.
  std::unordered_set<NameId> unmet_;
  std::unordered_set<NameId> crossed_;
};

}  // namespace dagaz::emit
