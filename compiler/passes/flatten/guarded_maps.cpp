// The gradient of what a minimum has chosen adds to a row, if something was chosen:
//
//   if c then map (\x a -> f x a) xs acc else acc  =  map (\x a -> if c then f x a else a) xs acc
//
// A GPU has a thread for each element of the map then.  What stands beside the map under the
// condition, views of what may not be there, is taken there.
#include "passes/flatten/guarded_maps.h"

#include <algorithm>

#include "ir/classify.h"
#include "passes/flatten/nest.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

bool is_accumulator(NameId name, const Names& names) {
  return names.type(name).kind == TypeKind::accumulator;
}

bool counts_from_zero(const Statement& one) {
  const auto* range = as<Iota>(one.operation);
  return range != nullptr && ir::counts_from_zero(*range);
}

bool uses(const std::vector<NameId>& used, NameId name) {
  return std::find(used.begin(), used.end(), name) != used.end();
}

/// A map at the end of what is done under a condition, and what stands before.
class GuardedMap {
 public:
  GuardedMap(const Branch& branch, const NameSet& inside, Names& names)
      : branch_(branch), names_(names) {
    if (branch.then_body.statements.empty() || !branch.else_body.statements.empty()) return;
    const Statement& last = branch.then_body.statements.back();
    const auto* map = as<MapScanReduce>(last.operation);
    if (map == nullptr || !is_map(*map) || !gives_all(last) || !adds_to_same(*map)) return;
    before_.assign(branch.then_body.statements.begin(), branch.then_body.statements.end() - 1);
    if (map->width.is_name() &&
        (inside.contains(map->width.name()) || bound_in(before_).contains(map->width.name()))) {
      return;
    }
    if (takes_ranges(*map)) map_ = map;
  }

  bool is_one() const { return map_ != nullptr; }
  const Operand& width() const { return map_->width; }

  /// The map whose elements ask; `numbers` counts them.
  MapScanReduce asking(NameId numbers) {
    Branch each{branch_.condition, {before_, map_->map.body.results}, {}, {}};
    std::vector<Statement> elements;
    MapScanReduce all = *map_;
    all.arrays.clear();
    all.map.parameters.clear();
    const NameId i = names_.fresh("i", scalar_of(ScalarType::i64));
    for (std::size_t k = 0; k < map_->arrays.size(); ++k) {
      const NameId array = map_->arrays[k];
      const Binder& element = map_->map.parameters[k];
      if (is_accumulator(array, names_)) {
        const NameId given = names_.fresh_like(element.name);
        all.arrays.push_back(array);
        all.map.parameters.push_back({given});
        elements.push_back({{element}, Identity{given}});
        each.else_body.results.emplace_back(given);
        each.result_types.push_back(names_.type(given));
      } else if (uses(ranges_, array)) {
        elements.push_back({{element}, Identity{i}});
      } else {
        elements.push_back({{element}, Index{array, {i}}});
      }
    }
    all.arrays.push_back(numbers);
    all.map.parameters.push_back({i});
    auto& then = each.then_body.statements;
    then.insert(then.end(), elements.begin(), elements.end());
    then.insert(then.end(), map_->map.body.statements.begin(), map_->map.body.statements.end());
    std::vector<Operand> results;
    std::vector<Binder> bound;
    for (const Type& type : each.result_types) {
      bound.push_back({names_.fresh("accumulator", type)});
      results.emplace_back(bound.back().name);
    }
    all.map.result_types = each.result_types;
    all.map.body = {{{std::move(bound), std::move(each)}}, std::move(results)};
    return all;
  }

 private:
  bool gives_all(const Statement& last) const {
    const auto& results = branch_.then_body.results;
    return results.size() == last.results.size() &&
           std::equal(results.begin(), results.end(), last.results.begin(),
                      [](const Operand& a, const Binder& b) { return a == Operand(b.name); });
  }

  /// Nothing but accumulators, which are handed on where the condition does not hold.
  bool adds_to_same(const MapScanReduce& map) const {
    std::vector<Operand> given;
    for (const NameId array : map.arrays) {
      if (is_accumulator(array, names_)) given.emplace_back(array);
    }
    return !given.empty() && given == branch_.else_body.results;
  }

  /// Ranges that only the map reads are its elements' numbers; the rest is cheap.
  bool takes_ranges(const MapScanReduce& map) {
    std::vector<NameId> used = free_names(map.map, names_);
    for (const Statement& one : before_) {
      for (const NameId name : free_names(one, names_)) used.push_back(name);
    }
    std::erase_if(before_, [&](const Statement& one) {
      const NameId name = one.results[0].name;
      if (!counts_from_zero(one) || uses(used, name)) return false;
      ranges_.push_back(name);
      return true;
    });
    return std::all_of(before_.begin(), before_.end(),
                       [&](const Statement& one) { return repeats_cheaply(one, names_); });
  }

  const Branch& branch_;
  Names& names_;
  std::vector<Statement> before_;
  std::vector<NameId> ranges_;
  const MapScanReduce* map_ = nullptr;
};

}  // namespace

void ask_at_elements(Body& body, const NameSet& inside, Names& names, std::vector<Statement>& out) {
  for (Statement& one : body.statements) {
    const auto* branch = as<Branch>(one.operation);
    if (branch == nullptr) continue;
    GuardedMap guarded(*branch, inside, names);
    if (!guarded.is_one()) continue;
    const Operand width = guarded.width();
    const NameId numbers = names.fresh("i", array_over(width, scalar_of(ScalarType::i64)));
    out.push_back({{{numbers}}, Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}});
    MapScanReduce asking = guarded.asking(numbers);
    one.operation = std::move(asking);
  }
}

}  // namespace dagaz::passes::flattening
