// Rows of a tile have an odd number of elements, so that neighbouring threads read theirs from
// different banks of shared memory.
//
// With room for several tiles of an array:
//
//   for round:
//     wait for the copies of tile (round - ahead); meet
//     ask for tile `round`, where tile (round - stages) was, if there is one
//     go through tile (round - ahead), if there is one
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

RowTiles::RowTiles(Context& c, const ir::Teams& plan) : Emitter(c), c_(c), stages_(plan.stages) {
  for (const NameId array : plan.tiled) {
    const ir::Type& type = c.names().type(array);
    const Operand& width = type.shape[1];
    const Operand line = scalar(ScalarOp::bit_or, ScalarType::i64, {width, ir::i64_operand(1)});
    tiles_.emplace(array, Tile{c.arrays.place_of(array),
                               ir::array_of(type.element, {width}),
                               std::ranges::count(plan.turned, array) > 0,
                               std::ranges::count(plan.copied, array) > 0,
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

bool RowTiles::has_copies(const ir::MapScanReduce& e) const {
  return std::ranges::any_of(arrays_of(e), [&](NameId array) { return tiles_.at(array).copied; });
}

Operand RowTiles::elements_of(const Tile& tile) {
  return mul(tile.line, ir::i64_operand(warp_threads));
}

Operand RowTiles::bytes_of(const Tile& tile) {
  return mul(elements_of(tile), ir::i64_operand(stages_ * ir::byte_size(tile.row.element)));
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

void RowTiles::for_each(const ir::MapScanReduce& e, const Lane& here,
                        const std::function<void(const Operand& first)>& body) {
  place(e);
  const Operand tiles = divide_up(e.width, ir::i64_operand(warp_threads));
  stages_ == 1 ? go_one_by_one(tiles, e, here, body) : go_ahead(tiles, e, here, body);
}

void RowTiles::go_one_by_one(const Operand& tiles, const ir::MapScanReduce& e, const Lane& here,
                             const std::function<void(const Operand& first)>& body) {
  stage_ = ir::i64_operand(0);
  loop("tile", tiles, {}, [&](const Operand& tile) {
    const Operand first = mul(tile, ir::i64_operand(warp_threads));
    copy(e, first, stage_, here);
    if (has_copies(e)) {
      emit(CommitCopies{});
      emit(AwaitCopies{0});
    }
    emit(Barrier{});
    body(first);
    emit(Barrier{});
  });
}

// Who meets in the first round has gone through the last tile that lay here before.
void RowTiles::go_ahead(const Operand& tiles, const ir::MapScanReduce& e, const Lane& here,
                        const std::function<void(const Operand& first)>& body) {
  const Operand zero = ir::i64_operand(0);
  const Operand one = ir::i64_operand(1);
  const Operand rows = ir::i64_operand(warp_threads);
  const Operand ahead = ir::i64_operand(stages_ - 1);
  const auto either = [&](const Operand& condition, const Operand& yes, const Operand& no) {
    return scalar(ScalarOp::select, ScalarType::i64, {condition, yes, no});
  };
  // Of the tile to go through, whose number is below 0 at first.
  const NameId stage = mutable_variable("stage", ScalarType::i64, one);
  stage_ = stage;
  loop("round", add(tiles, ahead), {}, [&](const Operand& round) {
    emit(AwaitCopies{stages_ - 2});
    emit(Barrier{});
    const Operand before = either(equal(stage, zero), ahead, sub(stage, one));
    branch(less(round, tiles), [&] { copy(e, mul(round, rows), before, here); });
    emit(CommitCopies{});
    const Operand tile = sub(round, ahead);
    branch(less(ir::i64_operand(-1), tile), [&] { body(mul(tile, rows)); });
    move(stage, either(equal(stage, ahead), zero, add(stage, one)));
  });
}

void RowTiles::copy_element(const Tile& tile, const Operand& stage,
                            const std::vector<Operand>& from, const std::vector<Operand>& at) {
  const ScalarType type = tile.row.element;
  const Operand one = ir::i64_operand(1);
  const Place copy{
      tile.block, mul(stage, elements_of(tile)), {tile.line, one}, std::nullopt, Space::shared};
  if (!tile.copied) return store(c_, copy, at, load(c_, tile.around, from, type, "x"), type);
  DZ_CHECK(tile.around.space == Space::global, "a copy from memory of a block");
  emit(CopyAsync{copy.block, element_at(*this, copy, at), tile.around.block,
                 element_at(*this, tile.around, from), type, 1, one});
}

// All warps copy rows from `first` on; neighbours by neighbouring threads: a warp for each row, or
// each column where rows are turned.
void RowTiles::copy(const ir::MapScanReduce& e, const Operand& first, const Operand& stage,
                    const Lane& here) {
  for (const NameId array : arrays_of(e)) {
    const Tile& tile = tiles_.at(array);
    const auto copy_own = [&](const Operand& own, const Operand& column) {
      copy_element(tile, stage, {add(first, own), column}, {own, column});
    };
    const Operand threads = ir::i64_operand(warp_threads);
    const Operand rows = minimum(threads, sub(e.width, first));
    const Operand& columns = tile.row.shape[0];
    if (tile.turned) {
      for_every("column", columns, here.warp, row_warps, [&](const Operand& column) {
        branch(less(here.lane, rows), [&] { copy_own(here.lane, column); });
      });
    } else {
      for_every("row", rows, here.warp, row_warps, [&](const Operand& own) {
        for_every("column", columns, here.lane, warp_threads,
                  [&](const Operand& column) { copy_own(own, column); });
      });
    }
  }
}

std::optional<Value> RowTiles::row(NameId array, const Operand& lane) {
  const auto found = tiles_.find(array);
  if (found == tiles_.end()) return std::nullopt;
  const Tile& tile = found->second;
  const Operand one = ir::i64_operand(1);
  const Operand offset = add(mul(stage_, elements_of(tile)), mul(lane, tile.line));
  const Place place{tile.block, offset, {one}, one, Space::shared};
  return Value{Operand(), tile.row, place};
}

}  // namespace dagaz::emit
