// Arrays that ranks have by rows and read by columns: each sends every other the block that is in
// its own rows and the other's columns, all to all.
//
// What several results of an operation are turned to goes in one message to each: the real and the
// imaginary parts of a transform, say.
#include "passes/distribute/turns.h"

#include <algorithm>


namespace dagaz::passes::distributing {

using ir::NameId;

// The extents that ranks have their own elements of.
void note_turned(Rewriting& c) {
  std::vector<NameId> arrays;
  for (const auto& [array, splits] : c.placement.turned) arrays.push_back(array);
  std::sort(arrays.begin(), arrays.end());
  for (const NameId array : arrays) {
    for (const Split& split : c.placement.turned.at(array)) note_extent(c, split.extent);
  }
}

void turn_made(Rewriting& c, const std::vector<NameId>& all, ir::Builder& out) {
  std::vector<PartTurned> parts;
  for (const NameId whole : all) {
    const auto found = c.placement.turned.find(whole);
    if (found == c.placement.turned.end() || c.placement.gathered.contains(whole)) continue;
    const std::size_t from = c.placement.split.at(whole).dimension;
    for (const Split& split : found->second) {
      ir::Type type = c.names.type(whole);
      type.shape[split.dimension] = rows_of(c, split.extent).count;
      const NameId turned = c.names.fresh(c.names.base(whole) + "_turned", std::move(type));
      parts.push_back({c.own.at(whole), from, split.dimension, c.names.type(whole), turned});
      c.turned[whole].emplace_back(split, turned);
    }
  }
  if (!parts.empty()) c.collectives.turn(out, parts);
}

// What there is of an array there is of its view, with its dimensions in another order.
void permute_turned(Rewriting& c, const ir::Permute& permute, NameId result, ir::Builder& out) {
  const auto found = c.turned.find(permute.array);
  if (found == c.turned.end()) return;
  const std::vector<int>& order = permute.permutation;
  const std::vector<std::pair<Split, NameId>> parts = found->second;
  for (const auto& [split, part] : parts) {
    const auto at = std::find(order.begin(), order.end(), static_cast<int>(split.dimension));
    const NameId turned = out.add(ir::Permute{part, order}, c.names.base(result) + "_turned");
    c.turned[result].emplace_back(
        Split{split.extent, static_cast<std::size_t>(at - order.begin())}, turned);
  }
}

std::optional<NameId> turned_part(const Rewriting& c, NameId array, const Split& split) {
  const auto found = c.turned.find(array);
  if (found == c.turned.end()) return std::nullopt;
  for (const auto& [known, part] : found->second) {
    if (known == split) return part;
  }
  return std::nullopt;
}

}  // namespace dagaz::passes::distributing
