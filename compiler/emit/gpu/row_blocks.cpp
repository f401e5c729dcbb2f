// Blocks of points, step by step:
//
//   for each step:
//     a product: meet; for each tile of the points that its rows have as elements: sums
//     (sum_tile.h),
//       which go to the buffer of their row, and where it is wanted
//     operations: for each of the warp's points: what they need again; the operations of one team
//       (row_operations.h); the first thread keeps scalars for later steps
//
// Shared memory has what products stage, in turn, then scalars of all points, then rows.
#include "emit/gpu/row_blocks.h"

#include <algorithm>

#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/points.h"
#include "emit/statements.h"

namespace dagaz::emit {

static constexpr std::int64_t point_warps = block_threads / warp_threads;

RowBlocks::RowBlocks(Context& c, const ir::SegmentedMap& e, const ir::RowBlocks& plan,
                     const std::vector<Destination>& targets)
    : Emitter(c),
      c_(c),
      plan_(plan),
      steps_(*plan::row_steps(e, plan, c.settings.stack_array, c.names(),
                              [&](NameId name) { return c.memory.element_only.contains(name); })),
      no_tiles_(c, ir::Teams{}),
      rows_(c, steps_.chain, no_tiles_, warp_threads),
      targets_(targets),
      extents_(extents_of(e.space)) {
  for (const plan::RowStep& one : steps_.steps) {
    if (!one.product) continue;
    const plan::RowProduct& product = *one.product;
    tiles_.emplace_back(c, product.nest.space, product.parts, product.tile);
  }
}

// ---------------------------------------------------------------- the host's side

void RowBlocks::run() {
  lay_out();
  std::vector<Operand> grid = extents_;
  grid.back() = divide_up(grid.back(), ir::i64_operand(plan_.rows));
  BlockKernel kernel = kernel_of_blocks(
      c_, product(grid), [&](const Operand& block) { emit_block(unflatten(block, grid)); });
  launch(c_, "row_blocks", kernel.grid, shared_bytes_, std::move(kernel.code), plan_.together);
}

void RowBlocks::lay_out() {
  std::int64_t bytes = 0;
  for (SumTile& one : tiles_) {
    one.lay_out();
    bytes = std::max(bytes, one.shared_bytes());
  }
  for (const plan::KeptValue& one : steps_.scalars) {
    scalars_.push_back(bytes);
    const std::int64_t own = plan_.rows * ir::byte_size(names().type(one.own).element);
    bytes += (own + 7) / 8 * 8;
  }
  shared_bytes_ = rows_.lay_out(plan_.rows, ir::i64_operand((bytes + 15) / 16 * 16));
}

// ---------------------------------------------------------------- a block

void RowBlocks::emit_block(std::vector<Operand> at) {
  here_ = this_lane(c_);
  const Operand rows = ir::i64_operand(plan_.rows);
  move(steps_.first, mul(at.back(), rows));
  move(steps_.count, minimum(rows, sub(extents_.back(), steps_.first)));
  at.pop_back();
  for (std::size_t d = 0; d < at.size(); ++d) move(steps_.map.space[d].index.name, at[d]);
  outer_ = std::move(at);
  rows_.place_buffers();
  place_kept();
  std::size_t products = 0;
  for (const plan::RowStep& one : steps_.steps) {
    if (one.product) {
      multiply(one, tiles_[products++]);
    } else {
      run_points(one, &one == &steps_.steps.back());
    }
  }
}

void RowBlocks::place_kept() {
  const Operand unit = ir::i64_operand(1);
  kept_.clear();
  for (std::size_t k = 0; k < steps_.scalars.size(); ++k) {
    const NameId block = block_variable("kept");
    emit(SharedMemory{block, ir::i64_operand(scalars_[k])});
    kept_.emplace(steps_.scalars[k].own,
                  Place{block, ir::i64_operand(0), {unit}, unit, Space::shared});
    c_.arrays.bind(steps_.scalars[k].all, kept_.at(steps_.scalars[k].own));
  }
  for (const plan::StagedRow& one : steps_.chain.staged) {
    const Operand& width = steps_.chain.buffers[one.buffer].width;
    kept_.emplace(
        one.row,
        Place{rows_.block_of(one.buffer), ir::i64_operand(0), {width, unit}, unit, Space::shared});
  }
  for (const plan::KeptValue& one : steps_.rows) c_.arrays.bind(one.all, kept_.at(one.own));
}

// Goes to the point of this number.
PointTargets RowBlocks::targets_of(const Operand& number) {
  const NameId index = steps_.map.space.back().index.name;
  move(index, add(steps_.first, number));
  return at_point(c_, targets_, with(outer_, index));
}

std::unordered_map<NameId, Place> RowBlocks::wanted_rows(const PointTargets& at) const {
  std::unordered_map<NameId, Place> wanted;
  const std::vector<Operand>& results = steps_.map.body.results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (at.rows[k]) wanted.emplace(results[k].name(), *at.rows[k]);
  }
  return wanted;
}

