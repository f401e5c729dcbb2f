// Sequential loops, the one construct that stores.
//
// The forward sweep keeps for each iteration what its plan says (loop_plan.h), as a rule the loop
// values at its entry, in arrays of `trips` values (loop_forward.cpp).  The return sweep runs the
// iterations backwards: it restores the values, executes the rest of the body again, and carries
// the adjoints of the loop values and of the names from outside, but for those of matrices that
// iterations add little to (late_sums.h).  A loop value whose size changes
// was not kept: it is recomputed from the start for every iteration.  A `while` loop becomes a
// `for` loop first (loop_while.cpp).
#include <algorithm>
#include <utility>

#include "passes/ad/loop_sizes.h"
#include "passes/ad/report.h"
#include "passes/ad/rules/late_sums.h"
#include "passes/ad/rules/rules.h"
#include "passes/dead_code.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// A value at the entry of an iteration, from the array that has it for all of them.
struct Restored {
  NameId original;
  NameId array;
  Operand value;         // of the array
  bool is_next = false;  // at the entry of the next one
};

// The loop values whose adjoints may be nonzero in some iteration: from the results that have one,
// backwards through the body.
std::vector<bool> carried_values(Reverse& r, const Statement& statement, const Loop& loop) {
  const std::size_t count = loop.values.size();
  std::vector<bool> carried(count);
  std::vector<Directions> reaches(count, ~Directions{0});
  if (count <= static_cast<std::size_t>(max_directions)) {
    Dependence dependence(r.names());
    for (std::size_t i = 0; i < count; ++i) {
      dependence.seed(loop.values[i].parameter.name, Directions{1} << i);
    }
    dependence.run(loop.body.statements);
    for (std::size_t i = 0; i < count; ++i) reaches[i] = dependence.of(loop.body.results[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    carried[i] = r.adjoints.has(Operand(statement.results[i].name));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!carried[i]) continue;
      for (std::size_t j = 0; j < count; ++j) {
        const bool reached =
            j >= static_cast<std::size_t>(max_directions) || (reaches[i] >> j & 1) != 0;
        if (carried[j] || !reached) continue;
        if (!r.adjoints.is_active(Operand(loop.values[j].parameter.name))) continue;
        carried[j] = true;
        changed = true;
      }
    }
  }
  return carried;
}

// Loop values that were not kept: the iterations before `iteration` run once more.
void recompute_values(Reverse& r, const Statement& statement, const Loop& loop,
                      const Operand& iteration) {
  Statement prefix = renamed(statement, r.names());
  Loop& again = std::get<Loop>(prefix.operation);
  auto& form = std::get<ForForm>(again.form);
  const ScalarType index_type = r.names().type(form.index.name).element;
  Substitution to_results;
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    const NameId parameter = loop.values[i].parameter.name;
    const Type type = substitute(r.names().type(parameter), to_results);
    prefix.results[i].name = r.names().fresh(r.names().base(parameter), type);
    to_results.emplace(parameter, prefix.results[i].name);
  }
  // The bound is an emitted operand; a name of its own keeps the statement original code.
  const NameId bound = r.names().fresh("n", scalar_of(index_type));
  r.environment.bind(
      bound, r.out().convert(ScalarOp::sign_extend, ScalarType::i64, index_type, iteration));
  form.bound = bound;
  copy_protected(r, prefix);
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    r.environment.bind(loop.values[i].parameter.name,
                       r.environment.operand(Operand(prefix.results[i].name)));
  }
}

Restored restored_value(Reverse& r, NameId original, const Operand& array,
                        const std::vector<Operand>& place) {
  return {original, array.name(), r.out().index(array.name(), place, r.names().base(original))};
}

// Binds the loop's parameters to their values at the entry of an iteration.
std::vector<Restored> restore_entries(Reverse& r, const SavedLoop& saved,
                                      const Statement& statement, const Loop& loop,
                                      const Operand& iteration) {
  const auto& entries = saved.plan.entries;
  if (std::find(entries.begin(), entries.end(), LoopPlan::Entry::recomputed) != entries.end()) {
    recompute_values(r, statement, loop, iteration);
  }
  std::vector<Operand> place = saved.iteration;
  place.push_back(iteration);
  std::vector<Restored> restored;
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    const NameId parameter = loop.values[i].parameter.name;
    if (entries[i] == LoopPlan::Entry::kept) {
      restored.push_back(restored_value(r, parameter, saved.entries[i], place));
      r.environment.bind(parameter, restored.back().value);
    } else if (entries[i] == LoopPlan::Entry::final_value) {
      r.environment.bind(parameter, saved.entries[i]);
      r.kept.final_arrays.insert(parameter);
    }
  }
  return restored;
}

