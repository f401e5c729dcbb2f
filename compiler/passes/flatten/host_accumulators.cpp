// Accumulators whose operator calls a function that needs the host become arrays, which the code
// that accumulates hands on and updates; by then all of it is host code.
#include <algorithm>

#include "passes/flatten/host_calls.h"
#include "passes/flatten/host_loops.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

// Takes such accumulators out of the statement: the body gets the arrays, and gives them back after
// the other accumulators.
void HostCalls::open_host_accumulators(WithAccumulator& with, std::vector<Binder>& results) {
  for (std::size_t k = with.inputs.size(); k-- > 0;) {
    AccumulatorInput& input = with.inputs[k];
    if (!input.op || !calls_host(input.op->body)) continue;
    const NameId accumulator = with.body.parameters[k].name;
    const Type array = names_.type(input.array);
    names_.set_type(accumulator, array);
    Statement opening{{{accumulator}}, Identity{input.array}};
    with.body.body.statements.insert(with.body.body.statements.begin(), std::move(opening));
    host_accumulators_.emplace(accumulator, std::move(input));
    const auto at = static_cast<std::ptrdiff_t>(k);
    with.inputs.erase(with.inputs.begin() + at);
    with.body.parameters.erase(with.body.parameters.begin() + at);
    with.body.result_types[k] = array;
    const auto move_last = [&](auto& list) {
      std::rotate(list.begin() + at, list.begin() + at + 1, list.end());
    };
    move_last(with.body.result_types);
    move_last(with.body.body.results);
    move_last(results);
  }
}

// `to` means what the accumulator `from` means.
void HostCalls::continue_host_accumulator(const Operand& from, NameId to) {
  if (!from.is_name()) return;
  const auto found = host_accumulators_.find(from.name());
  if (found == host_accumulators_.end()) return;
  names_.set_type(to, names_.type(from.name()));
  const AccumulatorInput input = found->second;
  host_accumulators_.emplace(to, input);
}

// What the statement's scopes are given, before they are looked at.
void HostCalls::enter_with_host_accumulators(Operation& operation) {
  if (const auto* loop = as<Loop>(operation)) {
    for (const LoopValue& value : loop->values) {
      continue_host_accumulator(value.initial, value.parameter.name);
    }
  } else if (const auto* map = as<MapScanReduce>(operation)) {
    for (std::size_t k = 0; k < map->arrays.size(); ++k) {
      continue_host_accumulator(map->arrays[k], map->map.parameters[k].name);
    }
  }
}

// What the statement gives, after its scopes were looked at.
void HostCalls::leave_with_host_accumulators(Operation& operation,
                                             const std::vector<Binder>& results) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    const NameId result = results[k].name;
    if (const auto* loop = as<Loop>(operation)) {
      continue_host_accumulator(loop->values[k].parameter.name, result);
    } else if (auto* branch = as<Branch>(operation)) {
      continue_host_accumulator(branch->then_body.results[k], result);
      if (host_accumulators_.contains(result)) branch->result_types[k] = names_.type(result);
    } else if (const auto* identity = as<Identity>(operation)) {
      continue_host_accumulator(identity->value, result);
    }
  }
}

bool HostCalls::takes_host_accumulator(const MapScanReduce& map) const {
  return std::any_of(map.arrays.begin(), map.arrays.end(),
                     [&](NameId array) { return host_accumulators_.contains(array); });
}

bool HostCalls::emit_host_accumulate(const Statement& statement, const Accumulate& e, Out& out) {
  const auto found = host_accumulators_.find(e.accumulator);
  if (found == host_accumulators_.end()) return false;
  const AccumulatorInput input = found->second;
  Builder builder(names_);
  builder.set_location(statement.location);
  builder.set_tokens(statement.tokens);
  const std::vector<NameId> next = combine_where_inside(
      {e.accumulator}, input.shape, renamed(*input.op, names_), e.indices, {e.value}, builder);
  builder.add({statement.results, Identity{next[0]}, {}, statement.location});
  continue_host_accumulator(e.accumulator, statement.results[0].name);
  for (Statement& one : builder.take()) out.push_back(std::move(one));
  return true;
}

}  // namespace dagaz::passes::flattening
