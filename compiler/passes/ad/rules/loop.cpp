// Sequential loops, the one construct that stores.
//
// The forward sweep keeps each loop value at the entry of each iteration in an array of `trips`
// values.  The return sweep runs the iterations backwards: it restores the values, executes the
// body again, and carries the adjoints of the loop values and of the names from outside.
// A loop value whose size changes cannot be kept in such an array: it is recomputed from the start
// for every iteration.  A `while` loop becomes a `for` loop first, by counting its iterations or
// by the bound that the program gives.
#include <algorithm>
#include <utility>

#include "passes/ad/consumption.h"
#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// The names that the types of a loop's values mention and that are loop values themselves.
NameSet varying_sizes(const Loop& loop, const Names& names) {
  NameSet parameters;
  for (const LoopValue& value : loop.values) parameters.insert(value.parameter.name);
  NameSet sizes;
  for (const LoopValue& value : loop.values) {
    for (const Operand& size : names.type(value.parameter.name).shape) {
      if (size.is_name() && parameters.count(size.name()) != 0) sizes.insert(size.name());
    }
  }
  return sizes;
}

bool has_varying_size(const Type& type, const NameSet& sizes) {
  return std::any_of(type.shape.begin(), type.shape.end(), [&](const Operand& size) {
    return size.is_name() && sizes.count(size.name()) != 0;
  });
}

SliceDimension single(const Operand& index) {
  return SliceDimension{true, index, i64_operand(1), i64_operand(1)};
}

std::vector<SliceDimension> row_at(const Operand& index, const Type& array) {
  std::vector<SliceDimension> dimensions = {single(index)};
  for (std::size_t i = 1; i < array.rank(); ++i) {
    dimensions.push_back(
        SliceDimension{false, i64_operand(0), array.shape[i], i64_operand(1)});
  }
  return dimensions;
}

}  // namespace

// ---------------------------------------------------------------- forward sweep

void Reverse::forward_loop(const Statement& key, const Statement& statement, const Loop& loop) {
  const auto& form = std::get<ForForm>(loop.form);
  const ScalarType index_type = names().type(form.index.name).element;
  const NameSet sizes = varying_sizes(loop, names());
  const NameSet consumed =
      consumed_names(loop.body.statements, names(), environment_->functions());

  SavedLoop saved;
  const Operand bound = environment_->operand(form.bound);
  const Operand wide =
      out().convert(ScalarOp::sign_extend, index_type, ScalarType::i64, bound, "trips");
  const std::string base = bound.is_name() ? names().base(bound.name()) : "trips";
  saved.trips = out().scalar(ScalarOp::smax, ScalarType::i64, {wide, i64_operand(0)}, base);
  Loop kept;
  kept.attributes = loop.attributes;
  kept.attributes.true_dependence.clear();
  std::vector<Operand> initials;
  for (const LoopValue& value : loop.values) {
    Operand initial = environment_->operand(value.initial);
    if (consumed.count(value.parameter.name) != 0 && initial.is_name()) {
      initial = out().add(Copy{initial.name()}, names().base(value.parameter.name));
    }
    initials.push_back(initial);
  }
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    const NameId parameter = environment_->bind_fresh(loop.values[i].parameter.name);
    kept.values.push_back(LoopValue{Binder{parameter}, initials[i]});
  }
  struct Store {
    NameId array;
    NameId value;
  };
  std::vector<Store> stores;
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    const NameId original = loop.values[i].parameter.name;
    const Type type = names().type(original);
    const auto& flags = loop.attributes.true_dependence;
    if (i < flags.size() && flags[i]) {
      saved.values.push_back({SavedLoop::Kind::final_value, {}});
    } else if (has_varying_size(type, sizes)) {
      saved.values.push_back({SavedLoop::Kind::recomputed, {}});
    } else {
      const Type row = environment_->type(type);
      const Type all = array_over(saved.trips, row);
      const NameId empty = out().add(Scratch{all.element, all.shape}, "saved");
      const NameId array = names().fresh("saved", all);
      stores.push_back({array, kept.values[i].parameter.name});
      kept.values.push_back(LoopValue{Binder{array}, empty});
      saved.values.push_back({SavedLoop::Kind::saved, {}});
    }
  }
  const NameId index = environment_->bind_fresh(form.index.name);
  kept.form = ForForm{Binder{index}, bound};
  {
    NestedScope scope(*environment_);
    const Operand place =
        out().convert(ScalarOp::sign_extend, index_type, ScalarType::i64, index, "i");
    std::vector<Operand> stored;
    for (const Store& store : stores) {
      stored.push_back(out().add(
          Update{store.array, row_at(place, names().type(store.array)), store.value}, "saved"));
    }
    environment_->copy_statements(loop.body.statements);
    std::vector<Operand> results = environment_->operands(loop.body.results);
    results.insert(results.end(), stored.begin(), stored.end());
    kept.body = scope.take(std::move(results));
  }
  environment_->enter_statement(statement);
  std::vector<Binder> results = environment_->bind_fresh(statement.results);
  for (const Store& store : stores) {
    results.push_back(Binder{names().fresh("saved", names().type(store.array))});
  }
  std::size_t next = loop.values.size();
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    SavedLoop::Value& value = saved.values[i];
    if (value.kind == SavedLoop::Kind::saved) value.array = results[next++].name;
    if (value.kind == SavedLoop::Kind::final_value) value.array = results[i].name;
  }
  environment_->emit_bound(statement, std::move(kept), results);
  saved_loops_[&key] = std::move(saved);
}

