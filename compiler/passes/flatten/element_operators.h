// Operators on arrays that work element by element, and the operators of their elements:
//
//   map2 ⊕, whose neutral element is replicate d ne,  is of elements  ⊕, with ne
#pragma once

#include <optional>
#include <unordered_map>

#include "ir/program.h"

namespace dagaz::passes::flattening {

class ElementOperators {
 public:
  explicit ElementOperators(ir::Names& names) : names_(names) {}

  /// A statement of the host, which may make an array of one value.
  void note(const ir::Statement& statement);
  /// The operator of elements of arrays that have `rank` dimensions, if `one` works by elements and
  /// its neutral elements are arrays of one value.
  std::optional<ir::ReduceOperator> of(const ir::ReduceOperator& one, std::size_t rank) const;

 private:
  ir::Names& names_;
  std::unordered_map<ir::NameId, ir::Operand> replicated_;  // arrays of one value
};

}  // namespace dagaz::passes::flattening
