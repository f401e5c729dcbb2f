// Tiles of products on a GPU, as plan/gpu_contraction.h has them.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/gpu/arrivals.h"
#include "emit/gpu/sum_tile.h"
#include "plan/sums_in_turn.h"

namespace dagaz::emit {

/// Sums at the points of a space, whichever operation they are of.
struct TiledSums {
  std::vector<ir::SpaceDimension> space;
  plan::SumParts parts;
  /// Emits what becomes of the sums of a point.
  std::function<void(const std::vector<Operand>& point, const std::vector<Value>& sums)> put;
};

/// Emits such sums as their schedule says.
class ProductTiles : public Emitter {
 public:
  ProductTiles(Context& c, TiledSums sums, const ir::Contraction& plan);
  void run();

 private:
  std::vector<Operand> coordinates(const Operand& block, const std::vector<Operand>& grid);
  SumTile& tile() { return tiles_.front(); }
  void bind_batch(const std::vector<Operand>& at);
  void multiply(const std::vector<Operand>& at, const Operand& part);
  void put(const std::vector<Operand>& at, const Operand& part, const Operand& row,
           const Operand& point, const std::vector<Value>& sums);
  void combine_parts(const std::vector<Operand>& at);
  std::vector<Operand> place_of(const std::vector<Operand>& at, const Operand& row,
                                const Operand& point);

  Context& c_;
  const TiledSums sums_of_;
  const ir::Contraction& plan_;
  std::vector<std::size_t> batch_;  // the other dimensions
  std::vector<Operand> batch_extents_;
  std::deque<ir::Contraction> plans_;  // of each of the sums in turn
  std::deque<SumTile> tiles_;
  std::vector<Operand> begins_;       // of their elements, among those of all
  Operand elements_;                  // so many are there
  std::vector<Operand> tiles_along_;  // these, rows and points
  Operand parts_;                     // blocks that share a sum
  Operand length_;                    // elements of each
  std::vector<Place> partial_;        // [part][…]
  Arrivals arrivals_;                 // at tiles
};

}  // namespace dagaz::emit
