// Chains of operations on rows, a team of threads a point.
//
// Thread `rank` of T has elements rank, rank + T, … of every row.  Threads meet at barriers only
// where they combine values, and before one reads what another has made.
#include "imperative/gpu_rows.h"

#include <algorithm>

#include "ir/names.h"

namespace dagaz::imperative {

// ---------------------------------------------------------------- the kernel

RowTeamsLowering::RowTeamsLowering(Lowering& low, const ir::Statement& s, const ir::SegmentedMap& e,
                                   const ir::Teams& plan, const std::vector<Destination>& targets)
    : Emitter(low),
      low_(low),
      gpu_(low),
      s_(s),
      e_(e),
      threads_(plan.warp > 0 ? warp_threads : block_threads),
      chain_(*plan::row_chain(
          e, low.names(), [&](NameId name) { return low.memory.element_only.contains(name); })),
      targets_(targets) {}

void RowTeamsLowering::run() {
  lay_out();
  const std::vector<Operand> extents = extents_of(e_.space);
  const Operand points = low_.product(extents);
  const Operand teams = ir::i64_operand(block_threads / threads_);
  BlockKernel kernel =
      low_.kernel_of_blocks(divide_up(points, teams), [&](const Operand& block) {
        here_ = gpu_.lane();
        rank_ = is_block() ? here_.thread : here_.lane;
        if (is_block()) return lower_point(unflatten(block, extents));
        const Operand number = add(mul(block, teams), here_.warp);
        branch(less(number, points), [&] { lower_point(unflatten(number, extents)); });
      });
  low_.launch("rows", kernel.grid, shared_bytes_, std::move(kernel.code));
}

// How many values threads combine at a time.
std::size_t RowTeamsLowering::most_running() const {
  std::size_t most = 0;
  for (const ir::Statement& one : e_.body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (map == nullptr) continue;
    std::size_t scanned = 0;
    std::size_t reduced = 0;
    for (const ir::ScanOperator& each : map->scans) scanned += each.neutral.size();
    for (const ir::ReduceOperator& each : map->reductions) reduced += each.neutral.size();
    most = std::max({most, scanned, reduced});
  }
  return most;
}

// Behind what threads combine values through, the buffers: of each all teams', one after the other.
void RowTeamsLowering::lay_out() {
  const std::int64_t teams = block_threads / threads_;
  shared_bytes_ = ir::i64_operand(static_cast<std::int64_t>(most_running()) * warp_slot_bytes);
  for (const plan::RowBuffer& one : chain_.buffers) {
    buffers_.push_back(shared_bytes_);
    const Operand bytes = mul(one.width, ir::i64_operand(teams * one.bytes));
    const Operand alignment = ir::i64_operand(8);
    shared_bytes_ = add(shared_bytes_, mul(divide_up(bytes, alignment), alignment));
  }
}

void RowTeamsLowering::place_buffers() {
  std::vector<NameId> blocks;
  for (const Operand& offset : buffers_) {
    blocks.push_back(block_variable("rows"));
    emit(SharedMemory{blocks.back(), offset});
  }
  staged_.clear();
  for (const plan::StagedRow& one : chain_.staged) {
    const Operand start =
        is_block() ? ir::i64_operand(0) : mul(here_.warp, chain_.buffers[one.buffer].width);
    staged_.emplace(one.row, Staged{{blocks[one.buffer], start, {ir::i64_operand(1)},
                                     ir::i64_operand(1), Space::shared}});
  }
}

void RowTeamsLowering::lower_point(const std::vector<Operand>& point) {
  low_.set_indices(e_.space, point);
  const PointTargets at = low_.at_point(targets_, point);
  place_buffers();
  results_.clear();
  unmet_.clear();
  crossed_.clear();
  const std::vector<Operand>& results = e_.body.results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (at.rows[k]) results_.emplace(root(results[k].name()), *at.rows[k]);
  }
  for (const ir::Statement& one : e_.body.statements) low_.forget_places(one);
  for (const ir::Statement& one : e_.body.statements) lower(one);
  branch(equal(rank_, ir::i64_operand(0)), [&] {
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (!at.rows[k] && targets_[k]) low_.write(*targets_[k], point, low_.value_of(results[k]));
    }
  });
}

