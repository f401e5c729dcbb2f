#include "passes/flatten/kept_sums.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/cost.h"
#include "ir/fields.h"
#include "ir/value_count.h"
#include "passes/flatten/nest.h"
#include "passes/map_parts.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

bool has_long_sum(const Statement& one) {
  const auto* map = as<MapScanReduce>(one.operation);
  if (map == nullptr) return false;
  if (!map->reductions.empty() && !is_narrow(map->width)) return true;
  const std::vector<Statement>& inside = map->map.body.statements;
  return std::any_of(inside.begin(), inside.end(), has_long_sum);
}

/// A reduction of what arrays hold, which takes no longer than reading them.
bool reads_once(const MapScanReduce& map) {
  const std::vector<Statement>& inside = map.map.body.statements;
  return map.scans.empty() && !map.post && !map.reductions.empty() &&
         map.map.body.results.size() == value_count(map.reductions) &&
         std::all_of(inside.begin(), inside.end(), [](const Statement& one) {
           const auto* scalar = as<Scalar>(one.operation);
           return as<Identity>(one.operation) || (scalar && is_cheap(scalar->op));
         });
}

bool is_little(const Statement& one) {
  if (!one.tokens.empty()) return false;
  if (const auto* scalar = as<Scalar>(one.operation)) return is_cheap(scalar->op);
  const auto* sum = as<MapScanReduce>(one.operation);
  return as<Identity>(one.operation) || as<Index>(one.operation) || (sum && reads_once(*sum));
}

class Parting {
 public:
  Parting(const Statement& statement, Names& names)
      : statement_(statement),
        map_(*as<MapScanReduce>(statement.operation)),
        names_(names),
        reduced_(value_count(map_.reductions)) {}

  /// The map, and the reductions; nothing where these need more than what it gives, or where there
  /// is nothing to gain.
  std::optional<std::pair<Statement, Statement>> take() {
    const std::vector<Operand>& results = map_.map.body.results;
    if (map_.reductions.empty() || !map_.scans.empty() || map_.post || map_.sequential ||
        results.size() == reduced_) {
      return std::nullopt;
    }
    for (std::size_t k = reduced_; k < results.size(); ++k) {
      if (map_.map.result_types[k].kind != TypeKind::value) return std::nullopt;
      if (results[k].is_name()) kept_.emplace(results[k].name(), statement_.results[k].name);
    }
    for (std::size_t k = 0; k < reduced_; ++k) {
      if (!need(results[k])) return std::nullopt;
    }
    const std::vector<Statement>& all = map_.map.body.statements;
    const bool gains = std::any_of(all.begin(), all.end(), [&](const Statement& one) {
      return !needed_.contains(one.results.empty() ? NameId{} : one.results[0].name) &&
             has_long_sum(one);
    });
    if (!gains) return std::nullopt;
    return std::pair(mapping(), renamed(reducing(), names_));
  }

 private:
  bool need(const Operand& operand) {
    if (!operand.is_name() || kept_.contains(operand.name())) return true;
    for (const Statement& one : map_.map.body.statements) {
      if (one.results.size() != 1 || one.results[0].name != operand.name()) continue;
      needed_.insert(operand.name());
      if (!is_little(one)) return false;
      const std::vector<NameId> used = free_names(one, names_);
      return std::all_of(used.begin(), used.end(), [&](NameId name) { return need(name); });
    }
    const NameSet bound = bound_in(map_.map.body.statements);
    return !bound.contains(operand.name());
  }

  Statement mapping() const {
    MapScanReduce map = map_;
    Statement made = statement_;
    select_results(made, map, [&](std::size_t k) { return k >= reduced_; });
    map.reductions.clear();
    made.operation = std::move(map);
    return made;
  }

