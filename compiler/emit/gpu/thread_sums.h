// The sums of a tile that each thread makes for itself: of its panel of rows and its panel of
// points, in registers.
//
// Its rows lie side by side, so that one load brings several, the same for all threads that have
// them; its points lie apart in pairs, so that neighbours read and write neighbours.
#pragma once

#include <vector>

#include "emit/gpu/tile_sides.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

class ThreadSums : public Emitter {
 public:
  ThreadSums(Context& c, TileSides& sides) : Emitter(c), c_(c), sides_(&sides) {}

  /// In the kernel: has what is the same for all elements of the thread's rows or points.
  void keep(const TileSide& side);
  /// In the kernel: has no products.
  void start();
  /// In the kernel: has those of another.
  void go_on_from(const ThreadSums& other) { sums_ = other.sums_; }
  /// Adds the products of the chunk of this number, none if it is below 0, in this half.
  void add_chunk(const Operand& chunk, const Operand& half, Reach reach);
  /// The sums of a row and a point of the thread, by their numbers.
  std::vector<Value> sums(std::int64_t row, std::int64_t point);

  /// Where in the tile row `own` of a thread is, and point `own` of this one.
  Operand row_of(const Operand& thread, const Operand& own);
  Operand place_of_point(std::int64_t own) { return place_of(sides_->points(), own); }

 private:
  /// Of a thread's row or point in the tile: that of its first one, and how much further it is.
  struct OwnPlace {
    Operand first;
    Operand further;
  };
  using Kept = std::vector<std::vector<Value>>;  // of each of a thread's rows or points

  OwnPlace own_place(const TileSide& side, std::int64_t own);
  Operand place_of(const TileSide& side, std::int64_t own);
  std::vector<std::vector<Value>> read(const TileSide& side, const Operand& half,
                                       const Operand& element);
  void add_products(const Operand& half, const Operand& count);
  void add_product(const Operand& half, const Operand& element);

  Context& c_;
  TileSides* sides_;
  Kept rows_;
  Kept points_;
  std::vector<std::vector<Running>> sums_;  // by row and point
};

}  // namespace dagaz::emit
