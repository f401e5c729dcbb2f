#include "passes/flatten/split.h"

#include <algorithm>

#include "ir/classify.h"
#include "ir/cost.h"
#include "ir/traces.h"
#include "ir/value_count.h"
#include "passes/flatten/nest.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

static bool is_cheap_body(const Body& body) {
  constexpr std::size_t most_statements = 8;
  return body.statements.size() <= most_statements &&
         std::all_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
           const auto* scalar = as<Scalar>(one.operation);
           return scalar != nullptr && one.tokens.empty() && ir::is_cheap(scalar->op);
         });
}

// A row of numbers that are computed again sooner than read.
static bool makes_cheap_row(const Statement& one) {
  const auto* map = as<MapScanReduce>(one.operation);
  return map != nullptr && is_map(*map) && is_cheap_body(map->map.body);
}

// Lowering may run the body of a scan twice: not one that writes to memory, nor an expensive one.
static bool runs_once(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    return as<Loop>(one.operation) || (as<MapScanReduce>(one.operation) && !makes_cheap_row(one)) ||
           as<Update>(one.operation) || as<Scatter>(one.operation) ||
           as<Histogram>(one.operation) || as<Accumulate>(one.operation) ||
           as<WithAccumulator>(one.operation) || as<Call>(one.operation) ||
           as<Branch>(one.operation);
  });
}

// Whether a point makes arrays: on a GPU the threads of a block that reduce together have none.
static bool makes_arrays(const Body& body, const Names& names) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
    const bool has_arrays =
        std::any_of(one.results.begin(), one.results.end(),
                    [&](const Binder& result) { return names.type(result.name).is_array(); });
    if (has_arrays && !is_view(one.operation)) return true;
    if (const auto* map = as<MapScanReduce>(one.operation))
      return makes_arrays(map->map.body, names);
    if (const auto* loop = as<Loop>(one.operation)) return makes_arrays(loop->body, names);
    if (const auto* branch = as<Branch>(one.operation)) {
      return makes_arrays(branch->then_body, names) || makes_arrays(branch->else_body, names);
    }
    return as<Call>(one.operation) != nullptr;
  });
}

// A post map that makes arrays or has loops gets threads of its own.
static bool has_heavy_post(const MapScanReduce& e) {
  return e.post && !e.scans.empty() && runs_once(e.post->body);
}

// Whether computing what reductions take again costs less than an array for it.
static bool is_cheaper_again(const MapScanReduce& e, const Names& names) {
  const auto is_number = [&](const Binder& one) { return names.type(one.name).is_scalar(); };
  return is_cheap_body(e.map.body) &&
         std::all_of(e.map.parameters.begin(), e.map.parameters.end(), is_number);
}

static bool has_wide_sums(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    const auto* sum = as<MapScanReduce>(one.operation);
    return sum && !sum->reductions.empty() && !is_narrow(sum->width);
  });
}

bool keeps_sums(const MapScanReduce& e) {
  const std::size_t reduced = value_count(e.reductions);
  if (!e.scans.empty() || e.reductions.empty() || e.post) return false;
  return e.map.body.results.size() > reduced && has_wide_sums(e.map.body);
}

// Whether `one` makes rows of sums, which another statement of the body works on.
static bool makes_product(const Statement& one, const Body& body) {
  const auto* rows = as<MapScanReduce>(one.operation);
  if (!rows || !rows->scans.empty() || is_narrow(rows->width)) return false;
  if (!has_wide_sums(rows->map.body)) return false;
  const auto first =
      one.results.begin() + static_cast<std::ptrdiff_t>(value_count(rows->reductions));
  return std::any_of(first, one.results.end(), [&](const Binder& row) {
    return std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& user) {
      const auto* map = as<MapScanReduce>(user.operation);
      return map &&
             std::find(map->arrays.begin(), map->arrays.end(), row.name) != map->arrays.end();
    });
  });
}

// Whether the elements of a reduction are numbers that points make of rows that are products: a map
// of these may run in parts, and the numbers are little beside the products.
static bool reduces_products(const MapScanReduce& e) {
  const std::size_t reduced = value_count(e.reductions);
  const bool are_numbers = std::all_of(
      e.map.result_types.begin(), e.map.result_types.begin() + static_cast<std::ptrdiff_t>(reduced),
      [](const Type& type) { return type.is_scalar(); });
  if (!are_numbers || e.post) return false;
  const Body& body = e.map.body;
  return std::any_of(body.statements.begin(), body.statements.end(),
                     [&](const Statement& one) { return makes_product(one, body); });
}

