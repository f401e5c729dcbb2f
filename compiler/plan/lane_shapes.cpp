#include "plan/lane_shapes.h"

#include <algorithm>
#include <bit>

#include "ir/cost.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "plan/operators.h"
#include "plan/thread_loops.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarType;

namespace {

std::int64_t operations_in(const ir::Body& body);

/// The largest number of scalar operations in a stretch of code without loops.
std::int64_t operations_in(const ir::Operation& operation) {
  if (as<ir::Scalar>(operation)) return 1;
  if (const auto* branch = as<ir::Branch>(operation)) {
    return operations_in(branch->then_body) + operations_in(branch->else_body);
  }
  return 0;
}

std::int64_t operations_in(const ir::Body& body) {
  std::int64_t straight = 0;
  std::int64_t nested = 0;
  for (const ir::Statement& one : body.statements) {
    straight += operations_in(one.operation);
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) {
      nested = std::max(nested, operations_in(map->map.body));
    } else if (const auto* loop = as<ir::Loop>(one.operation)) {
      nested = std::max(nested, operations_in(loop->body));
    }
  }
  return std::max(straight, nested);
}

/// The largest number of sums that a loop carries.
std::int64_t sums_in(const ir::Body& body) {
  std::int64_t most = 0;
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map) continue;
    const auto sums = static_cast<std::int64_t>(ir::value_count(map->reductions));
    most = std::max({most, sums, sums_in(map->map.body)});
  }
  return most;
}

}  // namespace

ir::LaneBlocks block_for(const ir::Body& body, const Surroundings& around, bool has_rows,
                         Around where) {
  const ir::Names& names = around.names;
  const Tunables& tunables = around.tunables();
  const auto at_least_one = [](std::int64_t value) {
    return static_cast<int>(std::max<std::int64_t>(value, 1));
  };
  std::int64_t largest = 4;
  for (const NameId name : ir::bound_names(body)) {
    if (names.type(name).element == ScalarType::f64) largest = 8;
  }
  ir::LaneBlocks block;
  const auto width_of = [&](std::int64_t bytes) {
    return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(bytes / largest)));
  };
  block.width = width_of(tunables.lane_bytes);
  const bool is_long = operations_in(body) > tunables.lane_operations;
  const std::int64_t sums = sums_in(body);
  // What long code has in hand, or several vectors of sums, are as many as registers hold, if each
  // is one.
  if (is_long || has_rows || sums > 0) {
    block.width = std::min(block.width, width_of(around.target.register_bytes));
  }
  if (is_long) return block;
  if (has_rows) {
    block.block_rows =
        at_least_one(where == Around::task ? 2 * tunables.lane_rows : tunables.lane_rows);
    block.columns = at_least_one(tunables.lane_columns / (where == Around::task ? 4 : 2));
  } else {
    block.columns =
        at_least_one(where == Around::task ? tunables.lane_columns / 2 : tunables.lane_columns);
  }
  const auto is_too_large = [&](int vectors) {
    return vectors > most_vectors || (sums * vectors > tunables.lane_sums && vectors > 1);
  };
  while (is_too_large(block.block_rows * block.columns)) {
    (block.block_rows > 1 ? block.block_rows : block.columns) /= 2;
  }
  return block;
}

bool has_loops(const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const ir::Statement& one) {
    return as<ir::MapScanReduce>(one.operation) || as<ir::Loop>(one.operation);
  });
}

static bool divides_short_integers(const ir::Body& body) {
  constexpr std::int64_t most_bytes = 4;
  return std::any_of(body.statements.begin(), body.statements.end(), [](const ir::Statement& one) {
    const auto* scalar = as<ir::Scalar>(one.operation);
    return scalar != nullptr && ir::is_integer(scalar->type) &&
           ir::byte_size(scalar->type) <= most_bytes &&
           ir::cost_class(scalar->op) == ir::CostClass::division && scalar->arguments[1].is_name();
  });
}

bool are_vectors_in_lanes_only(const ir::Body& body) {
  return (calls_functions(body) && !is_straight(body)) || divides_short_integers(body);
}

bool reads_enough_in_steps(const LaneWork& work, const Tunables& tunables) {
  return work.operations >= tunables.gather_operations * work.gathers;
}

bool has_rows_inside(const ir::Body& body, const Tunables& tunables) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const ir::Statement& one) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    return map != nullptr && !is_known_below(map->width, tunables.lane_short_row + 1);
  });
}

// A check leaves the loop, of which LLVM makes no vectors then.
static bool has_checks(const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const ir::Statement& one) {
    return as<ir::Assert>(one.operation) != nullptr;
  });
}

bool is_worthwhile(const ir::Body& body, const LaneWork& work, const Tunables& tunables) {
  if (work.depth > 0 && reads_enough_in_steps(work, tunables)) return true;
  const std::int64_t least = has_checks(body) ? tunables.lane_checked_work : tunables.lane_work;
  const bool is_enough = work.all_operations >= least || are_vectors_in_lanes_only(body);
  return is_enough && !has_rows_inside(body, tunables) &&
         work.all_operations >= tunables.lane_gathers * work.all_gathers;
}

std::optional<std::vector<ir::Guard>> worth_packing(const ir::Body& body,
                                                    const std::vector<Operand>& widths,
                                                    const Tunables& tunables) {
  const auto reads = static_cast<int>(tunables.packed_reads);
  const auto inside = ir::bound_names(body);
  std::vector<ir::Guard> guards;
  for (const Operand& width : widths) {
    const bool unknown =
        width.is_name() && std::find(inside.begin(), inside.end(), width.name()) != inside.end();
    if (unknown) continue;
    if (is_known_below(width, reads)) return std::nullopt;
    if (!width.is_constant()) guards.push_back(ir::at_least(width, reads));
  }
  return guards;
}

void add_guard(std::vector<ir::Guard>& guards, const Operand& size, std::int64_t least) {
  if (!size.is_constant()) guards.push_back(ir::at_least(size, least));
}

}  // namespace dagaz::plan
