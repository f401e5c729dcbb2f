#include "plan/product_parts.h"

#include <algorithm>
#include <unordered_set>

#include "ir/classify.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "plan/asked_elements.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

bool binds(const std::vector<ir::Statement>& statements, const Operand& operand) {
  return operand.is_name() &&
         std::any_of(statements.begin(), statements.end(), [&](const ir::Statement& one) {
           return std::any_of(one.results.begin(), one.results.end(), [&](const auto& result) {
             return result.name == operand.name();
           });
         });
}

/// Whether the operators are scalar ones whose order is free, with neutral elements from around.
bool may_be_reordered(const std::vector<ir::ReduceOperator>& operators,
                      const std::vector<ir::Statement>& before) {
  return std::all_of(operators.begin(), operators.end(), [&](const auto& one) {
    return is_commutative(one) && are_scalars(one.op.result_types) &&
           is_straight(one.op.body.statements) &&
           std::none_of(one.neutral.begin(), one.neutral.end(),
                        [&](const Operand& neutral) { return binds(before, neutral); });
  });
}

/// Whether `inner` is all that `body` adds, by the same operators.
bool is_sum_of_sums(const ir::Body& body, const std::vector<ir::ReduceOperator>& operators,
                    const ir::Statement& inner, const ir::Names& names) {
  const auto& sum = *as<ir::MapScanReduce>(inner.operation);
  if (body.results.size() != inner.results.size() || operators.size() != sum.reductions.size()) {
    return false;
  }
  for (std::size_t k = 0; k < inner.results.size(); ++k) {
    if (body.results[k] != Operand(inner.results[k].name)) return false;
  }
  for (std::size_t k = 0; k < sum.reductions.size(); ++k) {
    if (!ir::equivalent(operators[k].op, sum.reductions[k].op, names)) return false;
  }
  return true;
}

/// Slices whose extents and steps are those of all points.
bool has_even_slices(const std::vector<ir::Statement>& statements) {
  return std::all_of(statements.begin(), statements.end(), [&](const ir::Statement& one) {
    const auto* slice = as<ir::Slice>(one.operation);
    return slice == nullptr ||
           std::none_of(slice->dimensions.begin(), slice->dimensions.end(), [&](const auto& at) {
             return !at.fixed && (binds(statements, at.count) || binds(statements, at.stride));
           });
  });
}

void append(std::vector<ir::Statement>& to, const ir::Statement* begin, const ir::Statement* end) {
  to.insert(to.end(), begin, end);
}

/// Adds the level of `sum`, after what makes its elements.
bool enter(SumParts& parts, const ir::MapScanReduce& sum, ir::Names& names) {
  std::vector<ir::Statement>& before = parts.elements.statements;
  if (binds(before, sum.width) || !may_be_reordered(sum.reductions, before)) return false;
  const NameId element = names.fresh("k", ir::scalar_of(ir::ScalarType::i64));
  parts.levels.push_back({sum.width, element});
  for (std::size_t k = 0; k < sum.arrays.size(); ++k) {
    if (names.type(sum.arrays[k]).kind != ir::TypeKind::value) return false;
    before.push_back({{sum.map.parameters[k]}, ir::Index{sum.arrays[k], {element}}});
  }
  parts.operators = &sum.reductions;
  return true;
}

/// Elements of ranges 0, 1, … that points make are their own numbers.
void drop_ranges(std::vector<ir::Statement>& statements) {
  std::unordered_set<NameId> ranges;
  for (const ir::Statement& one : statements) {
    const auto* range = as<ir::Iota>(one.operation);
    if (range && ir::counts_from_zero(*range)) ranges.insert(one.results[0].name);
  }
  for (ir::Statement& one : statements) {
    const auto* read = as<ir::Index>(one.operation);
    if (!read || !ranges.contains(read->array)) continue;
    const Operand number = read->indices[0];
    one.operation = ir::Identity{number};
  }
  std::erase_if(statements, [&](const ir::Statement& one) {
    return as<ir::Iota>(one.operation) && ranges.contains(one.results[0].name);
  });
}

bool are_straight(ir::Body& elements, Branches branches, ir::Names& names) {
  if (branches == Branches::refused) return is_straight(elements.statements);
  if (!ask_at_reads(elements, names)) return false;
  return std::all_of(elements.statements.begin(), elements.statements.end(),
                     [](const ir::Statement& one) { return read_of(one) || is_straight({one}); });
}

/// Takes what the innermost level so far adds, `body`, with sums of the same kind inside as further
/// levels.
bool take_elements(SumParts& parts, const ir::Body* body, Branches branches, ir::Names& names) {
  std::vector<ir::Statement>& before = parts.elements.statements;
  for (;;) {
    const std::vector<ir::Statement>& inside = body->statements;
    const ir::Statement* const next = sole_reduction(*body);
    if (next == nullptr) {
      append(before, inside.data(), inside.data() + inside.size());
      parts.elements.results = body->results;
      drop_ranges(before);
      return are_straight(parts.elements, branches, names) && has_even_slices(before);
    }
    if (!is_sum_of_sums(*body, *parts.operators, *next, names)) return false;
    append(before, inside.data(), next);
    const auto& sum = *as<ir::MapScanReduce>(next->operation);
    if (!enter(parts, sum, names)) return false;
    body = &sum.map.body;
  }
}

}  // namespace

