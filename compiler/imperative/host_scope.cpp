// Bodies of host code: what is found out when one is entered, and when its blocks die.
#include "imperative/lowering.h"

#include <algorithm>

namespace dagaz::imperative {

void Lowering::enter_host_scope(const ir::Body& body) {
  HostScope scope;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const ir::Statement& one = body.statements[k];
    for (const ir::Binder& result : one.results) scope.bindings.emplace(result.name, k);
    scope.mentioned.push_back(ir::free_names(one, names()));
    for (const NameId name : scope.mentioned.back()) {
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
  std::unordered_set<NameId> concatenations;
  for (const ir::Statement& one : body.statements) {
    if (as<ir::Concat>(one.operation)) concatenations.insert(one.results[0].name);
    const auto* permute = as<ir::Permute>(one.operation);
    if (!permute || !concatenations.contains(permute->array)) continue;
    if (scope.uses.at(permute->array) > 1) continue;
    scope.turned.emplace(permute->array, &one);
  }
}

// What each point of a row makes is seen only as parts of all points: then the points are neighbours
// in memory.
void Lowering::find_points_within(const ir::Body& body, HostScope& scope) {
  if (is_gpu()) return;
  std::unordered_set<NameId> made;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const ir::Statement& one = body.statements[k];
    const auto* permute = as<ir::Permute>(one.operation);
    const bool within = permute != nullptr && permute->permutation.front() != 0;
    for (const NameId name : scope.mentioned[k]) {
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
