// Splitting parallel operations that no single segmented operation expresses.
#pragma once

#include <vector>

#include "ir/names.h"
#include "ir/program.h"
#include "passes/passes.h"

namespace dagaz::passes::flattening {

class Splitter {
 public:
  Splitter(ir::Names& names, FlattenTarget target) : names_(names), target_(target) {}

  bool needs_split(const ir::MapScanReduce& e) const;
  /// Of an operation that needs it: it, and what it may still need to be split into.
  std::vector<ir::Statement> split(ir::Statement statement, ir::MapScanReduce e);
  /// Those that need it split until none does.
  std::vector<ir::Statement> split_statements(std::vector<ir::Statement> statements);

 private:
  std::vector<ir::Statement> split_post_off(ir::Statement statement, ir::MapScanReduce e);
  std::vector<ir::Statement> split_elements_off(ir::Statement statement, ir::MapScanReduce e);
  std::vector<ir::Statement> split_map_off(ir::Statement statement, ir::MapScanReduce e);
  std::vector<ir::Statement> split_reductions_off(ir::Statement statement, ir::MapScanReduce e);
  std::vector<ir::Statement> split_scan_and_reduce(ir::Statement statement, ir::MapScanReduce e);

  ir::Names& names_;
  FlattenTarget target_;
};

}  // namespace dagaz::passes::flattening