// while c do b  =  for i < n do b, where n is counted by running the loop once more.
std::vector<Statement> Reverse::counted_while(const Statement& statement, const Loop& loop) {
  Statement counting = renamed(statement, names());
  Loop& counted = std::get<Loop>(counting.operation);
  for (Binder& result : counting.results) result.name = names().fresh_like(result.name);
  const Type number = scalar_of(ScalarType::i64);
  const NameId count = names().fresh("count", number);
  const NameId next = names().fresh("count", number);
  const NameId total = names().fresh("count", number);
  counted.values.push_back(LoopValue{Binder{count}, i64_operand(0)});
  if (!counted.attributes.true_dependence.empty()) {
    counted.attributes.true_dependence.push_back(false);
  }
  counted.body.statements.push_back(
      Statement{{Binder{next}},
                Scalar{ScalarOp::add, ScalarType::i64, ScalarType::i64, {count, i64_operand(1)}},
                {},
                statement.location});
  counted.body.results.push_back(next);
  counting.results.push_back(Binder{total});

  // Both loops start from the same arrays, so the first one must not consume them; its results
  // but the count are dead.
  std::vector<Statement> result;
  const NameSet consumed =
      consumed_names(counted.body.statements, names(), environment_->functions());
  for (LoopValue& value : counted.values) {
    if (consumed.count(value.parameter.name) == 0 || !value.initial.is_name()) continue;
    const NameId copy = names().fresh_like(value.initial.name());
    result.push_back(Statement{{Binder{copy}}, Copy{value.initial.name()}, statement.tokens,
                               statement.location});
    value.initial = copy;
  }
  result.push_back(std::move(counting));
  Statement again = statement;
  Loop& repeated = std::get<Loop>(again.operation);
  repeated.form = ForForm{Binder{names().fresh("i", number)}, total};
  repeated.attributes.bound = std::nullopt;
  result.push_back(std::move(again));
  note(statement, "while loop", "reverse", "the iterations are counted by running the loop once");
  (void)loop;
  return result;
}