bool Splitter::needs_split(const MapScanReduce& e) const {
  if (is_map(e)) return false;
  const bool gpu = target_ == FlattenTarget::gpu;
  if (gpu && (makes_arrays(e.map.body, names_) || keeps_sums(e))) return true;
  // A map of its own runs once at each point, whatever the reduction does.
  if (has_trace(e.map.body)) return true;
  if (e.scans.empty()) return !gpu && reduces_products(e);
  return !e.reductions.empty() || runs_once(e.map.body) || has_heavy_post(e);
}

std::vector<Statement> Splitter::split(Statement statement, MapScanReduce e) {
  if (has_heavy_post(e)) return split_post_off(std::move(statement), std::move(e));
  if (keeps_sums(e)) return split_elements_off(std::move(statement), std::move(e));
  if (e.scans.empty() || e.reductions.empty()) {
    return split_map_off(std::move(statement), std::move(e));
  }
  return is_cheaper_again(e, names_) ? split_reductions_off(std::move(statement), std::move(e))
                                     : split_scan_and_reduce(std::move(statement), std::move(e));
}

std::vector<Statement> Splitter::split_statements(std::vector<Statement> statements) {
  std::vector<Statement> out;
  for (Statement& one : statements) {
    auto* map = as<MapScanReduce>(one.operation);
    if (!map || !needs_split(*map)) {
      out.push_back(std::move(one));
      continue;
    }
    MapScanReduce taken = std::move(*map);
    for (Statement& part : split_statements(split(std::move(one), std::move(taken)))) {
      out.push_back(std::move(part));
    }
  }
  return out;
}

// map and scans (or reductions) at once = the map, then those of what it gave.
std::vector<Statement> Splitter::split_map_off(Statement statement, MapScanReduce e) {
  Statement mapping = statement;
  mapping.results.clear();
  std::vector<NameId> inputs;
  for (const Type& type : e.map.result_types) {
    const bool whole = type.kind == TypeKind::accumulator;
    inputs.push_back(names_.fresh("in", whole ? type : array_over(e.width, type)));
    mapping.results.push_back({inputs.back()});
  }
  Lambda identity = identity_lambda(e.map.result_types, names_);
  MapScanReduce map{e.width, std::move(e.arrays), std::move(e.map), {}, {}, std::nullopt, false};
  mapping.operation = std::move(map);
  e.arrays = std::move(inputs);
  e.map = std::move(identity);
  statement.operation = std::move(e);
  return {std::move(mapping), std::move(statement)};
}

// map and reductions at once = the map, whose results are there anyway, then reductions over them.
std::vector<Statement> Splitter::split_elements_off(Statement statement, MapScanReduce e) {
  const std::size_t reduced = value_count(e.reductions);
  Statement mapping = statement;
  const auto first = static_cast<std::ptrdiff_t>(reduced);
  mapping.results.erase(mapping.results.begin(), mapping.results.begin() + first);
  statement.results.resize(reduced);
  const std::vector<Operand> inputs(e.map.body.results.begin(), e.map.body.results.begin() + first);
  const std::vector<Type> types(e.map.result_types.begin(), e.map.result_types.begin() + first);
  std::vector<Operand>& made = e.map.body.results;
  made.erase(made.begin(), made.begin() + first);
  e.map.result_types.erase(e.map.result_types.begin(), e.map.result_types.begin() + first);
  std::vector<NameId> arrays;
  for (std::size_t k = 0; k < reduced; ++k) {
    const auto at = static_cast<std::size_t>(std::find(made.begin(), made.end(), inputs[k]) -
                                             made.begin());
    if (at == made.size()) {
      made.push_back(inputs[k]);
      e.map.result_types.push_back(types[k]);
      mapping.results.push_back({names_.fresh("in", array_over(e.width, types[k]))});
    }
    arrays.push_back(mapping.results[at].name);
  }
  mapping.operation = MapScanReduce{e.width, std::move(e.arrays), std::move(e.map), {}, {},
                                    std::nullopt, e.sequential};
  statement.operation = MapScanReduce{e.width, std::move(arrays), identity_lambda(types, names_),
                                      {}, std::move(e.reductions), std::nullopt, e.sequential};
  return {std::move(mapping), std::move(statement)};
}

