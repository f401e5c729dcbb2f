// Cutting a nest in two: maps before a place (rows.h), and the rest.  Where there is no such place,
// the elements of a reduction may be a product, which is set apart from it: a mean of what a layer
// gives comes behind the layer.  That pays for elements that are results anyway or no more than
// what points give, and for sums over several dimensions; for others, points read rows in vector
// lanes, a point each, and need no memory.  Or a map takes sums that are better made before it
// (independent_sums.h).
#include <algorithm>
#include <utility>

#include "ir/classify.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/flatten/flattener.h"
#include "passes/flatten/independent_sums.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

static bool has_sums(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    const auto* sum = as<MapScanReduce>(one.operation);
    return sum && !sum->reductions.empty();
  });
}

static bool makes_numbers(const Body& body) {
  return std::all_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    const auto* sum = as<MapScanReduce>(one.operation);
    if (sum) return value_count(sum->reductions) == one.results.size();
    const auto* branch = as<Branch>(one.operation);
    return as<Scalar>(one.operation) || is_view(one.operation) || (branch && only_computes(*branch));
  });
}

static bool makes_sums_of_sums(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    const auto* sum = as<MapScanReduce>(one.operation);
    return sum && has_sums(sum->map.body);
  });
}

// Whether the elements of the reduction are better made before it.
static bool are_set_apart(const Statement& one, const Body& around, const Names& names) {
  const auto* reduction = as<MapScanReduce>(one.operation);
  if (!reduction || !keeps_sums(*reduction) || !makes_numbers(reduction->map.body)) return false;
  const auto elements =
      one.results.begin() + static_cast<std::ptrdiff_t>(value_count(reduction->reductions));
  const bool are_results = std::all_of(elements, one.results.end(), [&](const Binder& element) {
    const Type& type = names.type(element.name);
    return std::any_of(around.results.begin(), around.results.end(), [&](const Operand& result) {
      return result.is_name() && names.type(result.name()) == type;
    });
  });
  return are_results || makes_sums_of_sums(reduction->map.body);
}

bool Flattener::cut_if_possible(Statement& statement, Nest& nest, PointBody& point, Out& out) {
  const auto try_cut = [&](PointBody& body) {
    const auto place =
        place_to_cut(nest, body.body, names_, originals_, options_.handed_on_operations);
    if (place) cut(std::move(statement), std::move(nest), std::move(body), *place, out);
    return place.has_value();
  };
  if (try_cut(point)) return true;
  for (std::size_t k = 0; k < point.body.statements.size(); ++k) {
    std::vector<Statement> parts = set_apart(point.body.statements[k], point.body);
    if (parts.empty()) continue;
    PointBody apart = point;
    std::vector<Statement>& all = apart.body.statements;
    const auto at = all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
    all.insert(at, std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
    if (try_cut(apart)) return true;
  }
  return false;
}

// A statement in parts, of which the first may be a product; nothing where it stays whole.
std::vector<Statement> Flattener::set_apart(const Statement& one, const Body& around) {
  if (are_set_apart(one, around, names_)) {
    return splitter_.split_elements_off(one, *as<MapScanReduce>(one.operation));
  }
  return independent_sums_first(one, names_).value_or(std::vector<Statement>{});
}

// Two nests: the maps before the place, and the others with what is cheap.
void Flattener::cut(Statement statement, Nest nest, PointBody point, const Cut& cut, Out& out) {
  std::vector<Operand> indices;
  for (const SpaceDimension& dimension : nest.space) indices.push_back(dimension.index.name);
  Statement first = statement;
  Statement second = std::move(statement);
  PointBody rest;
  PointBody front;
  first.results.clear();
  const std::vector<Binder> results = std::exchange(second.results, {});
  NameSet made;  // by the maps of the first nest
  for (std::size_t k = 0; k < cut.place; ++k) {
    Statement& one = point.body.statements[k];
    if (!is_made_once(one, names_)) continue;
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
  for (const NameId name : cut.kept) {
    Type type = names_.type(name);
    front.result_types.push_back(type);
    front.body.results.emplace_back(name);
    for (std::size_t d = nest.space.size(); d-- > 0;) type = array_over(nest.space[d].extent, type);
    const NameId all = names_.fresh(names_.base(name), type);
    first.results.push_back({all});
    rest.body.statements.push_back({{{name}}, Index{all, indices}});
  }
  for (std::size_t k = 0; k < point.body.statements.size(); ++k) {
    Statement& one = point.body.statements[k];
    const bool once = is_made_once(one, names_);
    if (k < cut.place) front.body.statements.push_back(one);
    if (!once || k >= cut.place) rest.body.statements.push_back(std::move(one));
  }
  emit_part(std::move(first), nest, std::move(front), out);
  emit_part(std::move(second), std::move(nest), std::move(rest), out);
}

// A nest with only what its results need, in names of its own.
void Flattener::emit_part(Statement statement, Nest nest, PointBody point, Out& out) {
  if (statement.results.empty()) return;
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
