// Branches, loops and accumulation, and rows of a block inside a body.
#include <algorithm>
#include <utility>

#include "ir/classify.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "plan/array_uses.h"
#include "plan/copies.h"
#include "plan/lane_blocks.h"
#include "plan/lane_reading.h"
#include "plan/lane_shapes.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

// ---------------------------------------------------------------- branches

void LaneReading::read(const ir::Statement& s, const ir::Branch& e) {
  const LaneValue condition = value_of(e.condition);
  if (condition.is_uniform()) {
    uniform_branch(s, e);
  } else if (ir::only_computes(e)) {
    chosen_branch(s, e, condition);
  } else {
    masked_branch(s, e);
  }
}

void LaneReading::uniform_branch(const ir::Statement& s, const ir::Branch& e) {
  if (!are_scalars(e.result_types)) {
    refuse();
    return;
  }
  read(e.then_body, {});
  read(e.else_body, {});
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    bind(s.results[k].name, varying(e.result_types[k].element));
  }
}

void LaneReading::chosen_branch(const ir::Statement& s, const ir::Branch& e,
                                const LaneValue& condition) {
  const std::vector<LaneResult> yes = read(e.then_body, {});
  const std::vector<LaneResult> no = read(e.else_body, {});
  for (std::size_t k = 0; k < yes.size(); ++k) {
    const ScalarType type = e.result_types[k].element;
    bind(s.results[k].name,
         apply(ScalarOp::select, type, type, {condition, *yes[k].scalar, *no[k].scalar}));
  }
}

void LaneReading::masked_branch(const ir::Statement& s, const ir::Branch& e) {
  // Some rows may have no point that runs; and what a point that runs alone reads or adds to along
  // a row lies together for it, not for the points of the block.
  const Tunables& tunables = around_.tunables();
  if (rows_ > 1 || has_rows_inside(e.then_body, tunables) ||
      has_rows_inside(e.else_body, tunables)) {
    refuse();
    return;
  }
  own_what_it_consumes(s);
  std::vector<std::optional<LaneArrayValue>> joined(s.results.size());
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    const ir::Type& type = e.result_types[k];
    const auto is_result = [&](const Operand& size) {
      return std::any_of(s.results.begin(), s.results.end(), [&](const ir::Binder& other) {
        return size == Operand(other.name);
      });
    };
    if (std::any_of(type.shape.begin(), type.shape.end(), is_result)) {
      refuse();
      return;
    }
    if (type.is_array()) joined[k] = result_array(s.results[k].name);
  }
  const bool outer = masked_;
  masked_ = true;
  for (const ir::Body* side : {&e.then_body, &e.else_body}) {
    const std::vector<LaneResult> results = read(*side, {});
    for (std::size_t k = 0; k < results.size(); ++k) {
      const ir::Type& type = e.result_types[k];
      if (joined[k]) {
        put(*joined[k], results[k], type);
      } else if (type.is_scalar()) {
        count_work(true);
      } else {
        continue_accumulator(s.results[k].name, side->results[k]);
      }
    }
  }
  masked_ = outer;
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (e.result_types[k].is_scalar()) {
      bind(s.results[k].name, varying(e.result_types[k].element));
    }
  }
}

// ---------------------------------------------------------------- loops

LaneReading::Carried LaneReading::carry(const ir::Loop& e, std::size_t k) {
  const NameId parameter = e.values[k].parameter.name;
  const NameId initial = e.values[k].initial.name();
  if (is_updated_in_place(e.body, k, parameter, around_.names)) {
    return {k, own_array(initial), false};
  }
  const ir::Type& type = type_of(parameter);
  for (const Operand& size : type.shape) {
    for (const ir::LoopValue& value : e.values) {
      if (size == Operand(value.parameter.name)) refuse();
    }
  }
  const LaneArrayValue buffer = new_array(type);
  copy(buffer, array_of(initial), type);
  return {k, buffer, true};
}

