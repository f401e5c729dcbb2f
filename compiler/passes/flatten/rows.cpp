// Cutting a nest whose points compute several rows, on a CPU: a product of matrices runs in blocks
// only as a perfect nest.
//
//   map (\i -> let r = f i; let s = map (\j -> sum (map2 (*) r b[j])) in (r, s))
// becomes
//   rs = map f;  ss = map (\i -> map (\j -> sum (map2 (*) rs[i] b[j])))
//
// Only where no memory is needed for it: what one part gives the next is a result anyway.  What is
// cheap is computed in both.
#include <algorithm>

#include "ir/names.h"
#include "passes/flatten/flattener.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

bool is_wide(const Operand& width, const NameSet& inside) {
  return !is_narrow(width) && !(width.is_name() && inside.contains(width.name()));
}

/// A map whose elements are sums, of many terms each.
bool is_product(const Statement& statement, const NameSet& inside) {
  const auto* map = as<MapScanReduce>(statement.operation);
  if (!map || !is_map(*map) || !is_wide(map->width, inside)) return false;
  return std::any_of(map->map.body.statements.begin(), map->map.body.statements.end(),
                     [&](const Statement& one) {
    const auto* sum = as<MapScanReduce>(one.operation);
    return sum && !sum->reductions.empty() && is_wide(sum->width, inside);
  });
}

NameSet bound_in(const std::vector<Statement>& statements) {
  NameSet bound;
  for (const Statement& one : statements) {
    for (const Binder& result : one.results) bound.insert(result.name);
  }
  return bound;
}

}  // namespace

// Whether every statement is a map of values of one shape, or cheap: then any order that has
// producers before users is right.
bool Flattener::consists_of_rows(const Body& body, const NameSet& inside) const {
  return std::all_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
    const bool regular =
        std::all_of(one.results.begin(), one.results.end(), [&](const Binder& result) {
          return is_regular(names_.type(result.name), inside);
        });
    const auto* map = as<MapScanReduce>(one.operation);
    const bool reads_values =
        !map || std::all_of(map->arrays.begin(), map->arrays.end(), [&](NameId array) {
          return names_.type(array).kind == TypeKind::value;
        });
    return regular && reads_values && one.tokens.empty() && (map || is_cheap({one}, names_));
  });
}

// The first place beside a product where the body can be cut.
std::optional<std::size_t> Flattener::place_to_cut(const Nest& nest, const Body& body) const {
  NameSet inside = bound_by(nest);
  for (const NameId name : bound_in(body.statements)) inside.insert(name);
  if (!consists_of_rows(body, inside)) return std::nullopt;
  const NameSet results = [&] {
    NameSet set;
    for (const Operand& result : body.results) {
      if (result.is_name()) set.insert(result.name());
    }
    return set;
  }();
  const auto& statements = body.statements;
  const auto is_row = [&](const Statement& one) {
    return as<MapScanReduce>(one.operation) != nullptr;
  };
  NameSet unkept;  // what the maps so far give the body alone
  bool product_before = false;
  std::size_t rows = 0;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    if (!is_row(statements[k])) continue;
    const bool product = is_product(statements[k], inside);
    if (rows > 0 && (product || product_before)) {
      bool free = true;
      for (std::size_t later = 0; later < statements.size() && free; ++later) {
        if (later < k && is_row(statements[later])) continue;
        for (const NameId name : free_names(statements[later], names_)) {
          free = free && !unkept.contains(name);
        }
      }
      if (free) return k;
    }
    product_before = product;
    ++rows;
    for (const Binder& result : statements[k].results) {
      if (!results.contains(result.name)) unkept.insert(result.name);
    }
  }
  return std::nullopt;
}

// Two nests: the maps before `place`, and the others with what is cheap.
void Flattener::cut(Statement statement, Nest nest, PointBody point, std::size_t place, Out& out) {
  std::vector<Operand> indices;
  for (const SpaceDimension& dimension : nest.space) indices.push_back(dimension.index.name);
  Statement first = statement;
  Statement second = std::move(statement);
  PointBody rest;
  PointBody front;
  first.results.clear();
  const std::vector<Binder> results = std::exchange(second.results, {});
  NameSet made;  // by the maps of the first nest
  for (std::size_t k = 0; k < place; ++k) {
    Statement& one = point.body.statements[k];
    if (!as<MapScanReduce>(one.operation)) continue;
    for (const Binder& result : one.results) made.insert(result.name);
  }
  NameSet read;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Operand& value = point.body.results[k];
    const bool is_first = value.is_name() && made.contains(value.name());
    PointBody& part = is_first ? front : rest;
    (is_first ? first : second).results.push_back(results[k]);
    part.body.results.push_back(value);
    part.result_types.push_back(point.result_types[k]);
    if (is_first && read.insert(value.name()).second) {
      rest.body.statements.push_back({{{value.name()}}, Index{results[k].name, indices}});
    }
  }
  for (std::size_t k = 0; k < point.body.statements.size(); ++k) {
    Statement& one = point.body.statements[k];
    const bool is_map = as<MapScanReduce>(one.operation) != nullptr;
    if (k < place) front.body.statements.push_back(one);
    if (!is_map || k >= place) rest.body.statements.push_back(std::move(one));
  }
  emit_part(std::move(first), nest, std::move(front), out);
  emit_part(std::move(second), std::move(nest), std::move(rest), out);
}

// A nest with only what its results need, in names of its own.
void Flattener::emit_part(Statement statement, Nest nest, PointBody point, Out& out) {
  std::vector<Statement> all = std::move(nest.prefix);
  std::move(point.body.statements.begin(), point.body.statements.end(), std::back_inserter(all));
  NameSet needed;
  for (const Operand& result : point.body.results) {
    if (result.is_name()) needed.insert(result.name());
  }
  std::vector<Statement> kept;
  for (std::size_t k = all.size(); k-- > 0;) {
    const bool used = std::any_of(all[k].results.begin(), all[k].results.end(),
                                  [&](const Binder& r) { return needed.contains(r.name); });
    if (!used) continue;
    for (const NameId name : free_names(all[k], names_)) needed.insert(name);
    kept.push_back(std::move(all[k]));
  }
  std::reverse(kept.begin(), kept.end());
  point.body.statements = std::move(kept);
  SegmentedMap whole{std::move(nest.space), std::move(point.body), std::move(point.result_types)};
  const Statement own = renamed(Statement{{}, std::move(whole), {}, statement.location}, names_);
  const auto& map = *as<SegmentedMap>(own.operation);
  flatten_nest(std::move(statement), Nest{map.space, {}}, PointBody{map.body, map.result_types},
               out);
}

}  // namespace dagaz::passes::flattening
