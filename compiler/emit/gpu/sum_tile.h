// Sums of a tile of rows and points by a block of a GPU, as plan/gpu_contraction.h has them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "emit/gpu/handed_sums.h"
#include "emit/gpu/side_copies.h"
#include "emit/gpu/side_loads.h"

namespace dagaz::emit {

class SumTile : public Emitter {
 public:
  /// `parts`, of whose statements it has none of its own, stays where it is.
  SumTile(Context& c, const std::vector<ir::SpaceDimension>& space, const plan::SumParts& parts,
          const ir::Contraction& plan);

  /// Host: what of a block's memory it has, from its beginning on.
  void lay_out() { shared_bytes_ = handed_.lay_out(sides_.lay_out()); }
  std::int64_t shared_bytes() const { return shared_bytes_; }
  const std::vector<ir::Type>& types() const { return types_; }  // of the sums of a point
  const Operand& elements() const { return sides_.elements(); }  // of a sum

  Operand row_tiles() { return sides_.tiles_of(sides_.rows()); }
  Operand point_tiles() { return sides_.tiles_of(sides_.points()); }
  /// Threads: adds the elements from `begin` to `end`; they meet at its end.
  void add_elements(const TilePlace& at, const Operand& begin, const Operand& end);
  /// Threads: adds those to the sums of another, whose tile it is as well.
  void add_elements_to(const SumTile& other, const TilePlace& at, const Operand& begin,
                       const Operand& end);
  /// Threads: puts the sums; they meet at its end.
  void put_all(const TilePut& put) { handed_.put_all(sums_, put); }
  /// Threads: every sum of that tile by one of them; neighbours have neighbouring points.
  void for_each_sum(const std::function<void(const Operand& row, const Operand& point)>& body);

 private:
  /// How a side comes to shared memory.
  struct Staging {
    Staging(Context& c, TileSides& sides, const TileSide& of)
        : side(of),
          shares(c, sides, of),
          steady(c, sides, of, shares),
          loads(c, sides, of, shares, steady),
          copies(c, sides, of, shares, steady) {}

    bool has_copies() const { return side.copies > 0; }

    const TileSide& side;
    SideShares shares;
    SteadyPlaces steady;
    SideLoads loads;
    SideCopies copies;
  };
  /// How many there are, and the first how many are whole, in a tile inside the space, as are those
  /// after them that are asked for while they are multiplied.
  struct Chunks {
    Operand all;
    Operand steady;
  };

  void go_to(const TilePlace& at, const Operand& begin, const Operand& end);
  void add_all_chunks();
  Chunks chunks(std::int64_t ahead);
  void run_rounds(std::int64_t ahead, const std::function<void(NameId chunk, Reach reach)>& step,
                  const std::function<std::int64_t(const Staging&)>& asked);
  void add_chunks();
  void add_chunk(const Operand& chunk, Reach reach);
  void add_chunks_ahead();
  void add_chunk_ahead(const Operand& chunk, NameId stage, Reach reach);
  void load_ahead(const Operand& chunk, const Operand& stage, Reach reach,
                  const std::function<void()>& add_products);
  void add_products(const Operand& chunk, const Operand& half, Reach reach);

  Context& c_;
  const ir::Contraction& plan_;
  std::vector<ir::Type> types_;
  TileSides sides_;
  Staging rows_;
  Staging points_;
  TileSums sums_;
  HandedSums handed_;
  std::int64_t shared_bytes_ = 0;
};

}  // namespace dagaz::emit