// What else of an iteration was kept: while its body is swept, statements that give nothing else
// are not executed again.
std::vector<Restored> restore_values(Reverse& r, const SavedLoop& saved, const Operand& iteration) {
  std::vector<Operand> place = saved.iteration;
  place.push_back(iteration);
  std::vector<Restored> restored;
  for (std::size_t i = 0; i < saved.values.size(); ++i) {
    const NameId value = saved.plan.values[i];
    restored.push_back(restored_value(r, value, saved.values[i], place));
    r.kept.known.insert_or_assign(value, restored.back().value);
  }
  if (!saved.plan.handed_on.empty()) {
    std::vector<Operand> next = saved.iteration;
    next.push_back(r.out().add_i64(iteration, i64_operand(1)));
    for (const auto& [value, name] : saved.plan.handed_on) {
      restored.push_back(restored_value(r, name, saved.entries[value], next));
      restored.back().is_next = true;
      r.kept.known.insert_or_assign(name, restored.back().value);
    }
  }
  r.kept.unknown.insert(saved.plan.unknown.begin(), saved.plan.unknown.end());
  for (std::size_t i = 0; i < saved.inner.size(); ++i) {
    const NameId key = saved.plan.inner[i].key;
    r.kept.not_repeated.insert(key);
    SavedLoop inner = saved.inner[i];
    inner.iteration = place;
    r.kept.loops.insert_or_assign(key, std::move(inner));
  }
  return restored;
}

void forget_values(Reverse& r, const SavedLoop& saved) {
  for (const NameId value : saved.plan.values) r.kept.known.erase(value);
  for (const auto& [value, name] : saved.plan.handed_on) r.kept.known.erase(name);
  for (const NameId name : saved.plan.unknown) r.kept.unknown.erase(name);
  for (const LoopPlan::Inner& each : saved.plan.inner) r.kept.not_repeated.erase(each.key);
}

// The names from outside that the results of the body are made of.
NameSet needed_names(Body body, const Names& names) {
  Function whole;
  whole.body = std::move(body);
  eliminate_dead_code(whole, names);
  const std::vector<NameId> needed = free_names(whole.body, names);
  return NameSet(needed.begin(), needed.end());
}

// The return loop while it is being built.  Its values are, in this order: the sizes that change,
// the adjoints of the loop values that are carried, the adjoints of the names from outside that the
// body adds to.
struct ReturnLoop {
  Reverse& r;
  const Statement& statement;
  const Loop& loop;
  const std::vector<Statement>& body;  // with its accumulators
  const SavedLoop& saved;
  NameSet varying;            // the sizes that change
  std::vector<bool> carried;  // per loop value
  Loop result = {};
  std::vector<std::pair<NameId, NameId>> sizes = {};  // size that changes, its parameter here
  std::vector<NameId> carried_parameters = {};        // per carried loop value
  std::vector<NameId> outside = {};                   // active names from outside
  std::vector<NameId> outside_parameters = {};
  std::vector<bool> touched = {};  // per name from outside
  std::vector<Restored> restored = {};
  AdjointTable outer = {};
  std::vector<NameId> late = {};  // names from outside
  NameId iterations = {};         // an array of them
  LateSums sums{r, saved.trips};

