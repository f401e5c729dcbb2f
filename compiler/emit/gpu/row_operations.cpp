// Operations on the rows of a point by a team of threads, one after the other.
//
// Thread `rank` of T has elements rank, rank + T, … of every row.  Threads meet at barriers only
// where they combine values, and before one reads what another has made.  Warps that go through
// tiles of rows in step do so at barriers of the block; those without a point do another's again,
// and write nothing.
#include "emit/gpu/row_operations.h"

#include <algorithm>

#include "emit/context/location_scope.h"
#include "emit/control/loops.h"
#include "emit/gpu/kernels.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/thread/parallel_operations.h"
#include "emit/thread/running.h"
#include "ir/names.h"

namespace dagaz::emit {

// Of each buffer so many rows, one after the other.
Operand RowOperations::lay_out(std::int64_t rows, Operand bytes) {
  for (const plan::RowBuffer& one : chain_.buffers) {
    buffers_.push_back(bytes);
    const Operand own = mul(one.width, ir::i64_operand(rows * one.bytes));
    const Operand alignment = ir::i64_operand(8);
    bytes = add(bytes, mul(divide_up(own, alignment), alignment));
  }
  return bytes;
}

void RowOperations::place_buffers() {
  blocks_.clear();
  staged_.clear();
  for (const Operand& offset : buffers_) {
    blocks_.push_back(block_variable("rows"));
    emit(SharedMemory{blocks_.back(), offset});
  }
  for (const plan::StagedRow& one : chain_.staged) staged_.emplace(one.row, Staged{});
}

void RowOperations::begin(const Lane& here, std::optional<Operand> exists, const Operand& number,
                          std::unordered_map<NameId, Place> results) {
  here_ = here;
  rank_ = is_block() ? here.thread : here.lane;
  exists_ = std::move(exists);
  results_ = std::move(results);
  unmet_.clear();
  crossed_.clear();
  const Operand unit = ir::i64_operand(1);
  for (const plan::StagedRow& one : chain_.staged) {
    const Operand start = mul(number, chain_.buffers[one.buffer].width);
    staged_.at(one.row).place = {blocks_[one.buffer], start, {unit}, unit, Space::shared};
  }
}

NameId RowOperations::root(NameId name) const {
  const auto found = chain_.roots.find(name);
  return found == chain_.roots.end() ? name : found->second;
}

void RowOperations::take(const std::vector<ir::Binder>& rows) {
  for (const ir::Binder& one : rows) {
    const auto row = staged_.find(one.name);
    if (row != staged_.end()) row->second.filled = true;
  }
}

void RowOperations::run(const ir::Statement& s) {
  const LocationScope here(c_, s.location);
  if (const auto* map = as<ir::MapScanReduce>(s.operation)) return run(s, *map);
  if (const auto* update = as<ir::Update>(s.operation)) return run(s, *update);
  if (const auto* branch = as<ir::Branch>(s.operation)) {
    if (!plan::are_scalars(branch->result_types)) return run(s, *branch);
  }
  const bool fills =
      as<ir::Iota>(s.operation) || as<ir::Replicate>(s.operation) || as<ir::Copy>(s.operation);
  if (fills && !c_.memory.element_only.contains(s.results[0].name)) return fill(s);
  meet_readers(ir::free_names(s, names()));
  emit_statement(c_, s);
}

void RowOperations::meet() {
  DZ_CHECK(is_block() || is_in_step(), "threads of a warp read each other's elements");
  emit(Barrier{});
  unmet_.clear();
  crossed_.clear();
}

// Threads read any elements of what is among `used`: all meet where one of these has been made
// since they last did.
void RowOperations::meet_readers(const std::vector<NameId>& used) {
  if (is_in_step()) copy_crossed(used);
  const bool any = std::any_of(used.begin(), used.end(),
                               [&](NameId name) { return unmet_.contains(root(name)); });
  if (any) meet();
  for (const NameId name : used) crossed_.insert(root(name));
}

// Rows around of which threads need others' elements.
void RowOperations::copy_crossed(const std::vector<NameId>& used) {
  for (const NameId name : used) {
    const auto row = staged_.find(name);
    if (row == staged_.end() || row->second.filled) continue;
    for_own_elements(names().type(name).shape[0],
                     [&](const Operand& i) { own_elements({name}, i); });
    keep_rows({name}, {});
  }
}

// ---------------------------------------------------------------- rows element by element

void RowOperations::fill(const ir::Statement& s) {
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

Operand RowOperations::filled(const ir::Operation& operation, const Operand& i) {
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
void RowOperations::run(const ir::Statement& s, const ir::Update& e) {
  const NameId row = root(e.array);
  meet_readers(e.value.is_name() ? std::vector<NameId>{e.value.name()} : std::vector<NameId>{});
  if (crossed_.contains(row)) meet();
  const Operand& at = e.dimensions[0].start;
  const Operand owner = remainder(at, ir::i64_operand(threads_));
  branch(equal(owner, rank_), [&] {
    const Value value = value_of(c_, e.value);
    if (const auto result = results_.find(row); result != results_.end()) {
      write(c_, result->second, {at}, value);
    }
    if (const auto staged = staged_.find(row); staged != staged_.end()) {
      write(c_, staged->second.place, {at}, value);
    }
  });
  keep_rows({}, s.results);
}

void RowOperations::run(const ir::Statement& s, const ir::Branch& e) {
  const auto unmet = unmet_;
  const auto crossed = crossed_;
  std::unordered_set<NameId> all_unmet;
  std::unordered_set<NameId> all_crossed;
  const auto side = [&](const ir::Body& body) {
    unmet_ = unmet;
    crossed_ = crossed;
    emit_side(s, body);
    all_unmet.insert(unmet_.begin(), unmet_.end());
    all_crossed.insert(crossed_.begin(), crossed_.end());
  };
  branch(
      e.condition, [&] { side(e.then_body); }, [&] { side(e.else_body); });
  unmet_ = std::move(all_unmet);
  crossed_ = std::move(all_crossed);
  for (const ir::Binder& result : s.results) {
    const auto row = staged_.find(root(result.name));
    if (row != staged_.end()) c_.arrays.bind(result.name, row->second.place);
  }
}

void RowOperations::emit_side(const ir::Statement& s, const ir::Body& side) {
  for (const ir::Statement& one : side.statements) c_.arrays.forget(one);
  for (const ir::Statement& one : side.statements) run(one);
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (names().type(s.results[k].name).is_scalar()) {
      assign(c_, s.results[k].name, value_of(c_, side.results[k]));
    }
  }
}

// ---------------------------------------------------------------- operations on rows

void RowOperations::for_own_elements(const Operand& width, const ElementFunction& body) {
  const Operand threads = ir::i64_operand(threads_);
  const Operand left = maximum(sub(width, rank_), ir::i64_operand(0));
  thread_loop(c_, divide_up(left, threads), true, [&](const Operand& k) {
    element_scope(c_, [&] { body(add(rank_, mul(k, threads))); });
  });
}

// Tile by tile of the rows around that warps go through together, an element a thread.
void RowOperations::for_tiled_elements(const ir::MapScanReduce& e, const ElementFunction& body) {
  tiles_.for_each(e, here_, [&](const Operand& first) {
    const Operand i = add(first, rank_);
    branch(less(i, e.width), [&] { element_scope(c_, [&] { body(i); }); });
  });
}

// A staged row that is not there yet is kept as it is read.
std::vector<Value> RowOperations::own_elements(const std::vector<NameId>& arrays,
                                               const Operand& i) {
  std::vector<Value> elements;
  for (const NameId array : arrays) {
    if (const auto row = tiles_.row(array, rank_)) {
      elements.push_back(*row);
      continue;
    }
    const auto found = staged_.find(root(array));
    if (found == staged_.end()) {
      elements.push_back(element_of(c_, array, {i}));
      continue;
    }
    const ir::ScalarType type = names().type(array).element;
    Staged& row = found->second;
    if (row.filled) {
      elements.push_back({load(c_, row.place, {i}, type, "x"), ir::scalar_of(type), std::nullopt});
    } else {
      elements.push_back(element_of(c_, array, {i}));
      store(c_, row.place, {i}, elements.back().operand, type);
    }
  }
  return elements;
}

// Element `i` of the rows that `s` makes, its results from number `from` on.
void RowOperations::put(const ir::Statement& s, std::size_t from, const std::vector<Value>& values,
                        const Operand& i) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const NameId name = s.results[from + k].name;
    const auto result = results_.find(name);
    if (result != results_.end()) write_result(result->second, i, values[k]);
    const auto row = staged_.find(name);
    if (row != staged_.end()) write(c_, row->second.place, {i}, values[k]);
  }
}

