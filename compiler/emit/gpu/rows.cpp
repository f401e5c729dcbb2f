// Chains of operations on rows, a team of threads a point, whose first thread writes results that
// are no rows.
#include "emit/gpu/rows.h"

#include <algorithm>

#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "ir/value_count.h"

namespace dagaz::emit {

// ---------------------------------------------------------------- the kernel

RowTeams::RowTeams(Context& c, const ir::SegmentedMap& e, const ir::Teams& plan,
                   const std::vector<Destination>& targets)
    : Emitter(c),
      c_(c),
      e_(e),
      threads_(plan.warp > 0 ? warp_threads : block_threads),
      tiles_(c, plan),
      chain_(*plan::row_chain(
          e, c.names(), c.settings.stack_array,
          plan.tiled.empty() ? plan::CrossedRows::read_around : plan::CrossedRows::copied,
          [&](NameId name) { return c.memory.element_only.contains(name); })),
      rows_(c, chain_, tiles_, threads_),
      targets_(targets) {}

void RowTeams::run() {
  lay_out();
  const std::vector<Operand> extents = extents_of(e_.space);
  const Operand points = c_.product(extents);
  const Operand teams = ir::i64_operand(block_threads / threads_);
  BlockKernel kernel = kernel_of_blocks(c_, divide_up(points, teams), [&](const Operand& block) {
    const Lane here = this_lane(c_);
    if (is_block()) return emit_point(here, unflatten(block, extents), {});
    const Operand number = add(mul(block, teams), here.warp);
    const Operand exists = less(number, points);
    if (!tiles_.is_empty()) {
      const Operand last = sub(points, ir::i64_operand(1));
      return emit_point(here, unflatten(minimum(number, last), extents), exists);
    }
    branch(exists, [&] { emit_point(here, unflatten(number, extents), {}); });
  });
  launch(c_, "rows", kernel.grid, shared_bytes_, std::move(kernel.code));
}

// How many values threads combine at a time.
std::size_t RowTeams::most_running() const {
  std::size_t most = 0;
  for (const ir::Statement& one : e_.body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (map == nullptr) continue;
    most = std::max({most, ir::value_count(map->scans), ir::value_count(map->reductions)});
  }
  return most;
}

// Behind what threads combine values through, the rows: of each buffer all teams'.
void RowTeams::lay_out() {
  const Operand bytes =
      ir::i64_operand(static_cast<std::int64_t>(most_running()) * warp_slot_bytes);
  shared_bytes_ = tiles_.lay_out(e_.body, rows_.lay_out(block_threads / threads_, bytes));
}

void RowTeams::emit_point(const Lane& here, const std::vector<Operand>& point,
                          const std::optional<Operand>& exists) {
  set_indices(c_, e_.space, point);
  const PointTargets at = at_point(c_, targets_, point);
  rows_.place_buffers();
  std::unordered_map<NameId, Place> wanted;
  const std::vector<Operand>& results = e_.body.results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (at.rows[k]) wanted.emplace(rows_.root(results[k].name()), *at.rows[k]);
  }
  rows_.begin(here, exists, is_block() ? ir::i64_operand(0) : here.warp, std::move(wanted));
  for (const ir::Statement& one : e_.body.statements) c_.arrays.forget(one);
  for (const ir::Statement& one : e_.body.statements) rows_.run(one);
  const Operand first = equal(is_block() ? here.thread : here.lane, ir::i64_operand(0));
  branch(exists ? both(first, *exists) : first, [&] {
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (!at.rows[k] && targets_[k]) write(c_, *targets_[k], point, value_of(c_, results[k]));
    }
  });
}

}  // namespace dagaz::emit
