// Reductions and histograms of rows, element by element.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/program.h"
#include "passes/flatten/nest.h"

namespace dagaz::passes::flattening {

class RowReductions {
 public:
  /// `nested_operations`: most that each point of a deeper nest may repeat.
  RowReductions(ir::Names& names, std::int64_t nested_operations)
      : names_(names), nested_operations_(nested_operations) {}

  /// A statement of the host, which may make an array of one value.
  void note(const ir::Statement& statement);
  /// Puts the dimensions of the rows before the innermost one, along which is reduced, where all
  /// operators work element by element.
  void reduce_elements(Nest& nest, PointBody& point, std::vector<ir::ReduceOperator>& operators);
  /// Makes the bins of a histogram of rows those of elements, which the only dimension of the nest
  /// counts then; `before` is run by the host.
  void bin_elements(Nest& nest, PointBody& point, std::vector<ir::HistogramOperator>& operators,
                    std::vector<ir::Statement>& before);

 private:
  std::optional<ir::ReduceOperator> over_elements(const ir::ReduceOperator& one,
                                                  std::size_t rank);

  ir::Names& names_;
  std::int64_t nested_operations_;
  std::unordered_map<ir::NameId, ir::Operand> replicated_;  // arrays of one value
};

}  // namespace dagaz::passes::flattening