// while c do b  =  for i < bound do if c then b else nothing.
std::vector<Statement> Reverse::bounded_while(const Statement& statement, const Loop& loop) {
  Statement result = statement;
  Loop& bounded = std::get<Loop>(result.operation);
  const NameId index = names().fresh("i", scalar_of(ScalarType::i64));
  bounded.form = ForForm{Binder{index}, *loop.attributes.bound};
  bounded.attributes.bound = std::nullopt;
  Branch branch;
  branch.condition = std::get<WhileForm>(loop.form).condition;
  branch.then_body = std::move(bounded.body);
  Statement guarded{{}, Identity{}, {}, statement.location};
  Substitution renaming;
  for (const LoopValue& value : loop.values) {
    const NameId parameter = value.parameter.name;
    branch.else_body.results.push_back(parameter);
    const Type type = substitute(names().type(parameter), renaming);
    branch.result_types.push_back(type);
    guarded.results.push_back(Binder{names().fresh(names().base(parameter), type)});
    renaming.emplace(parameter, guarded.results.back().name);
    bounded.body.results.clear();
  }
  for (const Binder& each : guarded.results) bounded.body.results.push_back(each.name);
  guarded.operation = std::move(branch);
  bounded.body.statements.clear();
  bounded.body.statements.push_back(std::move(guarded));
  std::vector<Statement> all;
  all.push_back(std::move(result));
  return all;
}

// ---------------------------------------------------------------- return sweep

// The loop values whose adjoints may be nonzero in some iteration: from the results that have one,
// backwards through the body.
std::vector<bool> Reverse::carried_values(const Statement& statement, const Loop& loop) {
  const std::size_t count = loop.values.size();
  std::vector<bool> carried(count);
  std::vector<Directions> reaches(count, ~Directions{0});
  if (count <= static_cast<std::size_t>(max_directions)) {
    Dependence dependence(names());
    for (std::size_t i = 0; i < count; ++i) {
      dependence.seed(loop.values[i].parameter.name, Directions{1} << i);
    }
    dependence.run(loop.body.statements);
    for (std::size_t i = 0; i < count; ++i) reaches[i] = dependence.of(loop.body.results[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    carried[i] = has_adjoint(Operand(statement.results[i].name));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!carried[i]) continue;
      for (std::size_t j = 0; j < count; ++j) {
        const bool reached = j >= static_cast<std::size_t>(max_directions) ||
                             (reaches[i] >> j & 1) != 0;
        if (carried[j] || !reached) continue;
        if (!is_active(Operand(loop.values[j].parameter.name))) continue;
        carried[j] = true;
        changed = true;
      }
    }
  }
  return carried;
}

// Binds the loop's parameters to their values at the entry of an iteration.
void Reverse::restore_values(const SavedLoop& saved, const Statement& statement,
                             const Loop& loop, const Operand& iteration) {
  const bool recomputed = std::any_of(
      saved.values.begin(), saved.values.end(), [](const SavedLoop::Value& value) {
        return value.kind == SavedLoop::Kind::recomputed;
      });
  if (recomputed) {
    Statement prefix = renamed(statement, names());
    Loop& again = std::get<Loop>(prefix.operation);
    auto& form = std::get<ForForm>(again.form);
    const ScalarType index_type = names().type(form.index.name).element;
    Substitution to_results;
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      const NameId parameter = loop.values[i].parameter.name;
      const Type type = substitute(names().type(parameter), to_results);
      prefix.results[i].name = names().fresh(names().base(parameter), type);
      to_results.emplace(parameter, prefix.results[i].name);
    }
    // The bound is an emitted operand; a name of its own keeps the statement original code.
    const NameId bound = names().fresh("n", scalar_of(index_type));
    environment_->bind(bound, out().convert(ScalarOp::sign_extend, ScalarType::i64, index_type,
                                            iteration));
    form.bound = bound;
    copy_protected(prefix);
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      environment_->bind(loop.values[i].parameter.name,
                         environment_->operand(Operand(prefix.results[i].name)));
    }
  }
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    const SavedLoop::Value& value = saved.values[i];
    const NameId parameter = loop.values[i].parameter.name;
    if (value.kind == SavedLoop::Kind::saved) {
      environment_->bind(parameter,
                         out().index(value.array.name(), {iteration}, names().base(parameter)));
    } else if (value.kind == SavedLoop::Kind::final_value) {
      environment_->bind(parameter, value.array);
      final_arrays_.insert(parameter);
    }
  }
}

