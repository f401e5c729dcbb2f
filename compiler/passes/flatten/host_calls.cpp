// Maps that call functions with array results.
//
// A thread cannot hand an array of a size of its own to whoever called it, so such functions run on
// the host, and a map that calls one becomes a loop there.  What is parallel inside the functions
// stays parallel.
#include <algorithm>

#include "ir/fields.h"
#include "passes/flatten/flattener.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

bool Flattener::calls_host(const Body& body) const {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
    const auto* call = as<Call>(one.operation);
    bool found = call != nullptr && host_functions_.contains(call->function);
    for_each_scope(one.operation, [&](const Body& inner) { found = found || calls_host(inner); });
    return found;
  });
}

// Functions with array results, and those that call them.
void Flattener::find_host_functions() {
  for (const Function& function : program_.functions) {
    const bool gives_arrays =
        std::any_of(function.result_types.begin(), function.result_types.end(),
                    [](const Type& type) { return type.is_array(); });
    if (gives_arrays) host_functions_.insert(function.name);
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const Function& function : program_.functions) {
      if (host_functions_.contains(function.name) || !calls_host(function.body)) continue;
      host_functions_.insert(function.name);
      grown = true;
    }
  }
}

void Flattener::loop_over_host_calls(Body& body) {
  Out out;
  for (Statement& statement : body.statements) {
    if (auto* branch = as<Branch>(statement.operation)) {
      loop_over_host_calls(branch->then_body);
      loop_over_host_calls(branch->else_body);
    } else if (auto* loop = as<Loop>(statement.operation)) {
      loop_over_host_calls(loop->body);
    } else if (auto* with = as<WithAccumulator>(statement.operation)) {
      loop_over_host_calls(with->body.body);
    }
    emit_with_host_calls(std::move(statement), out);
  }
  body.statements = std::move(out);
}

void Flattener::emit_with_host_calls(Statement statement, Out& out) {
  if (auto* map = as<MapScanReduce>(statement.operation)) {
    const bool in_post = map->post.has_value() && calls_host(map->post->body);
    if (in_post || calls_host(map->map.body)) {
      MapScanReduce taken = std::move(*map);
      if (is_map(taken)) return emit_host_loop(std::move(statement), std::move(taken), out);
      const std::vector<Statement> parts =
          in_post ? split_post_off(std::move(statement), std::move(taken))
                  : split_map_off(std::move(statement), std::move(taken));
      for (const Statement& part : parts) emit_with_host_calls(part, out);
      return;
    }
  } else if (auto* histogram = as<Histogram>(statement.operation)) {
    if (calls_host(histogram->map.body)) take_map_off(*histogram, statement, out);
  } else if (auto* scatter = as<Scatter>(statement.operation)) {
    if (calls_host(scatter->map.body)) take_map_off(*scatter, statement, out);
  }
  out.push_back(std::move(statement));
}

// The map of a histogram or a scatter as a statement before it.
template <typename Node>
void Flattener::take_map_off(Node& node, const Statement& statement, Out& out) {
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

// results = map f xs  →  results = loop rs = scratch for i < n do rs with [i] = f xs[i]
void Flattener::emit_host_loop(Statement statement, MapScanReduce map, Out& out) {
  const NameId index = names_.fresh("i", scalar_of(ScalarType::i64));
  Loop loop;
  loop.form = ForForm{{index}, map.width};
  const auto add = [&](NameId result, Operation operation) {
    loop.body.statements.push_back(
        Statement{{{result}}, std::move(operation), {}, statement.location});
  };
  std::vector<std::pair<NameId, NameId>> accumulators;  // inside and around the loop
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    const NameId parameter = map.map.parameters[i].name;
    const Type type = names_.type(parameter);
    if (type.kind == TypeKind::accumulator) {
      accumulators.emplace_back(parameter, map.arrays[i]);
    } else if (type.is_scalar()) {
      add(parameter, Index{map.arrays[i], {index}});
    } else {
      // The body may write to its row.
      const NameId row = names_.fresh_like(parameter);
      add(row, Index{map.arrays[i], {index}});
      add(parameter, Copy{row});
    }
  }
  for (Statement& one : map.map.body.statements) loop.body.statements.push_back(std::move(one));

  auto accumulator = accumulators.begin();
  for (std::size_t k = 0; k < map.map.result_types.size(); ++k) {
    const Operand& value = map.map.body.results[k];
    const Type& row = map.map.result_types[k];
    if (row.kind == TypeKind::accumulator) {
      loop.values.push_back({{accumulator->first}, accumulator->second});
      loop.body.results.push_back(value);
      ++accumulator;
      continue;
    }
    const Type type = array_over(map.width, row);
    const NameId unwritten = names_.fresh("rows", type);
    out.push_back(Statement{
        {{unwritten}}, Scratch{type.element, type.shape}, statement.tokens, statement.location});
    const NameId rows = names_.fresh("rows", type);
    const NameId written = names_.fresh("rows", type);
    std::vector<SliceDimension> place{{true, index, i64_operand(1), i64_operand(1)}};
    for (const Operand& size : row.shape) {
      place.push_back({false, i64_operand(0), size, i64_operand(1)});
    }
    add(written, Update{rows, std::move(place), value});
    loop.values.push_back({{rows}, unwritten});
    loop.body.results.push_back(written);
  }
  loop_over_host_calls(loop.body);
  statement.operation = std::move(loop);
  out.push_back(std::move(statement));
}

}  // namespace dagaz::passes::flattening
