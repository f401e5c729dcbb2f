#include "passes/ad/equal_statements.h"

#include <unordered_map>

#include "passes/ad/consumption.h"
#include "passes/ad/summed_body.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

class Sharer {
 public:
  Sharer(Names& names, NameSet consumed) : names_(&names), consumed_(std::move(consumed)) {}

  void scope(std::vector<Statement>& statements);
  Substitution take() { return std::move(replaced_); }

 private:
  struct Known {
    Operation operation;
    NameId result;
  };
  using Table = std::unordered_multimap<std::size_t, Known>;

  bool share(const Statement& statement, std::vector<Table::iterator>& added);
  void equal_results(Statement& statement, const MapScanReduce& map);
  void replace(NameId name, NameId with) { replaced_.insert_or_assign(name, Operand(with)); }

  Names* names_;
  NameSet consumed_;
  Table known_;
  Substitution replaced_;
};

void Sharer::scope(std::vector<Statement>& statements) {
  std::vector<Table::iterator> added;
  std::vector<Statement> kept;
  for (Statement& each : statements) {
    if (!replaced_.empty()) substitute(each, replaced_, *names_);
    if (share(each, added)) continue;
    if (auto* map = as<MapScanReduce>(each.operation); map != nullptr) {
      scope(map->map.body.statements);
      if (!replaced_.empty()) substitute(map->map, replaced_, *names_);
      equal_results(each, *map);
    }
    kept.push_back(std::move(each));
  }
  statements = std::move(kept);
  for (const auto& entry : added) known_.erase(entry);
}

bool Sharer::share(const Statement& statement, std::vector<Table::iterator>& added) {
  if (!std::holds_alternative<Scalar>(statement.operation) || !statement.tokens.empty()) {
    return false;
  }
  const NameId result = statement.results.front().name;
  const std::size_t hash = hash_of(statement.operation, *names_);
  const auto [first, last] = known_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (!equivalent(at->second.operation, statement.operation, *names_)) continue;
    replace(result, at->second.result);
    return true;
  }
  added.push_back(known_.emplace(hash, Known{statement.operation, result}));
  return false;
}

// Arrays of the same elements are one array, unless somebody writes to them.
void Sharer::equal_results(Statement& statement, const MapScanReduce& map) {
  const auto& results = map.map.body.results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (map.map.result_types[i].kind != TypeKind::value || !results[i].is_name()) continue;
    if (!is_mapped_result(map, i)) continue;
    std::size_t twin = i;
    for (std::size_t k = i; k-- > 0 && is_mapped_result(map, k);) {
      if (results[k] == results[i]) twin = k;
    }
    const NameId one = statement.results[twin].name;
    const NameId other = statement.results[i].name;
    if (twin == i || consumed_.count(one) != 0 || consumed_.count(other) != 0) continue;
    replace(other, one);
  }
}

}  // namespace

void share_equal_statements(std::vector<Statement>& statements, Environment& environment,
                            std::vector<Operand*> held) {
  Sharer sharer(environment.names(), consumed_names(statements, environment.names(),
                                                    environment.functions()));
  sharer.scope(statements);
  const Substitution replaced = sharer.take();
  for (Operand* operand : held) *operand = substitute(*operand, replaced);
  environment.replace(replaced);
}

}  // namespace dagaz::passes::ad