  void carry_sizes_and_adjoints() {
    Substitution size_parameters;
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      const NameId size = loop.values[i].parameter.name;
      if (varying.count(size) == 0) continue;
      const NameId parameter = r.names().fresh(r.names().base(size), scalar_of(ScalarType::i64));
      size_parameters.emplace(size, parameter);
      sizes.emplace_back(size, parameter);
      result.values.push_back(
          LoopValue{Binder{parameter}, r.environment.operand(Operand(statement.results[i].name))});
    }
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      if (!carried[i]) continue;
      const NameId original = loop.values[i].parameter.name;
      const Type type = r.environment.type(substitute(r.names().type(original), size_parameters));
      const NameId parameter = r.names().fresh(r.names().base(original) + "_adjoint", type);
      carried_parameters.push_back(parameter);
      result.values.push_back(
          LoopValue{Binder{parameter}, r.adjoints.take_owned(statement.results[i].name)});
    }
  }

  // Inside, the adjoint of a name from outside starts as a parameter; what is only there because
  // the body might add to it becomes a loop value once the body has.
  void enter_outside_names() {
    NameSet inside;
    for (const LoopValue& value : loop.values) inside.insert(value.parameter.name);
    // The values written into accumulators count, too.
    const Body whole{body, loop.body.results};
    for (const NameId name : r.adjoints.active_among(free_names(whole, r.names()))) {
      if (inside.count(name) == 0) outside.push_back(name);
    }
    outer = r.adjoints.exchange({});
    for (const NameId name : outside) {
      const auto found = outer.find(name);
      const bool through = found != outer.end() && found->second.accumulator.has_value();
      const Type type = through ? r.names().type(*found->second.accumulator)
                                : r.environment.type_of(Operand(name));
      const NameId parameter = r.names().fresh(r.names().base(name) + "_adjoint", type);
      outside_parameters.push_back(parameter);
      Adjoint adjoint;
      if (through) {
        adjoint.accumulator = parameter;
      } else if (r.maps_around == 0 && may_sum_late(name, body, r.names())) {
        adjoint.deferred = true;
        late.push_back(name);
      } else {
        adjoint.value = parameter;
        adjoint.ownership = Ownership::owned;
      }
      r.adjoints.set(name, std::move(adjoint));
    }
  }

  void sweep_iteration() {
    const auto& form = std::get<ForForm>(loop.form);
    const ScalarType index_type = r.names().type(form.index.name).element;
    const NameId step = r.names().fresh("i", scalar_of(ScalarType::i64));
    result.form = ForForm{Binder{step}, saved.trips};
    // Before the loop, for sums after it.
    iterations =
        r.out().add(Iota{ScalarType::i64, saved.trips, i64_operand(0), i64_operand(1)}, "steps");
    NestedScope scope(r.environment);
    const Operand last = r.out().sub_i64(saved.trips, i64_operand(1));
    const Operand iteration = r.out().sub_i64(last, step);
    r.environment.bind(form.index.name, r.out().convert(ScalarOp::sign_extend, ScalarType::i64,
                                                        index_type, iteration, "i"));
    restored = restore_entries(r, saved, statement, loop, iteration);
    for (const Restored& each : restore_values(r, saved, iteration)) {
      restored.push_back(each);
    }
    forward_sweep(r, body);
    std::size_t next = 0;
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      if (!carried[i]) continue;
      const Operand adjoint = in_shape_of(loop.body.results[i], carried_parameters[next++], i);
      r.adjoints.add(loop.body.results[i], adjoint, Ownership::owned);
    }
    return_sweep(r, body);
    forget_values(r, saved);
    r.environment.enter_statement(statement);
    std::vector<Operand> results = carried_results();
    if (!late.empty()) {
      std::vector<Statement> statements = scope.take_statements();
      const LateSums::Contributions rest = plan_late_sums(statements, results, step, iteration);
      r.out().add_all(std::move(statements));
      for (const auto& [name, contribution] : rest) {
        r.adjoints.add(Operand(name), contribution, Ownership::shared);
      }
    }
    add_outside_results(results);
    for (const Operand& after : sums.store(iteration)) results.push_back(after);
    result.body = scope.take(std::move(results));
  }

  // What iterations give to the adjoints that wait; those that cannot begin as parameters.
  LateSums::Contributions plan_late_sums(std::vector<Statement>& statements,
                                         std::vector<Operand> kept, NameId step,
                                         const Operand& iteration) {
    SumOverIterations::Varying differing = {{step, std::nullopt}};
    if (iteration.is_name()) differing.emplace_back(iteration.name(), iterations);
    for (const auto& [size, parameter] : sizes) differing.emplace_back(parameter, std::nullopt);
    for (const NameId parameter : carried_parameters) differing.emplace_back(parameter, std::nullopt);
    for (const Restored& each : restored) {
      const bool is_row = saved.iteration.empty() && !each.is_next && each.value.is_name();
      if (is_row) differing.emplace_back(each.value.name(), each.array);
    }
    LateSums::Contributions contributions;
    for (std::size_t i = 0; i < outside.size(); ++i) {
      Adjoint& adjoint = r.adjoints.of(outside[i]);
      if (!adjoint.deferred) {
        if (!adjoint.accumulator) differing.emplace_back(outside_parameters[i], std::nullopt);
        if (adjoint.value) kept.push_back(*adjoint.value);
        continue;
      }
      for (const Operand& one : adjoint.contributions) contributions.emplace_back(outside[i], one);
      adjoint = {};
      adjoint.value = outside_parameters[i];
      adjoint.ownership = Ownership::owned;
    }
    return sums.plan(contributions, differing, statements, kept);
  }

  std::vector<Operand> carried_results() {
    std::vector<Operand> results;
    for (const auto& [size, parameter] : sizes) {
      results.push_back(r.environment.operand(Operand(size)));
    }
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      if (carried[i]) results.push_back(r.adjoints.take_owned(loop.values[i].parameter.name));
    }
    return results;
  }

  void add_outside_results(std::vector<Operand>& given) {
    for (std::size_t i = 0; i < outside.size(); ++i) {
      const Adjoint& adjoint = r.adjoints.of(outside[i]);
      const Operand after =
          adjoint.accumulator ? Operand(*adjoint.accumulator) : r.adjoints.take_owned(outside[i]);
      touched.push_back(after != Operand(outside_parameters[i]));
      if (touched.back()) given.push_back(after);
    }
  }

  // The adjoint of the `value`-th loop value under the sizes that `original` has: the same numbers
  // by other names.
  Operand in_shape_of(const Operand& original, Operand adjoint, std::size_t value) {
    const Type type = r.names().type(loop.values[value].parameter.name);
    if (!has_varying_size(type, varying)) return adjoint;
    return r.out().add(Reshape{adjoint.name(), r.environment.type_of(original).shape}, "adjoint");
  }

  // Names from outside that nothing was added to are not carried; what is stored for sums is.
  void carry_outside_names() {
    for (std::size_t i = 0; i < outside.size(); ++i) {
      if (!touched[i]) continue;
      const Adjoint& adjoint = r.adjoints.of(outside[i]);
      Operand initial;
      if (adjoint.accumulator) {
        initial = *adjoint.accumulator;
      } else if (adjoint.deferred) {
        initial = r.environment.zero(r.environment.type_of(Operand(outside[i])));
      } else {
        initial = r.adjoints.take_owned(outside[i]);
      }
      result.values.push_back(LoopValue{Binder{outside_parameters[i]}, initial});
    }
    for (LoopValue& value : sums.values()) result.values.push_back(std::move(value));
  }

  std::vector<Binder> emit() {
    Substitution to_results;
    std::vector<Binder> results;
    for (const LoopValue& value : result.values) {
      const NameId parameter = value.parameter.name;
      const Type type = substitute(r.names().type(parameter), to_results);
      results.push_back(Binder{r.names().fresh(r.names().base(parameter), type)});
      to_results.emplace(parameter, results.back().name);
    }
    r.out().add(Statement{results, std::move(result), r.environment.names_of(statement.tokens),
                          statement.location});
    return results;
  }

  void hand_on(const std::vector<Binder>& results) {
    std::size_t next = sizes.size();
    std::vector<std::pair<Operand, Operand>> initial_adjoints;
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      if (!carried[i]) continue;
      const Operand& initial = loop.values[i].initial;
      initial_adjoints.emplace_back(initial, in_shape_of(initial, results[next++].name, i));
    }
    for (std::size_t i = 0; i < outside.size(); ++i) {
      if (touched[i]) r.adjoints.replace(outside[i], results[next++].name);
    }
    std::vector<NameId> arrays;
    for (; next < results.size(); ++next) arrays.push_back(results[next].name);
    sums.emit(arrays, statement);
    // After the names from outside, which may be initial values as well.
    for (const auto& [initial, adjoint] : initial_adjoints) {
      r.adjoints.add(initial, adjoint, Ownership::owned);
    }
  }

  // What the loop stores, for the report: arrays whose values no iteration needs will go.
  std::string stored() {
    const NameSet needed = needed_names(result.body, r.names());
    std::string text;
    for (const Restored& each : restored) {
      if (needed.count(each.array) == 0) continue;
      if (!text.empty()) text += ", ";
      text += r.names().base(each.original) + ": " +
              size_formula(r.names(), r.names().type(each.array));
    }
    return text;
  }
};

