// Rows of a block that a point's body has inside itself: a map whose elements are sums, or a
// reduction of them.
//
// A point that multiplies a matrix by a vector of its own, yᵢ = Σₖ aᵢₖ·xₖ, has a map over i of
// sums over k; one that looks for the nearest of several others, minᵢ Σₖ (aᵢₖ - xₖ)², reduces
// these sums.  Several i at once share what they read of x, and what they read of a serves all
// points of the block: as if the block had these rows from the start, with as many sums in
// registers.
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

namespace {

/// The sums of the loops of a body that only has maps in maps down to these; nothing else is done
/// in rows.
std::optional<std::int64_t> sums_inside(const ir::Body& body) {
  std::int64_t most = 0;
  for (const ir::Statement& one : body.statements) {
    if (as<ir::Scalar>(one.operation) || as<ir::Index>(one.operation) ||
        as<ir::Slice>(one.operation) || as<ir::Permute>(one.operation)) {
      continue;
    }
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map || !map->scans.empty() || map->post) return std::nullopt;
    std::int64_t sums = 0;
    for (const ir::ReduceOperator& each : map->reductions) {
      sums += static_cast<std::int64_t>(each.neutral.size());
    }
    const std::optional<std::int64_t> inside = sums_inside(map->map.body);
    if (!inside || (sums == 0) == (*inside == 0)) return std::nullopt;
    most = std::max({most, sums, *inside});
  }
  return most;
}

}  // namespace

/// How many elements of a map run at once; 1 where rows do not fit it.
std::int64_t Lanes::rows_inside(const ir::Statement& s, const ir::MapScanReduce& e) const {
  // Blocks of rows may share elements, which must not be read again once they are written over.
  const auto is_written_over = [&](NameId name) { return low_.overwritten_.contains(name); };
  const auto inside = ir::bound_names(e.map.body);
  const bool overwrites =
      std::any_of(inside.begin(), inside.end(), is_written_over) ||
      std::any_of(s.results.begin(), s.results.end(),
                  [&](const ir::Binder& result) { return is_written_over(result.name); });
  if (overwrites || block_.rows > 1 || !e.scans.empty() || e.post) return 1;
  for (const ir::Type& type : e.map.result_types) {
    if (type.kind == ir::TypeKind::accumulator) return 1;
  }
  const auto sums = sums_inside(e.map.body);
  if (!sums || *sums == 0) return 1;
  const std::int64_t most = std::min<std::int64_t>(most_sums / (*sums * block_.columns), 8);
  if (!e.width.is_constant()) return std::min<std::int64_t>(most, 4);
  // Each block of rows reads once what its rows share.
  const std::int64_t width = ir::integer_value(e.width.constant());
  const auto cost = [&](std::int64_t rows) { return (width + rows - 1) / rows * (rows + 1); };
  std::int64_t best = 1;
  for (std::int64_t rows = 2; rows <= std::min(most, width); ++rows) {
    if (cost(rows) < cost(best)) best = rows;
  }
  return best;
}

/// Values of one row of a block, in a block without rows.
LaneScalar Lanes::row_of(const LaneScalar& scalar, std::int64_t row) const {
  LaneScalar result = scalar;
  result.by_row = false;
  if (!scalar.by_row) return result;
  if (scalar.even) {
    result.even->base =
        low_.add(scalar.even->base, low_.mul(scalar.even->row_step, ir::i64_operand(row)));
    return result;
  }
  const auto first = scalar.pieces.begin() + static_cast<std::ptrdiff_t>(row * block_.columns);
  result.pieces.assign(first, first + static_cast<std::ptrdiff_t>(block_.columns));
  return result;
}

/// A map or reduction in blocks of rows; false, with nothing emitted, where these do not fit it.
bool Lanes::in_rows(const ir::Statement& s, const ir::MapScanReduce& e,
                    const std::vector<LaneScalar>& running,
                    const std::vector<LaneArray>& targets, std::int64_t rows) {
  return try_rows([&] {
    if (running.empty()) {
      in_shared_rows(s, e, targets, rows);
    } else {
      in_disjoint_rows(e.width, rows,
                       [&](const LaneScalar& i) { step(s, e, running, targets, i); });
    }
  });
}

/// What `build` emits for a block that has no rows so far; false, with nothing emitted, where rows
/// do not fit.
bool Lanes::try_rows(const std::function<void()>& build) {
  const Known before = known_;
  const Work work = work_;
  const std::int64_t depth = depth_;
  std::optional<Code> code = attempt(low_, build);
  block_.rows = 1;
  if (code) {
    low_.append(std::move(*code));
    return true;
  }
  known_ = before;
  work_ = work;
  depth_ = depth;
  return false;
}

/// Iterations for the block of rows that starts at `first`.
void Lanes::in_block_of_rows(const Operand& first, std::int64_t rows,
                             const RowFunction& iteration) {
  LaneScalar index;
  index.by_row = true;
  index.even = Even{first, ir::i64_operand(1), zero()};
  block_.rows = rows;
  iteration(index);
  block_.rows = 1;
}

/// A map: the last block is moved back.
void Lanes::in_shared_rows(const ir::Statement& s, const ir::MapScanReduce& e,
                           const std::vector<LaneArray>& targets, std::int64_t rows) {
  const Operand count = ir::i64_operand(rows);
  const auto blocks = [&] {
    const Operand last = low_.sub(e.width, count);
    loop(low_.divide_up(e.width, count), [&](const Operand& b) {
      in_block_of_rows(low_.minimum(low_.mul(b, count), last), rows,
                       [&](const LaneScalar& i) { step(s, e, {}, targets, i); });
    });
  };
  if (e.width.is_constant()) {
    blocks();
    return;
  }
  // The body is lowered twice, each time from what is known before it.
  const Known before = known_;
  low_.branch(low_.less(ir::i64_operand(rows - 1), uniform_operand(e.width)), blocks, [&] {
    known_ = before;
    loop(e.width, [&](const Operand& i) { step(s, e, {}, targets, uniform(i)); });
  });
}

/// A reduction or additions: what is left over after the last block goes one by one.
void Lanes::in_disjoint_rows(const Operand& width, std::int64_t rows,
                             const RowFunction& iteration) {
  const Known before = known_;
  const Operand count = ir::i64_operand(rows);
  const Operand blocks = low_.divide(uniform_operand(width), count);
  loop(blocks, [&](const Operand& b) { in_block_of_rows(low_.mul(b, count), rows, iteration); });
  known_ = before;
  const Operand done = low_.mul(blocks, count);
  const Operand left = low_.sub(width, done);
  if (is_constant(left, 0)) return;
  loop(left, [&](const Operand& i) { iteration(uniform(low_.add(done, i))); });
}

}  // namespace dagaz::imperative