NameId RowTeamsLowering::root(NameId name) const {
  const auto found = chain_.roots.find(name);
  return found == chain_.roots.end() ? name : found->second;
}

void RowTeamsLowering::lower(const ir::Statement& s) {
  low_.location = s.location;
  if (const auto* map = as<ir::MapScanReduce>(s.operation)) return lower(s, *map);
  if (const auto* update = as<ir::Update>(s.operation)) return lower(s, *update);
  if (const auto* branch = as<ir::Branch>(s.operation)) {
    if (!plan::are_scalars(branch->result_types)) return lower(s, *branch);
  }
  const bool fills = as<ir::Iota>(s.operation) || as<ir::Replicate>(s.operation) ||
                     as<ir::Copy>(s.operation);
  if (fills && !low_.memory.element_only.contains(s.results[0].name)) return fill(s);
  meet_readers(ir::free_names(s, names()));
  low_.lower_statement(s);
}

void RowTeamsLowering::meet() {
  DZ_CHECK(is_block(), "threads of a warp read each other's elements");
  emit(Barrier{});
  unmet_.clear();
  crossed_.clear();
}

// Threads read any elements of what is among `used`: all meet where one of these has been made since
// they last did.
void RowTeamsLowering::meet_readers(const std::vector<NameId>& used) {
  const bool any = std::any_of(used.begin(), used.end(),
                               [&](NameId name) { return unmet_.contains(root(name)); });
  if (any) meet();
  for (const NameId name : used) crossed_.insert(root(name));
}

// ---------------------------------------------------------------- rows element by element

void RowTeamsLowering::fill(const ir::Statement& s) {
  const NameId name = s.results[0].name;
  const ir::Type type = names().type(name);
  const auto* copy = as<ir::Copy>(s.operation);
  for_own_elements(type.shape[0], [&](const Operand& i) {
    const Value element =
        copy != nullptr ? own_elements({copy->array}, i)[0]
                        : Value{filled(s.operation, i), ir::scalar_of(type.element), std::nullopt};
    put(s, 0, {element}, i);
  });
  keep_rows(copy != nullptr ? std::vector<NameId>{copy->array} : std::vector<NameId>{}, s.results);
}

Operand RowTeamsLowering::filled(const ir::Operation& operation, const Operand& i) {
  if (const auto* replicate = as<ir::Replicate>(operation)) return replicate->value;
  const auto& iota = *as<ir::Iota>(operation);
  Operand index = i;
  if (iota.type != ScalarType::i64) {
    const NameId narrow = variable("i", iota.type);
    emit(Assign{narrow, ScalarOp::sign_extend, ScalarType::i64, iota.type, {index}});
    index = narrow;
  }
  const Operand scaled = scalar(ScalarOp::mul, iota.type, {index, iota.stride});
  return scalar(ScalarOp::add, iota.type, {iota.start, scaled});
}

// By the thread that has the element.
void RowTeamsLowering::lower(const ir::Statement& s, const ir::Update& e) {
  const NameId row = root(e.array);
  meet_readers(e.value.is_name() ? std::vector<NameId>{e.value.name()} : std::vector<NameId>{});
  if (crossed_.contains(row)) meet();
  const Operand& at = e.dimensions[0].start;
  const Operand owner = remainder(at, ir::i64_operand(threads_));
  branch(equal(owner, rank_), [&] {
    const Value value = low_.value_of(e.value);
    if (const auto result = results_.find(row); result != results_.end()) {
      low_.write(result->second, {at}, value);
    }
    if (const auto staged = staged_.find(row); staged != staged_.end()) {
      low_.write(staged->second.place, {at}, value);
    }
  });
  keep_rows({}, s.results);
}

