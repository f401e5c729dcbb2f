// Which parallel operations call functions with array results.
//
// A thread cannot hand an array of a size of its own to whoever called it, so such functions run on
// the host, and a parallel operation that calls one becomes a loop there (host_loops.cpp).  What is
// parallel inside the functions stays parallel.
#include "passes/flatten/host_calls.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

bool HostCalls::calls_host(const Body& body) const {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
    const auto* call = as<Call>(one.operation);
    bool found = call != nullptr && functions_.contains(call->function);
    for_each_scope(one.operation, [&](const Body& inner) { found = found || calls_host(inner); });
    return found;
  });
}

// Functions with array results, and those that call them, need the host.
HostCalls::HostCalls(Program& program) : names_(program.names) {
  for (const Function& function : program.functions) {
    const bool gives_arrays =
        std::any_of(function.result_types.begin(), function.result_types.end(),
                    [](const Type& type) { return type.is_array(); });
    if (gives_arrays) functions_.insert(function.name);
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const Function& function : program.functions) {
      if (functions_.contains(function.name) || !calls_host(function.body)) continue;
      functions_.insert(function.name);
      grown = true;
    }
  }
}

void HostCalls::become_loops(Body& body) {
  Out out;
  for (Statement& statement : body.statements) {
    enter_with_host_accumulators(statement.operation);
    if (auto* branch = as<Branch>(statement.operation)) {
      become_loops(branch->then_body);
      become_loops(branch->else_body);
    } else if (auto* loop = as<Loop>(statement.operation)) {
      become_loops(loop->body);
    } else if (auto* with = as<WithAccumulator>(statement.operation)) {
      open_host_accumulators(*with, statement.results);
      become_loops(with->body.body);
    }
    leave_with_host_accumulators(statement.operation, statement.results);
    emit_with_host_calls(std::move(statement), out);
  }
  body.statements = std::move(out);
}

template <typename Operator>
bool HostCalls::operators_call_host(const std::vector<Operator>& operators) const {
  return std::any_of(operators.begin(), operators.end(),
                     [&](const Operator& one) { return calls_host(one.op.body); });
}

void HostCalls::emit_with_host_calls(Statement statement, Out& out) {
  if (auto* map = as<MapScanReduce>(statement.operation)) {
    if (calls_host(map->map.body) || operators_call_host(map->scans) ||
        operators_call_host(map->reductions) || (map->post && calls_host(map->post->body)) ||
        takes_host_accumulator(*map)) {
      MapScanReduce taken = std::move(*map);
      return emit_host_loop(std::move(statement), std::move(taken), out);
    }
  } else if (auto* histogram = as<Histogram>(statement.operation)) {
    if (operators_call_host(histogram->operators)) {
      Histogram taken = std::move(*histogram);
      return emit_host_loop(std::move(statement), std::move(taken), out);
    }
    if (calls_host(histogram->map.body)) take_map_off(*histogram, statement, out);
  } else if (auto* scatter = as<Scatter>(statement.operation)) {
    if (calls_host(scatter->map.body)) take_map_off(*scatter, statement, out);
  } else if (const auto* accumulate = as<Accumulate>(statement.operation)) {
    if (emit_host_accumulate(statement, *accumulate, out)) return;
  }
  out.push_back(std::move(statement));
}

// The map of a histogram or a scatter as a statement before it.
template <typename Node>
void HostCalls::take_map_off(Node& node, const Statement& statement, Out& out) {
  const std::vector<Type> types = node.map.result_types;
  Statement mapping{{}, {}, statement.tokens, statement.location};
  std::vector<NameId> inputs;
  for (const Type& type : types) {
    inputs.push_back(names_.fresh("in", array_over(node.width, type)));
    mapping.results.push_back({inputs.back()});
  }
  MapScanReduce map{node.width, std::move(node.arrays), std::move(node.map), {}, {}, std::nullopt,
                    false};
  emit_host_loop(std::move(mapping), std::move(map), out);
  node.arrays = std::move(inputs);
  node.map = identity_lambda(types, names_);
}

}  // namespace dagaz::passes::flattening