// post after scans = the scans without it, then a map over what they gave.
std::vector<Statement> Splitter::split_post_off(Statement statement, MapScanReduce e) {
  const std::size_t reduced = value_count(e.reductions);
  Statement mapping = statement;
  mapping.results.erase(mapping.results.begin(),
                        mapping.results.begin() + static_cast<std::ptrdiff_t>(reduced));
  statement.results.resize(reduced);
  MapScanReduce map{e.width, {}, std::move(*e.post), {}, {}, std::nullopt, e.sequential};
  e.post.reset();
  for (const Binder& parameter : map.map.parameters) {
    const Type& type = names_.type(parameter.name);
    const bool whole = type.kind == TypeKind::accumulator;
    map.arrays.push_back(names_.fresh("scanned", whole ? type : array_over(e.width, type)));
    statement.results.push_back({map.arrays.back()});
  }
  statement.operation = std::move(e);
  mapping.operation = std::move(map);
  return {std::move(statement), std::move(mapping)};
}

// map, scans and reductions at once = reductions over the map, then scans over the map again.
std::vector<Statement> Splitter::split_reductions_off(Statement statement, MapScanReduce e) {
  const std::size_t scanned = value_count(e.scans);
  const std::size_t reduced = value_count(e.reductions);
  const auto from = static_cast<std::ptrdiff_t>(scanned);
  const auto to = static_cast<std::ptrdiff_t>(scanned + reduced);
  Lambda inputs = renamed(e.map, names_);
  const auto keep = [&](auto& all) { all = {all.begin() + from, all.begin() + to}; };
  const auto drop = [&](auto& all) { all.erase(all.begin() + from, all.begin() + to); };
  keep(inputs.body.results);
  keep(inputs.result_types);
  drop(e.map.body.results);
  drop(e.map.result_types);
  Statement scanning = statement;
  scanning.results.erase(scanning.results.begin(),
                         scanning.results.begin() + static_cast<std::ptrdiff_t>(reduced));
  statement.results.resize(reduced);
  statement.operation = MapScanReduce{e.width, e.arrays, std::move(inputs), {},
                                      std::exchange(e.reductions, {}), std::nullopt,
                                      e.sequential};
  scanning.operation = std::move(e);
  return {std::move(statement), std::move(scanning)};
}

// map, scans and reductions at once = scans that also keep the reductions' inputs, then the
// reductions over those.
std::vector<Statement> Splitter::split_scan_and_reduce(Statement statement, MapScanReduce e) {
  const std::size_t scanned = value_count(e.scans);
  const std::size_t reduced = value_count(e.reductions);
  // The scan's map gives: scan inputs | mapped values | reduce inputs.
  MapScanReduce scan{e.width, e.arrays, e.map, e.scans, {}, std::nullopt, e.sequential};
  const auto from = static_cast<std::ptrdiff_t>(scanned);
  const auto to = static_cast<std::ptrdiff_t>(scanned + reduced);
  std::rotate(scan.map.body.results.begin() + from, scan.map.body.results.begin() + to,
              scan.map.body.results.end());
  std::rotate(scan.map.result_types.begin() + from, scan.map.result_types.begin() + to,
              scan.map.result_types.end());
  Statement scanning = statement;
  scanning.results.assign(statement.results.begin() + static_cast<std::ptrdiff_t>(reduced),
                          statement.results.end());
  std::vector<NameId> inputs;
  std::vector<Type> input_types(e.map.result_types.begin() + from,
                                e.map.result_types.begin() + to);
  Lambda identity = identity_lambda(input_types, names_);
  for (const Type& type : input_types) {
    inputs.push_back(names_.fresh("in", array_over(e.width, type)));
    scanning.results.push_back({inputs.back()});
  }
  if (e.post) {
    scan.post = e.post;
    const Lambda kept = renamed(identity, names_);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      scan.post->parameters.push_back(kept.parameters[k]);
      scan.post->body.results.push_back(kept.body.results[k]);
      scan.post->result_types.push_back(input_types[k]);
    }
  }
  scanning.operation = std::move(scan);
  statement.results.resize(reduced);
  MapScanReduce reduce{e.width, inputs, std::move(identity), {}, std::move(e.reductions),
                       std::nullopt, e.sequential};
  statement.operation = std::move(reduce);
  return {std::move(scanning), std::move(statement)};
}

}  // namespace dagaz::passes::flattening