  Statement reducing() const {
    MapScanReduce map = map_;
    Statement made = statement_;
    made.tokens.clear();
    select_results(made, map, [&](std::size_t k) { return k < reduced_; });
    std::erase_if(map.map.body.statements, [&](const Statement& one) {
      return one.results.empty() || !needed_.contains(one.results[0].name);
    });
    map.arrays.clear();
    map.map.parameters.clear();
    for (const NameId name : free_names(map.map.body, names_)) {
      const auto array = kept_.find(name);
      if (array != kept_.end()) take_element(map, array->second, name);
    }
    for (std::size_t k = 0; k < map_.arrays.size(); ++k) {
      const NameId parameter = map_.map.parameters[k].name;
      if (!kept_.contains(parameter)) take_element(map, map_.arrays[k], parameter);
    }
    drop_unread(map, names_);
    made.operation = std::move(map);
    return made;
  }

  static void take_element(MapScanReduce& map, NameId array, NameId element) {
    map.arrays.push_back(array);
    map.map.parameters.push_back({element});
  }

  const Statement& statement_;
  const MapScanReduce& map_;
  Names& names_;
  std::size_t reduced_;
  std::unordered_map<NameId, NameId> kept_;  // what the map gives, and the arrays of it
  NameSet needed_;                           // by the reductions alone
};

/// What long sums inside a map of maps read: of these two, of none of them, or of one.
class Windows {
 public:
  explicit Windows(const Names& names) : names_(names) {}

  /// Whether some is of both, and the rest of none: windows that meet what all points share.
  bool are_in(const MapScanReduce& map) {
    enter(map, 0);
    return of_both_ && of_none_ && !of_one_;
  }

 private:
  unsigned maps_of(NameId name) const {
    const auto found = maps_.find(name);
    return found == maps_.end() ? 0 : found->second;
  }

  void enter(const MapScanReduce& map, unsigned level) {
    const unsigned own = level < 2 ? 1U << level : 0;
    const bool is_sum = level >= 2 && !map.reductions.empty();
    for (std::size_t k = 0; k < map.arrays.size(); ++k) {
      const NameId element = map.map.parameters[k].name;
      maps_[element] = maps_of(map.arrays[k]) | own;
      if (is_sum) read(element);
    }
    for (const Statement& one : map.map.body.statements) {
      unsigned all = 0;
      for (const NameId name : free_names(one, names_)) all |= maps_of(name);
      for (const Binder& result : one.results) maps_[result.name] = all;
      if (is_sum && as<Index>(one.operation)) read(one.results[0].name);
      if (const auto* inner = as<MapScanReduce>(one.operation)) enter(*inner, level + 1);
    }
  }

  void read(NameId value) {
    const unsigned maps = maps_of(value);
    of_none_ = of_none_ || maps == 0;
    of_both_ = of_both_ || maps == 3;
    of_one_ = of_one_ || maps == 1 || maps == 2;
  }

  const Names& names_;
  std::unordered_map<NameId, unsigned> maps_;
  bool of_none_ = false;
  bool of_both_ = false;
  bool of_one_ = false;
};

/// Whether a map with reductions gives a matrix of sums over windows.
bool gives_sums_over_windows(const Statement& one, const Names& names) {
  const auto* map = as<MapScanReduce>(one.operation);
  const bool gives_matrix =
      std::any_of(one.results.begin(), one.results.end(),
                  [&](const Binder& result) { return names.type(result.name).rank() > 1; });
  return map && !map->reductions.empty() && gives_matrix && Windows(names).are_in(*map);
}

/// `of_windows`: also those of the rows that such a matrix has.
void set_apart(Body& body, bool of_windows, Names& names) {
  std::vector<Statement> all;
  for (Statement& one : body.statements) {
    const bool is_wanted = of_windows || gives_sums_over_windows(one, names);
    const bool is_map = as<MapScanReduce>(one.operation) != nullptr;
    for_each_scope(one.operation,
                   [&](Body& inner) { set_apart(inner, is_wanted && is_map, names); });
    auto parts = is_wanted && is_map ? Parting(one, names).take() : std::nullopt;
    if (!parts) {
      all.push_back(std::move(one));
      continue;
    }
    all.push_back(std::move(parts->first));
    all.push_back(std::move(parts->second));
  }
  body.statements = std::move(all);
}

}  // namespace

void set_kept_sums_apart(Body& body, Names& names) { set_apart(body, false, names); }

}  // namespace dagaz::passes::flattening