void RowOperations::write_result(const Place& result, const Operand& i, const Value& value) {
  if (!exists_) return write(c_, result, {i}, value);
  branch(*exists_, [&] { write(c_, result, {i}, value); });
}

// From here on what a statement has read, and made, is in the buffers.
void RowOperations::keep_rows(const std::vector<NameId>& read,
                              const std::vector<ir::Binder>& made) {
  for (const NameId array : read) {
    const auto row = staged_.find(root(array));
    if (row == staged_.end() || row->second.filled) continue;
    row->second.filled = true;
    if (!is_in_step()) continue;
    c_.arrays.bind(array, row->second.place);
    unmet_.insert(root(array));
  }
  for (const ir::Binder& result : made) {
    const auto row = staged_.find(root(result.name));
    if (row == staged_.end()) continue;
    row->second.filled = true;
    c_.arrays.bind(result.name, row->second.place);
    unmet_.insert(root(result.name));
  }
}

static std::vector<Value> part(const std::vector<Value>& values, std::size_t from,
                               std::size_t count) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void RowOperations::run(const ir::Statement& s, const ir::MapScanReduce& e) {
  std::vector<NameId> used = ir::free_names(e.map, names());
  if (e.post) {
    const std::vector<NameId> more = ir::free_names(*e.post, names());
    used.insert(used.end(), more.begin(), more.end());
  }
  meet_readers(used);
  if (!e.scans.empty()) {
    emit_scan(s, e);
  } else {
    const std::vector<Running> running = start_reductions(c_, e.reductions);
    const std::size_t reduced = running_values(running).size();
    const auto element = [&](const Operand& i) {
      emit_lambda(c_, e.map, own_elements(e.arrays, i), {}, [&](const std::vector<Value>& all) {
        const std::vector<Value> mapped = part(all, reduced, all.size() - reduced);
        const auto finish = [&](const std::vector<Value>& made) { put(s, reduced, made, i); };
        if (e.post) {
          emit_lambda(c_, *e.post, mapped, {}, finish);
        } else {
          finish(mapped);
        }
        combine_all(c_, running, all, 0);
      });
    };
    if (tiles_.are_of(e)) {
      for_tiled_elements(e, element);
    } else {
      for_own_elements(e.width, element);
    }
    hand_out(s, e.reductions, running);
  }
  keep_rows(e.arrays, s.results);
}

