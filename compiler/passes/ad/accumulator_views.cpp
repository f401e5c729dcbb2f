// A walk in order; what a function gives back is found by a walk through the function.  A call of a
// function that is being walked gives nothing new: where it returns, another branch does not call.
#include "passes/ad/accumulator_views.h"

#include <algorithm>

#include "ir/fields.h"
#include "passes/ad/lists.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

bool accumulates(const Call& call) {
  return std::any_of(call.result_types.begin(), call.result_types.end(),
                     [](const Type& type) { return type.kind == TypeKind::accumulator; });
}

class Views {
 public:
  Views(AccumulatorRoots& roots, const FunctionTable& functions, std::vector<std::string> within)
      : roots_(&roots), functions_(&functions), within_(std::move(within)) {}

  void body(const Body& body) {
    for (const Statement& each : body.statements) statement(each);
  }
  void statement(const Statement& statement);

 private:
  void copy(const Operand& from, NameId to) {
    if (!from.is_name()) return;
    if (const auto found = roots_->find(from.name()); found != roots_->end()) {
      const NameId root = found->second;
      roots_->insert_or_assign(to, root);
    }
  }
  void copy(const std::vector<Operand>& from, const std::vector<Binder>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) copy(from[i], to[i].name);
  }
  // The last ones of a list are those of the other list.
  void copy_last(const std::vector<Operand>& from, const std::vector<Binder>& to) {
    const std::size_t count = std::min(from.size(), to.size());
    copy(part(from, from.size() - count, from.size()), part(to, to.size() - count, to.size()));
  }
  void map(const MapScanReduce& map, const std::vector<Binder>& results);
  void call(const Call& call, const Statement& statement);

  AccumulatorRoots* roots_;
  const FunctionTable* functions_;
  std::vector<std::string> within_;  // functions being walked
};

std::vector<std::optional<std::size_t>> parameters_given_back(const Function& function,
                                                              const FunctionTable& functions,
                                                              std::vector<std::string> within) {
  within.push_back(function.name);
  AccumulatorRoots roots;
  for (const Binder& each : function.parameters) roots.emplace(each.name, each.name);
  Views(roots, functions, std::move(within)).body(function.body);
  std::vector<std::optional<std::size_t>> places(function.result_types.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Operand& result = function.body.results[i];
    if (function.result_types[i].kind != TypeKind::accumulator) continue;
    const auto root = roots.find(result.name());
    if (root == roots.end()) continue;
    const auto place = std::find(function.parameters.begin(), function.parameters.end(),
                                 Binder{root->second});
    places[i] = static_cast<std::size_t>(place - function.parameters.begin());
  }
  return places;
}

void Views::statement(const Statement& statement) {
  const auto& results = statement.results;
  if (const auto* write = as<Accumulate>(statement.operation)) {
    copy(write->accumulator, results[0].name);
  } else if (const auto* same = as<Identity>(statement.operation)) {
    copy(same->value, results[0].name);
  } else if (const auto* mapped = as<MapScanReduce>(statement.operation)) {
    map(*mapped, results);
  } else if (const auto* loop = as<Loop>(statement.operation)) {
    for (const LoopValue& value : loop->values) copy(value.initial, value.parameter.name);
    body(loop->body);
    copy(loop->body.results, results);
  } else if (const auto* branch = as<Branch>(statement.operation)) {
    body(branch->then_body);
    body(branch->else_body);
    copy(branch->then_body.results, results);
    copy(branch->else_body.results, results);
  } else if (const auto* with = as<WithAccumulator>(statement.operation)) {
    body(with->body.body);
    copy(with->body.body.results, results);
  } else if (const auto* called = as<Call>(statement.operation)) {
    call(*called, statement);
  }
}

// Accumulators come after what is reduced and scanned.
void Views::map(const MapScanReduce& map, const std::vector<Binder>& results) {
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    copy(Operand(map.arrays[i]), map.map.parameters[i].name);
  }
  body(map.map.body);
  if (!map.post) {
    copy_last(map.map.body.results, results);
    return;
  }
  copy_last(map.map.body.results, map.post->parameters);
  body(map.post->body);
  copy_last(map.post->body.results, results);
}

void Views::call(const Call& call, const Statement& statement) {
  if (!accumulates(call) ||
      std::find(within_.begin(), within_.end(), call.function) != within_.end()) {
    return;
  }
  const auto places =
      parameters_given_back(functions_->at(call.function), *functions_, within_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i]) copy(call.arguments[*places[i]], statement.results[i].name);
  }
}

}  // namespace

void add_views(const Body& body, AccumulatorRoots& roots, const FunctionTable& functions) {
  Views(roots, functions, {}).body(body);
}

std::vector<std::optional<std::size_t>> given_back(const Function& function, const Names& names,
                                                   const FunctionTable& functions) {
  auto places = parameters_given_back(function, functions, {});
  const auto& parameters = function.parameters;
  const auto first = std::find_if(parameters.begin(), parameters.end(), [&](const Binder& each) {
    return names.type(each.name).kind == TypeKind::accumulator;
  });
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] || function.result_types[i].kind != TypeKind::accumulator) continue;
    // A function that never returns may as well give back any.
    places[i] = static_cast<std::size_t>(first - parameters.begin());
  }
  return places;
}

bool has_accumulating_call(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& each) {
    const auto* call = as<Call>(each.operation);
    bool found = call != nullptr && accumulates(*call);
    for_each_scope(each.operation,
                   [&](const Body& inner) { found = found || has_accumulating_call(inner); });
    return found;
  });
}

}  // namespace dagaz::passes::ad
