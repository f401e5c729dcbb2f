// Values that a map stores for later maps over the same elements, computed there instead.
//
//   ks, ss = map (\x s -> (g x, s + f x)) xs s0s      ks = map (\x -> g x) xs
//   ts     = map (\s k -> s + h k) ss ks          =   ts = map (\s x k -> s + f x + h k) s0s xs ks
//
// Fusion makes one map of two where the second reads nothing that comes between them.  A time step
// of several stages is not so: each stage reads neighbours of what the one before gives.  Yet the
// sum over the stages, and in reverse mode every adjoint that several maps add to, needs its own
// elements alone.  It need not travel through memory from stage to stage.
//
// A value is moved where that saves more than it costs, counted for an element: what no longer has
// to be written and read, against what the later maps read besides and compute again.  What takes
// longer than that is not computed twice.  An operand may have to live longer: in a loop by one
// array more than the value that is not stored, elsewhere by none.
//
// Comes after fusion: until then, most of what is stored will not be.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/alias.h"
#include "ir/cost.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/dead_code.h"
#include "passes/map_parts.h"
#include "passes/passes.h"
#include "passes/tokens.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

MapScanReduce* as_map(Statement& statement) { return as<MapScanReduce>(statement.operation); }

template <typename T>
bool contains(const std::vector<T>& items, const T& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

/// Whether a map with this body may compute its scalars more than once for each element.
bool has_scopes(const Body& body) {
  bool found = false;
  for (const Statement& each : body.statements) {
    for_each_scope(each.operation, [&](const Body&) { found = true; });
  }
  return found;
}

/// The statements and parameters of a map's function that its results need.
class Needed {
 public:
  Needed(const MapScanReduce& map, const Names& names) {
    for (const Operand& each : map.map.body.results) add(each);
    const std::vector<Statement>& statements = map.map.body.statements;
    for (auto at = statements.rbegin(); at != statements.rend(); ++at) {
      if (!needs(*at)) continue;
      for (const NameId each : free_names(*at, names)) names_.insert(each);
    }
  }
  bool needs(NameId name) const { return names_.contains(name); }
  bool needs(const Statement& statement) const {
    if (!std::holds_alternative<Scalar>(statement.operation)) return true;
    return needs(statement.results[0].name);
  }

 private:
  void add(const Operand& operand) {
    if (operand.is_name()) names_.insert(operand.name());
  }
  NameSet names_;
};

/// How a later map computes a value itself.
struct Recipe {
  std::vector<const Statement*> statements;  // in order
  std::vector<std::size_t> inputs;  // arrays of the first map that are read element by element
  std::vector<std::size_t> stored;           // mapped results of the first map, which are read
  std::int64_t cost = 0;
};

class Mover {
 public:
  Mover(Program& program, const Function& function, const Tunables& tunables)
      : names_(program.names),
        aliases_(analyse_aliases(function, program)),
        tunables_(tunables) {}

  void body(Body& body, bool in_loop) {
    for (Statement& statement : body.statements) {
      const bool loop = std::holds_alternative<Loop>(statement.operation);
      if (!loop && !std::holds_alternative<Branch>(statement.operation)) continue;
      for_each_scope(statement.operation,
                     [&](Body& inner) { this->body(inner, in_loop || loop); });
    }
    const auto maps = std::count_if(body.statements.begin(), body.statements.end(),
                                    [](Statement& each) { return as_map(each) != nullptr; });
    if (maps < 2) return;
    statements_ = &body.statements;
    in_loop_ = in_loop;
    find_uses(body);
    // Backwards: what a value is added to moves after it.
    for (std::size_t i = body.statements.size(); i-- > 0;) from(i);
  }
  bool changed() const { return changed_; }

 private:
  Statement& at(std::size_t i) { return (*statements_)[i]; }

  /// Of an operation on numbers in registers.
  std::int64_t cost_of(const Scalar& scalar) const {
    return is_cheap(scalar.op) ? 1 : tunables_.slow_operation;
  }

  void find_uses(const Body& body) {
    uses_.clear();
    bound_.clear();
    for (std::size_t i = 0; i < body.statements.size(); ++i) {
      for (const NameId each : free_names(body.statements[i], names_)) uses_[each].push_back(i);
      for (const Binder& each : body.statements[i].results) bound_.insert(each.name);
    }
    for (const Operand& each : body.results) {
      if (each.is_name()) uses_[each.name()].push_back(body.statements.size());
    }
  }

  // Moves what can be moved of the values that statement `first` stores.
  void from(std::size_t first) {
    MapScanReduce* map = as_map(at(first));
    if (map == nullptr || !map->scans.empty() || map->post) return;
    for (std::size_t i = map->map.body.results.size(); i-- > value_count(map->reductions);) {
      if (map->map.result_types[i].is_scalar() && is_read_by_maps(first, i)) move(first, i);
    }
  }

  // Whether nothing but later maps over the same elements reads the value, at their own points.
  bool is_read_by_maps(std::size_t first, std::size_t result) {
    const NameId array = at(first).results[result].name;
    const auto used = uses_.find(array);
    if (used == uses_.end() || used->second.empty() || aliases_.is_consumed(array)) return false;
    return std::all_of(used->second.begin(), used->second.end(), [&](std::size_t user) {
      if (user == statements_->size()) return false;
      const MapScanReduce* map = as_map(at(user));
      if (map == nullptr || !(map->width == as_map(at(first))->width)) return false;
      if (has_scopes(map->map.body)) return false;
      MapScanReduce without = *map;
      without.arrays.clear();
      return !contains(free_names(Operation(std::move(without)), names_), array);
    });
  }

  void move(std::size_t first, std::size_t result) {
    const NameId array = at(first).results[result].name;
    const std::vector<std::size_t> users = uses_[array];
    std::vector<Recipe> recipes;
    std::int64_t cost = -tunables_.stored_number - saved_in_first(first, result);
    NameSet longer;
    for (const std::size_t user : users) {
      auto recipe = recipe_for(first, result, user);
      if (!recipe || !are_unchanged(*recipe, first, user)) return;
      cost +=
          recipe->cost - tunables_.stored_number + cost_of_reading(*recipe, first, user, longer);
      recipes.push_back(std::move(*recipe));
    }
    if (cost >= 0 || longer.size() > (in_loop_ ? 2U : 1U)) return;
    for (std::size_t k = 0; k < users.size(); ++k) {
      compute_in(users[k], array, first, result, recipes[k]);
    }
    drop(first, result);
    changed_ = true;
  }

  // What the first map no longer computes and reads without the value.
  std::int64_t saved_in_first(std::size_t first, std::size_t result) {
    MapScanReduce& map = *as_map(at(first));
    const Needed with(map, names_);
    const Operand value = map.map.body.results[result];
    map.map.body.results.erase(map.map.body.results.begin() +
                               static_cast<std::ptrdiff_t>(result));
    const Needed without(map, names_);
    map.map.body.results.insert(
        map.map.body.results.begin() + static_cast<std::ptrdiff_t>(result), value);
    std::int64_t saved = 0;
    for (const Statement& each : map.map.body.statements) {
      if (with.needs(each) && !without.needs(each)) saved += cost_of(*as<Scalar>(each.operation));
    }
    for (const Binder& each : map.map.parameters) {
      if (with.needs(each.name) && !without.needs(each.name)) saved += tunables_.stored_number;
    }
    return saved;
  }

  // The recipe for `user`, which takes what it reads anyway from memory.
  std::optional<Recipe> recipe_for(std::size_t first, std::size_t result, std::size_t user) {
    const MapScanReduce& map = *as_map(at(first));
    const std::vector<NameId>& read = as_map(at(user))->arrays;
    Recipe recipe;
    NameSet needed;
    if (const Operand& value = map.map.body.results[result]; value.is_name()) {
      needed.insert(value.name());
    }
    const std::vector<Statement>& statements = map.map.body.statements;
    for (auto each = statements.rbegin(); each != statements.rend(); ++each) {
      if (std::none_of(each->results.begin(), each->results.end(),
                       [&](const Binder& one) { return needed.contains(one.name); })) {
        continue;
      }
      const auto* scalar = as<Scalar>(each->operation);
      if (scalar == nullptr) return std::nullopt;
      const auto stored = stored_as(first, each->results[0].name);
      if (stored && *stored != result && contains(read, at(first).results[*stored].name)) {
        recipe.stored.push_back(*stored);
        continue;
      }
      recipe.statements.insert(recipe.statements.begin(), &*each);
      recipe.cost += cost_of(*scalar);
      for (const NameId name : free_names(*each, names_)) needed.insert(name);
    }
    for (std::size_t i = 0; i < map.arrays.size(); ++i) {
      const NameId parameter = map.map.parameters[i].name;
      if (!needed.contains(parameter)) continue;
      if (!names_.type(parameter).is_scalar()) return std::nullopt;
      recipe.inputs.push_back(i);
    }
    return recipe;
  }
  std::optional<std::size_t> stored_as(std::size_t first, NameId value) {
    const MapScanReduce& map = *as_map(at(first));
    for (std::size_t i = value_count(map.reductions); i < map.map.body.results.size(); ++i) {
      if (map.map.body.results[i] == Operand(value)) return i;
    }
    return std::nullopt;
  }

  // Whether the operands still have their values when the user runs.
  bool are_unchanged(const Recipe& recipe, std::size_t first, std::size_t user) {
    const MapScanReduce& map = *as_map(at(first));
    for (const std::size_t input : recipe.inputs) {
      const NameId array = map.arrays[input];
      if (!aliases_.is_consumed(array)) continue;
      for (std::size_t i = first + 1; i <= user; ++i) {
        if (aliases_.may_write(at(i), array)) return false;
      }
    }
    return true;
  }

  // What reading the operands costs the user; those that so live longer go to `longer`.
  std::int64_t cost_of_reading(const Recipe& recipe, std::size_t first, std::size_t user,
                               NameSet& longer) {
    const MapScanReduce& map = *as_map(at(first));
    int cost = 0;
    for (const std::size_t input : recipe.inputs) {
      const NameId array = map.arrays[input];
      if (bound_.contains(array) && uses_[array].back() < user) longer.insert(array);
      if (!contains(as_map(at(user))->arrays, array)) cost += tunables_.stored_number;
    }
    return cost;
  }

  // Makes the user compute the value instead of reading `array`.
  void compute_in(std::size_t user, NameId array, std::size_t first, std::size_t result,
                  const Recipe& recipe) {
    const Statement& producer = at(first);
    const MapScanReduce& from = *as_map(at(first));
    MapScanReduce& to = *as_map(at(user));
    Substitution with;
    for (const std::size_t stored : recipe.stored) {
      with.emplace(from.map.body.results[stored].name(),
                   element_of(user, producer.results[stored].name));
    }
    for (const std::size_t input : recipe.inputs) {
      with.emplace(from.map.parameters[input].name, element_of(user, from.arrays[input]));
    }
    std::vector<Statement> statements;
    for (const Statement* each : recipe.statements) {
      Statement copy = *each;
      const NameId old = copy.results[0].name;
      substitute(copy, with, names_);
      copy.results[0].name = names_.fresh_like(old);
      with.insert_or_assign(old, Operand(copy.results[0].name));
      statements.push_back(std::move(copy));
    }
    Substitution instead;
    const Operand value = substitute(from.map.body.results[result], with);
    drop_arrays(to.arrays, to.map, [&](std::size_t i) {
      if (to.arrays[i] != array) return false;
      instead.emplace(to.map.parameters[i].name, value);
      return true;
    });
    substitute(to.map, instead, names_);
    std::move(to.map.body.statements.begin(), to.map.body.statements.end(),
              std::back_inserter(statements));
    to.map.body.statements = std::move(statements);
    add_tokens(at(user).tokens, producer.tokens);
  }

  // The element of `array` in the map's function, where it may have to become a parameter.
  Operand element_of(std::size_t user, NameId array) {
    MapScanReduce& map = *as_map(at(user));
    for (std::size_t i = 0; i < map.arrays.size(); ++i) {
      if (map.arrays[i] == array) return map.map.parameters[i].name;
    }
    const NameId parameter =
        names_.fresh(names_.base(array), scalar_of(names_.type(array).element));
    map.arrays.push_back(array);
    map.map.parameters.push_back({parameter});
    std::vector<std::size_t>& uses = uses_[array];
    uses.insert(std::lower_bound(uses.begin(), uses.end(), user), user);
    return parameter;
  }

  // Removes the value from the first map, and what only it needed.
  void drop(std::size_t first, std::size_t result) {
    MapScanReduce& map = *as_map(at(first));
    uses_.erase(at(first).results[result].name);
    select_results(at(first), map, [&](std::size_t k) { return k != result; });
    const Needed needed(map, names_);
    std::erase_if(map.map.body.statements,
                  [&](const Statement& each) { return !needed.needs(each); });
    drop_arrays(map.arrays, map.map, [&](std::size_t i) {
      const bool value = names_.type(map.arrays[i]).kind == TypeKind::value;
      if (!value || needed.needs(map.map.parameters[i].name)) return false;
      std::erase(uses_[map.arrays[i]], first);
      return true;
    });
  }

  Names& names_;
  AliasInfo aliases_;
  const Tunables& tunables_;
  std::vector<Statement>* statements_ = nullptr;
  std::unordered_map<NameId, std::vector<std::size_t>> uses_;  // in order; results come last
  NameSet bound_;
  bool in_loop_ = false;
  bool changed_ = false;
};

}  // namespace

bool rematerialise(ParallelProgram& program, const Tunables& tunables) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    Mover mover(program.program, function, tunables);
    mover.body(function.body, false);
    if (!mover.changed()) continue;
    eliminate_dead_code(function, program.program.names);
    changed = true;
  }
  return changed;
}

}  // namespace dagaz::passes
