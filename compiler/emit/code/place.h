// Where an array lies: a block, the element where it starts, and a stride per dimension; all are
// variables or constants of the generated code.  Views are arithmetic on places.
#pragma once

#include <optional>
#include <vector>

#include "emit/code/emitter.h"

namespace dagaz::emit {

/// Element (i…) is at block[offset + Σ iₖ·strideₖ].  Where `unit` is known the elements lie in
/// row-major order, `unit` apart; an array with unit 1 is dense.
struct Place {
  /// In row-major order, `unit` apart, once the dimensions come in `order`.
  struct Turned {
    std::vector<int> order;
    Operand unit;
    bool operator==(const Turned&) const = default;
  };
  NameId block;
  Operand offset;
  std::vector<Operand> strides;
  std::optional<Operand> unit;
  Space space = Space::global;
  std::optional<Turned> turned = {};
  bool is_dense() const { return unit && is_constant(*unit, 1); }
  bool operator==(const Place&) const = default;
};

/// Row-major order from `offset` on, elements `unit` apart.
Place row_major(Emitter& emitter, NameId block, const Operand& offset,
                const std::vector<Operand>& shape, const Operand& unit = ir::i64_operand(1));
/// The index, in elements of the block, of the element at `indices` (one per dimension).
Operand element_at(Emitter& emitter, const Place& place, const std::vector<Operand>& indices);
/// What is left of the dimensions where the `fixed` outermost ones are fixed; the offset stays.
Place without_outermost(const Place& place, std::size_t fixed);
/// The part at fixed outermost `indices`.
Place part_at(Emitter& emitter, const Place& place, const std::vector<Operand>& indices);
/// A slice of an array of shape `shape`.
Place slice_of(Emitter& emitter, const Place& place, const std::vector<Operand>& shape,
               const std::vector<ir::SliceDimension>& dimensions);
Place permuted(const Place& place, const std::vector<int>& permutation);
/// The place of x such that permute(x) lies at `place`.
Place permuted_back(const Place& place, const std::vector<int>& permutation);
/// The same elements under another shape, if no copy is needed for it.
std::optional<Place> reshaped(Emitter& emitter, const Place& place,
                              const std::vector<Operand>& from, const std::vector<Operand>& to);

}  // namespace dagaz::emit
