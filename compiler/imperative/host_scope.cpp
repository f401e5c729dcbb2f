// Bodies of host code: what is found out when one is entered, and when its blocks die.
#include "imperative/lowering.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/name_flags.h"

namespace dagaz::imperative {

namespace {

/// The names free in what it visits.  Those of the bodies inside are put together from those of
/// their statements, which are remembered: nests of any depth are walked once.
class FreeNames {
 public:
  FreeNames(const ir::Names& names, Mentioned& mentioned) : names_(names), mentioned_(mentioned) {}

  void use(NameId name) {
    if (used_.insert(name)) order_.push_back(name);
  }
  void use(const Operand& operand) {
    if (operand.is_name()) use(operand.name());
  }
  void bind(const ir::Binder& binder) {
    bound_.insert(binder.name);
    type(names_.type(binder.name));
  }
  void type(const ir::Type& type) {
    for (const Operand& size : type.shape) use(size);
  }
  void body(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) {
      for (const NameId name : of(one)) use(name);
      for (const ir::Binder& result : one.results) bound_.insert(result.name);
    }
    for (const Operand& result : body.results) use(result);
  }
  void lambda(const ir::Lambda& lambda) { ir::walk_lambda(*this, lambda); }

 private:
  const std::vector<NameId>& of(const ir::Statement& statement) {
    std::vector<NameId> found;
    if (as<ir::Loop>(statement.operation) || as<ir::Branch>(statement.operation)) {
      FreeNames inside(names_, mentioned_);
      ir::walk_statement(inside, statement);
      found = inside.take();
    } else {
      found = ir::free_names(statement, names_);
    }
    return mentioned_.insert_or_assign(&statement, std::move(found)).first->second;
  }
  std::vector<NameId> take() {
    std::erase_if(order_, [this](NameId name) { return bound_.contains(name); });
    return std::move(order_);
  }

  const ir::Names& names_;
  Mentioned& mentioned_;
  ir::NameFlags used_;
  ir::NameFlags bound_;
  std::vector<NameId> order_;
};

}  // namespace

Mentioned mentioned_in(const ir::Body& body, const ir::Names& names) {
  Mentioned mentioned;
  FreeNames(names, mentioned).body(body);
  return mentioned;
}

void Lowering::enter_host_scope(const ir::Body& body) {
  HostScope scope;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const ir::Statement& one = body.statements[k];
    for (const ir::Binder& result : one.results) scope.bindings.emplace(result.name, k);
    // A copy of a statement was not there when the function was entered.
    const auto known = mentioned_.find(&one);
    scope.mentioned.push_back(known != mentioned_.end() ? known->second
                                                        : ir::free_names(one, names()));
    for (const NameId name : scope.mentioned.back()) {
      scope.last_use[name] = k;
      ++scope.uses[name];
      if (!names().type(name).is_array()) continue;
      for (const NameId root : aliases_.roots(name)) scope.last_use_of_memory[root] = k;
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
    for (const NameId root : aliases_.roots(result.name())) {
      scope.last_use_of_memory[root] = body.statements.size();
    }
  }
  find_turned(body, scope);
  find_points_within(body, scope);
  plan_concats(body, scope);
  find_replaced_parts(body, scope);
  find_written_parts(body, scope);
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
