// A sum along the row of a point, and numbers made of it, as logistic regression has them:
//
//   map (\x y -> f (sum (map2 (*) x w)) y) xs ys  =  map2 f (map (\x -> sum (map2 (*) x w)) xs) ys
//
// In one loop over points, a sum runs in vectors along its row, and `f` in scalars; and rows cannot
// be read several at a time.  Apart, the sums are a reduction, which may, and `f` runs in vectors
// along the points.  Between them is one number for each row that was read.
#include "plan/sums_apart.h"

#include <algorithm>

#include "ir/classify.h"
#include "ir/cost.h"
#include "ir/names.h"
#include "plan/operators.h"
#include "plan/product_parts.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

// Whether nothing but numbers are computed, and rows read.
static bool computes_numbers(const ir::Body& body, const ir::Statement* besides,
                             const ir::Names& names) {
  return std::all_of(body.statements.begin(), body.statements.end(), [&](const auto& one) {
    if (&one == besides) return true;
    const bool reads = as<ir::Index>(one.operation) || as<ir::Slice>(one.operation);
    return one.tokens.empty() && (as<ir::Scalar>(one.operation) || reads) &&
           names.type(one.results[0].name).kind == ir::TypeKind::value;
  });
}

// Whether a statement costs next to nothing, so that both parts may have it.
static bool is_little(const ir::Statement& one) {
  const auto* scalar = as<ir::Scalar>(one.operation);
  return scalar == nullptr || ir::is_light(scalar->op);
}

static bool share_little(const ir::Body& one, const ir::Body& other) {
  ir::NameSet made;
  for (const ir::Statement& statement : one.statements) {
    if (!is_little(statement)) made.insert(statement.results[0].name);
  }
  return std::none_of(
      other.statements.begin(), other.statements.end(),
      [&](const ir::Statement& statement) { return made.contains(statement.results[0].name); });
}

// The names that a point binds.
static ir::NameSet bound_by_points(const ir::SegmentedMap& e) {
  ir::NameSet bound;
  for (const ir::SpaceDimension& dimension : e.space) bound.insert(dimension.index.name);
  for (const ir::Statement& one : e.body.statements) {
    for (const ir::Binder& result : one.results) bound.insert(result.name);
  }
  return bound;
}

// Whether rows of all points are as long, and combined alike: with operators of numbers.
static bool is_regular(const ir::MapScanReduce& sum, const ir::NameSet& bound,
                       const ir::Names& names) {
  const auto depends = [&](const Operand& one) {
    return one.is_name() && bound.contains(one.name());
  };
  if (depends(sum.width) || !are_scalars(sum.map.result_types)) return false;
  return std::none_of(sum.reductions.begin(), sum.reductions.end(), [&](const auto& one) {
    const std::vector<NameId> used = ir::free_names(one.op, names);
    return std::any_of(one.neutral.begin(), one.neutral.end(), depends) ||
           std::any_of(used.begin(), used.end(), [&](NameId n) { return bound.contains(n); });
  });
}

// The sums over the space of `e`, with what they need of its points.
static ir::SegmentedReduce reduction(const ir::SegmentedMap& e, const ir::MapScanReduce& sum,
                                     ir::Body before, ir::Names& names) {
  ir::SegmentedReduce reduce{e.space, std::move(before), sum.reductions, sum.map.result_types};
  const NameId along = names.fresh("i", ir::scalar_of(ir::ScalarType::i64));
  reduce.space.push_back({ir::Binder{along}, sum.width});
  std::vector<ir::Statement>& all = reduce.body.statements;
  for (std::size_t k = 0; k < sum.arrays.size(); ++k) {
    all.push_back({{sum.map.parameters[k]}, ir::Index{sum.arrays[k], {along}}});
  }
  all.insert(all.end(), sum.map.body.statements.begin(), sum.map.body.statements.end());
  reduce.body.results = sum.map.body.results;
  return reduce;
}

std::optional<SumsApart> sums_apart(const ir::Statement& statement, ir::Names& names) {
  const auto& e = *as<ir::SegmentedMap>(statement.operation);
  const ir::Statement* found = sole_reduction(e.body);
  if (e.space.empty() || !found || !found->tokens.empty() || !are_scalars(e.result_types) ||
      !computes_numbers(e.body, found, names)) {
    return std::nullopt;
  }
  const auto& sum = *as<ir::MapScanReduce>(found->operation);
  if (sum.sequential || !computes_numbers(sum.map.body, nullptr, names) ||
      !is_regular(sum, bound_by_points(e), names)) {
    return std::nullopt;
  }
  std::vector<NameId> values;
  for (const ir::Binder& one : found->results) values.push_back(one.name);
  std::vector<Operand> read;
  for (const NameId name : ir::free_names(*found, names)) read.emplace_back(name);
  ir::Body before = needed_for(e.body, read, {}, names);
  ir::Body after = needed_for(e.body, e.body.results, values, names);
  const bool makes_something =
      std::any_of(after.statements.begin(), after.statements.end(),
                  [](const auto& one) { return as<ir::Scalar>(one.operation) != nullptr; });
  if (!makes_something || !share_little(before, after)) return std::nullopt;

  SumsApart parts{{{}, reduction(e, sum, std::move(before), names), {}, statement.location},
                  statement};
  parts.numbers.tokens = statement.tokens;
  parts.sums.tokens = statement.tokens;
  ir::SegmentedMap rest{e.space, {{}, std::move(after.results)}, e.result_types};
  std::vector<Operand> point;
  for (const ir::SpaceDimension& dimension : e.space) point.emplace_back(dimension.index.name);
  for (const NameId value : values) {
    ir::Type type = names.type(value);
    for (std::size_t d = e.space.size(); d-- > 0;) type = array_over(e.space[d].extent, type);
    const NameId all = names.fresh(names.base(value), std::move(type));
    parts.sums.results.push_back({all});
    rest.body.statements.push_back({{{value}}, ir::Index{all, point}});
  }
  std::move(after.statements.begin(), after.statements.end(),
            std::back_inserter(rest.body.statements));
  parts.numbers.operation = std::move(rest);
  parts.sums = ir::renamed(parts.sums, names);
  parts.numbers = ir::renamed(parts.numbers, names);
  return parts;
}

}  // namespace dagaz::plan