ir::Body needed_for(const ir::Body& body, const std::vector<Operand>& results,
                    const std::vector<NameId>& given, const ir::Names& names) {
  std::unordered_set<NameId> needed;
  for (const Operand& one : results) {
    if (one.is_name()) needed.insert(one.name());
  }
  for (const NameId one : given) needed.erase(one);
  ir::Body part;
  part.results = results;
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    const ir::Statement& one = body.statements[k];
    const bool is_needed = std::any_of(one.results.begin(), one.results.end(), [&](const auto& r) {
      return needed.contains(r.name);
    });
    if (!is_needed) continue;
    for (const NameId name : ir::free_names(one, names)) {
      if (std::find(given.begin(), given.end(), name) == given.end()) needed.insert(name);
    }
    part.statements.push_back(one);
  }
  std::reverse(part.statements.begin(), part.statements.end());
  return part;
}

std::optional<SumParts> sum_parts(const ir::Statement& statement,
                                  std::vector<ir::Statement> before, Branches branches,
                                  ir::Names& names) {
  const auto& sum = *as<ir::MapScanReduce>(statement.operation);
  SumParts parts;
  parts.elements.statements = std::move(before);
  if (!enter(parts, sum, names) || !take_elements(parts, &sum.map.body, branches, names)) {
    return std::nullopt;
  }
  for (const ir::Binder& one : statement.results) parts.sums.push_back(one.name);
  return parts;
}

std::optional<SumParts> sum_parts(const ir::SegmentedMap& map, Branches branches,
                                  ir::Names& names) {
  const ir::Statement* statement = sole_reduction(map.body);
  if (statement == nullptr) return std::nullopt;
  std::vector<ir::Statement> before;
  append(before, map.body.statements.data(), statement);
  ir::Body rest{before, map.body.results};
  append(rest.statements, statement + 1, map.body.statements.data() + map.body.statements.size());
  std::optional<SumParts> parts = sum_parts(*statement, std::move(before), branches, names);
  if (!parts) return std::nullopt;
  parts->after = needed_for(rest, map.body.results, parts->sums, names);
  if (!is_straight(parts->after.statements)) return std::nullopt;
  return parts;
}

std::optional<SumParts> sum_parts(const ir::SegmentedReduce& reduction, Branches branches,
                                  ir::Names& names) {
  const std::size_t reduced = ir::value_count(reduction.operators);
  if (reduced != reduction.body.results.size()) return std::nullopt;
  if (!may_be_reordered(reduction.operators, {})) return std::nullopt;
  SumParts parts;
  parts.levels.push_back({reduction.space.back().extent, reduction.space.back().index.name});
  parts.operators = &reduction.operators;
  if (!take_elements(parts, &reduction.body, branches, names)) return std::nullopt;
  return parts;
}

// ---------------------------------------------------------------- sides

std::vector<std::size_t> dimensions_of(int own, std::vector<int> joined) {
  if (own >= 0) joined.push_back(own);
  return {joined.begin(), joined.end()};
}

ProductSides sides_of(const ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                      const ir::Body& elements, const ir::Names& names) {
  ProductSides sides;
  const auto find = [&](ProductSide& side, const std::vector<std::size_t>& dimensions,
                        const std::vector<NameId>& kept) {
    for (const std::size_t d : dimensions) side.dimensions.push_back(space[d]);
    const std::vector<Operand> staged(side.values.begin(), side.values.end());
    side.body = needed_for(elements, staged, {}, names);
    side.body_kept = needed_for(elements, {kept.begin(), kept.end()}, {}, names);
  };
  sides.rows.values = plan.of_rows;
  sides.rows.packing = plan.row_packing;
  sides.rows.panel = plan.block_rows;
  find(sides.rows, dimensions_of(plan.rows, plan.joined_rows), plan.kept_rows);
  sides.points.values = plan.of_points;
  sides.points.packing = plan.point_packing;
  sides.points.panel = std::int64_t{plan.columns} * plan.width;
  find(sides.points, dimensions_of(plan.points, plan.joined_points), plan.kept_points);
  std::vector<NameId> held;
  for (const auto* values : {&plan.of_rows, &plan.of_points, &plan.kept_rows, &plan.kept_points}) {
    held.insert(held.end(), values->begin(), values->end());
  }
  sides.combined = needed_for(elements, elements.results, held, names);
  return sides;
}

std::vector<std::size_t> batch_of(const ir::Contraction& plan, std::size_t dimensions) {
  std::vector<bool> taken(dimensions, false);
  for (const std::size_t d : dimensions_of(plan.rows, plan.joined_rows)) taken[d] = true;
  for (const std::size_t d : dimensions_of(plan.points, plan.joined_points)) taken[d] = true;
  std::vector<std::size_t> batch;
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (!taken[d]) batch.push_back(d);
  }
  return batch;
}

}  // namespace dagaz::plan
