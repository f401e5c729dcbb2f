// Bodies and statements: order, and where results are wanted.
#include "imperative/lowering.h"

#include <algorithm>

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
      if (place && is_updated_in_place(loop->body, k, loop->values[k].parameter.name)) {
        wish(loop->values[k].initial, *place);
      }
    }
  }
}

static const ir::Statement* binding_of(const ir::Body& body, NameId name, std::size_t& position) {
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    for (std::size_t r = 0; r < body.statements[k].results.size(); ++r) {
      if (body.statements[k].results[r].name == name) {
        position = r;
        return &body.statements[k];
      }
    }
  }
  return nullptr;
}

bool Lowering::is_updated_in_place(const ir::Body& body, std::size_t result,
                                   NameId parameter) const {
  const Operand& operand = body.results[result];
  if (!operand.is_name()) return false;
  NameId name = operand.name();
  while (name != parameter) {
    std::size_t position = 0;
    const ir::Statement* statement = binding_of(body, name, position);
    if (!statement) return false;
    if (const auto* update = as<ir::Update>(statement->operation)) {
      name = update->array;
    } else if (const auto* identity = as<ir::Identity>(statement->operation)) {
      if (!identity->value.is_name()) return false;
      name = identity->value.name();
    } else if (const auto* scatter = as<ir::Scatter>(statement->operation)) {
      name = scatter->targets[position].destination;
    } else if (const auto* histogram = as<ir::Histogram>(statement->operation)) {
      std::vector<NameId> destinations;
      for (const auto& one : histogram->operators) {
        destinations.insert(destinations.end(), one.destinations.begin(), one.destinations.end());
      }
      name = destinations[position];
    } else if (const auto* with = as<ir::WithAccumulator>(statement->operation)) {
      if (position >= with->inputs.size()) return false;
      name = with->inputs[position].array;
    } else if (const auto* loop = as<ir::Loop>(statement->operation)) {
      const ir::LoopValue& value = loop->values[position];
      if (!value.initial.is_name() ||
          !is_updated_in_place(loop->body, position, value.parameter.name)) {
        return false;
      }
      name = value.initial.name();
    } else if (const auto* branch = as<ir::Branch>(statement->operation)) {
      // Both branches hand back what came from the parameter.
      return is_updated_in_place_by_branch(body, *branch, position, parameter);
    } else {
      return false;
    }
  }
  return true;
}

// A branch keeps an array in place if each side updates the same array from around it, which in
// turn comes from `parameter`.
bool Lowering::is_updated_in_place_by_branch(const ir::Body& around, const ir::Branch& branch,
                                             std::size_t result, NameId parameter) const {
  const auto candidates = ir::free_names(ir::Operation(branch), names());
  for (const NameId candidate : candidates) {
    if (!names().type(candidate).is_array()) continue;
    if (!is_updated_in_place(branch.then_body, result, candidate) ||
        !is_updated_in_place(branch.else_body, result, candidate)) {
      continue;
    }
    if (candidate == parameter) return true;
    ir::Body outer{around.statements, {candidate}};
    return is_updated_in_place(outer, 0, parameter);
  }
  return false;
}

}  // namespace dagaz::imperative
