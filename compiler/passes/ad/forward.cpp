// Forward mode: bookkeeping of tangents, first-order operations and control flow.  The rules of
// second-order operations are in rules/forward_*.cpp.
#include "passes/ad/forward.h"

#include "passes/ad/scalar_derivatives.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

void Forward::seed(NameId original, int direction, Operand tangent) {
  dependence_.seed(original, Directions{1} << direction);
  bind_tangent(original, direction, tangent);
}

void Forward::run(const std::vector<Statement>& statements) {
  dependence_.run(statements);
  emit(statements);
}

std::optional<Operand> Forward::tangent(const Operand& original, int direction) const {
  if (!original.is_name()) return std::nullopt;
  const auto found = tangents_.find(original.name());
  if (found == tangents_.end()) return std::nullopt;
  return found->second[static_cast<std::size_t>(direction)];
}

Operand Forward::tangent_or_zero(const Operand& original, int direction) {
  if (const auto known = tangent(original, direction)) return *known;
  return environment_->zero(environment_->type_of(original));
}

void Forward::bind_tangent(NameId original, int direction, Operand tangent) {
  auto& all = tangents_[original];
  all.resize(static_cast<std::size_t>(directions_));
  all[static_cast<std::size_t>(direction)] = tangent;
}

Forward::Slots Forward::slots_of(const std::vector<Directions>& directions) const {
  Slots result;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    for (int j = 0; j < directions_; ++j) {
      if ((directions[i] >> j & 1) != 0) result.push_back(Slot{i, j});
    }
  }
  return result;
}

Forward::Slots Forward::slots(const std::vector<Operand>& originals) const {
  std::vector<Directions> directions;
  for (const Operand& original : originals) directions.push_back(dependence_.of(original));
  return slots_of(directions);
}

Forward::Slots Forward::slots(const std::vector<NameId>& originals) const {
  std::vector<Directions> directions;
  for (const NameId original : originals) directions.push_back(dependence_.of(original));
  return slots_of(directions);
}

Forward::Slots Forward::slots(const std::vector<Binder>& originals) const {
  std::vector<Directions> directions;
  for (const Binder& original : originals) directions.push_back(dependence_.of(original.name));
  return slots_of(directions);
}

std::vector<Binder> Forward::bind_fresh(const std::vector<Binder>& originals, const Slots& slots) {
  Names& names = environment_->names();
  std::vector<Binder> fresh;
  for (const Slot& slot : slots) {
    const NameId original = originals[slot.index].name;
    const NameId name = names.fresh(names.base(original) + "_tangent",
                                    environment_->type_of(Operand(original)));
    bind_tangent(original, slot.direction, name);
    fresh.push_back(Binder{name});
  }
  return fresh;
}

std::vector<Operand> Forward::tangents(const std::vector<Operand>& originals, const Slots& slots) {
  std::vector<Operand> result;
  for (const Slot& slot : slots) {
    result.push_back(tangent_or_zero(originals[slot.index], slot.direction));
  }
  return result;
}

std::vector<NameId> Forward::tangent_names(const std::vector<NameId>& originals,
                                           const Slots& slots) {
  std::vector<NameId> result;
  for (const Slot& slot : slots) {
    result.push_back(tangent_or_zero(originals[slot.index], slot.direction).name());
  }
  return result;
}

std::vector<Binder> Forward::dual_binders(const std::vector<Binder>& originals,
                                          const Slots& slots) {
  std::vector<Binder> all = environment_->bind_fresh(originals);
  for (const Binder& each : bind_fresh(originals, slots)) all.push_back(each);
  return all;
}

std::vector<Operand> Forward::dual_operands(const std::vector<Operand>& originals,
                                            const Slots& slots) {
  std::vector<Operand> all = environment_->operands(originals);
  for (const Operand& each : tangents(originals, slots)) all.push_back(each);
  return all;
}

std::vector<NameId> Forward::dual_names(const std::vector<NameId>& originals,
                                        const Slots& slots) {
  std::vector<NameId> all = environment_->names_of(originals);
  for (const NameId each : tangent_names(originals, slots)) all.push_back(each);
  return all;
}

