// What the points of a product assert is asserted before it, on a CPU.
//
//   map (\i -> assert (i < n); map (\w -> sum (map2 (*) w xs[i])) ws) is
// becomes
//   map (\i -> assert (i < n)) is;  map (\i -> map (\w -> sum (map2 (*) w xs[i])) ws) is
//
// Embeddings are such, whose numbers are somebody's data.  The second is a perfect nest, and runs
// in blocks; a guard in another operation has run before it starts.
#include <algorithm>
#include <optional>

#include "ir/classify.h"
#include "ir/names.h"
#include "passes/flatten/flattener.h"
#include "passes/flatten/parallelism.h"
#include "passes/tokens.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

bool asserts(const Statement& one) { return as<Assert>(one.operation) != nullptr; }

/// Whether each element of the map is made of one sum: of several, rows stay in vector lanes.
bool has_one_sum(const Statement& product) {
  const std::vector<Statement>& inside = as<MapScanReduce>(product.operation)->map.body.statements;
  return std::count_if(inside.begin(), inside.end(), [](const Statement& one) {
           return as<MapScanReduce>(one.operation) != nullptr;
         }) == 1;
}

/// Whether the body is one product, beside asserts and what is cheap.
bool is_one_product(const Body& body, const NameSet& inside) {
  std::size_t products = 0;
  for (const Statement& one : body.statements) {
    if (is_product(one, inside) && has_one_sum(one)) {
      ++products;
    } else if (!asserts(one) && !as<Scalar>(one.operation) && !is_view(one.operation)) {
      return false;
    }
  }
  return products == 1;
}

/// The assertions and what they need, in order; nothing if that is some of the product.
std::optional<std::vector<Statement>> assertions(const std::vector<Statement>& all,
                                                 const Names& names) {
  std::vector<Statement> needed;
  NameSet used;
  for (std::size_t k = all.size(); k-- > 0;) {
    const Statement& one = all[k];
    const bool is_used = std::any_of(one.results.begin(), one.results.end(),
                                     [&](const Binder& r) { return used.contains(r.name); });
    if (!is_used && !asserts(one)) continue;
    if (as<MapScanReduce>(one.operation)) return std::nullopt;
    for (const NameId name : free_names(one, names)) used.insert(name);
    needed.push_back(one);
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

}  // namespace

bool Flattener::assert_first(const Statement& statement, const Nest& nest, PointBody& point,
                             Out& out) {
  std::vector<Statement>& all = point.body.statements;
  if (std::none_of(all.begin(), all.end(), asserts)) return false;
  NameSet inside = bound_by(nest);
  for (const NameId name : bound_in(all)) inside.insert(name);
  if (!is_one_product(point.body, inside)) return false;
  auto asserted = assertions(all, names_);
  if (!asserted) return false;
  Statement first{{}, {}, statement.tokens, statement.location};
  SegmentedMap map{nest.space, {nest.prefix, {}}, {}};
  NameSet tokens;
  for (Statement& one : *asserted) {
    if (const auto* assertion = as<Assert>(one.operation)) {
      tokens.insert(one.results[0].name);
      Type type = scalar_of(ScalarType::boolean);
      map.body.results.push_back(assertion->condition);
      map.result_types.push_back(type);
      for (std::size_t d = nest.space.size(); d-- > 0;) {
        type = array_over(nest.space[d].extent, type);
      }
      first.results.push_back({names_.fresh("holds", type)});
    }
    map.body.statements.push_back(std::move(one));
  }
  first.operation = std::move(map);
  out.push_back(renamed(first, names_));
  std::erase_if(all, asserts);
  drop_tokens(all, [&](NameId token) { return tokens.contains(token); });
  return true;
}

}  // namespace dagaz::passes::flattening
