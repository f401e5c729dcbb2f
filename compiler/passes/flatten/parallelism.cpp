#include "passes/flatten/parallelism.h"

#include <algorithm>

#include "ir/classify.h"
#include "passes/flatten/choices.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

static bool depends(const Operand& operand, const NameSet& inside) {
  return operand.is_name() && inside.contains(operand.name());
}

bool is_regular(const Type& type, const NameSet& inside) {
  return std::none_of(type.shape.begin(), type.shape.end(),
                      [&](const Operand& size) { return depends(size, inside); });
}

static bool is_accumulator(NameId name, const Names& names) {
  return names.type(name).kind == TypeKind::accumulator;
}

static bool can_distribute(const Body& body, NameSet inside, const Names& names);

static bool is_side_parallel(Body side, const NameSet& inside, const Names& names) {
  take_common(side, inside, names);
  return can_distribute(side, inside, names);
}

// Whether `statement`, in a nest where `inside` is bound, has parallelism to distribute.
bool is_parallel(const Statement& statement, const NameSet& inside, const Names& names) {
  for (const Binder& result : statement.results) {
    if (!is_regular(names.type(result.name), inside)) return false;
  }
  if (const auto* map = as<MapScanReduce>(statement.operation)) {
    if (depends(map->width, inside) || is_narrow(map->width)) return false;
    if (operators_depend(*map, inside, names)) return false;
    return is_map(*map) || std::none_of(map->arrays.begin(), map->arrays.end(), [&](NameId array) {
             return is_accumulator(array, names);
           });
  }
  if (const auto* loop = as<Loop>(statement.operation)) {
    const auto* form = as<ForForm>(loop->form);
    if (!form || depends(form->bound, inside)) return false;
    for (const LoopValue& value : loop->values) {
      const NameId name = value.parameter.name;
      if (is_accumulator(name, names) || !is_regular(names.type(name), inside)) return false;
    }
    return can_distribute(loop->body, inside, names);
  }
  if (const auto* branch = as<Branch>(statement.operation)) {
    return !depends(branch->condition, inside) &&
           (is_side_parallel(branch->then_body, inside, names) ||
            is_side_parallel(branch->else_body, inside, names)) &&
           std::none_of(statement.results.begin(), statement.results.end(),
                        [&](const Binder& one) { return is_accumulator(one.name, names); });
  }
  return false;
}

// Whether some statement is parallel and everything that may have to be stored is regular.
static bool can_distribute(const Body& body, NameSet inside, const Names& names) {
  for (const NameId name : bound_in(body.statements)) inside.insert(name);
  const bool any =
      std::any_of(body.statements.begin(), body.statements.end(),
                  [&](const Statement& one) { return is_parallel(one, inside, names); });
  if (!any) return false;
  for (const Statement& one : body.statements) {
    for (const Binder& result : one.results) {
      if (!is_regular(names.type(result.name), inside)) return false;
    }
  }
  return true;
}

bool can_distribute(const Nest& nest, const Body& body, const Names& names) {
  return can_distribute(body, bound_by(nest), names);
}

static bool is_wide(const Operand& width, const NameSet& inside) {
  return !is_narrow(width) && !(width.is_name() && inside.contains(width.name()));
}

// Whether elements of the map, and of what it is fused with, are made of sums of many terms.
static bool has_sums(const MapScanReduce& map, const NameSet& inside) {
  if (!is_wide(map.width, inside)) return false;
  return std::any_of(map.map.body.statements.begin(), map.map.body.statements.end(),
                     [&](const Statement& one) {
    const auto* sum = as<MapScanReduce>(one.operation);
    return sum && !sum->reductions.empty() && is_wide(sum->width, inside);
  });
}

bool is_product(const Statement& statement, const NameSet& inside) {
  const auto* map = as<MapScanReduce>(statement.operation);
  return map && is_map(*map) && has_sums(*map, inside);
}

bool works_on_products(const Body& body, const NameSet& inside) {
  std::size_t products = 0;
  for (const Statement& one : body.statements) {
    if (const auto* map = as<MapScanReduce>(one.operation)) {
      if (has_sums(*map, inside)) ++products;
    } else if (!as<Scalar>(one.operation) && !is_view(one.operation)) {
      return false;
    }
  }
  return products > 1;
}

// Beside products, other operations on rows stay together where they follow each other: threads of
// a block run such a chain on rows in their memory, as they would run the nest without products.
// The end of the chain that starts at `begin`.
std::size_t end_of_chain(const Body& body, std::size_t begin, const NameSet& inside,
                         const Names& names) {
  const auto is_a_product = [&](const Statement& one) { return is_product(one, inside); };
  if (std::none_of(body.statements.begin(), body.statements.end(), is_a_product)) return begin;
  std::size_t end = begin;
  for (std::size_t k = begin; k < body.statements.size(); ++k) {
    const Statement& one = body.statements[k];
    const bool parallel = is_parallel(one, inside, names);
    if (parallel && as<MapScanReduce>(one.operation) && !is_a_product(one)) {
      end = k + 1;
    } else if (parallel || (!as<Scalar>(one.operation) && !is_view(one.operation))) {
      break;
    }
  }
  return end;
}

}  // namespace dagaz::passes::flattening
