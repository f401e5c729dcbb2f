// Tiles of products on a GPU, as plan/gpu_contraction.h has them.
#pragma once

#include <vector>

#include "emit/context/context.h"
#include "emit/thread/running.h"
#include "plan/product_parts.h"

namespace dagaz::emit {

/// Emits one reduction as its schedule says.
class ProductTiles : public Emitter {
 public:
  ProductTiles(Context& c, const ir::SegmentedReduce& e, const ir::Contraction& plan,
               const std::vector<ir::Type>& types, const std::vector<Place>& totals);
  void run();

 private:
  /// Rows or points of a tile; a panel of them is a thread's.
  struct Side : plan::ProductSide {
    std::int64_t width = 0;     // of a block
    Operand tiles;              // of the space
    Operand first;              // of this block
    Operand thread;             // the number of this thread among those along this side
    std::vector<Place> staged;  // of each value: [half][element][row or point]
  };
  using Loaded = std::vector<std::vector<Value>>;  // of each of a thread's elements, the values

  std::int64_t pitch(const Side& side) const;
  void lay_out(Side& side);
  void place(Side& side);
  void multiply(const std::vector<Operand>& at, const Operand& part);
  Loaded load(const Side& side, const Operand& chunk);
  void stage(const Side& side, const Loaded& loaded, const Operand& half);
  std::pair<Operand, Operand> staged_at(const Side& side, std::int64_t number);
  void add_products(const Operand& chunk, const Operand& half);
  std::vector<std::vector<Value>> read(const Side& side, const Operand& half,
                                       const Operand& element);
  void write(const std::vector<Operand>& at, const Operand& part);
  void combine_parts();

  Context& c_;
  const ir::SegmentedReduce& e_;
  const ir::Contraction& plan_;
  const std::vector<ir::Type>& types_;
  const std::vector<Place>& totals_;
  Side rows_;
  Side points_;
  ir::Body combined_;           // what is added, from what is staged
  std::vector<Operand> batch_;  // extents of the other dimensions
  Operand parts_;               // blocks that share a sum
  Operand length_;              // elements of each
  std::vector<Place> partial_;  // [part][…]
  std::int64_t shared_bytes_ = 0;
  std::vector<std::int64_t> offsets_;  // of staged values, those of rows first

  // In the kernel.
  Operand begin_;  // the first element of this block
  Operand end_;
  std::vector<std::vector<Running>> sums_;  // by row and point
};

}  // namespace dagaz::emit
