// Sums of a tile of rows and points by a block of a GPU, as plan/gpu_contraction.h has them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "emit/context/context.h"
#include "emit/gpu/matrix_sums.h"
#include "emit/thread/running.h"
#include "plan/memory_elements.h"
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
  /// Where what a thread stages first of a chunk lies, and how far from there what it stages
  /// further, by an element of the sum and by a row or point.
  struct Steps {
    Place from;
    NameId first;
    Operand element;
    Operand own;
  };
  /// Rows or points of a tile; a panel of them is a thread's.
  struct Side : plan::ProductSide {
    std::int64_t width = 0;      // of a block
    std::int64_t lines = 0;      // of staged values: of an element each, or of a row or point
    std::int64_t pitch = 0;      // from one line to the next
    Operand extent;              // of the space
    Operand first;               // of this block
    Operand thread;              // the number of this thread among those along this side
    std::int64_t together = 1;   // neighbours of a line that a thread stages at once
    std::int64_t copies = 0;     // the same where it need not wait for them; else 0
    std::optional<plan::MemoryElements> elements;  // that values are, if they are such
    std::vector<Steps> steady;   // of each value in steady chunks, where these have steps
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
  struct Source {
    Operand element;
    Operand own;
  };
  /// Of a thread's row or point in the tile: that of its first one, and how much further it is.
  struct OwnPlace {
    Operand first;
    Operand further;
  };
  /// How many there are, and the first how many are whole, in a tile inside the space, as are those
  /// after them that are asked for while they are multiplied.
  struct Chunks {
    Operand all;
    Operand steady;
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
  void begin_steady(Side& side, const Operand& chunk);
  void advance(Side& side);
  Operand steady_index(const Steps& steps, const Staged& at);
  Chunks chunks(std::int64_t ahead);
  void add_chunks();
  void run_rounds(std::int64_t ahead, const std::function<void(NameId chunk, Reach reach)>& step,
                  const std::function<std::int64_t(const Side&)>& asked);
  Operand start_of(const Operand& chunk);
  void add_chunk(const Operand& chunk, Reach reach);
  Loaded load(const Side& side, const Operand& chunk, Reach reach);
  void fill(const Side& side, const Operand& chunk, const Operand& half);
  std::vector<Value> load_at(const Side& side, const Staged& at, const Operand& chunk, Reach reach);
  std::vector<Value> as_values(const Side& side, const std::vector<Operand>& values);
  Source source_of(const Side& side, const Staged& at, const Operand& chunk);
  bool has_copies() const { return rows_.copies > 0 || points_.copies > 0; }
  void add_chunks_ahead();
  void add_chunk_ahead(const Operand& chunk, NameId stage, Reach reach);
  void stage_others(const Operand& chunk, const Operand& following, const Operand& stage,
                    Reach reach, const std::function<void()>& add_products);
  void copy(const Side& side, const Operand& chunk, const Operand& stage, Reach reach);
  void copy_at(const Side& side, const Staged& at, const Operand& chunk, const Operand& stage,
               Reach reach);
  Operand present(const Side& side, const Operand& element, const Operand& own);
  void copy_steady(const Side& side, const Staged& at, const Operand& stage);
  Operand target_of(const Side& side, std::size_t value, const Staged& at, const Operand& stage);
  void copy_value(const Side& side, std::size_t value, const Operand& to, Operand count);
  void emit_copy(const Side& side, std::size_t value, const Place& from, const Operand& to,
                 const Operand& index, const Operand& count);
  void copy_each(const CopyAsync& all, const Operand& stride);
  std::vector<Operand> load_steady(const Side& side, const Staged& at);
  std::vector<Operand> load_values(const Side& side, const Operand& element, const Operand& own,
                                   bool clamps);
  Operand factor(const Operand& value, const Operand& element, bool clamps);
  Operand paired(const Operand& first, const Operand& second);
  void stage(const Side& side, const Loaded& loaded, const Operand& half);
  void stage_at(const Side& side, const Staged& at, const std::vector<Value>& values,
                const Operand& half);
  Staged staged_at(const Side& side, const Operand& number);
  Staged staged_at(const Side& side, const Operand& number, const Operand& thread);
  Operand thread_for(const Side& side);
  std::int64_t staged_each(const Side& side) const;
  bool has_rest(const Side& side) const;
  void if_staged(const Side& side, bool is_known, const Staged& at,
                 const std::function<void()>& action);
  std::vector<Operand> indices_of_staged(const Place& written, const Staged& at,
                                         const Operand& half);
  void add_products_of(const Operand& chunk, const Operand& half, Reach reach);
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
