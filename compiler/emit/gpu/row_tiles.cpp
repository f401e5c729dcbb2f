// Rows of a tile have an odd number of elements, so that neighbouring threads read theirs from
// different banks of shared memory.
#include "emit/gpu/row_tiles.h"

#include <algorithm>

#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/thread/loops.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::emit {

namespace {
constexpr std::int64_t row_warps = block_threads / warp_threads;
}

RowTiles::RowTiles(Context& c, const ir::Teams& plan) : Emitter(c), c_(c) {
  for (const NameId array : plan.tiled) {
    const ir::Type& type = c.names().type(array);
    const Operand& width = type.shape[1];
    const auto turned = std::find(plan.turned.begin(), plan.turned.end(), array);
    const Operand line = scalar(ScalarOp::bit_or, ScalarType::i64, {width, ir::i64_operand(1)});
    tiles_.emplace(array, Tile{c.arrays.place_of(array),
                               ir::array_of(type.element, {width}),
                               turned != plan.turned.end(),
                               line,
                               {}});
  }
}

std::vector<NameId> RowTiles::arrays_of(const ir::MapScanReduce& e) const {
  std::vector<NameId> arrays;
  if (!e.scans.empty()) return arrays;
  for (const NameId array : e.arrays) {
    const bool is_new = std::find(arrays.begin(), arrays.end(), array) == arrays.end();
    if (is_new && tiles_.contains(array)) arrays.push_back(array);
  }
  return arrays;
}

bool RowTiles::are_of(const ir::MapScanReduce& e) const { return !arrays_of(e).empty(); }

Operand RowTiles::bytes_of(const Tile& tile) {
  const Operand elements = mul(tile.line, ir::i64_operand(warp_threads));
  return mul(elements, ir::i64_operand(ir::byte_size(tile.row.element)));
}

// Operations take turns: each has the memory of the one before.
Operand RowTiles::lay_out(const ir::Body& body, const Operand& bytes) {
  Operand most = bytes;
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (map == nullptr) continue;
    Operand end = bytes;
    for (const NameId array : arrays_of(*map)) end = add(end, bytes_of(tiles_.at(array)));
    most = maximum(most, end);
  }
  begin_ = bytes;
  return most;
}

void RowTiles::place(const ir::MapScanReduce& e) {
  Operand offset = begin_;
  for (const NameId array : arrays_of(e)) {
    Tile& tile = tiles_.at(array);
    tile.block = block_variable("tile");
    emit(SharedMemory{tile.block, offset});
    offset = add(offset, bytes_of(tile));
  }
}

// The numbers from `first` on, every `step`-th, below `end`.
void RowTiles::for_every(std::string_view name, const Operand& end, const Operand& first,
                         std::int64_t step, const std::function<void(const Operand&)>& body) {
  const Operand left = maximum(sub(end, first), ir::i64_operand(0));
  const Operand distance = ir::i64_operand(step);
  loop(name, divide_up(left, distance), {},
       [&](const Operand& k) { body(add(first, mul(k, distance))); });
}

// Neighbours by neighbouring threads: a warp for each row, or each column where rows are turned.
void RowTiles::copy(const ir::MapScanReduce& e, const Operand& first, const Lane& here) {
  for (const NameId array : arrays_of(e)) {
    const Tile& tile = tiles_.at(array);
    const auto copy_element = [&](const Operand& own, const Operand& column) {
      const Place copy{tile.block,
                       ir::i64_operand(0),
                       {tile.line, ir::i64_operand(1)},
                       std::nullopt,
                       Space::shared};
      const ScalarType type = tile.row.element;
      store(c_, copy, {own, column}, load(c_, tile.around, {add(first, own), column}, type, "x"),
            type);
    };
    const Operand threads = ir::i64_operand(warp_threads);
    const Operand rows = minimum(threads, sub(e.width, first));
    const Operand& columns = tile.row.shape[0];
    if (tile.turned) {
      for_every("column", columns, here.warp, row_warps, [&](const Operand& column) {
        branch(less(here.lane, rows), [&] { copy_element(here.lane, column); });
      });
    } else {
      for_every("row", rows, here.warp, row_warps, [&](const Operand& own) {
        for_every("column", columns, here.lane, warp_threads,
                  [&](const Operand& column) { copy_element(own, column); });
      });
    }
  }
}

std::optional<Value> RowTiles::row(NameId array, const Operand& lane) {
  const auto found = tiles_.find(array);
  if (found == tiles_.end()) return std::nullopt;
  const Tile& tile = found->second;
  const Operand one = ir::i64_operand(1);
  const Place place{tile.block, mul(lane, tile.line), {one}, one, Space::shared};
  return Value{Operand(), tile.row, place};
}

}  // namespace dagaz::emit
