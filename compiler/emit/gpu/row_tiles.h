// Tiles of rows in shared memory that the warps of a block go through together, as
// plan/gpu_row_tiles.h has them.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emit/gpu/block.h"

namespace dagaz::emit {

class RowTiles : public Emitter {
 public:
  RowTiles(Context& c, const ir::Teams& plan);

  bool is_empty() const { return tiles_.empty(); }
  bool are_of(const ir::MapScanReduce& e) const;
  /// Host: gives the tiles of the operations in `body` memory of a block behind `bytes`; returns
  /// the end of it.
  Operand lay_out(const ir::Body& body, const Operand& bytes);
  /// Threads: names the memory that the tiles of an operation have.
  void place(const ir::MapScanReduce& e);
  /// All warps copy rows from `first` on, as many as a warp has threads; they have to meet then.
  void copy(const ir::MapScanReduce& e, const Operand& first, const Lane& here);
  /// The row of the tile that this thread walks; none where the array has no tiles.
  std::optional<Value> row(NameId array, const Operand& lane);

 private:
  struct Tile {
    Place around;
    ir::Type row;
    bool turned;
    Operand line;  // elements from a row of the copy to the next
    NameId block;  // where it lies, for the operation that is emitted
  };

  Operand bytes_of(const Tile& tile);
  void for_every(std::string_view name, const Operand& end, const Operand& first, std::int64_t step,
                 const std::function<void(const Operand&)>& body);
  std::vector<NameId> arrays_of(const ir::MapScanReduce& e) const;

  Context& c_;
  std::unordered_map<NameId, Tile> tiles_;
  Operand begin_;  // in the memory of a block, in bytes
};

}  // namespace dagaz::emit
