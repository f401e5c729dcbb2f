#include "plan/gpu_rows.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/fields.h"
#include "ir/names.h"
#include "plan/gpu_row_blocks.h"
#include "plan/gpu_row_tiles.h"
#include "plan/operators.h"
#include "plan/surroundings.h"
#include "plan/target.h"
#include "plan/thread_code.h"
#include "plan/versions.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::Guard;
using ir::NameId;
using ir::Operand;

namespace {

/// A row of the chain.  Its own elements are those that a thread computes or reads for the element
/// that it works on.
struct Row {
  Operand width;
  bool made = false;      // by the chain; else it lies in an array around
  bool crosses = false;   // threads read others' elements of it
  std::size_t begin = 0;  // the statement that makes it, or is the first to read its own elements
  std::size_t end = 0;    // the last that needs it
  int reads = 0;          // statements that read own elements
};

/// Walks a body.
class Chain {
 public:
  Chain(const ir::SegmentedMap& e, const ir::Names& names, std::int64_t stack_array,
        CrossedRows crossed, FunctionRef<bool(NameId)> is_element_only)
      : body_(e.body),
        names_(names),
        stack_array_(stack_array),
        copies_crossed_(crossed == CrossedRows::copied),
        is_element_only_(is_element_only) {
    for (const ir::SpaceDimension& one : e.space) inside_.insert(one.index.name);
    for (const NameId name : ir::bound_names(e.body)) inside_.insert(name);
  }

  std::optional<RowChain> find() {
    for (at_ = 0; at_ < body_.statements.size(); ++at_) {
      if (!enter(body_.statements[at_])) return std::nullopt;
    }
    const std::vector<Operand>& widths = chain_.widths;
    const bool regular = std::none_of(widths.begin(), widths.end(), [&](const Operand& width) {
      return width.is_name() && inside_.contains(width.name());
    });
    if (widths.empty() || !regular || !makes_its_results()) return std::nullopt;
    stage();
    return std::move(chain_);
  }

 private:
  bool enter(const ir::Statement& one) {
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) return enter(one, *map);
    if (const auto* update = as<ir::Update>(one.operation)) return enter(one, *update);
    if (as<ir::Iota>(one.operation) || as<ir::Replicate>(one.operation) ||
        as<ir::Copy>(one.operation)) {
      return fill(one);
    }
    if (const auto* branch = as<ir::Branch>(one.operation)) {
      if (!are_scalars(branch->result_types)) return enter(one, *branch);
    }
    cross(ir::free_names(one, names_));
    const bool scalar = std::all_of(one.results.begin(), one.results.end(), [&](const auto& each) {
      const ir::Type& type = names_.type(each.name);
      return type.kind == ir::TypeKind::token || type.is_scalar();
    });
    if (scalar) return is_uniform(one);
    // A view of what lies around.
    if (!as<ir::Index>(one.operation) && !as<ir::Slice>(one.operation) &&
        !as<ir::Permute>(one.operation)) {
      return false;
    }
    const std::vector<NameId> used = ir::free_names(one, names_);
    return std::none_of(used.begin(), used.end(), [&](NameId name) { return is_made(name); });
  }

  /// Whether all threads can compute it alike, without parallelism inside.
  bool is_uniform(const ir::Statement& one) const {
    if (as<ir::Call>(one.operation) || as<ir::Accumulate>(one.operation)) return false;
    bool straight = true;
    ir::for_each_scope(one.operation, [&](const ir::Body& inner) {
      for (const ir::Statement& each : inner.statements) {
        straight = straight && !as<ir::MapScanReduce>(each.operation) &&
                   !as<ir::Histogram>(each.operation) && !as<ir::Scatter>(each.operation) &&
                   !as<ir::WithAccumulator>(each.operation) && is_uniform(each);
      }
      straight = straight && !plan::takes_memory(inner, names_, stack_array_);
    });
    return straight;
  }

