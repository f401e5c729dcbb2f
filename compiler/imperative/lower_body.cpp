// Bodies and statements: order, and where results are wanted.
#include "imperative/lowering.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::imperative {

Lowering::Lowering(Emission& emission, Program& program, const ir::PlannedProgram& planned,
                   const plan::Settings& settings)
    : Emitter(emission), program_(program), source_(planned.program), settings_(settings),
      task_operations_(planned.task_operations), points_per_thread_(planned.points_per_thread) {}

void Lowering::unsupported(std::string_view what) const {
  throw Unsupported{std::string(what), location_};
}

// ---------------------------------------------------------------- bodies

void Lowering::lower_body(const ir::Body& body, const std::vector<Destination>& destinations,
                          const Finish& finish) {
  for (const ir::Statement& one : body.statements) forget_places(one);
  send_to_destinations(body, destinations);
  const bool host = mode_ == Mode::host;
  if (host) scopes_.push_back({});
  for (std::size_t k = 0; k < body.statements.size();) {
    if (host) scopes_.back().current = k;
    std::size_t next = k + (host ? lower_together(body, k) : 0);
    if (next == k) lower_statement(body.statements[next++]);
    for (; k < next; ++k) {
      if (host) release_dead(k);
    }
  }
  if (host) scopes_.back().current = body.statements.size();
  std::vector<Value> values;
  for (const Operand& result : body.results) values.push_back(value_of(result));
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k >= destinations.size() || !destinations[k] || *values[k].place == *destinations[k]) {
      continue;
    }
    copy(*destinations[k], *values[k].place, values[k].type);
    values[k].place = destinations[k];
  }
  finish(values);
  if (host) leave_host_scope();
}

void Lowering::lower_lambda(const ir::Lambda& lambda, const std::vector<Value>& arguments,
                            const std::vector<Destination>& destinations, const Finish& finish) {
  for (std::size_t k = 0; k < lambda.parameters.size(); ++k) {
    assign(lambda.parameters[k].name, arguments[k]);
  }
  lower_body(lambda.body, destinations, finish);
}

void Lowering::lower_statement(const ir::Statement& statement) {
  location_ = statement.location;
  std::visit([&](const auto& operation) { lower(statement, operation); }, statement.operation);
}

// ---------------------------------------------------------------- destinations

// Code may have several versions of a body: each lowers it again, with places of its own.
void Lowering::forget_places(const ir::Statement& statement) {
  for (const ir::Binder& result : statement.results) {
    places_.erase(result.name);
    destinations_.erase(result.name);
  }
}

void Lowering::send_to_destinations(const ir::Body& body,
                                    const std::vector<Destination>& destinations) {
  if (destinations.empty()) return;
  for (const ir::Statement& one : body.statements) {
    for (const ir::Binder& result : one.results) {
      const auto found = memory_.destinations.find(result.name);
      if (found == memory_.destinations.end()) continue;
      const memory::Destination& to = found->second;
      if (to.result >= destinations.size() || !destinations[to.result]) continue;
      const Place& place = *destinations[to.result];
      destinations_.insert_or_assign(result.name,
                               to.permutation.empty() ? place : permuted(place, to.permutation));
    }
  }
}

Destination Lowering::destination_of(NameId name) const {
  const auto found = destinations_.find(name);
  return found == destinations_.end() ? std::nullopt : Destination(found->second);
}

// Copies with names of their own, for another version of the same code.
ir::Lambda Lowering::copy_of(const ir::Lambda& lambda) {
  ir::Lambda copy = ir::renamed(lambda, names());
  memory::place_thread(copy.body, names(), memory_);
  return copy;
}

}  // namespace dagaz::imperative