void LaneReading::read(const ir::Statement& s, const ir::Loop& e) {
  const auto* form = as<ir::ForForm>(e.form);
  // Points leave it one after another where not all have the same number of iterations.
  const bool is_left = !form || !value_of(form->bound).is_uniform();
  if (is_left && rows_ > 1) {
    refuse();
    return;
  }
  bool carries_values = false;
  std::vector<Carried> arrays;
  std::vector<std::optional<LaneArrayValue>> wanted(e.values.size());
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    const ir::Type& type = type_of(parameter);
    if (type.kind == ir::TypeKind::accumulator) {
      continue_accumulator(parameter, e.values[k].initial);
      continue;
    }
    carries_values = true;
    if (type.is_array()) {
      arrays.push_back(carry(e, k));
      if (is_left && arrays.back().alternates) refuse();
      if (arrays.back().alternates) wanted[k] = arrays.back().current;
      bind(parameter, arrays.back().current);
    } else {
      value_of(e.values[k].initial);
      known_.scalars.insert_or_assign(parameter, varying(type.element));
    }
  }
  const Iteration iteration = [&](const LaneValue& i) {
    bind(form->index.name, i);
    read(e.body, {});
  };
  const bool adds = !is_left && !carries_values &&
                    add_in_rows(s.results[0].name, form->bound, e.body, iteration);
  if (!adds) {
    const bool outer = masked_;
    const bool outer_in_turn = std::exchange(in_turn_, true);
    masked_ = outer || is_left;
    ++depth_;
    const std::vector<LaneResult> results = read(e.body, wanted);
    for (const Carried& one : arrays) {
      if (!results[one.value].array) {
        refuse();
      } else if (legal_) {
        copy(one.current, *results[one.value].array, type_of(s.results[one.value].name));
      }
    }
    --depth_;
    masked_ = outer;
    in_turn_ = outer_in_turn;
  }
  bind_results(s, e, arrays);
}

void LaneReading::bind_results(const ir::Statement& s, const ir::Loop& e,
                               const std::vector<Carried>& arrays) {
  std::size_t array = 0;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId name = s.results[k].name;
    const ir::Type& type = type_of(name);
    if (type.kind == ir::TypeKind::accumulator) {
      continue_accumulator(name, e.body.results[k]);
    } else if (type.is_array()) {
      bind(name, arrays[array++].current);
    } else {
      bind(name, varying(type.element));
    }
  }
}

// ---------------------------------------------------------------- parallel operations

std::vector<LaneValue> LaneReading::start(const std::vector<Operand>& neutral) {
  std::vector<LaneValue> running;
  for (const Operand& one : neutral) {
    value_of(one);
    running.push_back(varying(around_.names.type(one).element));
  }
  return running;
}

void LaneReading::combine(const ir::Lambda& op, const std::vector<LaneValue>& running,
                          const std::vector<LaneValue>& values) {
  if (const std::int64_t rows = rows_; rows > 1 && !running.empty() && !running[0].by_row) {
    // Running values from before there were rows take the rows in turn.
    rows_ = 1;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<LaneValue> of_row = values;
      for (LaneValue& one : of_row) one.by_row = false;
      combine(op, running, of_row);
    }
    rows_ = rows;
    return;
  }
  std::vector<LaneResult> arguments;
  for (const LaneValue& one : running) arguments.push_back({one, std::nullopt});
  for (const LaneValue& one : values) arguments.push_back({one, std::nullopt});
  lambda(op, arguments, {});
}

void LaneReading::read(const ir::Statement& s, const ir::MapScanReduce& e) {
  std::vector<LaneValue> running;
  const auto begin = [&](const auto& operators) {
    for (const auto& one : operators) {
      if (!are_scalars(one.op.result_types)) {
        refuse();
        return;
      }
      const std::vector<LaneValue> values = start(one.neutral);
      running.insert(running.end(), values.begin(), values.end());
    }
  };
  begin(e.scans);
  const std::size_t scanned = running.size();
  begin(e.reductions);
  if (!legal_) return;
  const std::size_t reduced = running.size() - scanned;
  bool gives_values = !running.empty();
  std::vector<std::optional<LaneArrayValue>> targets;
  for (std::size_t k = reduced; k < s.results.size(); ++k) {
    const bool is_array = type_of(s.results[k].name).is_array();
    targets.emplace_back();
    if (is_array) targets.back() = result_array(s.results[k].name);
    gives_values = gives_values || is_array;
  }
  const Iteration iteration = [&](const LaneValue& i) { step(s, e, running, targets, i); };
  const bool adds = !gives_values && !e.post &&
                    add_in_rows(s.results[0].name, e.width, e.map.body, iteration);
  if (!adds) {
    const std::int64_t rows = rows_inside(s, e);
    if (rows == 1 || !in_rows(s, e, running, targets, rows)) {
      turn_rows(s, targets);
      LaneValue index;
      index.affine = true;
      loop(e.width, [&] { step(s, e, running, targets, index); });
    }
  }
  for (std::size_t k = 0; k < reduced; ++k) bind(s.results[k].name, running[scanned + k]);
}

