// Cutting a nest whose points compute several rows, on a CPU: a product of matrices runs in blocks
// only as a perfect nest.
//
//   map (\i -> let r = f i; let s = map (\j -> sum (map2 (*) r b[j])) in (r, s))
// becomes
//   rs = map f;  ss = map (\i -> map (\j -> sum (map2 (*) rs[i] b[j])))
//
// What one part gives the next needs memory that the nest did not.  So it has to be a result
// anyway, a number, or a row as long as one that the points read or give: then memory at most
// doubles.  (The scores of attention are longer, and stay inside.)  What is cheap is computed in
// both parts.
#include <algorithm>

#include "ir/alias.h"
#include "ir/classify.h"
#include "ir/names.h"
#include "passes/flatten/flattener.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

static bool is_wide(const Operand& width, const NameSet& inside) {
  return !is_narrow(width) && !(width.is_name() && inside.contains(width.name()));
}

bool is_product(const Statement& statement, const NameSet& inside) {
  const auto* map = as<MapScanReduce>(statement.operation);
  if (!map || !is_map(*map) || !is_wide(map->width, inside)) return false;
  return std::any_of(map->map.body.statements.begin(), map->map.body.statements.end(),
                     [&](const Statement& one) {
    const auto* sum = as<MapScanReduce>(one.operation);
    return sum && !sum->reductions.empty() && is_wide(sum->width, inside);
  });
}

namespace {

/// Whether only one part computes it: maps, reductions, and what is not cheap.
bool is_made_once(const Statement& statement, const Names& names) {
  return as<MapScanReduce>(statement.operation) || !repeats_cheaply(statement, names);
}

NameSet bound_in(const std::vector<Statement>& statements) {
  NameSet bound;
  for (const Statement& one : statements) {
    for (const Binder& result : one.results) bound.insert(result.name);
  }
  return bound;
}

}  // namespace

// Whether the statement is a map of values of one shape, a number, or cheap: then any order of such
// that has producers before users is right.
bool Flattener::is_of_rows(const Statement& one, const NameSet& inside) const {
  const bool regular = std::all_of(
      one.results.begin(), one.results.end(),
      [&](const Binder& result) { return is_regular(names_.type(result.name), inside); });
  const auto* map = as<MapScanReduce>(one.operation);
  const bool reads_values =
      !map || std::all_of(map->arrays.begin(), map->arrays.end(),
                          [&](NameId array) { return names_.type(array).kind == TypeKind::value; });
  return regular && reads_values && one.tokens.empty() &&
         (map || as<Scalar>(one.operation) || repeats_cheaply(one, names_));
}

// Whether the statements from number `from` on write only over arrays that they make: what is
// handed to them may be somebody's result.
bool Flattener::writes_only_its_own(const Body& body, std::size_t from) const {
  NameSet own;
  for (std::size_t k = from; k < body.statements.size(); ++k) {
    const Statement& one = body.statements[k];
    for (const NameId name : consumed_by(one, names_, originals_)) {
      if (!own.contains(name)) return false;
    }
    if (is_view(one.operation) || as<Branch>(one.operation) || as<Loop>(one.operation) ||
        as<Call>(one.operation)) {
      continue;  // perhaps what they get
    }
    for (const Binder& result : one.results) own.insert(result.name);
  }
  return true;
}

// Of the names in `made`, those that what remains of the body after a cut at `place` needs.
std::vector<NameId> Flattener::handed_on(const Body& body, std::size_t place,
                                         const NameSet& made) const {
  NameSet needed;
  for (const Operand& result : body.results) {
    if (result.is_name() && !made.contains(result.name())) needed.insert(result.name());
  }
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    const Statement& one = body.statements[k];
    const bool once = is_made_once(one, names_);
    if (once && k < place) continue;
    const bool used =
        once || std::any_of(one.results.begin(), one.results.end(),
                            [&](const Binder& r) { return needed.contains(r.name); });
    if (!used) continue;
    for (const NameId name : free_names(one, names_)) needed.insert(name);
  }
  std::vector<NameId> handed;
  for (const Statement& one : body.statements) {
    for (const Binder& result : one.results) {
      if (made.contains(result.name) && needed.contains(result.name)) handed.push_back(result.name);
    }
  }
  return handed;
}

// Whether an array for it over all points is no larger than one that they read or give.
bool Flattener::is_no_larger(const Type& type, const Nest& nest, const Body& body) const {
  if (type.is_scalar()) return true;
  const auto has_shape = [&](const Type& other) { return other.shape == type.shape; };
  const auto reads = [&](const Statement& one) {
    return as<Index>(one.operation) && has_shape(names_.type(one.results[0].name));
  };
  return std::any_of(nest.prefix.begin(), nest.prefix.end(), reads) ||
         std::any_of(body.statements.begin(), body.statements.end(), reads) ||
         std::any_of(body.results.begin(), body.results.end(),
                     [&](const Operand& result) { return has_shape(names_.type(result)); });
}

// The first place beside a product where the body can be cut; one that takes no memory, if there
// is.
std::optional<Flattener::Cut> Flattener::place_to_cut(const Nest& nest, const Body& body) const {
  NameSet inside = bound_by(nest);
  for (const NameId name : bound_in(body.statements)) inside.insert(name);
  NameSet results;
  for (const Operand& result : body.results) {
    if (!result.is_name()) continue;
    results.insert(result.name());
    if (names_.type(result.name()).kind != TypeKind::value) return std::nullopt;
  }
  std::optional<Cut> found;
  NameSet made;
  bool product_before = false;
  std::size_t rows = 0;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const Statement& one = body.statements[k];
    // What is behind the place stays as it is; before it order must not matter.
    const bool ends = !is_of_rows(one, inside);
    if (!ends && !is_made_once(one, names_)) continue;
    const bool product = is_product(one, inside);
    if (rows > 0 && (product || product_before)) {
      if (!writes_only_its_own(body, k)) break;
      Cut cut{k, handed_on(body, k, made)};
      std::erase_if(cut.kept, [&](NameId name) { return results.contains(name); });
      if (cut.kept.empty()) return cut;
      const bool small = std::all_of(cut.kept.begin(), cut.kept.end(), [&](NameId name) {
        return is_no_larger(names_.type(name), nest, body);
      });
      if (small && !found) found = std::move(cut);
    }
    if (ends) break;
    if (as<MapScanReduce>(one.operation)) {
      product_before = product;
      ++rows;
    }
    for (const Binder& result : one.results) made.insert(result.name);
  }
  return found;
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
