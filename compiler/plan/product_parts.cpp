#include "plan/product_parts.h"

#include <algorithm>
#include <unordered_set>

#include "ir/names.h"
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
bool may_be_reordered(const ir::MapScanReduce& sum, const std::vector<ir::Statement>& before) {
  return std::all_of(sum.reductions.begin(), sum.reductions.end(), [&](const auto& one) {
    return is_commutative(one) && are_scalars(one.op.result_types) &&
           is_straight(one.op.body.statements) &&
           std::none_of(one.neutral.begin(), one.neutral.end(),
                        [&](const Operand& neutral) { return binds(before, neutral); });
  });
}

/// Whether `inner` is all that the sum `outer` adds, by the same operators.
bool is_sum_of_sums(const ir::MapScanReduce& outer, const ir::Statement& inner,
                    const ir::Names& names) {
  const auto& sum = *as<ir::MapScanReduce>(inner.operation);
  if (outer.map.body.results.size() != inner.results.size() ||
      outer.reductions.size() != sum.reductions.size()) {
    return false;
  }
  for (std::size_t k = 0; k < inner.results.size(); ++k) {
    if (outer.map.body.results[k] != Operand(inner.results[k].name)) return false;
  }
  for (std::size_t k = 0; k < sum.reductions.size(); ++k) {
    if (!ir::equivalent(outer.reductions[k].op, sum.reductions[k].op, names)) return false;
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

std::optional<SumParts> sum_parts(const ir::SegmentedMap& map, ir::Names& names) {
  const ir::Statement* statement = sole_reduction(map.body);
  if (statement == nullptr) return std::nullopt;
  SumParts parts;
  for (const ir::Binder& one : statement->results) parts.sums.push_back(one.name);
  std::vector<ir::Statement>& before = parts.elements.statements;
  append(before, map.body.statements.data(), statement);
  ir::Body rest{before, map.body.results};
  append(rest.statements, statement + 1, map.body.statements.data() + map.body.statements.size());
  if (!is_straight(rest.statements)) return std::nullopt;
  parts.after = needed_for(rest, map.body.results, parts.sums, names);
  for (;;) {
    const auto& sum = *as<ir::MapScanReduce>(statement->operation);
    if (binds(before, sum.width) || !may_be_reordered(sum, before)) return std::nullopt;
    const NameId element = names.fresh("k", ir::scalar_of(ir::ScalarType::i64));
    parts.levels.push_back({sum.width, element});
    for (std::size_t k = 0; k < sum.arrays.size(); ++k) {
      if (names.type(sum.arrays[k]).kind != ir::TypeKind::value) return std::nullopt;
      before.push_back({{sum.map.parameters[k]}, ir::Index{sum.arrays[k], {element}}});
    }
    const std::vector<ir::Statement>& inside = sum.map.body.statements;
    const ir::Statement* const next = sole_reduction(sum.map.body);
    if (next == nullptr) {
      append(before, inside.data(), inside.data() + inside.size());
      parts.elements.results = sum.map.body.results;
      parts.sum = &sum;
      break;
    }
    if (!is_sum_of_sums(sum, *next, names)) return std::nullopt;
    append(before, inside.data(), next);
    statement = next;
  }
  if (!is_straight(before) || !has_even_slices(before)) return std::nullopt;
  return parts;
}

// ---------------------------------------------------------------- sides

namespace {

ProductSide side_of(const ir::SpaceDimension& dimension, const std::vector<NameId>& values,
                    ir::Packing packing, std::int64_t panel, const ir::Body& elements,
                    const ir::Names& names) {
  const std::vector<Operand> wanted(values.begin(), values.end());
  return {dimension, values, packing, panel, needed_for(elements, wanted, {}, names)};
}

}  // namespace

ProductSides sides_of(const ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                      const ir::Body& elements, const ir::Names& names) {
  const auto dimension = [&](int number) -> const ir::SpaceDimension& {
    return space[static_cast<std::size_t>(number)];
  };
  std::vector<NameId> held = plan.of_rows;
  held.insert(held.end(), plan.of_points.begin(), plan.of_points.end());
  return {side_of(dimension(plan.rows), plan.of_rows, plan.row_packing, plan.block_rows, elements,
                  names),
          side_of(dimension(plan.points), plan.of_points, plan.point_packing,
                  std::int64_t{plan.columns} * plan.width, elements, names),
          needed_for(elements, elements.results, held, names)};
}

std::vector<std::size_t> batch_of(const ir::Contraction& plan, std::size_t dimensions) {
  std::vector<std::size_t> batch;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto number = static_cast<int>(d);
    if (number != plan.rows && number != plan.points) batch.push_back(d);
  }
  return batch;
}

}  // namespace dagaz::plan