bool LaneReading::can_turn(const LaneArrayValue& target, const ir::Type& type) const {
  if (masked_ || rows_ > 1 || type.rank() != 1) return false;
  if (!are_stretches(target) || target.start.by_row || !can_cross_over(type.element)) return false;
  const Step length = step_of(type.shape.front());
  return !length || *length >= blocks_.width;
}

// Elements of stretches would be scattered, a vector of points at a time.
void LaneReading::turn_rows(const ir::Statement& s,
                            std::vector<std::optional<LaneArrayValue>>& targets) {
  const std::size_t reduced = s.results.size() - targets.size();
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const NameId name = s.results[reduced + k].name;
    const ir::Type& type = type_of(name);
    if (!targets[k] || !can_turn(*targets[k], type)) continue;
    blocks_.turned.push_back(name);
    targets[k] = new_array(type);
  }
}

// One iteration: map, scans, post, stores, reductions.
void LaneReading::step(const ir::Statement& s, const ir::MapScanReduce& e,
                       const std::vector<LaneValue>& running,
                       const std::vector<std::optional<LaneArrayValue>>& targets,
                       const LaneValue& i) {
  const std::size_t reduced = ir::value_count(e.reductions);
  const std::size_t scanned = running.size() - reduced;
  std::vector<std::optional<LaneArrayValue>> rows;
  for (const auto& target : targets) {
    rows.emplace_back();
    if (target) rows.back() = part_of(*target, {i});
  }
  std::vector<LaneResult> elements;
  for (std::size_t k = 0; k < e.arrays.size(); ++k) {
    const bool is_value = type_of(e.arrays[k]).kind == ir::TypeKind::value;
    elements.push_back(is_value ? element(e.arrays[k], {i}) : LaneResult{});
    if (!is_value) continue_accumulator(e.map.parameters[k].name, e.arrays[k]);
  }
  std::vector<std::optional<LaneArrayValue>> wanted(scanned + reduced);
  if (!e.post) {
    wanted.insert(wanted.end(), rows.begin() + static_cast<std::ptrdiff_t>(scanned), rows.end());
  }
  const std::vector<LaneResult> values = lambda(e.map, elements, wanted);
  const auto combine_all = [&](const auto& operators, std::size_t position) {
    for (const auto& one : operators) {
      std::vector<LaneValue> inputs;
      for (std::size_t k = 0; k < one.neutral.size(); ++k) {
        if (!values[position + k].scalar) {
          refuse();
          return;
        }
        inputs.push_back(*values[position + k].scalar);
      }
      const auto from = running.begin() + static_cast<std::ptrdiff_t>(position);
      combine(one.op, {from, from + static_cast<std::ptrdiff_t>(inputs.size())}, inputs);
      position += inputs.size();
    }
  };
  combine_all(e.scans, 0);
  if (!legal_) return;
  std::vector<LaneResult> outputs;
  for (std::size_t k = 0; k < scanned; ++k) outputs.push_back({running[k], std::nullopt});
  outputs.insert(outputs.end(), values.begin() + static_cast<std::ptrdiff_t>(scanned + reduced),
                 values.end());
  if (e.post) outputs = lambda(*e.post, outputs, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const NameId name = s.results[reduced + k].name;
    if (rows[k]) {
      put(*rows[k], outputs[k], ir::row_of(type_of(name)));
    } else {
      continue_accumulator(name, e.map.body.results[scanned + reduced + k]);
    }
  }
  combine_all(e.reductions, scanned);
}

// ---------------------------------------------------------------- accumulation

void LaneReading::continue_accumulator(NameId to, const Operand& from) {
  const auto own = known_.accumulators.find(from.name());
  if (own == known_.accumulators.end()) {
    around_.continue_accumulator(to, from);
  } else {
    known_.accumulators.insert_or_assign(to, LaneAccumulator(own->second));
  }
}

