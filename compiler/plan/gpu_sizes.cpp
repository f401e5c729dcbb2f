#include "plan/gpu_sizes.h"

#include <algorithm>
#include <bit>

#include "plan/async_copies.h"
#include "plan/matrix_units.h"
#include "plan/target.h"
#include "plan/wanted.h"
#include "support/match.h"

namespace dagaz::plan {

namespace {

/// What fits with the widest gaps does so with narrower ones; matrices need those that were chosen.
bool has_room_for_gaps(const ir::Contraction& wanted, const ir::Contraction& chosen) {
  if (wanted.unit == ir::MatrixUnit::none) {
    return wanted.row_gap <= widest_row_gap && wanted.point_gap <= widest_point_gap;
  }
  return wanted.row_gap == chosen.row_gap && wanted.point_gap == chosen.point_gap &&
         has_whole_matrices(wanted);
}

/// Whether shared memory and registers that have room for what was `chosen` have it for `wanted`.
bool is_no_larger(const ir::Contraction& wanted, ir::Contraction chosen) {
  if (wanted.depth > chosen.depth || wanted.block_rows > chosen.block_rows ||
      wanted.columns > chosen.columns || !has_room_for_gaps(wanted, chosen) || wanted.stages < 2 ||
      wanted.stages > chosen.stages || !has_whole_copies(wanted)) {
    return false;
  }
  chosen.depth = wanted.depth;
  chosen.block_rows = wanted.block_rows;
  chosen.columns = wanted.columns;
  chosen.split = wanted.split;
  chosen.row_gap = wanted.row_gap;
  chosen.point_gap = wanted.point_gap;
  chosen.unrolled = wanted.unrolled;
  chosen.stages = wanted.stages;
  if (wanted.row_copies == 0) chosen.row_copies = 0;
  if (wanted.point_copies == 0) chosen.point_copies = 0;
  if (wanted.unit == ir::MatrixUnit::none) chosen.unit = wanted.unit;
  return wanted == chosen;
}

/// Whether each of `some` is there once, and one of `all`.
bool are_some_of(const std::vector<ir::NameId>& some, const std::vector<ir::NameId>& all) {
  return std::ranges::all_of(some, [&](ir::NameId one) {
    return std::ranges::count(some, one) == 1 && std::ranges::count(all, one) > 0;
  });
}

/// Whether boxes for `wanted` have room where those for what was `chosen` have.
bool is_no_larger(const ir::StagedTiles& wanted, const ir::StagedTiles& chosen) {
  return wanted.rows <= chosen.rows && wanted.points <= chosen.points &&
         are_some_of(wanted.staged, chosen.staged) && are_some_of(wanted.copied, chosen.copied) &&
         are_some_of(wanted.wide, chosen.wide);
}

/// Whether rows lie in memory of the same size, and there are no more chunks.
bool is_no_larger(const ir::RowBlocks& wanted, ir::RowBlocks chosen) {
  if (wanted.stages < 2 || wanted.stages > chosen.stages) return false;
  chosen.stages = wanted.stages;
  chosen.together = wanted.together;
  keep_wanted(chosen.copied_rows, wanted.copied_rows);
  keep_wanted(chosen.copied_points, wanted.copied_points);
  return wanted == chosen;
}

/// Whether a map's teams have no more tiles of rows at a time, and are the same otherwise.
bool is_no_larger(const ir::Teams& wanted, ir::Teams chosen) {
  if (wanted.stages > chosen.stages) return false;
  chosen.stages = wanted.stages;
  keep_wanted(chosen.copied, wanted.copied);
  return wanted == chosen;
}

/// Warps share nothing: a segment that one reduces is too short for several blocks.
bool has_short_warps(const ir::Teams& teams) {
  return teams.warp <= std::int64_t{block_threads} * teams.elements;
}

bool may_replace(const ir::Strategy& chosen, const ir::Strategy& wanted, bool is_map) {
  if (chosen.index() != wanted.index()) return false;
  if (const auto* points = as<ir::Pointwise>(wanted)) {
    return points->points == 1 || as<ir::Pointwise>(chosen)->points > 1;
  }
  if (const auto* product = as<ir::Contraction>(wanted)) {
    return is_no_larger(*product, *as<ir::Contraction>(chosen));
  }
  if (const auto* tiles = as<ir::StagedTiles>(wanted)) {
    return is_no_larger(*tiles, *as<ir::StagedTiles>(chosen));
  }
  if (const auto* blocks = as<ir::RowBlocks>(wanted)) {
    return is_no_larger(*blocks, *as<ir::RowBlocks>(chosen));
  }
  if (const auto* teams = as<ir::Teams>(wanted)) {
    const auto& other = *as<ir::Teams>(chosen);
    if (is_map) return is_no_larger(*teams, other);
    return has_short_warps(*teams) && teams->stretch <= other.stretch &&
           (teams->stretch == 0) == (other.stretch == 0) && (other.joined || !teams->joined);
  }
  if (const auto* columns = as<ir::Interchanged>(wanted)) {
    return columns->tile <= block_threads && block_threads % columns->tile == 0;
  }
  if (const auto* tiles = as<ir::LookBack>(wanted)) {
    return tiles->stretch <= as<ir::LookBack>(chosen)->stretch;
  }
  if (const auto* loop = as<ir::Compaction>(wanted)) {
    const auto& together = *as<ir::Compaction>(chosen);
    return loop->statements == together.statements && loop->width <= together.width;
  }
  if (const auto* rows = as<ir::HeldBlocks>(wanted)) {
    const auto& other = *as<ir::HeldBlocks>(chosen);
    return rows->rows == other.rows && rows->elements >= other.elements &&
           rows->elements <= warp_threads &&
           std::has_single_bit(static_cast<unsigned>(rows->elements));
  }
  if (const auto* bins = as<ir::BlockBins>(wanted)) {
    return bins->atomic == as<ir::BlockBins>(chosen)->atomic;
  }
  return true;
}

/// Whatever reduces or scans can do so in pieces.
bool is_open_to_pieces(const ir::Schedule& chosen) {
  return std::any_of(chosen.versions.begin(), chosen.versions.end(), [](const ir::Version& one) {
    return as<ir::Teams>(one.strategy) || as<ir::Compaction>(one.strategy) ||
           as<ir::Interchanged>(one.strategy) || as<ir::LookBack>(one.strategy) ||
           as<ir::InStages>(one.strategy);
  });
}

}  // namespace

std::vector<ir::Guard> needed_guards(const ir::Version& version, bool is_map) {
  if (as<ir::BlockBins>(version.strategy)) return version.when;
  const bool is_staged = as<ir::StagedTiles>(version.strategy) != nullptr;
  const bool has_rows = as<ir::Teams>(version.strategy) || as<ir::RowBlocks>(version.strategy);
  if (!is_staged && (!is_map || !has_rows)) return {};
  std::vector<ir::Guard> guards = version.when;
  // Others say from where on it pays.
  std::erase_if(guards, [&](const ir::Guard& one) {
    return one.least.resident || (is_staged && !one.size.sizes.empty());
  });
  return guards;
}

std::optional<ir::Version> resized_version(const ir::Schedule& chosen, const ir::Strategy& wanted,
                                           bool is_map) {
  const auto* pieces = as<ir::InPieces>(wanted);
  if (pieces != nullptr && pieces->streams > 1) return std::nullopt;  // of a CPU
  for (const ir::Version& version : chosen.versions) {
    if (!may_replace(version.strategy, wanted, is_map)) continue;
    return ir::Version{needed_guards(version, is_map), wanted};
  }
  const bool in_pieces = !is_map && pieces != nullptr && is_open_to_pieces(chosen);
  return in_pieces ? std::optional(ir::Version{{}, wanted}) : std::nullopt;
}

}  // namespace dagaz::plan