// The parts of a return loop while it is being built.
struct Reverse::ReturnLoop {
  std::vector<bool> carried;
  std::vector<NameId> carried_parameters;           // per carried loop value
  std::vector<std::pair<NameId, NameId>> sizes;     // varying size, its parameter here
  std::vector<NameId> outside;                      // active names from outside
  std::vector<NameId> outside_parameters;
  std::unordered_map<NameId, Adjoint> outer;
  Body body;
  std::vector<bool> touched;                        // per name from outside
};

void Reverse::rule(const Statement& statement, const Loop& loop) {
  const auto stripped = stripped_.find(&statement);
  if (stripped == stripped_.end()) {
    return_loop(statement, statement, loop, loop.body.statements);
    return;
  }
  const Statement without = stripped->second;
  return_loop(statement, without, std::get<Loop>(without.operation), loop.body.statements);
}

void Reverse::return_loop(const Statement& key, const Statement& statement, const Loop& loop,
                          const std::vector<Statement>& body) {
  ReturnLoop back;
  back.carried = carried_values(statement, loop);
  const SavedLoop saved = saved_loops_.at(&key);
  const auto& form = std::get<ForForm>(loop.form);
  const ScalarType index_type = names().type(form.index.name).element;
  const NameSet sizes = varying_sizes(loop, names());

  // Loop values: sizes that change, adjoints of loop values, adjoints of names from outside.
  Loop result;
  Substitution size_parameters;
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    const NameId size = loop.values[i].parameter.name;
    if (sizes.count(size) == 0) continue;
    const NameId parameter = names().fresh(names().base(size), scalar_of(ScalarType::i64));
    size_parameters.emplace(size, parameter);
    back.sizes.emplace_back(size, parameter);
    result.values.push_back(
        LoopValue{Binder{parameter}, environment_->operand(Operand(statement.results[i].name))});
  }
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    if (!back.carried[i]) continue;
    const NameId original = loop.values[i].parameter.name;
    const Type type = environment_->type(substitute(names().type(original), size_parameters));
    const NameId parameter = names().fresh(names().base(original) + "_adjoint", type);
    back.carried_parameters.push_back(parameter);
    result.values.push_back(LoopValue{Binder{parameter}, take_owned(statement.results[i].name)});
  }
  // The values written into accumulators count, too.
  NameSet inside;
  for (const LoopValue& value : loop.values) inside.insert(value.parameter.name);
  Body whole{body, loop.body.results};
  for (const NameId name : outer_active_names(free_names(whole, names()))) {
    if (inside.count(name) == 0) back.outside.push_back(name);
  }
  back.outer = std::exchange(adjoints_, {});
  for (const NameId name : back.outside) {
    const auto found = back.outer.find(name);
    const bool through = found != back.outer.end() && found->second.accumulator.has_value();
    const Type type = through ? names().type(*found->second.accumulator)
                              : environment_->type_of(Operand(name));
    const NameId parameter = names().fresh(names().base(name) + "_adjoint", type);
    back.outside_parameters.push_back(parameter);
    Adjoint adjoint;
    if (through) {
      adjoint.accumulator = parameter;
    } else {
      adjoint.value = parameter;
      adjoint.ownership = Ownership::owned;
    }
    adjoints_.emplace(name, std::move(adjoint));
  }

  const NameId step = names().fresh("i", scalar_of(ScalarType::i64));
  result.form = ForForm{Binder{step}, saved.trips};
  {
    NestedScope scope(*environment_);
    const Operand last = out().sub_i64(saved.trips, i64_operand(1));
    const Operand iteration = out().sub_i64(last, step);
    environment_->bind(form.index.name, out().convert(ScalarOp::sign_extend, ScalarType::i64,
                                                      index_type, iteration, "i"));
    restore_values(saved, statement, loop, iteration);
    forward_sweep(body);
    std::size_t next = 0;
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      if (!back.carried[i]) continue;
      Operand adjoint = back.carried_parameters[next++];
      const Type type = names().type(loop.values[i].parameter.name);
      if (has_varying_size(type, sizes)) {
        // The same size under the name it has here.
        adjoint = out().add(
            Reshape{adjoint.name(), environment_->type_of(loop.body.results[i]).shape},
            "adjoint");
      }
      add_adjoint(loop.body.results[i], adjoint, Ownership::owned);
    }
    return_sweep(body);
    environment_->enter_statement(statement);
    std::vector<Operand> results;
    for (const auto& [size, parameter] : back.sizes) {
      results.push_back(environment_->operand(Operand(size)));
    }
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      if (back.carried[i]) results.push_back(take_owned(loop.values[i].parameter.name));
    }
    for (std::size_t i = 0; i < back.outside.size(); ++i) {
      const Adjoint& adjoint = adjoints_[back.outside[i]];
      const Operand after = adjoint.accumulator ? Operand(*adjoint.accumulator)
                                                : take_owned(back.outside[i]);
      back.touched.push_back(after != Operand(back.outside_parameters[i]));
      if (back.touched.back()) results.push_back(after);
    }
    result.body = scope.take(std::move(results));
  }
  adjoints_ = std::move(back.outer);
  environment_->enter_statement(statement);

  // Names from outside that nothing was added to are not carried.
  for (std::size_t i = 0; i < back.outside.size(); ++i) {
    if (!back.touched[i]) continue;
    const NameId name = back.outside[i];
    const Adjoint& adjoint = adjoints_[name];
    Operand initial;
    if (adjoint.accumulator) {
      initial = *adjoint.accumulator;
    } else if (adjoint.deferred) {
      initial = environment_->zero(environment_->type_of(Operand(name)));
    } else {
      initial = take_owned(name);
    }
    result.values.push_back(LoopValue{Binder{back.outside_parameters[i]}, initial});
  }
  if (result.values.empty()) return;
  Substitution to_results;
  std::vector<Binder> results;
  for (const LoopValue& value : result.values) {
    const NameId parameter = value.parameter.name;
    const Type type = substitute(names().type(parameter), to_results);
    results.push_back(Binder{names().fresh(names().base(parameter), type)});
    to_results.emplace(parameter, results.back().name);
  }
  out().add(Statement{results, std::move(result), environment_->names_of(statement.tokens),
                      statement.location});

  std::size_t next = back.sizes.size();
  std::vector<std::pair<Operand, Operand>> initial_adjoints;
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    if (!back.carried[i]) continue;
    Operand adjoint = results[next++].name;
    const Type type = names().type(loop.values[i].parameter.name);
    if (has_varying_size(type, sizes)) {
      adjoint = out().add(
          Reshape{adjoint.name(), environment_->type_of(loop.values[i].initial).shape}, "adjoint");
    }
    initial_adjoints.emplace_back(loop.values[i].initial, adjoint);
  }
  for (std::size_t i = 0; i < back.outside.size(); ++i) {
    if (!back.touched[i]) continue;
    Adjoint& adjoint = adjoints_[back.outside[i]];
    const NameId after = results[next++].name;
    if (adjoint.accumulator) {
      adjoint.accumulator = after;
    } else if (adjoint.deferred) {
      adjoint.contributions.push_back(after);
    } else {
      adjoint.value = after;
      adjoint.ownership = Ownership::owned;
    }
  }
  // After the names from outside, which may be initial values as well.
  for (const auto& [initial, adjoint] : initial_adjoints) {
    add_adjoint(initial, adjoint, Ownership::owned);
  }
  std::string stored;
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    if (saved.values[i].kind != SavedLoop::Kind::saved) continue;
    if (!stored.empty()) stored += ", ";
    stored += names().base(loop.values[i].parameter.name) + ": " +
              size_formula(names().type(saved.values[i].array));
  }
  note(statement, "loop", "reverse", "iterations run backwards from saved loop values", stored);
}

}  // namespace dagaz::passes::ad