void LaneReading::read(const ir::Statement& s, const ir::WithAccumulator& e) {
  const std::size_t opened = e.inputs.size();
  std::vector<LaneArrayValue> arrays;
  for (std::size_t k = 0; k < opened; ++k) {
    const ir::AccumulatorInput& input = e.inputs[k];
    if (input.shape.size() != type_of(input.array).rank()) refuse();  // an addition of rows
    if (input.op && !are_scalars(input.op->result_types)) refuse();
    if (has_rows_inside(e.body.body, around_.tunables())) refuse();
    if (!legal_) return;
    arrays.push_back(own_array(input.array));
    known_.accumulators.insert_or_assign(
        e.body.parameters[k].name,
        LaneAccumulator{arrays[k], input.op ? &*input.op : nullptr});
  }
  const std::vector<LaneResult> results = read(e.body.body, {});
  for (std::size_t k = 0; k < s.results.size(); ++k) {
    if (k < opened) {
      bind(s.results[k].name, arrays[k]);
    } else if (type_of(s.results[k].name).kind == ir::TypeKind::accumulator) {
      continue_accumulator(s.results[k].name, e.body.body.results[k]);
    } else {
      bind(s.results[k].name, results[k]);
    }
  }
}

// Each point combines its value into its own array.
void LaneReading::accumulate_own(const ir::Accumulate& e, const LaneAccumulator& own) {
  if (rows_ > 1) {  // which may add to the same place
    refuse();
    return;
  }
  std::vector<LaneValue> indices;
  for (const Operand& index : e.indices) indices.push_back(value_of(index));
  const LaneArrayValue element = part_of(own.array, indices);
  const LaneValue value = value_of(e.value);
  const bool outer = masked_;
  masked_ = true;
  if (own.op != nullptr) {
    const LaneValue old = load(element, around_.names.type(e.value).element);
    lambda(*own.op, {{old, std::nullopt}, {value, std::nullopt}}, {});
  }
  store(element);
  masked_ = outer;
}

void LaneReading::read(const ir::Statement& s, const ir::Accumulate& e) {
  if (const auto own = known_.accumulators.find(e.accumulator); own != known_.accumulators.end()) {
    const LaneAccumulator accumulator = own->second;
    continue_accumulator(s.results[0].name, e.accumulator);
    accumulate_own(e, accumulator);
    return;
  }
  const Opened* const known = around_.opened(e.accumulator);
  if (known == nullptr) {
    refuse();
    return;
  }
  const Opened opened = *known;
  around_.open(s.results[0].name, opened);
  if (!opened.row.is_scalar() || !opened.op) {
    refuse();
    return;
  }
  std::vector<LaneValue> indices;
  for (const Operand& index : e.indices) indices.push_back(value_of(index));
  const bool differ = std::any_of(indices.begin(), indices.end(),
                                  [](const LaneValue& index) { return index.by_point; });
  value_of(e.value);
  if (differ || !is_simple(*opened.op)) {
    count_gathers(depth_, 2);  // of the place and of what is added there
    return;
  }
  count_work(true);
  const bool by_row = std::any_of(indices.begin(), indices.end(),
                                  [](const LaneValue& index) { return index.by_row; });
  if (by_row && rows_ != blocks_.width) refuse();
}

// Larger values than of `lane_additions` operations do not stay in registers for all rows.
static bool only_adds(const ir::Body& body, const Tunables& tunables) {
  std::int64_t additions = 0;
  std::int64_t operations = 0;
  for (const ir::Statement& one : body.statements) {
    if (!one.tokens.empty()) return false;
    if (as<ir::Accumulate>(one.operation)) {
      ++additions;
    } else if (as<ir::Scalar>(one.operation) || as<ir::Index>(one.operation)) {
      ++operations;
    } else {
      return false;
    }
  }
  return additions > 0 && operations <= tunables.lane_additions * additions;
}

bool LaneReading::add_in_rows(NameId statement, const Operand& count, const ir::Body& body,
                              const Iteration& iteration) {
  if (rows_ > 1 || !only_adds(body, around_.tunables())) return false;
  return try_rows(statement, blocks_.width,
                  [&] { in_disjoint_rows(count, blocks_.width, iteration); });
}

// ---------------------------------------------------------------- rows inside

// The sums of the loops of a body that only has maps in maps down to these; nothing else is done in
// rows.
static std::optional<std::int64_t> sums_inside(const ir::Body& body) {
  std::int64_t most = 0;
  for (const ir::Statement& one : body.statements) {
    if (as<ir::Scalar>(one.operation) || as<ir::Index>(one.operation) ||
        as<ir::Slice>(one.operation) || as<ir::Permute>(one.operation)) {
      continue;
    }
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map || !map->scans.empty() || map->post) return std::nullopt;
    const auto sums = static_cast<std::int64_t>(ir::value_count(map->reductions));
    const std::optional<std::int64_t> inside = sums_inside(map->map.body);
    if (!inside || (sums == 0) == (*inside == 0)) return std::nullopt;
    most = std::max({most, sums, *inside});
  }
  return most;
}

