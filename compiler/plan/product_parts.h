// Products (contraction.h) taken apart: the loops of their sums, what is added, and what of that
// panels hold, as whoever plans a product and whoever emits one see it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// A loop of the sum, outermost first: over `width` elements, with a name for their numbers.
struct SumLevel {
  ir::Operand width;
  ir::NameId element;
};

/// A map whose points are such sums, in parts.
struct SumParts {
  std::vector<SumLevel> levels;
  /// What adds, and the names of the sums.
  const std::vector<ir::ReduceOperator>* operators = nullptr;
  std::vector<ir::NameId> sums;
  /// Everything before the sums are added to, and the values that are.
  ir::Body elements;
  /// What the results of the map are made of, once there are sums.
  ir::Body after;
  /// Levels, operators and elements of sums that go on from these (sums_in_turn.h).
  std::vector<SumParts> further = {};
};

/// What becomes of sums whose elements are there under a condition (asked_elements.h): threads of a
/// GPU mind one at a read less than lanes do.
enum class Branches { refused, taken_apart };

/// The levels, operators and elements of one sum, before which there is `before`; nothing if it is
/// not of this form.
std::optional<SumParts> sum_parts(const ir::Statement& sum, std::vector<ir::Statement> before,
                                  Branches branches, ir::Names& names);
/// Nothing if `map` is not of this form.
std::optional<SumParts> sum_parts(const ir::SegmentedMap& map, Branches branches, ir::Names& names);
/// The sums of a reduction, which have no names, and after which nothing comes; nothing where it
/// also maps.
std::optional<SumParts> sum_parts(const ir::SegmentedReduce& reduction, Branches branches,
                                  ir::Names& names);
/// The statements of `body` that `results` need, but for those that make `given`.
ir::Body needed_for(const ir::Body& body, const std::vector<ir::Operand>& results,
                    const std::vector<ir::NameId>& given, const ir::Names& names);

/// Rows, or points, and what panels hold of them.
struct ProductSide {
  const ir::SpaceDimension& dimension() const { return dimensions.back(); }

  std::vector<ir::SpaceDimension> dimensions;  // outermost first; none: there is one row
  std::vector<ir::NameId> values;
  ir::Packing packing = ir::Packing::singly;
  std::int64_t panel = 1;  // so many rows or points
  ir::Body body;       // makes the values
  ir::Body body_kept;  // makes what is the same for all elements
};
/// `combined`: what is added, from what panels hold.
struct ProductSides {
  ProductSide rows;
  ProductSide points;
  ir::Body combined;
};
/// `elements`: the body that makes what is added.
ProductSides sides_of(const ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                      const ir::Body& elements, const ir::Names& names);
/// The dimensions of a side, by number, outermost first.
std::vector<std::size_t> dimensions_of(int own, std::vector<int> joined);
/// The dimensions of the space besides rows and points, by number: those of a batch.
std::vector<std::size_t> batch_of(const ir::Contraction& plan, std::size_t dimensions);

}  // namespace dagaz::plan