void RowTeamsLowering::lower(const ir::Statement& s, const ir::Branch& e) {
  const auto unmet = unmet_;
  const auto crossed = crossed_;
  std::unordered_set<NameId> all_unmet;
  std::unordered_set<NameId> all_crossed;
  const auto side = [&](const ir::Body& body) {
    unmet_ = unmet;
    crossed_ = crossed;
    lower_side(s, body);
    all_unmet.insert(unmet_.begin(), unmet_.end());
    all_crossed.insert(crossed_.begin(), crossed_.end());
  };
  branch(e.condition, [&] { side(e.then_body); }, [&] { side(e.else_body); });
  unmet_ = std::move(all_unmet);
  crossed_ = std::move(all_crossed);
  for (const ir::Binder& result : s.results) {
    const auto row = staged_.find(root(result.name));
    if (row != staged_.end()) low_.bind(result.name, row->second.place);
  }
}

void RowTeamsLowering::lower_side(const ir::Statement& s, const ir::Body& side) {
  for (const ir::Statement& one : side.statements) low_.forget_places(one);
  for (const ir::Statement& one : side.statements) lower(one);
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (names().type(s.results[k].name).is_scalar()) {
      assign(low_, s.results[k].name, low_.value_of(side.results[k]));
    }
  }
}

// ---------------------------------------------------------------- operations on rows

void RowTeamsLowering::for_own_elements(const Operand& width, const ElementFunction& body) {
  const Operand threads = ir::i64_operand(threads_);
  const Operand left = maximum(sub(width, rank_), ir::i64_operand(0));
  low_.thread_loop(divide_up(left, threads), true, [&](const Operand& k) {
    low_.element_scope([&] { body(add(rank_, mul(k, threads))); });
  });
}

// A staged row that is not there yet is kept as it is read.
std::vector<Value> RowTeamsLowering::own_elements(const std::vector<NameId>& arrays,
                                                  const Operand& i) {
  std::vector<Value> elements;
  for (const NameId array : arrays) {
    const auto found = staged_.find(root(array));
    if (found == staged_.end()) {
      elements.push_back(element_of(low_, array, {i}));
      continue;
    }
    const ir::ScalarType type = names().type(array).element;
    Staged& row = found->second;
    if (row.filled) {
      elements.push_back({low_.load(row.place, {i}, type, "x"), ir::scalar_of(type), std::nullopt});
    } else {
      elements.push_back(element_of(low_, array, {i}));
      low_.store(row.place, {i}, elements.back().operand, type);
    }
  }
  return elements;
}

// Element `i` of the rows that `s` makes, its results from number `from` on.
void RowTeamsLowering::put(const ir::Statement& s, std::size_t from,
                           const std::vector<Value>& values, const Operand& i) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const NameId name = s.results[from + k].name;
    const auto result = results_.find(name);
    if (result != results_.end()) low_.write(result->second, {i}, values[k]);
    const auto row = staged_.find(name);
    if (row != staged_.end()) low_.write(row->second.place, {i}, values[k]);
  }
}

// From here on what a statement has read, and made, is in the buffers.
void RowTeamsLowering::keep_rows(const std::vector<NameId>& read,
                                 const std::vector<ir::Binder>& made) {
  for (const NameId array : read) {
    if (const auto row = staged_.find(root(array)); row != staged_.end()) {
      row->second.filled = true;
    }
  }
  for (const ir::Binder& result : made) {
    const auto row = staged_.find(root(result.name));
    if (row == staged_.end()) continue;
    row->second.filled = true;
    low_.bind(result.name, row->second.place);
    unmet_.insert(root(result.name));
  }
}

static std::vector<Value> part(const std::vector<Value>& values, std::size_t from,
                               std::size_t count) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void RowTeamsLowering::lower(const ir::Statement& s, const ir::MapScanReduce& e) {
  std::vector<NameId> used = ir::free_names(e.map, names());
  if (e.post) {
    const std::vector<NameId> more = ir::free_names(*e.post, names());
    used.insert(used.end(), more.begin(), more.end());
  }
  meet_readers(used);
  if (!e.scans.empty()) {
    lower_scan(s, e);
  } else {
    const std::vector<Running> running = low_.start_reductions(e.reductions);
    const std::size_t reduced = running_values(running).size();
    for_own_elements(e.width, [&](const Operand& i) {
      low_.lower_lambda(e.map, own_elements(e.arrays, i), {}, [&](const std::vector<Value>& all) {
        const std::vector<Value> mapped = part(all, reduced, all.size() - reduced);
        const auto finish = [&](const std::vector<Value>& made) { put(s, reduced, made, i); };
        if (e.post) {
          low_.lower_lambda(*e.post, mapped, {}, finish);
        } else {
          finish(mapped);
        }
        low_.combine_all(running, all, 0);
      });
    });
    hand_out(s, e.reductions, running);
  }
  keep_rows(e.arrays, s.results);
}

