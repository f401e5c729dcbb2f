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
  /// Threads: goes through the tiles of an operation, of as many rows as a warp has threads: `body`
  /// for each, from row `first` on.
  void for_each(const ir::MapScanReduce& e, const Lane& here,
                const std::function<void(const Operand& first)>& body);
  /// The row of the tile that this thread walks; none where the array has no tiles.
  std::optional<Value> row(NameId array, const Operand& lane);

 private:
  struct Tile {
    Place around;
    ir::Type row;
    bool turned;
    bool copied;   // while no thread waits
    Operand line;  // elements from a row of the copy to the next
    NameId block;  // where it lies, for the operation that is emitted
  };

  void place(const ir::MapScanReduce& e);
  void go_one_by_one(const Operand& tiles, const ir::MapScanReduce& e, const Lane& here,
                     const std::function<void(const Operand& first)>& body);
  void go_ahead(const Operand& tiles, const ir::MapScanReduce& e, const Lane& here,
                const std::function<void(const Operand& first)>& body);
  void copy(const ir::MapScanReduce& e, const Operand& first, const Operand& stage,
            const Lane& here);
  void copy_element(const Tile& tile, const Operand& stage, const std::vector<Operand>& from,
                    const std::vector<Operand>& at);
  bool has_copies(const ir::MapScanReduce& e) const;
  Operand elements_of(const Tile& tile);
  Operand bytes_of(const Tile& tile);
  void for_every(std::string_view name, const Operand& end, const Operand& first, std::int64_t step,
                 const std::function<void(const Operand&)>& body);
  std::vector<NameId> arrays_of(const ir::MapScanReduce& e) const;

  Context& c_;
  const int stages_;
  std::unordered_map<NameId, Tile> tiles_;
  Operand stage_;  // where the tile lies that the warps go through
  Operand begin_;  // in the memory of a block, in bytes
};

}  // namespace dagaz::emit