void return_loop(Reverse& r, NameId key, const Statement& statement,
                 const std::vector<Statement>& body) {
  const auto& loop = std::get<Loop>(statement.operation);
  const SavedLoop saved = r.kept.loops.at(key);
  ReturnLoop back{r,
                  statement,
                  loop,
                  body,
                  saved,
                  varying_sizes(loop, r.names()),
                  carried_values(r, statement, loop)};
  back.carry_sizes_and_adjoints();
  back.enter_outside_names();
  back.sweep_iteration();
  r.adjoints.exchange(std::move(back.outer));
  r.environment.enter_statement(statement);
  back.carry_outside_names();
  if (back.result.values.empty()) return;
  const std::string stored = r.report == nullptr ? "" : back.stored();
  back.hand_on(back.emit());
  const bool is_inside = !saved.iteration.empty();
  r.note(statement, "loop", "reverse",
         is_inside ? "iterations run backwards from values that the loop around saved"
                   : "iterations run backwards from saved loop values",
         stored);
}

}  // namespace

// The adjoints of values written into accumulators are found in the body that has them; what is
// carried is what is left without.
void adjoint_rule(Reverse& r, const Statement& statement, const Loop& loop) {
  const NameId key = key_of(statement);
  if (touches_accumulators(r, statement)) {
    return_loop(r, key, without_accumulators(r, statement), loop.body.statements);
  } else {
    return_loop(r, key, statement, loop.body.statements);
  }
}

}  // namespace dagaz::passes::ad
