// Bodies and statements: order, when blocks die, and where results are wanted.
#include "imperative/lowering.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::imperative {

Lowering::Lowering(Program& program, const ir::Program& source)
    : Emitter(program.names), program_(program), source_(source) {}

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
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    if (host) scopes_.back().current = k;
    lower_statement(body.statements[k]);
    if (host) release_dead(k);
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

// ---------------------------------------------------------------- when blocks die

void Lowering::enter_host_scope(const ir::Body& body) {
  HostScope scope;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const ir::Statement& one = body.statements[k];
    for (const ir::Binder& result : one.results) scope.bindings.emplace(result.name, k);
    for (const NameId name : ir::free_names(one, names())) {
      scope.last_use[name] = k;
      ++scope.uses[name];
    }
    if (as<ir::Replicate>(one.operation) || as<ir::Scratch>(one.operation) ||
        as<ir::SegmentedMap>(one.operation) || as<ir::SegmentedReduce>(one.operation)) {
      for (const ir::Binder& result : one.results) scope.made.insert(result.name);
    }
    if (const auto* with = as<ir::WithAccumulator>(one.operation)) {
      for (std::size_t i = 0; i < with->inputs.size(); ++i) {
        if (scope.made.contains(with->inputs[i].array)) scope.made.insert(one.results[i].name);
      }
    }
  }
  for (const Operand& result : body.results) {
    if (!result.is_name()) continue;
    scope.last_use[result.name()] = body.statements.size();
    ++scope.uses[result.name()];
  }
  find_turned(body, scope);
  find_points_within(body, scope);
  plan_concats(body, scope);
  find_replaced_parts(body, scope);
  scopes_.push_back(std::move(scope));
}

// What is put together only to be permuted is put together in that order.
void Lowering::find_turned(const ir::Body& body, HostScope& scope) {
  std::unordered_map<NameId, int> uses;  // of concatenations
  for (const ir::Statement& one : body.statements) {
    for (const NameId name : ir::free_names(one, names())) {
      if (const auto found = uses.find(name); found != uses.end()) ++found->second;
    }
    if (as<ir::Concat>(one.operation)) uses.emplace(one.results[0].name, 0);
  }
  for (const ir::Statement& one : body.statements) {
    const auto* permute = as<ir::Permute>(one.operation);
    if (!permute || !uses.contains(permute->array) || uses[permute->array] > 1) continue;
    if (scope.last_use[permute->array] == body.statements.size()) continue;  // a result
    scope.turned.emplace(permute->array, &one);
  }
}

// What each point of a row makes is seen only as parts of all points: then the points are neighbours
// in memory.
void Lowering::find_points_within(const ir::Body& body, HostScope& scope) {
  if (is_gpu()) return;
  std::unordered_set<NameId> made;
  for (const ir::Statement& one : body.statements) {
    const auto* permute = as<ir::Permute>(one.operation);
    const bool within = permute != nullptr && permute->permutation.front() != 0;
    for (const NameId name : ir::free_names(one, names())) {
      if (!within) {
        scope.points_within.erase(name);
      } else if (made.contains(name)) {
        scope.points_within.insert(name);
      }
      if (!within) made.erase(name);
    }
    const auto* map = as<ir::SegmentedMap>(one.operation);
    if (map == nullptr || map->space.size() != 1) continue;
    for (const ir::Binder& result : one.results) {
      const ir::Type& type = names().type(result.name);
      if (type.kind == ir::TypeKind::value && type.rank() > 1) made.insert(result.name);
    }
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) scope.points_within.erase(result.name());
  }
}

void Lowering::place_points_within(const ir::Statement& s) {
  for (const ir::Binder& result : s.results) {
    if (!scopes_.back().points_within.contains(result.name) || wish_for(result.name)) continue;
    ir::Type type = names().type(result.name);
    std::rotate(type.shape.begin(), type.shape.begin() + 1, type.shape.end());
    std::vector<int> outermost = {static_cast<int>(type.rank()) - 1};
    for (int k = 0; k + 1 < static_cast<int>(type.rank()); ++k) outermost.push_back(k);
    wish(result.name, permuted(new_array(type, names().base(result.name)), outermost));
  }
}

void Lowering::own(NameId block) {
  scopes_.back().owned.push_back({block, scopes_.back().current});
}

void Lowering::keep_alive(NameId block, NameId array) {
  HostScope& scope = scopes_.back();
  const auto use = scope.last_use.find(array);
  if (use == scope.last_use.end()) return;
  for (Owned& owned : scope.owned) {
    if (owned.block == block) owned.last = std::max(owned.last, use->second);
  }
}

void Lowering::host_branch(const Operand& condition, const std::function<void()>& yes,
                           const std::function<void()>& no) {
  const auto scoped = [this](const std::function<void()>& build) {
    scopes_.push_back({});
    if (build) build();
    leave_host_scope();
  };
  branch(condition, [&] { scoped(yes); }, [&] { scoped(no); });
}

void Lowering::release_dead(std::size_t statement) {
  std::vector<Owned>& owned = scopes_.back().owned;
  std::erase_if(owned, [&](const Owned& one) {
    if (one.last > statement) return false;
    emit(Release{one.block});
    return true;
  });
}

void Lowering::leave_host_scope() {
  for (const Owned& one : scopes_.back().owned) emit(Release{one.block});
  scopes_.pop_back();
}

}  // namespace dagaz::imperative