std::vector<Type> Forward::dual_types(const std::vector<Type>& originals, const Slots& slots) {
  std::vector<Type> all;
  for (const Type& original : originals) all.push_back(environment_->type(original));
  for (const Slot& slot : slots) all.push_back(all[slot.index]);
  return all;
}

Body Forward::extended_body(const Body& body, const Slots& slots) {
  NestedScope scope(*environment_);
  emit(body.statements);
  std::vector<Operand> results = environment_->operands(body.results);
  for (const Operand& each : tangents(body.results, slots)) results.push_back(each);
  return scope.take(std::move(results));
}

void Forward::emit(const std::vector<Statement>& statements) {
  for (const Statement& each : statements) {
    environment_->enter_statement(each);
    statement(each);
    for (const Binder& result : each.results) {
      const auto found = provided_.find(result.name);
      if (found != provided_.end()) environment_->bind(result.name, found->second);
    }
  }
}

void Forward::each_direction(const Statement& statement, Directions active,
                             const std::function<Operand(int)>& make) {
  for (int j = 0; j < directions_; ++j) {
    if ((active >> j & 1) != 0) {
      bind_tangent(statement.results[0].name, j, make(j));
    }
  }
}

void Forward::rule(const Statement& statement, const Scalar& scalar) {
  Environment& environment = *environment_;
  environment.copy_statement(statement);
  const Operand result(statement.results[0].name);
  if (dependence_.of(result) == 0) return;
  const ScalarSite site{scalar.op, scalar.type, scalar.result,
                        environment.operands(scalar.arguments), environment.operand(result)};
  std::vector<std::optional<Partial>> partials(scalar.arguments.size());
  for (int j = 0; j < directions_; ++j) {
    std::optional<Operand> sum;
    std::optional<std::pair<const ChoicePartial*, Operand>> choice;
    for (std::size_t i = 0; i < scalar.arguments.size(); ++i) {
      const auto along = tangent(scalar.arguments[i], j);
      if (!along) continue;
      if (!partials[i]) {
        partials[i] = partial_derivative(environment, site, static_cast<int>(i));
      }
      const auto* chosen = std::get_if<ChoicePartial>(&*partials[i]);
      if (chosen != nullptr && choice) {
        // Both alternatives have a tangent: one choice between the two.
        const bool yes = choice->first->if_holds;
        sum = environment.out().select(scalar.type, chosen->condition,
                                       yes ? choice->second : *along,
                                       yes ? *along : choice->second);
        continue;
      }
      if (chosen != nullptr) choice = {chosen, *along};
      const auto term = push_forward(environment, site, *partials[i], *along);
      if (!term) continue;
      sum = sum ? environment.add(scalar_of(site.result_type), *sum, *term) : *term;
    }
    if (sum) bind_tangent(result.name(), j, *sum);
  }
}

void Forward::rule(const Statement& statement, const Update& update) {
  const Directions active = dependence_.of(update.array) | dependence_.of(update.value);
  const auto dimensions = environment_->dimensions(update.dimensions);
  each_direction(statement, active, [&](int j) {
    const NameId array = tangent_or_zero(update.array, j).name();
    const Operand value = tangent_or_zero(update.value, j);
    return environment_->out().add(Update{array, dimensions, value}, "tangent");
  });
  environment_->copy_statement(statement);
}

void Forward::rule(const Statement& statement, const Branch& branch) {
  const Slots extra = slots(statement.results);
  Branch result{environment_->operand(branch.condition),
                extended_body(branch.then_body, extra),
                extended_body(branch.else_body, extra),
                {}};
  std::vector<Binder> results = environment_->bind_fresh(statement.results);
  const std::vector<Binder> tangent_results = bind_fresh(statement.results, extra);
  results.insert(results.end(), tangent_results.begin(), tangent_results.end());
  result.result_types = types_of_binders(results, environment_->names());
  environment_->emit_bound(statement, std::move(result), results);
}

