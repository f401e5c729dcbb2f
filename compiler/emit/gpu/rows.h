// Points of a map by teams of threads on a GPU, as plan/gpu_rows.h has it.
#pragma once

#include <optional>
#include <vector>

#include "emit/gpu/row_operations.h"

namespace dagaz::emit {

/// Emits one map as its schedule says.
class RowTeams : public Emitter {
 public:
  RowTeams(Context& c, const ir::SegmentedMap& e, const ir::Teams& plan,
           const std::vector<Destination>& targets);
  void run();

 private:
  bool is_block() const { return threads_ == block_threads; }
  void lay_out();
  std::size_t most_running() const;
  void emit_point(const Lane& here, const std::vector<Operand>& point,
                  const std::optional<Operand>& exists);

  Context& c_;
  const ir::SegmentedMap& e_;
  const std::int64_t threads_;  // of a team
  RowTiles tiles_;
  const plan::RowChain chain_;
  RowOperations rows_;
  const std::vector<Destination>& targets_;
  Operand shared_bytes_;
};

}  // namespace dagaz::emit