// Tile by tile, an element a thread: the map, a scan over the team, post and results.
void RowOperations::emit_scan(const ir::Statement& s, const ir::MapScanReduce& e) {
  const std::vector<Running> carry = start_scans(c_, e.scans);
  const std::vector<Running> running = start_reductions(c_, e.reductions);
  const std::size_t reduced = running_values(running).size();
  const std::size_t scanned = running_values(carry).size();
  const Operand threads = ir::i64_operand(threads_);
  loop("tile", divide_up(e.width, threads), {}, [&](const Operand& tile) {
    const Operand i = add(mul(tile, threads), rank_);
    const Operand inside = less(i, e.width);
    const std::vector<Running> values = start_scans(c_, e.scans);
    std::vector<Value> others;
    branch(inside, [&] {
      element_scope(c_, [&] {
        emit_lambda(c_, e.map, own_elements(e.arrays, i), {}, [&](const std::vector<Value>& all) {
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
      element_scope(c_, [&] {
        std::vector<Value> outputs = running_values(values);
        outputs.insert(outputs.end(), others.begin() + static_cast<std::ptrdiff_t>(reduced),
                       others.end());
        const auto finish = [&](const std::vector<Value>& made) { put(s, reduced, made, i); };
        if (e.post) {
          emit_lambda(c_, *e.post, outputs, {}, finish);
        } else {
          finish(outputs);
        }
        combine_all(c_, running, others, 0);
      });
    });
  });
  hand_out(s, e.reductions, running);
}

// ---------------------------------------------------------------- values of all threads

// Combines what the threads of a team have, and gives it to all of them.
void RowOperations::hand_out(const ir::Statement& s,
                             const std::vector<ir::ReduceOperator>& operators,
                             const std::vector<Running>& running) {
  const std::vector<Value> values = running_values(running);
  if (values.empty()) return;
  reduce_warp(c_, running, warp_threads);
  if (!is_block()) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      emit(Shuffle{s.results[k].name, values[k].operand, values[k].type.element, ShuffleMode::index,
                   ir::make_integer(ScalarType::i32, 0)});
    }
    return;
  }
  std::vector<Operand> neutral;
  for (const ir::ReduceOperator& one : operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  reduce_warps(c_, running, neutral);
  const std::vector<Place> slots = warp_slots(c_, running);
  const Operand behind = ir::i64_operand(block_threads / warp_threads);
  branch(equal(rank_, ir::i64_operand(0)), [&] { write_all(c_, slots, {behind}, values); });
  meet();
  for (std::size_t k = 0; k < values.size(); ++k) {
    load_into(c_, s.results[k].name, slots[k], {behind}, values[k].type.element);
  }
}

void RowOperations::scan_team(const std::vector<Running>& values,
                              const std::vector<Running>& carry) {
  if (is_block()) {
    scan_block(c_, values, carry);
    return;
  }
  scan_warp(c_, values, here_.lane);
  combine_before(c_, values, running_values(carry));
  const std::vector<Value> totals = running_values(carry);
  const std::vector<Value> last = shuffled(c_, running_values(values), ShuffleMode::index,
                                           ir::make_integer(ScalarType::i32, warp_threads - 1));
  for (std::size_t k = 0; k < last.size(); ++k) move(totals[k].operand.name(), last[k].operand);
}

}  // namespace dagaz::emit