void Forward::rule(const Statement& statement, const Loop& loop) {
  Environment& environment = *environment_;
  std::vector<Binder> parameters;
  std::vector<Operand> initials;
  for (const LoopValue& value : loop.values) {
    parameters.push_back(value.parameter);
    initials.push_back(value.initial);
  }
  const Slots extra = slots(parameters);
  Loop result;
  result.attributes = loop.attributes;
  if (result.attributes.bound) {
    result.attributes.bound = environment.operand(*result.attributes.bound);
  }
  const std::vector<Operand> tangent_initials = tangents(initials, extra);
  const std::vector<Operand> primal_initials = environment.operands(initials);
  const std::vector<Binder> fresh = environment.bind_fresh(parameters);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    result.values.push_back(LoopValue{fresh[i], primal_initials[i]});
  }
  const std::vector<Binder> fresh_tangents = bind_fresh(parameters, extra);
  for (std::size_t i = 0; i < extra.size(); ++i) {
    result.values.push_back(LoopValue{fresh_tangents[i], tangent_initials[i]});
    if (!loop.attributes.true_dependence.empty()) {
      const bool flag = loop.attributes.true_dependence[extra[i].index];
      result.attributes.true_dependence.push_back(flag);
    }
  }
  if (const auto* form = as<ForForm>(loop.form)) {
    const Operand bound = environment.operand(form->bound);
    result.form = ForForm{Binder{environment.bind_fresh(form->index.name)}, bound};
  } else {
    result.form = WhileForm{environment.name(std::get<WhileForm>(loop.form).condition)};
  }
  result.body = extended_body(loop.body, extra);
  std::vector<Binder> results = environment.bind_fresh(statement.results);
  for (const Binder& each : bind_fresh(statement.results, extra)) results.push_back(each);
  environment.emit_bound(statement, std::move(result), results);
}

void Forward::rule(const Statement& statement, const Call& call) {
  Environment& environment = *environment_;
  const Directions active = dependence_.of(call.arguments);
  if (active == 0) {
    environment.copy_statement(statement);
    return;
  }
  std::vector<int> along;
  for (int j = 0; j < directions_; ++j) {
    if ((active >> j & 1) != 0) along.push_back(j);
  }
  // One call for all directions: it may consume its arguments.
  Call both{environment.functions().forward_version(call.function, static_cast<int>(along.size())),
            environment.operands(call.arguments),
            {}};
  for (const Operand& argument : call.arguments) {
    if (!carries_derivative(environment.names().type(argument))) continue;
    for (const int j : along) both.arguments.push_back(tangent_or_zero(argument, j));
  }
  Slots result_slots;
  for (std::size_t i = 0; i < statement.results.size(); ++i) {
    if (!carries_derivative(environment.names().type(statement.results[i].name))) continue;
    for (const int j : along) result_slots.push_back(Slot{i, j});
  }
  const std::vector<Binder> results = dual_binders(statement.results, result_slots);
  both.result_types = types_of_binders(results, environment.names());
  environment.emit_bound(statement, std::move(both), results);
}

void Forward::rule(const Statement&, const CustomDerivative& custom) {
  // The user's adjoint says nothing about tangents: the function itself is differentiated.
  Environment& environment = *environment_;
  for (std::size_t i = 0; i < custom.arguments.size(); ++i) {
    const NameId parameter = custom.function.parameters[i].name;
    environment.bind(parameter, environment.operand(custom.arguments[i]));
    for (int j = 0; j < directions_; ++j) {
      if (const auto along = tangent(custom.arguments[i], j)) bind_tangent(parameter, j, *along);
    }
  }
  emit(custom.function.body.statements);
}

