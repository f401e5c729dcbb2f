// Arrays that belong to the points of a block and lie apart as wholes: a matrix for each point of
// the innermost dimension, read by all points of the others.  Where the host can, they are laid out
// again before the blocks start, with the points innermost, so that the points of a vector are
// neighbours.  (Rows of one dimension are packed block by block instead: lanes_packing.cpp.)
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

static bool is_looped_over(NameId array, const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& one) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    return map && std::find(map->arrays.begin(), map->arrays.end(), array) != map->arrays.end();
  });
}

std::vector<NameId> Lanes::arrays_apart(const Lowering& low, const ir::Body& body, NameId points) {
  std::vector<NameId> found;
  for (const ir::Statement& one : body.statements) {
    const auto* index = as<ir::Index>(one.operation);
    if (!index || index->indices != std::vector<Operand>{points}) continue;
    if (!low.has_place(index->array) || low.names().type(index->array).rank() < 3) continue;
    if (is_constant(low.place_of(index->array).strides[0], 1)) continue;
    if (is_looped_over(one.results[0].name, body)) found.push_back(index->array);
  }
  std::sort(found.begin(), found.end(), [](NameId a, NameId b) { return a.index < b.index; });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

LaneArray Lanes::laid_out(Lowering& low, NameId array) {
  const ir::Type type = low.names().type(array);
  ir::Type turned = type;
  std::rotate(turned.shape.begin(), turned.shape.begin() + 1, turned.shape.end());
  std::vector<int> back = {static_cast<int>(type.rank()) - 1};
  for (int k = 0; k + 1 < static_cast<int>(type.rank()); ++k) back.push_back(k);
  const Place target = permuted(low.new_array(turned, "laid_out"), back);
  low.copy(target, low.place_of(array), type);
  return {target, Lanes(low, {1, 1, 1}).uniform(target.offset)};
}

}  // namespace dagaz::imperative
