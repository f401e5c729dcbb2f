#include "passes/ad/reads_in_places.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

static bool is_read_in_places(const Statement& statement, NameId array) {
  if (const auto* index = as<Index>(statement.operation)) return index->array == array;
  if (const auto* slice = as<Slice>(statement.operation)) return slice->array == array;
  if (const auto* map = as<MapScanReduce>(statement.operation)) {
    return is_read_in_places(map->map.body, array);
  }
  if (const auto* loop = as<Loop>(statement.operation)) {
    return is_read_in_places(loop->body, array);
  }
  if (const auto* branch = as<Branch>(statement.operation)) {
    return is_read_in_places(branch->then_body, array) ||
           is_read_in_places(branch->else_body, array);
  }
  if (const auto* with = as<WithAccumulator>(statement.operation)) {
    return is_read_in_places(with->body.body, array);
  }
  if (const auto* flat_map = as<FlatMap>(statement.operation)) {
    return is_read_in_places(flat_map->map.body, array);
  }
  return false;
}

bool is_read_in_places(const Body& body, NameId array) {
  return std::any_of(body.statements.begin(), body.statements.end(),
                     [&](const Statement& each) { return is_read_in_places(each, array); });
}

}  // namespace dagaz::passes::ad
