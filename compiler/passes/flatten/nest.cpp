// Building iteration spaces and the bodies of their points.
#include "passes/flatten/nest.h"

#include <algorithm>

#include "ir/classify.h"
#include "ir/cost.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/flatten/ranges.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

void add_dimension(Nest& nest, const Operand& width, Names& names) {
  nest.space.push_back({{names.fresh("i", scalar_of(ScalarType::i64))}, width});
}

PointBody at_index(Lambda lambda, const std::vector<NameId>& arrays, const Nest& nest,
                   Names& names) {
  const NameId index = nest.space.back().index.name;
  std::vector<Statement> statements;
  Substitution same;
  for (std::size_t k = 0; k < lambda.parameters.size(); ++k) {
    if (names.type(arrays[k]).kind == TypeKind::accumulator) {
      same[lambda.parameters[k].name] = arrays[k];
    } else if (const Iota* const range = range_of(arrays[k], nest.prefix)) {
      compute_element(*range, lambda.parameters[k], index, names, statements);
    } else {
      statements.push_back({{lambda.parameters[k]}, Index{arrays[k], {index}}});
    }
  }
  if (!same.empty()) substitute(lambda, same, names);
  std::move(lambda.body.statements.begin(), lambda.body.statements.end(),
            std::back_inserter(statements));
  return {Body{std::move(statements), std::move(lambda.body.results)},
          std::move(lambda.result_types)};
}

PointBody point_body(MapScanReduce e, const Nest& nest, Names& names) {
  PointBody point = at_index(std::move(e.map), e.arrays, nest, names);
  if (!e.post || !e.scans.empty()) return point;
  const std::size_t reduced = value_count(e.reductions);
  Substitution mapped;
  for (std::size_t k = 0; k < e.post->parameters.size(); ++k) {
    mapped[e.post->parameters[k].name] = point.body.results[reduced + k];
  }
  substitute(*e.post, mapped, names);
  std::move(e.post->body.statements.begin(), e.post->body.statements.end(),
            std::back_inserter(point.body.statements));
  point.body.results.resize(reduced);
  point.result_types.resize(reduced);
  for (std::size_t k = 0; k < e.post->body.results.size(); ++k) {
    point.body.results.push_back(e.post->body.results[k]);
    point.result_types.push_back(e.post->result_types[k]);
  }
  return point;
}

NameSet bound_in(const std::vector<Statement>& statements) {
  NameSet bound;
  for (const Statement& one : statements) {
    for (const Binder& result : one.results) bound.insert(result.name);
  }
  return bound;
}

NameSet bound_by(const Nest& nest) {
  NameSet bound = bound_in(nest.prefix);
  for (const SpaceDimension& dimension : nest.space) bound.insert(dimension.index.name);
  return bound;
}

static bool mentions(const std::vector<NameId>& names, const NameSet& set) {
  return std::any_of(names.begin(), names.end(),
                     [&](NameId name) { return set.contains(name); });
}

template <typename Operator>
static bool depend(const std::vector<Operator>& operators, const NameSet& bound,
                   const Names& names) {
  for (const Operator& one : operators) {
    if (mentions(free_names(one.op, names), bound)) return true;
    for (const Operand& neutral : one.neutral) {
      if (neutral.is_name() && bound.contains(neutral.name())) return true;
    }
  }
  return false;
}

bool operators_depend(const MapScanReduce& e, const NameSet& bound, const Names& names) {
  return depend(e.scans, bound, names) || depend(e.reductions, bound, names);
}

void pass_to_post(MapScanReduce& e, const NameSet& bound, Names& names) {
  if (!e.post) return;
  Substitution parameters;
  for (const NameId name : free_names(*e.post, names)) {
    if (!bound.contains(name)) continue;
    const NameId parameter = names.fresh_like(name);
    parameters[name] = parameter;
    e.post->parameters.push_back({parameter});
    e.map.body.results.push_back(name);
    e.map.result_types.push_back(names.type(name));
  }
  substitute(*e.post, parameters, names);
}

bool is_narrow(const Operand& width) {
  return width.is_constant() && integer_value(width.constant()) < 32;
}

bool is_map(const MapScanReduce& e) { return e.scans.empty() && e.reductions.empty(); }

const Statement* sole_producer(const Body& body) {
  if (body.statements.empty() || body.results.empty()) return nullptr;
  const Statement& last = body.statements.back();
  if (last.results.size() != body.results.size()) return nullptr;
  for (const Binder& result : last.results) {
    const auto count = std::count(body.results.begin(), body.results.end(), Operand(result.name));
    if (count != 1) return nullptr;
  }
  return &last;
}

bool repeats_cheaply(const Statement& statement, const Names& names, const NameSet& computed) {
  if (const auto* scalar = as<Scalar>(statement.operation)) {
    return is_light(scalar->op);
  }
  if (const auto* reshape = as<Reshape>(statement.operation)) {
    return names.type(statement.results[0].name).rank() <= 1 ||
           names.type(reshape->array).rank() <= 1;
  }
  return as<Index>(statement.operation) || as<Slice>(statement.operation) ||
         as<Permute>(statement.operation) || as<Identity>(statement.operation) ||
         (as<Iota>(statement.operation) && computed.contains(statement.results[0].name));
}

bool repeats_cheaply(const std::vector<Statement>& statements, const Names& names,
                     std::int64_t most, const NameSet& computed) {
  // Or read.
  const auto repeated =
      std::count_if(statements.begin(), statements.end(), [&](const Statement& one) {
        return !as<Iota>(one.operation) &&
               (!is_view(one.operation) || names.type(one.results[0].name).is_scalar());
      });
  return repeated <= most &&
         std::all_of(statements.begin(), statements.end(),
                     [&](const Statement& one) { return repeats_cheaply(one, names, computed); });
}

static Body with_prefix(std::vector<Statement> prefix, Body body) {
  std::move(body.statements.begin(), body.statements.end(), std::back_inserter(prefix));
  body.statements = std::move(prefix);
  return body;
}

Operation segmented_map(Nest nest, PointBody point) {
  return SegmentedMap{std::move(nest.space),
                      with_prefix(std::move(nest.prefix), std::move(point.body)),
                      std::move(point.result_types)};
}

Operation segmented_reduce(Nest nest, PointBody point, std::vector<ReduceOperator> operators) {
  return SegmentedReduce{std::move(nest.space),
                         with_prefix(std::move(nest.prefix), std::move(point.body)),
                         std::move(operators), std::move(point.result_types)};
}

Operation segmented_scan(Nest nest, PointBody point, std::vector<ScanOperator> operators,
                         std::optional<Lambda> post) {
  return SegmentedScan{std::move(nest.space),
                       with_prefix(std::move(nest.prefix), std::move(point.body)),
                       std::move(operators),
                       std::move(post),
                       std::move(point.result_types)};
}

}  // namespace dagaz::passes::flattening
