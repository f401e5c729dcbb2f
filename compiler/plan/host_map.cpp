// Maps: in blocks of lanes, as products with packed panels, with loops interchanged, in blocks
// whose values are held, as a stencil, or point by point.  One with several reductions is split
// where that brings some of them into lanes, one that makes numbers of a sum where nothing else
// does.
#include <algorithm>
#include <iterator>
#include <span>

#include "plan/addition_copies.h"
#include "plan/appending.h"
#include "plan/array_uses.h"
#include "plan/contraction.h"
#include "plan/cost.h"
#include "plan/gpu.h"
#include "plan/host_operations.h"
#include "plan/inner_points.h"
#include "plan/interchange.h"
#include "plan/lane_shapes.h"
#include "plan/neighbours.h"
#include "plan/split.h"
#include "plan/nested.h"
#include "plan/operators.h"
#include "plan/strips.h"
#include "plan/sums_apart.h"
#include "plan/thread_loops.h"
#include "plan/versions.h"

namespace dagaz::plan {

using Ways = std::vector<ir::Strategy>;

// What a map may do besides running in lanes, and point by point.
static Ways ways_by_points(Planning& p, const ir::Statement& statement,
                           const ir::SegmentedMap& e) {
  Ways ways;
  if (!p.on_cpu()) return ways;
  if (can_interchange(e, p.names)) ways.emplace_back(p.some_tiles());
  if (adds_single_numbers(p.around, e) && is_arithmetic(e.body, p.names)) {
    ways.emplace_back(p.some_blocks());
  }
  if (stencil_of(std::span(&statement, 1), p.known_outside())) {
    ways.emplace_back(p.some_stencil(1));
  }
  return ways;
}

static ir::Strategy by_points(const Planning& p, const ir::Statement& statement,
                              const ir::SegmentedMap& e) {
  if (gains_by_interchange(p.around, e)) return p.tiles();
  if (adds_single_numbers(p.around, e) && is_worth_a_block(e.body, p.names, p.tunables())) {
    return p.blocks();
  }
  if (p.tunables().stencils != 0) {
    const auto stencil = stencil_of(std::span(&statement, 1), p.known_outside());
    if (stencil && stencil->reads_conditionally) return ir::FusedStencil{1};
  }
  ir::Pointwise points = point_loop(e, p.options.target);
  points.edges = p.on_cpu() && inner_points(e, p.known_outside()).has_value();
  return points;
}

// Whether points far from the edges are all alike, of which LLVM makes vectors.  In lanes, what few
// points at the edges compute is computed by all.
static bool are_alike_inside(const Planning& p, const ir::SegmentedMap& e) {
  if (are_vectors_in_lanes_only(e.body)) return false;
  const auto inner = inner_points(e, p.known_outside());
  return inner && inner->are_alike();
}

// ---------------------------------------------------------------- products

static std::optional<ir::Version> product_of(const Planning& p, const MapAt& at) {
  if (p.tunables().contractions == 0) return std::nullopt;
  return contraction(p.around, at.map, at.results, p.tunables().contraction_least_sum, p.names);
}

static std::vector<ir::Version> products_across(const Planning& p, const MapAt& at) {
  if (p.tunables().contractions == 0) return {};
  return contractions_across(p.around, at.map, p.tunables().contraction_least_sum, p.names);
}

// The product where the rows that points are read from lie as far apart as that many bytes.
static std::optional<ir::Version> with_rows_apart(const MapAt& at, ir::Version product,
                                                  std::int64_t bytes) {
  const auto& panels = std::get<ir::Contraction>(product.strategy);
  const Operand& extent = at.map.space[static_cast<std::size_t>(panels.points)].extent;
  const auto least =
      static_cast<int>(bytes * panels.width / at.around.tunables().lane_bytes);
  if (is_known_below(extent, least)) return std::nullopt;
  if (!extent.is_constant()) product.when.push_back(ir::at_least(extent, least));
  return product;
}

// Copies to panels are little beside long sums; short ones read where values lie, if they can: but
// not what each block of rows would read again from the few sets of a cache in which places a page
// apart meet.
static void add_product(const Planning& p, const MapAt& at, ir::Version product,
                        std::vector<ir::Version>& lanes) {
  const auto& panels = std::get<ir::Contraction>(product.strategy);
  const auto unpacked = p.tunables().lanes == 0 ? std::nullopt : unpacked_product(at, panels);
  if (!unpacked) {
    lanes.insert(lanes.begin(), std::move(product));
    return;
  }
  lanes.insert(lanes.begin(), *unpacked);
  auto of_rows_apart = with_rows_apart(at, std::move(product), p.tunables().contraction_apart);
  if (of_rows_apart) lanes.insert(lanes.begin(), std::move(*of_rows_apart));
  const std::int64_t least =
      std::max(p.tunables().contraction_least_sum, p.tunables().contraction_unpacked);
  auto of_long_sums = contraction(p.around, at.map, at.results, least, p.names);
  if (of_long_sums) lanes.insert(lanes.begin(), std::move(*of_long_sums));
}

// The product in sizes that chance takes, if these can be.
static std::optional<ir::Version> some_sizes(Planning& p, const ir::SegmentedMap& e,
                                             const std::optional<ir::Version>& product) {
  if (!product) return std::nullopt;
  const auto& chosen = std::get<ir::Contraction>(product->strategy);
  auto sized = sized_contraction(e, chosen, p.random->contraction(), p.names);
  return sized ? sized : product;
}

Complete completed_map(Planning& p, const MapAt& at, std::optional<ir::Version> product,
                       Ways ways) {
  return [&p, at, product, ways](const ir::Strategy& one) -> std::optional<ir::Version> {
    if (const auto* blocks = as<ir::LaneBlocks>(one)) {
      const bool packs = !blocks->packed.empty();
      return completed_blocks(at, *blocks, packs ? Packing::allowed : Packing::forbidden);
    }
    if (const auto* sizes = as<ir::Contraction>(one)) {
      if (!product) return std::nullopt;
      const auto& chosen = std::get<ir::Contraction>(product->strategy);
      return sized_contraction(at.map, chosen, *sizes, p.names);
    }
    const bool is_open = std::any_of(ways.begin(), ways.end(), [&](const ir::Strategy& way) {
      return way.index() == one.index();
    });
    const auto* stencil = as<ir::FusedStencil>(one);
    const bool of_others = stencil != nullptr && stencil->maps > 1;
    return is_open && !of_others ? std::optional(ir::Version{{}, one}) : std::nullopt;
  };
}

// ---------------------------------------------------------------- besides a strategy

void note_points(Planning& p, ir::SegmentedMap& e) {
  p.note_work(e.body, e.result_types, e.schedule);
  if (!p.on_cpu() || !accumulates(e.result_types)) return;
  e.schedule.apart = distance_of_additions(e, p.names, p.scalars, p.iotas);
  if (always_copies(e, e.schedule.operations, p.tunables())) e.schedule.least_piece = {{1, {}}};
}

static void note_appends(Planning& p, const std::vector<ir::Binder>& results,
                         ir::SegmentedMap& e) {
  const int ahead =
      p.random ? p.random->ahead() : static_cast<int>(p.tunables().append_ahead);
  e.schedule.appends = appending_writes(e.body, ahead);
  p.wanted.follow(results, e.schedule.appends);
}

static void finish_map(Planning& p, ir::Statement statement, std::vector<ir::Statement>& planned) {
  auto& e = std::get<ir::SegmentedMap>(statement.operation);
  note_points(p, e);
  if (p.on_cpu()) note_appends(p, statement.results, e);
  const bool point_by_point = as<ir::Pointwise>(e.schedule.versions.back().strategy);
  if (point_by_point && !gathers(e.body, p.iotas)) {
    p.note_strip(statement.results, e.space.size(), e.schedule);
  }
  p.note_vectors(e.body, e.schedule);
  plan_nested(p, e.body);
  for (std::size_t k = 0; k < statement.results.size(); ++k) {
    p.around.continue_accumulator(statement.results[k].name, e.body.results[k]);
  }
  planned.push_back(std::move(statement));
}

// ---------------------------------------------------------------- all of a map

// One map for each reduction, where that brings at least one of them into lanes.
static bool split(Planning& p, const ir::Statement& statement,
                  std::vector<ir::Statement>& planned) {
  const auto& e = std::get<ir::SegmentedMap>(statement.operation);
  std::vector<ir::Statement> parts;
  bool any = false;
  for (MapPart& part : split_by_reduction(e, p.names)) {
    ir::Statement one{{}, std::move(part.map), statement.tokens, statement.location};
    for (const std::size_t k : part.results) one.results.push_back(statement.results[k]);
    auto& map = std::get<ir::SegmentedMap>(one.operation);
    std::vector<ir::Version> lanes = map_in_lanes({p.around, map, one.results, Around::host});
    any = any || !lanes.empty();
    map.schedule = versions(std::move(lanes), by_points(p, one, map));
    parts.push_back(std::move(one));
  }
  if (!any) return false;
  for (ir::Statement& one : parts) finish_map(p, std::move(one), planned);
  return true;
}

// The sums of points, and what is made of these: not of a few elements, which are straight code,
// and not where sums inside of points are better.
static bool set_sums_apart(Planning& p, const ir::Statement& statement,
                           std::vector<ir::Statement>& planned) {
  const auto& e = std::get<ir::SegmentedMap>(statement.operation);
  if (p.random || gains_by_interchange(p.around, e)) return false;
  std::optional<SumsApart> parts = sums_apart(statement, p.names);
  if (!parts) return false;
  auto& sums = std::get<ir::SegmentedReduce>(parts->sums.operation);
  if (is_known_below(sums.space.back().extent, p.tunables().masked_segment)) return false;
  plan_reduce(p, parts->sums, sums);
  planned.push_back(std::move(parts->sums));
  plan_map(p, std::move(parts->numbers), planned);
  return true;
}

// Only straight-line code may stand in a loop of whole vectors and in one of their rest.
static void keep_in_one_loop(ir::Schedule& schedule) {
  for (ir::Version& one : schedule.versions) {
    if (auto* points = as<ir::Pointwise>(one.strategy)) points->whole_vectors = 0;
  }
}

void plan_map(Planning& p, ir::Statement statement, std::vector<ir::Statement>& planned) {
  auto& e = std::get<ir::SegmentedMap>(statement.operation);
  p.around.overwrite(overwritten_by(e, p.names));
  const MapAt at{p.around, e, statement.results, Around::host};
  const Ways ways = ways_by_points(p, statement, e);
  if (p.may_choose(statement.operation)) {
    std::vector<ir::Version> lanes;
    if (p.tunables().lanes != 0 && !are_alike_inside(p, e)) lanes = map_in_lanes(at);
    if (lanes.empty() && !p.random && split(p, statement, planned)) return;
    const auto product = product_of(p, at);
    std::vector<ir::Version> across = products_across(p, at);
    lanes.insert(lanes.begin(), std::make_move_iterator(across.begin()),
                 std::make_move_iterator(across.end()));
    if (lanes.empty() && !product && set_sums_apart(p, statement, planned)) return;
    if (product) add_product(p, at, *product, lanes);
    e.schedule = p.random ? p.random->map(at, some_sizes(p, e, product), ways)
                          : versions(std::move(lanes), by_points(p, statement, e));
    p.wanted.follow(statement.results, e.schedule, ir::Pointwise{},
                    completed_map(p, at, product, ways));
    if (!is_straight(e.body)) keep_in_one_loop(e.schedule);
  } else {
    e.schedule = only(ir::Pointwise{});
    if (!p.on_cpu()) {
      p.on_gpu(statement.results, e.schedule, gpu_map(e, p.around, p.names), true);
    }
  }
  finish_map(p, std::move(statement), planned);
}

}  // namespace dagaz::plan
