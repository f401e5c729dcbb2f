// Splitting parallel operations that no single segmented operation expresses.
#pragma once

#include <vector>

#include "ir/names.h"
#include "ir/program.h"
#include "passes/passes.h"

namespace dagaz::passes::flattening {

/// Whether the elements of a reduction are sums of many terms, and an array of its own anyway: then
/// a map makes them, which may be a product.
bool keeps_sums(const ir::MapScanReduce& e);

class Splitter {
 public:
  Splitter(ir::Names& names, FlattenTarget target) : names_(names), target_(target) {}

  bool needs_split(const ir::MapScanReduce& e) const;
  /// Of an operation that needs it: it, and what it may still need to be split into.
  std::vector<ir::Statement> split(ir::Statement statement, ir::MapScanReduce e);
  /// Of a reduction that keeps sums: the map that makes its elements, and the reduction over these.
  std::vector<ir::Statement> split_elements_off(ir::Statement statement, ir::MapScanReduce e);
  /// Those that need it split until none does.
  std::vector<ir::Statement> split_statements(std::vector<ir::Statement> statements);

 private:
  std::vector<ir::Statement> split_post_off(ir::Statement statement, ir::MapScanReduce e);
  std::vector<ir::Statement> split_map_off(ir::Statement statement, ir::MapScanReduce e);
  std::vector<ir::Statement> split_reductions_off(ir::Statement statement, ir::MapScanReduce e);
  std::vector<ir::Statement> split_scan_and_reduce(ir::Statement statement, ir::MapScanReduce e);

  ir::Names& names_;
  FlattenTarget target_;
};

}  // namespace dagaz::passes::flattening