  /// A row of one value, of numbers, or a copy.
  bool fill(const ir::Statement& one) {
    const NameId result = one.results[0].name;
    if (is_element_only_(result)) return true;
    const ir::Type& type = names_.type(result);
    if (type.rank() != 1 || in_branch_) return false;
    if (const auto* copy = as<ir::Copy>(one.operation)) read_own(copy->array, type.shape[0]);
    make(result, type.shape[0]);
    return true;
  }

  /// One element of a row of the chain; the result is that row.
  bool enter(const ir::Statement& one, const ir::Update& e) {
    if (!is_made(e.array) || !e.dimensions[0].fixed) return false;
    chain_.is_even = false;
    const NameId row = root(e.array);
    chain_.roots.emplace(one.results[0].name, row);
    rows_.at(row).end = at_;
    return true;
  }

  /// What may update rows in one of its sides, or in both; no operations on rows.
  bool enter(const ir::Statement& one, const ir::Branch& e) {
    chain_.is_even = false;
    const bool outer = std::exchange(in_branch_, true);
    for (const ir::Body* side : {&e.then_body, &e.else_body}) {
      for (const ir::Statement& each : side->statements) {
        if (!enter(each)) return false;
      }
    }
    in_branch_ = outer;
    for (std::size_t k = 0; k < one.results.size(); ++k) {
      const ir::Type& type = e.result_types[k];
      if (type.kind == ir::TypeKind::token || type.is_scalar()) continue;
      const Operand& yes = e.then_body.results[k];
      const Operand& no = e.else_body.results[k];
      if (!type.is_array() || !is_made(yes.name()) || root(yes.name()) != root(no.name())) {
        return false;
      }
      chain_.roots.emplace(one.results[k].name, root(yes.name()));
    }
    return true;
  }

  bool enter(const ir::Statement& one, const ir::MapScanReduce& e) {
    if (in_branch_ || e.sequential || !shares_elements(e)) return false;
    std::vector<NameId> free = ir::free_names(e.map, names_);
    const auto also = [&](const std::vector<NameId>& more) {
      free.insert(free.end(), more.begin(), more.end());
    };
    if (e.post) also(ir::free_names(*e.post, names_));
    for (const ir::ScanOperator& each : e.scans) also(ir::free_names(each.op, names_));
    for (const ir::ReduceOperator& each : e.reductions) also(ir::free_names(each.op, names_));
    cross(free);
    std::unordered_set<NameId> read;
    for (const NameId array : e.arrays) {
      if (names_.type(array).kind != ir::TypeKind::value) return false;
      if (read.insert(array).second) read_own(array, e.width);
    }
    for (const ir::Binder& result : one.results) {
      const ir::Type& type = names_.type(result.name);
      if (type.kind == ir::TypeKind::token || type.is_scalar()) continue;
      if (type.kind != ir::TypeKind::value || type.rank() != 1) return false;
      make(result.name, e.width);
    }
    work_on(e.width);
    return true;
  }

  void make(NameId row, const Operand& width) {
    rows_[row] = {width, true, false, at_, at_, 0};
    work_on(width);
  }
  void work_on(const Operand& width) {
    std::vector<Operand>& widths = chain_.widths;
    if (std::find(widths.begin(), widths.end(), width) == widths.end()) widths.push_back(width);
  }

  /// Whether the threads of a team can compute its elements, and combine them, together.
  bool shares_elements(const ir::MapScanReduce& e) const {
    const auto combines = [&](const auto& one) {
      return are_scalars(one.op.result_types) &&
             !plan::takes_memory(one.op.body, names_, stack_array_);
    };
    const auto is_local = [&](const ir::Lambda& one) {
      return are_scalars(one.result_types) && !plan::takes_memory(one.body, names_, stack_array_);
    };
    return is_local(e.map) && (!e.post || is_local(*e.post)) &&
           std::all_of(e.scans.begin(), e.scans.end(), combines) &&
           std::all_of(e.reductions.begin(), e.reductions.end(), [&](const auto& one) {
             return combines(one) && is_commutative(one);
           });
  }

