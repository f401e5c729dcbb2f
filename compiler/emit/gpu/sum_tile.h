// Sums of a tile of rows and points by a block of a GPU, as plan/gpu_contraction.h has them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "emit/context/context.h"
#include "emit/gpu/matrix_sums.h"
#include "emit/thread/running.h"
#include "plan/product_parts.h"

namespace dagaz::emit {

/// Which tile, along rows and along points.
struct TilePlace {
  Operand row;
  Operand point;
};
/// What becomes of the sums of a row and a point of the space, by number.
using TilePut =
    std::function<void(const Operand& row, const Operand& point, const std::vector<Value>& sums)>;

class SumTile : public Emitter {
 public:
  /// `parts`, of whose statements it has none of its own, stays where it is.
  SumTile(Context& c, const std::vector<ir::SpaceDimension>& space, const plan::SumParts& parts,
          const ir::Contraction& plan);

  /// Host: what of a block's memory it has, from its beginning on.
  void lay_out();
  std::int64_t shared_bytes() const { return shared_bytes_; }
  const std::vector<ir::Type>& types() const { return types_; }  // of the sums of a point
  const Operand& elements() const { return elements_; }          // of a sum

  Operand row_tiles();
  Operand point_tiles();
  /// Threads: adds the elements from `begin` to `end`, and puts the sums; they meet at its end.
  void run(const TilePlace& at, const Operand& begin, const Operand& end, const TilePut& put);

 private:
  /// Rows or points of a tile; a panel of them is a thread's.
  struct Side : plan::ProductSide {
    std::int64_t width = 0;      // of a block
    std::int64_t lines = 0;      // of staged values: of an element each, or of a row or point
    std::int64_t pitch = 0;      // from one line to the next
    Operand extent;              // of the space
    Operand first;               // of this block
    Operand thread;              // the number of this thread among those along this side
    std::vector<NameId> own;     // what a thread keeps for each of its rows or points
    std::vector<Place> staged;   // of each value: [half][element][row or point][further]
    std::vector<Place> written;  // the same in what a thread stages at once
    std::vector<std::vector<Value>> kept;  // of each of a thread's rows or points
  };
  /// Whether all that a chunk reads is known to be there.
  enum class Reach { inside, clamped };
  /// Which element of the chunk, and which row or point of the tile: with so many more of each.
  /// Along lines they count in what a thread stages at once.
  struct Staged {
    Operand element;
    Operand own;
    std::int64_t further_elements = 0;
    std::int64_t further_own = 0;
  };
  /// Of a thread's row or point in the tile: that of its first one, and how much further it is.
  struct OwnPlace {
    Operand first;
    Operand further;
  };
  using Loaded = std::vector<std::vector<Value>>;  // of what a thread stages at once, the values

  Operand tiles_of(const Side& side);
  bool has_lines_of_elements(const Side& side) const;
  void lay_out(Side& side);
  void lay_out_handed();
  void place(Side& side);
  void bind(const Side& side, const Operand& number);
  void bind_element(const Operand& number);
  void keep(Side& side);
  void start_sums();
  Operand is_inside(const Side& side);
  void add_chunks();
  void add_chunk(const Operand& chunk, Reach reach);
  Loaded load(const Side& side, const Operand& chunk, Reach reach);
  std::vector<Operand> load_values(const Side& side, const Operand& element, const Operand& own,
                                   bool clamps);
  Operand factor(const Operand& value, const Operand& element, bool clamps);
  Operand paired(const Operand& first, const Operand& second);
  void stage(const Side& side, const Loaded& loaded, const Operand& half);
  Staged staged_at(const Side& side, std::int64_t number);
  void add_products(const Operand& half, const Operand& count);
  void add_product(const Operand& half, const Operand& element);
  std::vector<std::vector<Value>> read(const Side& side, const Operand& half,
                                       const Operand& element);
  OwnPlace own_place(const Side& side, std::int64_t own);
  Operand place_of(const Side& side, std::int64_t own);
  Operand number_of(const Side& side, std::int64_t own);
  void write(const TilePut& put);
  std::vector<Value> sums_at(std::int64_t row, std::int64_t point);
  void hand_over(const std::vector<Place>& handed, std::int64_t r, std::int64_t own);
  void put_handed(const std::vector<Place>& handed, const Operand& number, std::int64_t first,
                  const TilePut& put);

  Context& c_;
  const plan::SumParts& parts_;
  const ir::Contraction& plan_;
  const std::int64_t together_;         // neighbours of a line that a thread stages at once
  std::optional<MatrixSums> matrices_;  // that warps multiply; or threads multiply for themselves
  std::vector<ir::Type> types_;
  Side rows_;
  Side points_;
  ir::Body combined_;                   // what is added, from what is staged and kept
  std::vector<Operand> level_extents_;  // of the loops of the sum
  Operand elements_;
  std::int64_t shared_bytes_ = 0;
  std::vector<std::int64_t> offsets_;         // of staged values, those of rows first
  std::int64_t handed_rows_ = 1;              // of a thread whose sums go to memory together
  std::int64_t handed_pitch_ = 0;             // from one of these rows to the next
  std::vector<std::int64_t> handed_offsets_;  // of these sums in shared memory

  // In the kernel.
  Operand begin_;
  Operand end_;
  std::vector<std::vector<Running>> sums_;  // by row and point
};

}  // namespace dagaz::emit