void Forward::statement(const Statement& statement) {
  Environment& environment = *environment_;
  const NameId result = statement.results.empty() ? NameId() : statement.results[0].name;
  // An operation that does to its array's tangent what it does to the array.
  const auto linear = [&](NameId array, const auto& make) {
    environment.copy_statement(statement);
    each_direction(statement, dependence_.of(array), [&](int j) {
      return environment.out().add(Operation(make(tangent_or_zero(array, j).name())), "tangent");
    });
  };
  match(
      statement.operation,
      [&](const Identity& each) {
        environment.bind(result, environment.operand(each.value));
        each_direction(statement, dependence_.of(each.value),
                       [&](int j) { return tangent_or_zero(each.value, j); });
      },
      [&](const Scalar& each) { rule(statement, each); },
      [&](const ArrayLiteral& each) {
        environment.copy_statement(statement);
        each_direction(statement, dependence_.of(each.elements), [&](int j) {
          ArrayLiteral literal{environment.type(each.element), {}};
          for (const Operand& element : each.elements) {
            literal.elements.push_back(tangent_or_zero(element, j));
          }
          return environment.out().add(std::move(literal), "tangent");
        });
      },
      [&](const Index& each) {
        linear(each.array,
               [&](NameId x) { return Index{x, environment.operands(each.indices)}; });
      },
      [&](const Slice& each) {
        linear(each.array,
               [&](NameId x) { return Slice{x, environment.dimensions(each.dimensions)}; });
      },
      [&](const Update& each) { rule(statement, each); },
      [&](const Iota& each) {
        environment.copy_statement(statement);
        each_direction(statement, dependence_.of(each.start) | dependence_.of(each.stride),
                       [&](int j) {
                         return environment.out().add(
                             Iota{each.type, environment.operand(each.count),
                                  tangent_or_zero(each.start, j), tangent_or_zero(each.stride, j)},
                             "tangent");
                       });
      },
      [&](const Replicate& each) {
        environment.copy_statement(statement);
        each_direction(statement, dependence_.of(each.value), [&](int j) {
          return environment.out().add(
              Replicate{environment.operands(each.shape), tangent_or_zero(each.value, j)},
              "tangent");
        });
      },
      [&](const Concat& each) {
        environment.copy_statement(statement);
        each_direction(statement, dependence_.of(each.arrays), [&](int j) {
          Concat concat{environment.operand(each.width), {}};
          for (const NameId array : each.arrays) {
            concat.arrays.push_back(tangent_or_zero(array, j).name());
          }
          return environment.out().add(std::move(concat), "tangent");
        });
      },
      [&](const Reshape& each) {
        linear(each.array, [&](NameId x) { return Reshape{x, environment.operands(each.shape)}; });
      },
      [&](const Permute& each) {
        linear(each.array, [&](NameId x) { return Permute{x, each.permutation}; });
      },
      [&](const Copy& each) { linear(each.array, [&](NameId x) { return Copy{x}; }); },
      [&](const Scratch&) { environment.copy_statement(statement); },
      [&](const Assert&) { environment.copy_statement(statement); },
      [&](const Branch& each) { rule(statement, each); },
      [&](const Loop& each) { rule(statement, each); },
      [&](const Call& each) { rule(statement, each); },
      [&](const MapScanReduce& each) { rule(statement, each); },
      [&](const Histogram& each) { rule(statement, each); },
      [&](const Scatter& each) { rule(statement, each); },
      [&](const WithAccumulator& each) { rule(statement, each); },
      [&](const Accumulate& each) { rule(statement, each); },
      [&](const FlatMap& each) { rule(statement, each); },
      [&](const CustomDerivative& each) {
        rule(statement, each);
        const auto tape = static_cast<std::size_t>(each.tape);
        for (std::size_t i = 0; i < statement.results.size(); ++i) {
          const Operand& value = each.function.body.results[tape + i];
          environment.bind(statement.results[i].name, environment.operand(value));
          for (int j = 0; j < directions_; ++j) {
            if (const auto along = tangent(value, j)) {
              bind_tangent(statement.results[i].name, j, *along);
            }
          }
        }
      },
      // Every other operation is of a later stage, or was removed before.
      [&](const auto&) { DZ_UNREACHABLE("no tangents at this stage"); });
}

}  // namespace dagaz::passes::ad