  /// The row that `name` is, after updates perhaps.
  NameId root(NameId name) const {
    const auto found = chain_.roots.find(name);
    return found == chain_.roots.end() ? name : found->second;
  }
  bool is_made(NameId name) const {
    const auto found = rows_.find(root(name));
    return found != rows_.end() && found->second.made;
  }

  void cross(const std::vector<NameId>& used) {
    for (const NameId name : used) {
      if (copies_crossed_ && is_row_around(name)) {
        const Operand& width = names_.type(name).shape[0];
        rows_.try_emplace(name, Row{width, false, false, at_, at_, 0});
        work_on(width);
      }
      const auto found = rows_.find(root(name));
      if (found == rows_.end() || (!found->second.made && !copies_crossed_)) continue;
      found->second.crosses = true;
      found->second.end = at_;
      if (found->second.made) chain_.keeps_apart = false;
    }
  }

  // Rows around that differ from point to point; what all points read, caches hold.
  bool is_row_around(NameId array) const {
    const ir::Type& type = names_.type(array);
    return type.kind == ir::TypeKind::value && type.rank() == 1 && inside_.contains(array) &&
           !is_element_only_(array) && !is_made(array);
  }
  void read_own(NameId array, const Operand& width) {
    if (!is_made(array) && !is_row_around(array)) return;
    Row& row = rows_.try_emplace(root(array), Row{width, false, false, at_, at_, 0}).first->second;
    row.end = at_;
    ++row.reads;
  }

  bool makes_its_results() const {
    std::unordered_set<NameId> made;
    for (const Operand& result : body_.results) {
      const ir::Type type = names_.type(result);
      if (type.is_scalar()) continue;
      if (!type.is_array() || !is_made(result.name())) return false;
      if (!made.insert(root(result.name())).second) return false;
    }
    return true;
  }

  // Buffers in the order in which rows begin.  A row may take the buffer of one that ends where it
  // begins, if nobody read that one crosswise: a thread reads its element before it writes there.
  void stage() {
    std::vector<std::pair<NameId, Row>> needed;
    for (const auto& [name, row] : rows_) {
      if (row.crosses || row.reads > (row.made ? 0 : 1)) needed.emplace_back(name, row);
    }
    std::sort(needed.begin(), needed.end(), [](const auto& a, const auto& b) {
      // In a statement, what it reads begins before what it makes.
      return std::tuple(a.second.begin, a.second.made, a.first.index) <
             std::tuple(b.second.begin, b.second.made, b.first.index);
    });
    std::vector<RowBuffer>& buffers = chain_.buffers;
    for (const auto& [name, row] : needed) {
      const std::int64_t bytes = ir::byte_size(names_.type(name).element);
      const auto free = std::find_if(buffers.begin(), buffers.end(), [&](const RowBuffer& one) {
        const bool is_over = one.free_from < row.begin || (one.free_from == row.begin && row.made);
        return one.shared && is_over && one.width == row.width && one.bytes == bytes;
      });
      chain_.staged.push_back({name, static_cast<std::size_t>(free - buffers.begin())});
      if (free == buffers.end()) {
        buffers.push_back({row.width, bytes, !row.crosses, row.end});
      } else {
        free->free_from = row.end;
        free->shared = !row.crosses;
      }
    }
  }

  const ir::Body& body_;
  const ir::Names& names_;
  std::int64_t stack_array_;
  bool copies_crossed_;
  FunctionRef<bool(NameId)> is_element_only_;
  std::unordered_set<NameId> inside_;
  std::unordered_map<NameId, Row> rows_;
  RowChain chain_;
  std::size_t at_ = 0;
  bool in_branch_ = false;
};

// The buffers of a block's teams fit: those of each width have an equal part of the memory.  Rows
// of more than `most` elements, with buffers or without, are better shared by more threads.
std::vector<Guard> buffers_fit(const RowChain& chain, std::int64_t teams, std::int64_t room,
                               std::int64_t most) {
  const std::int64_t part = room / std::ssize(chain.widths);
  std::vector<Guard> guards;
  for (const Operand& width : chain.widths) {
    std::int64_t bytes = 0;
    for (const RowBuffer& one : chain.buffers) bytes += one.width == width ? one.bytes : 0;
    const std::int64_t fit = part / (teams * std::max<std::int64_t>(bytes, 4));
    guards.push_back(at_most(width, std::min(fit, most)));
  }
  return guards;
}

