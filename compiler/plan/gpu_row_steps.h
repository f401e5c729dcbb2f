// Chains of operations on rows (gpu_rows.h) taken apart into steps, for a block of points of a GPU
// (gpu_row_blocks.h), as whoever plans one and whoever emits one see it.
//
// A step is a product, whose sums for all points of the block are tiles; or some operations that
// follow each other, which one warp runs for one point.  What a map makes of its sums, and
// combines, becomes an operation of its own, over a row of the sums:
//
//   map (\k -> g (sum (map2 (*) q k))) keys  =  let s = map (\k -> sum (map2 (*) q k)) keys
//                                               in map g s
//
// Between steps all threads meet.  What a step finds for a point and a later one needs is kept for
// each point of the block: rows in the buffers of the chain, scalars that reductions give beside
// them.  Views and scalar operations are cheap, and each step that needs one has it again.
//
// The points of the block are numbered from 0 on; a product's space is these numbers and the
// elements of its row, so that it is a product of matrices as any other (contraction.h).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "plan/gpu_rows.h"
#include "plan/product_parts.h"
#include "support/function_ref.h"

namespace dagaz::plan {

/// What points have, and the same as an array over all points of the block.
struct KeptValue {
  ir::NameId own;
  ir::NameId all;
};
/// Sums in tiles, as a map over the points of the block and the elements of a row.
struct RowProduct {
  RowProduct() = default;
  RowProduct(RowProduct&&) = default;  // `parts` points into `nest`
  RowProduct& operator=(RowProduct&&) = default;

  ir::SegmentedMap nest;
  SumParts parts;
  ir::Contraction tile;
};
/// A product, or operations on rows of which views and scalars that they need are a part.
struct RowStep {
  std::vector<ir::Statement> statements;
  std::optional<RowProduct> product;  // the only statement
  std::vector<ir::NameId> reads;      // scalars of earlier steps
};
struct RowSteps {
  ir::SegmentedMap map;  // what they compute, as a chain
  RowChain chain;
  std::vector<RowStep> steps;
  std::vector<KeptValue> scalars;  // that later steps read
  std::vector<KeptValue> rows;     // that products read, of those staged in the chain
  ir::NameId first;                // of the innermost dimension, point 0
  ir::NameId count;                // of points
};

/// The statements of a map that are products, by their first results.  `most`: operations for each
/// pair of values.
std::vector<ir::NameId> row_products(const ir::SegmentedMap& e, std::int64_t most, ir::Names& names,
                                     FunctionRef<bool(ir::NameId)> is_element_only);
/// The steps of a chain with these products, each in tiles of the plan's sizes; none where the map
/// is no such chain.
std::optional<RowSteps> row_steps(const ir::SegmentedMap& e, const ir::RowBlocks& plan,
                                  std::int64_t stack_array, ir::Names& names,
                                  FunctionRef<bool(ir::NameId)> is_element_only);

}  // namespace dagaz::plan