// ---------------------------------------------------------------- products

void RowBlocks::multiply(const plan::RowStep& step, SumTile& tile) {
  emit(Barrier{});
  const Operand zero = ir::i64_operand(0);
  loop("tile", tile.point_tiles(), {}, [&](const Operand& number) {
    tile.add_elements({zero, number}, zero, tile.elements());
    tile.put_all([&](const Operand& row, const Operand& point, const std::vector<Value>& sums) {
      put_sums(step, {row, point}, sums);
    });
  });
  rows_.take(step.statements[0].results);
}

void RowBlocks::put_sums(const plan::RowStep& step, const TilePlace& at,
                         const std::vector<Value>& sums) {
  const std::unordered_map<NameId, Place> wanted = wanted_rows(targets_of(at.row));
  const std::vector<ir::Binder>& results = step.statements[0].results;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const auto result = wanted.find(results[k].name);
    if (result != wanted.end()) write(c_, result->second, {at.point}, sums[k]);
    const auto row = kept_.find(results[k].name);
    if (row != kept_.end()) write(c_, row->second, {at.row, at.point}, sums[k]);
  }
}

// ---------------------------------------------------------------- operations

void RowBlocks::run_points(const plan::RowStep& step, bool is_last) {
  const Operand warps = ir::i64_operand(point_warps);
  const Operand left = maximum(sub(steps_.count, here_.warp), ir::i64_operand(0));
  loop("round", divide_up(left, warps), {},
       [&](const Operand& round) { run_point(step, add(here_.warp, mul(round, warps)), is_last); });
}

void RowBlocks::run_point(const plan::RowStep& step, const Operand& number, bool is_last) {
  const PointTargets at = targets_of(number);
  for (const NameId one : step.reads) {
    load_into(c_, one, kept_.at(one), {number}, names().type(one).element);
  }
  rows_.begin(here_, {}, number, wanted_rows(at));
  for (const ir::Statement& one : step.statements) c_.arrays.forget(one);
  for (const ir::Statement& one : step.statements) rows_.run(one);
  branch(equal(here_.lane, ir::i64_operand(0)), [&] {
    keep_scalars(step, number);
    if (is_last) write_scalars(at);
  });
}

void RowBlocks::keep_scalars(const plan::RowStep& step, const Operand& number) {
  for (const ir::Statement& one : step.statements) {
    for (const ir::Binder& result : one.results) {
      const ir::Type& type = names().type(result.name);
      const auto kept = kept_.find(result.name);
      if (!type.is_scalar() || kept == kept_.end()) continue;
      store(c_, kept->second, {number}, result.name, type.element);
    }
  }
}

void RowBlocks::write_scalars(const PointTargets& at) {
  const std::vector<Operand>& results = steps_.map.body.results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (at.rows[k] || !targets_[k]) continue;
    write(c_, *targets_[k], at.point, value_of(c_, results[k]));
  }
}

}  // namespace dagaz::emit
