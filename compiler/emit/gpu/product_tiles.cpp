// Products in tiles of a block, each of which sum_tile.h runs; several blocks may share the sums of
// a tile, which the last of them to be there then combines.  Sums in turn (plan/sums_in_turn.h) are
// run one after the other, as if their elements followed on from those before, at whole chunks.
#include "emit/gpu/product_tiles.h"

#include <algorithm>

#include "emit/gpu/kernels.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"
#include "emit/versions.h"

namespace dagaz::emit {

ProductTiles::ProductTiles(Context& c, TiledSums sums, const ir::Contraction& plan)
    : Emitter(c),
      c_(c),
      sums_of_(std::move(sums)),
      plan_(plan),
      batch_(plan::batch_of(plan, sums_of_.space.size())),
      arrivals_(c) {
  for (const plan::SumParts* one : plan::in_turn(sums_of_.parts)) {
    plans_.push_back(plan::plan_of(plan, *one, c.names()));
    tiles_.emplace_back(c, sums_of_.space, *one, plans_.back());
  }
  for (const std::size_t d : batch_) batch_extents_.push_back(sums_of_.space[d].extent);
}

// ---------------------------------------------------------------- the host's side

void ProductTiles::run() {
  const Operand depth = ir::i64_operand(plan_.depth);
  std::int64_t shared_bytes = 0;
  elements_ = ir::i64_operand(0);
  for (SumTile& one : tiles_) {
    one.lay_out();
    shared_bytes = std::max(shared_bytes, one.shared_bytes());
    begins_.push_back(mul(divide_up(elements_, depth), depth));
    elements_ = add(begins_.back(), one.elements());
  }
  const Operand row_tiles = tile().row_tiles();
  const Operand point_tiles = tile().point_tiles();
  const Operand tiles = mul(product(batch_extents_), mul(row_tiles, point_tiles));
  const Operand one = ir::i64_operand(1);
  parts_ = one;
  if (plan_.split > 0) {
    const Operand blocks = divide(resident_threads(c_), ir::i64_operand(block_threads));
    const Operand fill = divide(blocks, maximum(tiles, one));
    const Operand most = divide(elements_, ir::i64_operand(plan_.split));
    parts_ = maximum(one, minimum(fill, most));
  }
  // Whole chunks.
  const Operand share = divide_up(elements_, parts_);
  length_ = mul(maximum(divide_up(share, depth), one), depth);
  if (plan_.split > 0) {
    parts_ = maximum(divide_up(elements_, length_), one);
    const NameId shared = mutable_variable("parts", ScalarType::i64, ir::i64_operand(0));
    const NameId counted = mutable_variable("counted", ScalarType::i64, ir::i64_operand(0));
    branch(less(one, parts_), [&] {
      move(shared, parts_);
      move(counted, tiles);
    });
    for (const ir::Type& type : tile().types()) {
      std::vector<Operand> shape = {shared};
      for (const ir::SpaceDimension& d : sums_of_.space) shape.push_back(d.extent);
      partial_.push_back(new_array(c_, ir::array_of(type.element, shape), "partial"));
    }
    arrivals_.expect(counted);
  }
  tiles_along_ = batch_extents_;
  tiles_along_.push_back(row_tiles);
  tiles_along_.push_back(point_tiles);
  std::vector<Operand> grid = {parts_};
  grid.insert(grid.end(), tiles_along_.begin(), tiles_along_.end());
  BlockKernel kernel = kernel_of_blocks(c_, product(grid), [&](const Operand& block) {
    std::vector<Operand> at = coordinates(block, grid);
    const Operand part = at.front();
    at.erase(at.begin());
    multiply(at, part);
  });
  launch(c_, "tiles", kernel.grid, ir::i64_operand(shared_bytes), std::move(kernel.code),
         plan_.together);
}

// ---------------------------------------------------------------- a block

// The coordinates of a block in a grid.  No memory holds the sums of 2^31 tiles: 32 bits are
// enough, whose division calls nothing and leaves half of the registers.
std::vector<Operand> ProductTiles::coordinates(const Operand& block,
                                               const std::vector<Operand>& grid) {
  const auto narrow = [&](const Operand& wide) {
    if (wide.is_constant()) {
      return Operand(ir::make_integer(ScalarType::i32, ir::integer_value(wide.constant())));
    }
    const NameId number = variable("number", ScalarType::i32);
    emit(Assign{number, ScalarOp::zero_extend, ScalarType::i64, ScalarType::i32, {wide}});
    return Operand(number);
  };
  std::vector<Operand> at(grid.size());
  Operand rest = narrow(block);
  for (std::size_t k = grid.size(); k-- > 0;) {
    const Operand extent = narrow(grid[k]);
    const Operand place = k == 0 ? rest : scalar(ScalarOp::urem, ScalarType::i32, {rest, extent});
    if (k > 0) rest = scalar(ScalarOp::udiv, ScalarType::i32, {rest, extent});
    at[k] = variable("at", ScalarType::i64);
    emit(Assign{at[k].name(), ScalarOp::zero_extend, ScalarType::i32, ScalarType::i64, {place}});
  }
  return at;
}

void ProductTiles::bind_batch(const std::vector<Operand>& at) {
  std::size_t next = 0;
  for (const std::size_t d : batch_) move(sums_of_.space[d].index.name, at[next++]);
}

// `at`: the batch, and the tile's row and column.
void ProductTiles::multiply(const std::vector<Operand>& at, const Operand& part) {
  bind_batch(at);
  const TilePlace place{at[at.size() - 2], at.back()};
  const Operand begin = mul(part, length_);
  const Operand end = add(begin, length_);
  for (std::size_t k = 0; k < tiles_.size(); ++k) {
    SumTile& one = tiles_[k];
    const Operand own_end = minimum(sub(end, begins_[k]), one.elements());
    if (k == 0) {
      one.add_elements(place, begin, own_end);
    } else {
      const Operand own_begin = maximum(sub(begin, begins_[k]), ir::i64_operand(0));
      one.add_elements_to(tile(), place, own_begin, own_end);
    }
  }
  tile().put_all([&](const Operand& row, const Operand& point, const std::vector<Value>& sums) {
    put(at, part, row, point, sums);
  });
  if (plan_.split == 0) return;
  branch(less(ir::i64_operand(1), parts_), [&] {
    Operand tile = ir::i64_operand(0);
    for (std::size_t k = 0; k < at.size(); ++k) tile = add(mul(tile, tiles_along_[k]), at[k]);
    emit(Fence{});
    // Of the sums that the tile handed on nothing is left in shared memory.
    arrivals_.arrive(tile, parts_, ir::i64_operand(0), [&] { combine_parts(at); });
  });
}

void ProductTiles::combine_parts(const std::vector<Operand>& at) {
  tile().for_each_sum([&](const Operand& row, const Operand& point) {
    const std::vector<Operand> where = place_of(at, row, point);
    const std::vector<Running> running = start_reductions(c_, *sums_of_.parts.operators);
    thread_loop(c_, parts_, true, [&](const Operand& part) {
      std::vector<Operand> own = {part};
      own.insert(own.end(), where.begin(), where.end());
      combine_all(c_, running, values_at(c_, partial_, tile().types(), own), 0);
    });
    sums_of_.put(where, running_values(running));
  });
}

// Of a sum in the space.
std::vector<Operand> ProductTiles::place_of(const std::vector<Operand>& at, const Operand& row,
                                            const Operand& point) {
  std::vector<Operand> where(sums_of_.space.size());
  for (std::size_t b = 0; b < batch_.size(); ++b) where[batch_[b]] = at[b];
  const auto place = [&](const Operand& number, const std::vector<std::size_t>& to) {
    std::vector<Operand> extents;
    for (const std::size_t d : to) extents.push_back(sums_of_.space[d].extent);
    const std::vector<Operand> indices = unflatten(number, extents);
    for (std::size_t d = 0; d < to.size(); ++d) where[to[d]] = indices[d];
  };
  place(row, plan::dimensions_of(plan_.rows, plan_.joined_rows));
  place(point, plan::dimensions_of(plan_.points, plan_.joined_points));
  return where;
}

// The sums themselves, or what this block has of them.
void ProductTiles::put(const std::vector<Operand>& at, const Operand& part, const Operand& row,
                       const Operand& point, const std::vector<Value>& sums) {
  const std::vector<Operand> where = place_of(at, row, point);
  if (plan_.split == 0) {
    sums_of_.put(where, sums);
    return;
  }
  branch(
      less(ir::i64_operand(1), parts_),
      [&] {
        std::vector<Operand> own = {part};
        own.insert(own.end(), where.begin(), where.end());
        write_all(c_, partial_, own, sums);
      },
      [&] { sums_of_.put(where, sums); });
}

}  // namespace dagaz::emit
