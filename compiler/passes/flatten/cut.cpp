// Cutting a nest in two: maps before a place (rows.h), and the rest.
#include <algorithm>
#include <utility>

#include "ir/names.h"
#include "passes/flatten/flattener.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

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
