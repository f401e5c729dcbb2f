// Reductions of rows, element by element.
#pragma once

#include <vector>

#include "ir/program.h"
#include "passes/flatten/element_operators.h"
#include "passes/flatten/nest.h"

namespace dagaz::passes::flattening {

class RowReductions {
 public:
  /// `nested_operations`: most that each point of a deeper nest may repeat.
  RowReductions(ir::Names& names, std::int64_t nested_operations)
      : names_(names), nested_operations_(nested_operations), by_elements_(names) {}

  /// A statement of the host, which may make an array of one value.
  void note(const ir::Statement& statement) { by_elements_.note(statement); }
  /// Puts the dimensions of the rows before the innermost one, along which is reduced, where all
  /// operators work element by element.
  void reduce_elements(Nest& nest, PointBody& point, std::vector<ir::ReduceOperator>& operators);

 private:
  ir::Names& names_;
  std::int64_t nested_operations_;
  ElementOperators by_elements_;
};

}  // namespace dagaz::passes::flattening