// Tile by tile, an element a thread: the map, a scan over the team, post and results.
void RowTeamsLowering::lower_scan(const ir::Statement& s, const ir::MapScanReduce& e) {
  const std::vector<Running> carry = low_.start_scans(e.scans);
  const std::vector<Running> running = low_.start_reductions(e.reductions);
  const std::size_t reduced = running_values(running).size();
  const std::size_t scanned = running_values(carry).size();
  const Operand threads = ir::i64_operand(threads_);
  loop("tile", divide_up(e.width, threads), {}, [&](const Operand& tile) {
    const Operand i = add(mul(tile, threads), rank_);
    const Operand inside = less(i, e.width);
    const std::vector<Running> values = low_.start_scans(e.scans);
    std::vector<Value> others;
    branch(inside, [&] {
      low_.element_scope([&] {
        low_.lower_lambda(e.map, own_elements(e.arrays, i), {}, [&](const std::vector<Value>& all) {
          std::size_t k = 0;
          for (const Value& value : running_values(values)) {
            move(value.operand.name(), all[k++].operand);
          }
          others = part(all, scanned, all.size() - scanned);
        });
      });
    });
    scan_team(values, carry);
    branch(inside, [&] {
      low_.element_scope([&] {
        std::vector<Value> outputs = running_values(values);
        outputs.insert(outputs.end(), others.begin() + static_cast<std::ptrdiff_t>(reduced),
                       others.end());
        const auto finish = [&](const std::vector<Value>& made) { put(s, reduced, made, i); };
        if (e.post) {
          low_.lower_lambda(*e.post, outputs, {}, finish);
        } else {
          finish(outputs);
        }
        low_.combine_all(running, others, 0);
      });
    });
  });
  hand_out(s, e.reductions, running);
}

// ---------------------------------------------------------------- values of all threads

// Combines what the threads of a team have, and gives it to all of them.
void RowTeamsLowering::hand_out(const ir::Statement& s,
                                const std::vector<ir::ReduceOperator>& operators,
                                const std::vector<Running>& running) {
  const std::vector<Value> values = running_values(running);
  if (values.empty()) return;
  gpu_.reduce_warp(running, warp_threads);
  if (!is_block()) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      emit(Shuffle{s.results[k].name, values[k].operand, values[k].type.element,
                   ShuffleMode::index, ir::make_integer(ScalarType::i32, 0)});
    }
    return;
  }
  std::vector<Operand> neutral;
  for (const ir::ReduceOperator& one : operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  gpu_.reduce_warps(running, neutral);
  const std::vector<Place> slots = gpu_.warp_slots(running);
  const Operand behind = ir::i64_operand(block_threads / warp_threads);
  branch(equal(rank_, ir::i64_operand(0)), [&] { low_.write_all(slots, {behind}, values); });
  meet();
  for (std::size_t k = 0; k < values.size(); ++k) {
    low_.load_into(s.results[k].name, slots[k], {behind}, values[k].type.element);
  }
}

void RowTeamsLowering::scan_team(const std::vector<Running>& values,
                                 const std::vector<Running>& carry) {
  if (is_block()) {
    gpu_.scan_block(values, carry);
    return;
  }
  gpu_.scan_warp(values, here_.lane);
  gpu_.combine_before(values, running_values(carry));
  const std::vector<Value> totals = running_values(carry);
  const std::vector<Value> last =
      gpu_.shuffled(running_values(values), ShuffleMode::index,
                    ir::make_integer(ScalarType::i32, warp_threads - 1));
  for (std::size_t k = 0; k < last.size(); ++k) move(totals[k].operand.name(), last[k].operand);
}

}  // namespace dagaz::imperative