// So many threads for each point fill the device.
Guard fill(const ir::SegmentedMap& e, std::int64_t threads) {
  ir::Product all{threads, {}};
  for (const ir::SpaceDimension& one : e.space) all.sizes.push_back(one.extent);
  return {std::move(all), {1, {}, true}};
}

}  // namespace

std::optional<RowChain> row_chain(const ir::SegmentedMap& e, const ir::Names& names,
                                  std::int64_t stack_array, CrossedRows crossed,
                                  FunctionRef<bool(NameId)> is_element_only) {
  return Chain(e, names, stack_array, crossed, is_element_only).find();
}

namespace {

/// Warps that go through rows around together, where threads would walk these each along its own.
std::vector<ir::Version> in_step(const ir::SegmentedMap& e, const Surroundings& around) {
  const Tunables& tunables = around.tunables();
  std::vector<RowTiles> tiles = row_tiles(e, around);
  if (tiles.empty()) return {};
  const auto chain = row_chain(e, around.names, tunables.stack_array, CrossedRows::copied,
                               [&](NameId name) { return around.is_element_only(name); });
  if (!chain || !chain->is_even) return {};
  constexpr std::int64_t warps = block_threads / warp_threads;
  const std::int64_t longest = tunables.gpu_warp_row;
  const std::int64_t room = tunables.gpu_row_bytes - tunables.gpu_row_tile_bytes;
  ir::Product points;
  for (const ir::SpaceDimension& one : e.space) points.sizes.push_back(one.extent);
  std::vector<ir::Version> versions;
  for (RowTiles& one : tiles) {
    std::vector<Guard> guards = buffers_fit(*chain, warps, room, longest);
    guards.insert(guards.end(), one.fit.begin(), one.fit.end());
    guards.push_back({points, {warps, {}}});
    ir::Teams teams{static_cast<int>(longest)};
    teams.tiled = std::move(one.arrays);
    teams.turned = std::move(one.turned);
    teams.copied = std::move(one.copied);
    teams.stages = one.stages;
    versions.push_back({std::move(guards), std::move(teams)});
  }
  return versions;
}

}  // namespace

std::optional<ir::Schedule> gpu_rows(const ir::SegmentedMap& e, const Surroundings& around,
                                     ir::Names& names) {
  const Tunables& tunables = around.tunables();
  const auto chain = row_chain(e, around.names, tunables.stack_array, CrossedRows::read_around,
                               [&](NameId name) { return around.is_element_only(name); });
  if (!chain) return std::nullopt;
  const Operand& width = chain->widths.front();
  ir::Schedule schedule;
  add_version(schedule, {at_most(width, tunables.gpu_shared_segment - 1), fill(e, 4)},
              ir::Pointwise{});
  for (ir::Version& one : gpu_row_blocks(e, around, names)) {
    add_version(schedule, std::move(one.when), std::move(one.strategy));
  }
  for (ir::Version& one : in_step(e, around)) {
    add_version(schedule, std::move(one.when), std::move(one.strategy));
  }
  if (chain->keeps_apart) {
    const std::int64_t longest = tunables.gpu_warp_row;
    std::vector<Guard> guards = buffers_fit(*chain, block_threads / warp_threads,
                                            tunables.gpu_row_bytes, longest);
    guards.push_back(fill(e, warp_threads));
    add_version(schedule, std::move(guards), ir::Teams{static_cast<int>(longest)});
  }
  add_version(schedule, buffers_fit(*chain, 1, tunables.gpu_row_bytes, tunables.gpu_row_bytes),
              ir::Teams{0});
  add_version(schedule, {}, ir::Pointwise{});
  return schedule;
}

}  // namespace dagaz::plan
