// Arrays that ranks have by rows and read by columns: each sends every other the block that is in its
// own rows and the other's columns, all to all.
//
// What several results of an operation are turned to goes in one message to each: the real and the
// imaginary parts of a transform, say.
#include <algorithm>

#include "passes/distribute/rewrite.h"

namespace dagaz::passes::distributing {

using ir::NameId;

// The extents that ranks have their own elements of.
void Rewriter::note_turned() {
  std::vector<NameId> arrays;
  for (const auto& [array, splits] : placement_.turned) arrays.push_back(array);
  std::sort(arrays.begin(), arrays.end());
  for (const NameId array : arrays) {
    for (const Split& split : placement_.turned.at(array)) note_extent(split.extent);
  }
}

void Rewriter::turn(const std::vector<NameId>& all, ir::Builder& out) {
  std::vector<PartTurned> parts;
  for (const NameId whole : all) {
    const auto found = placement_.turned.find(whole);
    if (found == placement_.turned.end() || placement_.gathered.contains(whole)) continue;
    const std::size_t from = placement_.split.at(whole).dimension;
    for (const Split& split : found->second) {
      ir::Type type = names_.type(whole);
      type.shape[split.dimension] = rows_of(split.extent).count;
      const NameId turned = names_.fresh(names_.base(whole) + "_turned", std::move(type));
      parts.push_back({own_.at(whole), from, split.dimension, names_.type(whole), turned});
      turned_[whole].emplace_back(split, turned);
    }
  }
  if (!parts.empty()) collectives_.turn(out, parts);
}

// What there is of an array there is of its view, with its dimensions in another order.
void Rewriter::permute_turned(const ir::Permute& permute, NameId result, ir::Builder& out) {
  const auto found = turned_.find(permute.array);
  if (found == turned_.end()) return;
  const std::vector<int>& order = permute.permutation;
  const std::vector<std::pair<Split, NameId>> parts = found->second;
  for (const auto& [split, part] : parts) {
    const auto at = std::find(order.begin(), order.end(), static_cast<int>(split.dimension));
    const NameId turned = out.add(ir::Permute{part, order}, names_.base(result) + "_turned");
    turned_[result].emplace_back(
        Split{split.extent, static_cast<std::size_t>(at - order.begin())}, turned);
  }
}

std::optional<NameId> Rewriter::turned_part(NameId array, const Split& split) const {
  const auto found = turned_.find(array);
  if (found == turned_.end()) return std::nullopt;
  for (const auto& [known, part] : found->second) {
    if (known == split) return part;
  }
  return std::nullopt;
}

}  // namespace dagaz::passes::distributing
