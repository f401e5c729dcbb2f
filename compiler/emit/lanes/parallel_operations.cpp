// Parallel operations inside a point: one loop for all points of a block.
#include <algorithm>

#include "emit/lanes/arrays.h"
#include "emit/lanes/own_accumulators.h"
#include "emit/lanes/packing.h"
#include "emit/lanes/rows.h"
#include "emit/lanes/running.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/turned_rows.h"
#include "emit/lanes/values.h"
#include "ir/value_count.h"

namespace dagaz::emit {

// One iteration: map, scans, post, stores, reductions.
static void map_scan_reduce_step(Lanes& l, const ir::Statement& s, const ir::MapScanReduce& e,
                                 const std::vector<LaneScalar>& running,
                                 const std::vector<LaneArray>& targets, const LaneScalar& i) {
  const std::size_t reduced = ir::value_count(e.reductions);
  const std::size_t scanned = running.size() - reduced;
  std::vector<std::optional<LaneArray>> rows;
  for (const LaneArray& target : targets) {
    const bool is_array = target.place.block.valid();
    rows.push_back(is_array ? std::optional(part_of(l, target, {i})) : std::nullopt);
  }
  std::vector<LaneResult> elements;
  for (const NameId array : e.arrays) {
    const bool is_value = l.c.names().type(array).kind == ir::TypeKind::value;
    elements.push_back(is_value ? element_of(l, array, {i}) : LaneResult{});
  }
  for (std::size_t k = 0; k < e.arrays.size(); ++k) {
    if (l.c.names().type(e.arrays[k]).kind != ir::TypeKind::accumulator) continue;
    continue_accumulator(l, e.map.parameters[k].name, e.arrays[k]);
  }
  std::vector<std::optional<LaneArray>> wanted(scanned + reduced);
  if (!e.post) {
    wanted.insert(wanted.end(), rows.begin() + static_cast<std::ptrdiff_t>(scanned), rows.end());
  }
  const std::vector<LaneResult> values = emit_lambda(l, e.map, elements, wanted);
  const auto combine_all = [&](const auto& operators, std::size_t position) {
    for (const auto& one : operators) {
      const std::size_t count = one.neutral.size();
      std::vector<LaneScalar> inputs;
      for (std::size_t k = 0; k < count; ++k) inputs.push_back(*values[position + k].scalar);
      const auto from = running.begin() + static_cast<std::ptrdiff_t>(position);
      combine(l, one.op, {from, from + static_cast<std::ptrdiff_t>(count)}, inputs);
      position += count;
    }
  };
  combine_all(e.scans, 0);
  std::vector<LaneResult> outputs;
  for (std::size_t k = 0; k < scanned; ++k) outputs.push_back({running[k], std::nullopt});
  outputs.insert(outputs.end(), values.begin() + static_cast<std::ptrdiff_t>(scanned + reduced),
                 values.end());
  if (e.post) outputs = emit_lambda(l, *e.post, outputs, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const NameId name = s.results[reduced + k].name;
    const ir::Type& type = l.c.names().type(name);
    if (rows[k]) {
      put(l, *rows[k], outputs[k], ir::row_of(type));
    } else {
      continue_accumulator(l, name, e.map.body.results[scanned + reduced + k].name());
    }
  }
  combine_all(e.reductions, scanned);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::MapScanReduce& e) {
  std::vector<LaneScalar> running;
  const auto begin = [&](const auto& operators) {
    for (const auto& one : operators) {
      if (!are_scalars(one.op.result_types)) refuse("an operator on arrays");
      const std::vector<LaneScalar> values = start_running(l, one.neutral);
      running.insert(running.end(), values.begin(), values.end());
    }
  };
  begin(e.scans);
  const std::size_t scanned = running.size();
  begin(e.reductions);
  const std::size_t reduced = running.size() - scanned;
  std::vector<LaneArray> targets;
  std::vector<NameId> results;
  for (std::size_t k = reduced; k < s.results.size(); ++k) {
    results.push_back(s.results[k].name);
    const bool is_array = l.c.names().type(s.results[k].name).is_array();
    targets.push_back(is_array ? result_array(l, s.results[k].name) : LaneArray{});
  }
  const RowFunction iteration = [&](const LaneScalar& i) {
    map_scan_reduce_step(l, s, e, running, targets, i);
  };
  const std::int64_t rows = rows_inside(l, s);
  const bool makes_arrays =
      running.empty() && std::any_of(targets.begin(), targets.end(),
                                     [](const LaneArray& one) { return one.place.block.valid(); });
  bool turns = false;
  for (std::size_t k = 0; k < results.size(); ++k) {
    turns = turns || is_turned(l, targets[k], results[k]);
  }
  if (turns) {
    in_turned_rows(l, e.width, results, targets, iteration);
  } else if (rows == 1) {
    uniform_loop(l, e.width, [&](const Operand& i) { iteration(uniform(l, i)); });
  } else if (makes_arrays) {
    in_shared_rows(l, e.width, rows, iteration);
  } else {
    in_disjoint_rows(l, e.width, rows, iteration);
  }
  for (std::size_t k = 0; k < reduced; ++k) bind(l, s.results[k].name, running[scanned + k]);
}

}  // namespace dagaz::emit
