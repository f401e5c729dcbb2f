#include "plan/gpu_row_blocks.h"

#include <algorithm>

#include "plan/async_copies.h"
#include "plan/gpu_contraction.h"
#include "plan/gpu_row_steps.h"
#include "plan/target.h"
#include "plan/thread_code.h"
#include "plan/versions.h"

namespace dagaz::plan {

using ir::Guard;
using ir::NameId;

namespace {

constexpr std::int64_t kept_bytes = 2048;  // for scalars of points
constexpr int block_points = 64;
constexpr std::int64_t bytes_of_a_register = 4;
constexpr std::int64_t register_bytes = 65536 * bytes_of_a_register;  // of a multiprocessor

std::int64_t bytes_of_all(const std::vector<NameId>& values, const ir::Names& names) {
  std::int64_t bytes = 0;
  for (const NameId one : values) bytes += ir::byte_size(names.type(one).element);
  return bytes;
}

/// Bytes that the widest product stages of an element.
std::int64_t staged_each(const RowSteps& steps, const ir::Names& names) {
  std::int64_t most = 0;
  for (const RowStep& one : steps.steps) {
    if (!one.product) continue;
    const ir::Contraction& tile = one.product->tile;
    const std::int64_t rows = tile.block_rows * tile.most_rows + tile.row_gap;
    const std::int64_t points = tile.most_points + tile.point_gap;
    most = std::max(most, rows * bytes_of_all(tile.of_rows, names) +
                              points * bytes_of_all(tile.of_points, names));
  }
  return most;
}

/// Bytes that a thread has in registers: sums, and what one element adds to them.
struct ThreadBytes {
  std::int64_t sums = 0;
  std::int64_t factors = 0;
};

ThreadBytes thread_bytes_of(const RowProduct& product, const ir::Names& names) {
  const ir::Contraction& tile = product.tile;
  std::int64_t sum = 0;
  for (const ir::Type& one : product.nest.result_types) sum += ir::byte_size(one.element);
  return {tile.block_rows * sum, tile.block_rows * bytes_of_all(tile.of_rows, names) +
                                     bytes_of_all(tile.of_points, names)};
}

/// Whether a thread's registers hold its sums, and its code is not too long.
bool is_small(const RowProduct& product, const Surroundings& around) {
  const Tunables& tunables = around.tunables();
  const ThreadBytes held = thread_bytes_of(product, around.names);
  const std::int64_t statements = std::ssize(product.parts.elements.statements);
  return held.sums <= tunables.gpu_tile_sums &&
         held.sums + held.factors <= tunables.gpu_tile_held &&
         product.tile.block_rows * statements <= tunables.gpu_tile_statements;
}

/// The widest value that a product adds or makes.
std::int64_t widest_of(const RowProduct& product, const ir::Names& names) {
  std::int64_t widest = 0;
  for (const ir::Type& one : product.nest.result_types) {
    widest = std::max(widest, ir::byte_size(one.element));
  }
  for (const std::vector<NameId>* const all : {&product.tile.of_rows, &product.tile.of_points}) {
    for (const NameId one : *all) {
      widest = std::max(widest, ir::byte_size(names.type(one).element));
    }
  }
  return widest;
}

/// For how many blocks a multiprocessor has registers; 0: the assembler need not be told.
int blocks_together(const RowSteps& steps, const ir::Names& names) {
  constexpr std::int64_t thread_bytes = register_bytes / block_threads;
  constexpr std::int64_t other_values = 24;
  constexpr std::int64_t least = 2;
  std::int64_t most = 1;
  std::int64_t widest = 0;
  for (const RowStep& one : steps.steps) {
    if (!one.product) continue;
    const ThreadBytes held = thread_bytes_of(*one.product, names);
    const std::int64_t value = widest_of(*one.product, names);
    most = std::max(most, held.sums + 2 * held.factors + other_values * value);
    widest = std::max(widest, value);
  }
  if (widest <= bytes_of_a_register) return 0;
  return static_cast<int>(std::max(thread_bytes / most, least));
}

/// How what products read lies in memory.
void find_turned(ir::RowBlocks& plan, const RowSteps& steps, const Surroundings& around) {
  std::size_t next = 0;
  for (const RowStep& one : steps.steps) {
    if (!one.product) continue;
    const NameId name = plan.products[next++];
    const RowProduct& product = *one.product;
    const auto is_turned = [&](const std::vector<NameId>& values) {
      return packing_of(product.parts, values, around) == ir::Packing::by_points;
    };
    if (is_turned(product.tile.of_rows)) plan.turned_rows.push_back(name);
    if (is_turned(product.tile.of_points)) plan.turned_points.push_back(name);
  }
}

/// What of products is copied while nobody waits; what the block has made lies in its own memory.
void find_copies(ir::RowBlocks& plan, const RowSteps& steps, const Surroundings& around) {
  const auto has = [](const std::vector<KeptValue>& all, NameId array) {
    return std::ranges::any_of(all, [&](const KeptValue& one) { return one.all == array; });
  };
  const auto is_memory = [&](NameId array) {
    return !has(steps.rows, array) && !has(steps.scalars, array) &&
           !around.is_element_only(array) && around.sequence(array) == nullptr;
  };
  plan.copied_rows.clear();
  plan.copied_points.clear();
  std::size_t next = 0;
  for (const RowStep& one : steps.steps) {
    if (!one.product) continue;
    const NameId name = plan.products[next++];
    const RowProduct& product = *one.product;
    ir::Contraction tile = product.tile;
    find_copies(tile, product.nest.space, product.parts, is_memory, around);
    if (tile.row_copies > 0) plan.copied_rows.push_back({name, tile.row_copies});
    if (tile.point_copies > 0) plan.copied_points.push_back({name, tile.point_copies});
  }
}

/// Sets the depth of chunks, of which an element takes `each` bytes, and how many have room;
/// whether two do.
bool choose_stages(ir::RowBlocks& plan, std::int64_t each) {
  constexpr std::int64_t room = ir::staged_bytes - kept_bytes;
  constexpr int least_depth = 4;
  constexpr int least_copied = 8;
  constexpr std::int64_t most_stages = 4;
  const auto fit = [&](int depth) {
    return static_cast<int>(std::min(room / (depth * each), most_stages));
  };
  plan.depth = 16;
  plan.stages = 2;
  while (plan.depth > least_depth && fit(plan.depth) < 2) plan.depth /= 2;
  if (fit(plan.depth) < 2) return false;
  if (plan.copied_rows.empty() && plan.copied_points.empty()) return true;
  const auto on_their_way = [&](int depth) { return depth * (fit(depth) - 1); };
  const int half = plan.depth / 2;
  if (half >= least_copied && on_their_way(half) > on_their_way(plan.depth)) plan.depth = half;
  plan.stages = fit(plan.depth);
  return true;
}

// Rows of each width have an equal part of the memory.
std::vector<Guard> rows_fit(const RowChain& chain, int rows) {
  std::vector<Guard> guards;
  for (const ir::Operand& width : chain.widths) {
    std::int64_t bytes = 0;
    // A buffer ends at a multiple of 8 bytes.
    for (const RowBuffer& one : chain.buffers) bytes += one.width == width ? one.bytes : 0;
    if (bytes > 0) guards.push_back({{1, {}, false, true}, {bytes * rows, {width}}});
  }
  for (Guard& one : guards) one.least.factor *= std::ssize(guards);
  return guards;
}

void require(std::vector<Guard>& all, Guard guard) {
  const bool is_known =
      std::ranges::any_of(all, [&](const Guard& one) { return implies(one, guard); });
  if (!is_known) all.push_back(std::move(guard));
}

// Tiles are no more than half empty.
void require_tiles(std::vector<Guard>& all, const ir::SegmentedMap& e, const RowSteps& steps,
                   int rows) {
  require(all, ir::at_least(e.space.back().extent, rows));
  for (const RowStep& one : steps.steps) {
    if (!one.product) continue;
    require(all, ir::at_least(one.product->nest.space.back().extent, block_points / 2));
    Guard elements{{}, {8, {}}};
    for (const SumLevel& level : one.product->parts.levels) {
      elements.size.sizes.push_back(level.width);
    }
    require(all, std::move(elements));
  }
}

// So many blocks for each multiprocessor, which holds eight times 256 threads, in quarters.
Guard fill(const ir::SegmentedMap& e, int rows, int quarters) {
  ir::Product all{std::int64_t{8 * block_threads} * 4 / quarters / rows, {}};
  for (const ir::SpaceDimension& one : e.space) all.sizes.push_back(one.extent);
  return {std::move(all), {1, {}, true}};
}

// Each product of a block has so many terms for each of its rows, at most.
void require_short(std::vector<Guard>& all, const RowSteps& steps, std::int64_t terms) {
  for (const RowStep& one : steps.steps) {
    if (!one.product) continue;
    Guard guard{{terms, {}}, {1, {one.product->nest.space.back().extent}}};
    for (const SumLevel& level : one.product->parts.levels) {
      guard.least.sizes.push_back(level.width);
    }
    require(all, std::move(guard));
  }
}

}  // namespace

std::vector<ir::Version> gpu_row_blocks(const ir::SegmentedMap& e, const Surroundings& around,
                                        ir::Names& names) {
  const Tunables& tunables = around.tunables();
  if (e.space.empty() || may_fail(e.body)) return {};
  ir::RowBlocks plan;
  plan.points = block_points;
  const auto is_element_only = [&](NameId name) { return around.is_element_only(name); };
  plan.products = row_products(e, tunables.contraction_operations, names, is_element_only);
  if (plan.products.empty()) return {};
  if (const auto steps = row_steps(e, plan, tunables.stack_array, names, is_element_only)) {
    find_turned(plan, *steps, around);
  }
  std::vector<ir::Version> versions;
  for (const int rows : {64, 32, 16}) {
    plan.rows = rows;
    const auto steps = row_steps(e, plan, tunables.stack_array, names, is_element_only);
    if (!steps) return {};
    const bool fits = std::ranges::all_of(steps->steps, [&](const RowStep& one) {
      return !one.product || is_small(*one.product, around);
    });
    find_copies(plan, *steps, around);
    if (!fits || !choose_stages(plan, staged_each(*steps, around.names)) ||
        std::ssize(steps->scalars) * rows * 8 > kept_bytes) {
      continue;
    }
    plan.together = blocks_together(*steps, around.names);
    std::vector<Guard> guards = rows_fit(steps->chain, rows);
    require_tiles(guards, e, *steps, rows);
    std::vector<Guard> filled = guards;
    const bool saves_much = rows == 16 && plan.products.size() > 1;
    filled.push_back(fill(e, rows, saves_much ? 1 : 4));
    versions.push_back({std::move(filled), plan});
    if (rows > 16) continue;
    require_short(guards, *steps, tunables.gpu_block_terms);
    versions.push_back({std::move(guards), plan});
  }
  return versions;
}

}  // namespace dagaz::plan