// How many elements of a map run at once; 1 where rows do not fit it.
std::int64_t LaneReading::rows_inside(const ir::Statement& s, const ir::MapScanReduce& e) const {
  // Blocks of rows may share elements, which must not be read again once they are written over.
  const auto is_written_over = [&](NameId name) {
    return around_.overwritten_by(name).has_value();
  };
  const auto inside = ir::bound_names(e.map.body);
  const bool overwrites =
      std::any_of(inside.begin(), inside.end(), is_written_over) ||
      std::any_of(s.results.begin(), s.results.end(),
                  [&](const ir::Binder& result) { return is_written_over(result.name); });
  if (overwrites || rows_ > 1 || !e.scans.empty() || e.post) return 1;
  for (const ir::Type& type : e.map.result_types) {
    if (type.kind == ir::TypeKind::accumulator) return 1;
  }
  const auto sums = sums_inside(e.map.body);
  if (!sums || *sums == 0) return 1;
  const std::int64_t most =
      std::min<std::int64_t>(around_.tunables().lane_sums / (*sums * blocks_.columns), 8);
  if (most < 2) return 1;
  if (!e.width.is_constant()) return std::min<std::int64_t>(most, 4);
  // Each block of rows reads once what its rows share.
  const std::int64_t width = ir::integer_value(e.width.constant());
  const auto cost = [&](std::int64_t rows) { return (width + rows - 1) / rows * (rows + 1); };
  std::int64_t best = 1;
  for (std::int64_t rows = 2; rows <= std::min(most, width); ++rows) {
    if (cost(rows) < cost(best)) best = rows;
  }
  return best;
}

bool LaneReading::in_rows(const ir::Statement& s, const ir::MapScanReduce& e,
                          const std::vector<LaneValue>& running,
                          const std::vector<std::optional<LaneArrayValue>>& targets,
                          std::int64_t rows) {
  const Iteration iteration = [&](const LaneValue& i) { step(s, e, running, targets, i); };
  return try_rows(s.results[0].name, rows, [&] {
    if (running.empty()) {
      in_shared_rows(e.width, rows, iteration);
    } else {
      in_disjoint_rows(e.width, rows, iteration);
    }
  });
}

bool LaneReading::try_rows(NameId statement, std::int64_t rows,
                           const std::function<void()>& read_rows) {
  const Known before = known_;
  const LaneWork work = work_;
  const std::int64_t depth = depth_;
  const std::size_t serialised = blocks_.serialised.size();
  const std::size_t inner = blocks_.inner_rows.size();
  const std::size_t turned = blocks_.turned.size();
  read_rows();
  rows_ = 1;
  if (legal_) {
    blocks_.inner_rows.push_back({statement, static_cast<int>(rows)});
    return true;
  }
  legal_ = true;
  known_ = before;
  work_ = work;
  depth_ = depth;
  blocks_.serialised.resize(serialised);
  blocks_.inner_rows.resize(inner);
  blocks_.turned.resize(turned);
  return false;
}

void LaneReading::in_block_of_rows(std::int64_t rows, const Iteration& iteration) {
  LaneValue index;
  index.affine = true;
  index.by_row = true;
  index.row_step = 1;
  rows_ = rows;
  iteration(index);
  rows_ = 1;
}

// A map: the last block is moved back.
void LaneReading::in_shared_rows(const Operand& width, std::int64_t rows,
                                 const Iteration& iteration) {
  LaneValue index;
  index.affine = true;
  const Known before = known_;
  loop(width, [&] { in_block_of_rows(rows, iteration); });
  if (width.is_constant()) return;
  // Where there are fewer than a block, one by one.
  known_ = before;
  loop(width, [&] { iteration(index); });
}

// A reduction or additions: what is left over after the last block goes one by one.
void LaneReading::in_disjoint_rows(const Operand& width, std::int64_t rows,
                                   const Iteration& iteration) {
  const Known before = known_;
  loop(width, [&] { in_block_of_rows(rows, iteration); });
  known_ = before;
  if (width.is_constant() && ir::integer_value(width.constant()) % rows == 0) return;
  LaneValue index;
  index.affine = true;
  loop(width, [&] { iteration(index); });
}

}  // namespace dagaz::plan
