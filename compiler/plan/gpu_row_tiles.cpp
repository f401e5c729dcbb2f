#include "plan/gpu_row_tiles.h"

#include <algorithm>
#include <unordered_set>

#include "ir/names.h"
#include "plan/async_copies.h"
#include "plan/surroundings.h"
#include "plan/target.h"
#include "plan/thread_code.h"
#include "plan/versions.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;

namespace {

/// Whether elements of a row are neighbours in memory, and those of other rows are not.
bool lies_along_rows(NameId array, const Surroundings& around) {
  const Layout layout = around.layouts.of(array);
  return layout.strides[1] == Step(1) && layout.strides[0] != Step(1);
}

/// Finds the arrays around whose rows operations of a chain walk.
class Walked {
 public:
  Walked(const ir::SegmentedMap& e, const Surroundings& around) : e_(e), around_(around) {
    for (const NameId name : ir::bound_names(e.body)) inside_.insert(name);
  }

  /// All of them, or those that lie so that neighbouring threads read what is apart.
  std::vector<NameId> find(bool only_apart) const {
    std::vector<NameId> found;
    for (const ir::Statement& one : e_.body.statements) {
      const auto* map = as<ir::MapScanReduce>(one.operation);
      if (map == nullptr || !map->scans.empty()) continue;
      for (std::size_t k = 0; k < map->arrays.size(); ++k) {
        const NameId array = map->arrays[k];
        const bool is_new = std::find(found.begin(), found.end(), array) == found.end();
        if (is_new && is_shared(array) && is_walked(*map, k) && !is_scanned(array) &&
            (!only_apart || lies_along_rows(array, around_))) {
          found.push_back(array);
        }
      }
    }
    return found;
  }

 private:
  /// An array of rows that is the same for all points.
  bool is_shared(NameId array) const {
    const ir::Type& type = around_.names.type(array);
    return type.kind == ir::TypeKind::value && type.rank() == 2 && !inside_.contains(array) &&
           !around_.is_element_only(array);
  }

  /// Whether a scan goes through its elements, which has no tiles.
  bool is_scanned(NameId array) const {
    const auto& statements = e_.body.statements;
    return std::any_of(statements.begin(), statements.end(), [&](const ir::Statement& one) {
      const auto* map = as<ir::MapScanReduce>(one.operation);
      return map != nullptr && !map->scans.empty() &&
             std::find(map->arrays.begin(), map->arrays.end(), array) != map->arrays.end();
    });
  }

  static bool is_walked(const ir::MapScanReduce& map, std::size_t number) {
    const NameId row = map.map.parameters[number].name;
    const auto& statements = map.map.body.statements;
    return std::any_of(statements.begin(), statements.end(), [&](const ir::Statement& one) {
      const auto* inner = as<ir::MapScanReduce>(one.operation);
      return inner != nullptr &&
             std::find(inner->arrays.begin(), inner->arrays.end(), row) != inner->arrays.end();
    });
  }

  const ir::SegmentedMap& e_;
  const Surroundings& around_;
  std::unordered_set<NameId> inside_;
};

/// Of how many of the arrays there are tiles at a time, at most.
std::int64_t most_together(const ir::SegmentedMap& e, const std::vector<NameId>& arrays) {
  std::int64_t most = 1;
  for (const ir::Statement& one : e.body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (map == nullptr) continue;
    most = std::max<std::int64_t>(
        most, std::count_if(arrays.begin(), arrays.end(), [&](NameId array) {
          return std::find(map->arrays.begin(), map->arrays.end(), array) != map->arrays.end();
        }));
  }
  return most;
}

}  // namespace

static std::vector<NameId> copied_of(const std::vector<NameId>& arrays,
                                     const Surroundings& around) {
  std::vector<NameId> copied;
  for (const NameId array : arrays) {
    if (copies_elements(around.target, around.names.type(array).element)) copied.push_back(array);
  }
  return copied;
}

static RowTiles tiles_of(const ir::SegmentedMap& e, std::vector<NameId> arrays, int stages,
                         const Surroundings& around) {
  const std::int64_t part =
      around.tunables().gpu_row_tile_bytes / most_together(e, arrays) / (warp_threads * stages);
  RowTiles tiles;
  tiles.copied = copied_of(arrays, around);
  tiles.stages = stages;
  for (const NameId array : arrays) {
    const ir::Type& type = around.names.type(array);
    // A row of the copy has an element more where their number is even.
    const std::int64_t widest = part / ir::byte_size(type.element) - 1;
    tiles.fit.push_back(at_most(type.shape[1], widest));
    if (!lies_along_rows(array, around)) tiles.turned.push_back(array);
  }
  tiles.arrays = std::move(arrays);
  return tiles;
}

std::vector<RowTiles> row_tiles(const ir::SegmentedMap& e, const Surroundings& around) {
  // Who fails does not meet the others.
  if (may_fail(e.body)) return {};
  const Walked walked(e, around);
  const std::vector<NameId> apart = walked.find(true);
  if (apart.empty()) return {};
  const std::vector<NameId> all = walked.find(false);
  std::vector<RowTiles> versions;
  const auto add = [&](const std::vector<NameId>& arrays) {
    if (!copied_of(arrays, around).empty()) versions.push_back(tiles_of(e, arrays, 2, around));
    versions.push_back(tiles_of(e, arrays, 1, around));
  };
  if (all.size() > apart.size()) add(all);
  add(apart);
  return versions;
}

}  // namespace dagaz::plan
