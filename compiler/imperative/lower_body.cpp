// Bodies and statements: order, and where results are wanted.
#include "imperative/lowering.h"

#include <algorithm>

#include "plan/array_uses.h"
#include "support/match.h"

namespace dagaz::imperative {

Lowering::Lowering(Emission& emission, Program& program, const ir::Program& source)
    : Emitter(emission), program_(program), source_(source) {}

void Lowering::unsupported(std::string_view what) const {
  throw Unsupported{std::string(what), location_};
}

// ---------------------------------------------------------------- bodies

void Lowering::lower_body(const ir::Body& body, const std::vector<Wish>& wishes,
                          const Finish& finish) {
  for (const ir::Statement& one : body.statements) forget_places(one);
  propagate_wishes(body, wishes);
  const bool host = mode_ == Mode::host;
  if (host) enter_host_scope(body);
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
    if (k >= wishes.size() || !wishes[k] || *values[k].place == *wishes[k]) continue;
    copy(*wishes[k], *values[k].place, values[k].type);
    values[k].place = wishes[k];
  }
  finish(values);
  if (host) leave_host_scope();
}

void Lowering::lower_lambda(const ir::Lambda& lambda, const std::vector<Value>& arguments,
                            const std::vector<Wish>& wishes, const Finish& finish) {
  for (std::size_t k = 0; k < lambda.parameters.size(); ++k) {
    assign(lambda.parameters[k].name, arguments[k]);
  }
  lower_body(lambda.body, wishes, finish);
}

void Lowering::lower_statement(const ir::Statement& statement) {
  location_ = statement.location;
  std::visit([&](const auto& operation) { lower(statement, operation); }, statement.operation);
}

// ---------------------------------------------------------------- wishes

// Code may have several versions of a body: each lowers it again, with places of its own.
void Lowering::forget_places(const ir::Statement& statement) {
  for (const ir::Binder& result : statement.results) {
    places_.erase(result.name);
    wishes_.erase(result.name);
  }
}

void Lowering::propagate_wishes(const ir::Body& body, const std::vector<Wish>& wishes) {
  bool any = false;
  for (std::size_t k = 0; k < wishes.size(); ++k) {
    if (!wishes[k]) continue;
    wish(body.results[k], *wishes[k]);
    if (!body.results[k].is_name()) continue;
    const auto over = overwritten_.find(body.results[k].name());
    if (over != overwritten_.end()) wish(over->second, *wishes[k]);
    any = true;
  }
  if (!any) return;
  for (std::size_t k = body.statements.size(); k-- > 0;) hand_on_wish(body.statements[k]);
}

void Lowering::wish(const Operand& value, const Place& place) {
  // What already has a place stays there and is copied at the end.
  if (!value.is_name() || has_place(value.name())) return;
  wishes_.try_emplace(value.name(), place);
}

Wish Lowering::wish_for(NameId name) const {
  const auto found = wishes_.find(name);
  return found == wishes_.end() ? std::nullopt : Wish(found->second);
}

void Lowering::hand_on_wish(const ir::Statement& statement) {
  const auto wanted = [&](std::size_t k) { return wish_for(statement.results[k].name); };
  if (const auto* update = as<ir::Update>(statement.operation)) {
    if (const Wish place = wanted(0)) wish(update->array, *place);
  } else if (const auto* identity = as<ir::Identity>(statement.operation)) {
    if (const Wish place = wanted(0)) wish(identity->value, *place);
  } else if (const auto* permute = as<ir::Permute>(statement.operation)) {
    if (const Wish place = wanted(0)) {
      wish(permute->array, permuted_back(*place, permute->permutation));
    }
  } else if (const auto* scatter = as<ir::Scatter>(statement.operation)) {
    for (std::size_t k = 0; k < scatter->targets.size(); ++k) {
      if (const Wish place = wanted(k)) wish(scatter->targets[k].destination, *place);
    }
  } else if (const auto* histogram = as<ir::Histogram>(statement.operation)) {
    std::size_t k = 0;
    for (const ir::HistogramOperator& one : histogram->operators) {
      for (const NameId destination : one.destinations) {
        if (const Wish place = wanted(k++)) wish(destination, *place);
      }
    }
  } else if (const auto* with = as<ir::WithAccumulator>(statement.operation)) {
    for (std::size_t k = 0; k < with->inputs.size(); ++k) {
      if (const Wish place = wanted(k)) wish(with->inputs[k].array, *place);
    }
  } else if (const auto* loop = as<ir::Loop>(statement.operation)) {
    for (std::size_t k = 0; k < loop->values.size(); ++k) {
      const Wish place = wanted(k);
      const NameId parameter = loop->values[k].parameter.name;
      if (place && plan::is_updated_in_place(loop->body, k, parameter, names())) {
        wish(loop->values[k].initial, *place);
      }
    }
  }
}

}  // namespace dagaz::imperative
