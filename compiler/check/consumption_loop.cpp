// Loops.  Whether a loop consumes a parameter is not written but found out: a parameter that the
// body consumes is consumed, so its initial value is too, and the value for the next iteration
// must not share memory with anything else.  A written `*` counts until something is found that it
// does not say; then what the body consumes and returns decides alone, and programs rely on that:
// `loop (xs: *[]t) = ys while … do (f xs)[1:]` leaves `ys` to its owner.
#include <algorithm>
#include <utility>

#include "check/consumption_checker.h"
#include "check/expression_walk.h"
#include "support/match.h"

namespace dagaz::check {

namespace {
using Kind = AliasValue::Kind;
}

struct ConsumptionChecker::LoopParameter {
  BindingId id;
  const Type* type;
  /// With a written type, which then says whether the parameter is consumed.
  bool ascribed;
  bool consumed;
};

/// What has been returned for the parameters before, while a loop's result is compared with its
/// pattern.
struct ConsumptionChecker::LoopState {
  const ast::Loop& loop;
  std::vector<LoopParameter>& parameters;
  AliasSet consumed = {};
  AliasSet observed = {};
  bool reported = false;
  /// What each parameter that is not consumed may share memory with after some iterations.
  std::unordered_map<BindingId, AliasSet> shared = {};

  /// Finds `shared`: a parameter shares with its own initial value, and with those of the
  /// parameters that the body hands on to it.
  void hand_on(const AliasTree& initial, const AliasTree& body);

  LoopParameter* find(BindingId id) {
    for (LoopParameter& parameter : parameters) {
      if (parameter.id == id) return &parameter;
    }
    return nullptr;
  }
};

namespace {

// The part of `tree` for element `index` or field `name` of a pattern.
AliasTree element_of(const AliasTree& tree, std::size_t index) {
  return index < tree->fields.size() ? tree->fields[index].second : number_tree();
}
AliasTree field_of(const AliasTree& tree, Symbol name) {
  for (const auto& [field, part] : tree->fields) {
    if (field == name) return part;
  }
  return number_tree();
}

// Calls `visit` with each name of the pattern, the part of the value it stands for, and the type
// written for it, if any.
template <typename F>
void for_each_name(const ast::Pattern& pattern, const AliasTree& tree, const Type* written,
                   const F& visit) {
  const auto part_type = [&](Symbol name, std::size_t index) -> const Type* {
    const auto* record = written == nullptr ? nullptr : as<Record>(written->node);
    if (record == nullptr) return nullptr;
    if (!name.valid()) {
      return index < record->fields.size() ? record->fields[index].second : nullptr;
    }
    for (const auto& [field, type] : record->fields) {
      if (field == name) return type;
    }
    return nullptr;
  };
  match(
      pattern.node,
      [&](const ast::NamePattern& p) { visit(p.id, pattern.type, tree, written); },
      [](const ast::WildcardPattern&) {}, [](const ast::LiteralPattern&) {},
      [&](const ast::TuplePattern& p) {
        for (std::size_t i = 0; i < p.elements.size(); ++i) {
          for_each_name(*p.elements[i], element_of(tree, i), part_type({}, i), visit);
        }
      },
      [&](const ast::RecordPattern& p) {
        for (const auto& [name, inner] : p.fields) {
          for_each_name(*inner, field_of(tree, name.symbol), part_type(name.symbol, 0), visit);
        }
      },
      [&](const ast::ConstructorPattern& p) {
        for (const ast::Pattern* argument : p.arguments) {
          for_each_name(*argument, number_tree(), nullptr, visit);
        }
      },
      [&](const ast::AscribedPattern& p) {
        const Type* own = p.type->type != nullptr ? p.type->type : pattern.type;
        for_each_name(*p.pattern, tree, written != nullptr ? written : own, visit);
      },
      [&](const ast::AttributePattern& p) { for_each_name(*p.pattern, tree, written, visit); });
}

}  // namespace

void ConsumptionChecker::LoopState::hand_on(const AliasTree& initial, const AliasTree& body) {
  for_each_name(*loop.pattern, initial, nullptr,
                [&](BindingId id, const Type*, const AliasTree& part, const Type*) {
                  const LoopParameter* parameter = find(id);
                  if (parameter == nullptr || parameter->consumed) return;
                  shared.emplace(id, all_aliases(part));
                });
  bool changed = true;
  const auto spread = [&](BindingId id, const Type*, const AliasTree& part, const Type*) {
    const auto own = shared.find(id);
    if (own == shared.end()) return;
    for (const Alias& alias : all_aliases(part)) {
      const auto other = shared.find(alias.variable);
      if (other == shared.end()) continue;
      AliasSet both = union_of(own->second, other->second);
      changed |= both.size() != own->second.size();
      own->second = std::move(both);
    }
  };
  while (std::exchange(changed, false)) for_each_name(*loop.pattern, body, nullptr, spread);
}

AliasTree ConsumptionChecker::loop_body(const ast::Loop& loop,
                                        const std::vector<LoopParameter>& parameters,
                                        Consumed& consumed) {
  // Everything outside of the loop is used by every iteration: none of it can be consumed.
  ++depth_;
  std::vector<BindingId> bound;
  for (const LoopParameter& parameter : parameters) {
    const AliasTree shape = with_aliases(trees_.of(parameter.type), {});
    bind(parameter.id, with_self(shape, parameter.id),
         !parameter.ascribed || parameter.consumed);
    bound.push_back(parameter.id);
  }
  const auto observe = [&](const ast::Pattern& pattern) {
    std::vector<BindingId> names;
    bind_pattern(pattern, with_aliases(trees_.of(pattern.type), {}), names);
    for (const BindingId name : names) {
      scope_.find(name)->second.consumable = false;
      bound.push_back(name);
    }
  };
  if (const auto* counted = as<ast::ForLoop>(loop.form)) observe(*counted->index);
  if (const auto* elements = as<ast::ForInLoop>(loop.form)) observe(*elements->element);
  AliasTree body;
  consumed = contained([&] {
    if (const auto* condition = as<ast::WhileLoop>(loop.form)) {
      expression(*condition->condition);
    }
    body = expression(*loop.body);
  });
  --depth_;
  return leave_scope(body, std::move(bound));
}

// The names of the loop's own parameters are out of scope in `tree`, but they are what it may
// share with without harm.
void ConsumptionChecker::check_loop_return(const ast::Pattern& pattern, const AliasTree& tree,
                                           LoopState& state) {
  const auto report = [&](DiagnosticKind kind, BindingId id, const std::string& text) {
    if (state.reported) return;
    diagnostics_.report(kind, result_expression(*state.loop.body).range,
                        (state.find(id)->consumed ? "Return value for consuming loop parameter \""
                                                  : "Return value for loop parameter \"") +
                            std::string(names_.text(checked_.bindings[id].name)) + "\" " + text);
  };
  for_each_name(
      pattern, tree, nullptr,
      [&](BindingId id, const Type*, const AliasTree& part, const Type*) {
        LoopParameter* parameter = state.find(id);
        const bool consumed = parameter != nullptr && parameter->consumed;
        const AliasSet aliases = all_aliases(part);
        for (const Alias& alias : aliases) {
          if (!consumed || alias.free) continue;
          report(DiagnosticKind::consuming_loop_param_aliases, id,
                 "aliases " + quoted(alias.variable));
        }
        if (intersects(aliases, state.consumed)) {
          report(DiagnosticKind::loop_parameter_aliases_other, id,
                 "aliases other consumed loop parameter");
        } else if (consumed && intersects(aliases, state.observed)) {
          report(DiagnosticKind::aliases_previously_returned, id,
                 "aliases previously returned value");
        }
        AliasSet& seen = consumed ? state.consumed : state.observed;
        seen = union_of(seen, aliases);
      });
}

void ConsumptionChecker::check_not_consumed_by(std::string_view what, const ast::Exp& exp,
                                               const Consumed& consumed) {
  for (const auto& [id, tree] : free_variables(exp)) {
    const AliasSet aliases = all_aliases(tree);
    const bool used = std::any_of(aliases.begin(), aliases.end(), [&](const Alias& alias) {
      return !alias.free && consumed.contains(alias.variable);
    });
    if (!used) continue;
    diagnostics_
        .report(DiagnosticKind::loop_uses_consumed, first_use(id, exp),
                std::string(what) + " uses " + describe(id) +
                    " (or an alias), but this is consumed by the initial loop argument")
        .hints.emplace_back("use the loop parameter instead, or start the loop with a copy");
  }
}

void ConsumptionChecker::find_consumed(const Range& range, const AliasTree& body,
                                       Consumed& consumed, LoopState& state) {
  bool settled = true;
  for (LoopParameter& parameter : state.parameters) {
    if (parameter.ascribed) continue;
    parameter.consumed = consumed.contains(parameter.id);
    settled &= !parameter.consumed;
  }
  const std::size_t errors = diagnostics_.error_count();
  const auto compare = [&] {
    state.consumed = {};
    state.observed = {};
    check_loop_return(*state.loop.pattern, body, state);
    state.reported = diagnostics_.error_count() > errors;
    // What shares memory with a consumed parameter is consumed as well.
    for (const Alias& alias : state.consumed) {
      settled &= !consumed.emplace(alias.variable, range).second;
    }
  };
  for (compare(); !settled; compare()) {
    settled = true;
    for (LoopParameter& parameter : state.parameters) {
      parameter.consumed = consumed.contains(parameter.id);
    }
  }
}

AliasTree ConsumptionChecker::loop(const ast::Exp& exp, const ast::Loop& loop) {
  match(
      loop.form, [&](const ast::ForLoop& form) { expression(*form.bound); },
      [&](const ast::ForInLoop& form) { expression(*form.array); },
      [](const ast::WhileLoop&) {});

  std::vector<LoopParameter> parameters;
  for_each_name(*loop.pattern, number_tree(), nullptr,
                [&](BindingId id, const Type* type, const AliasTree&, const Type* written) {
                  const bool consumed = written != nullptr && has_unique_part(written);
                  parameters.push_back({id, type, written != nullptr, consumed});
                });
  Consumed consumed;
  const AliasTree body = loop_body(loop, parameters, consumed);

  LoopState state{loop, parameters};
  find_consumed(exp.range, body, consumed, state);

  const bool any_consumed =
      std::any_of(parameters.begin(), parameters.end(),
                  [](const LoopParameter& parameter) { return parameter.consumed; });
  AliasTree initial;
  const Consumed by_initial = contained([&] {
    if (!any_consumed) {
      initial = argument({}, *loop.initial, false);
      return;
    }
    initial = expression(*loop.initial);
    check_not_self_aliased(loop.initial->range, initial);
    AliasSet used;
    for_each_name(*loop.pattern, initial, nullptr,
                  [&](BindingId id, const Type*, const AliasTree& part, const Type*) {
                    const LoopParameter* parameter = state.find(id);
                    if (parameter == nullptr || !parameter->consumed) return;
                    used = union_of(used, all_aliases(part));
                  });
    consume(loop.initial->range, used);
  });
  add_consumed(by_initial);

  check_not_consumed_by("Loop body", *loop.body, by_initial);
  if (const auto* condition = as<ast::WhileLoop>(loop.form)) {
    check_not_consumed_by("Loop condition", *condition->condition, by_initial);
  }

  state.hand_on(initial, body);
  AliasSet fresh;
  insert(fresh, {fresh_result("the result of this loop"), true, {}});
  return combined(loop_value(*loop.pattern, initial, fresh, state), body);
}

// The part of the result that comes from the initial value: nothing of what is consumed.
AliasTree ConsumptionChecker::loop_value(const ast::Pattern& pattern, const AliasTree& initial,
                                         const AliasSet& fresh, LoopState& state) {
  const auto observed = [&](const AliasSet& aliases) {
    return with_aliases(initial, union_of(fresh, aliases));
  };
  const auto with_field = [&](AliasValue& value, std::size_t index, const ast::Pattern& inner) {
    if (index >= value.fields.size()) return;
    AliasTree& field = value.fields[index].second;
    field = loop_value(inner, field, fresh, state);
  };
  return match(
      pattern.node,
      [&](const ast::NamePattern& p) {
        const auto found = state.shared.find(p.id);
        return found == state.shared.end() ? with_aliases(initial, {}) : observed(found->second);
      },
      [&](const ast::TuplePattern& p) {
        AliasValue value = *initial;
        for (std::size_t i = 0; i < p.elements.size(); ++i) with_field(value, i, *p.elements[i]);
        return AliasTree(std::make_shared<const AliasValue>(std::move(value)));
      },
      [&](const ast::RecordPattern& p) {
        AliasValue value = *initial;
        for (const auto& [name, inner] : p.fields) {
          for (std::size_t i = 0; i < value.fields.size(); ++i) {
            if (value.fields[i].first == name.symbol) with_field(value, i, *inner);
          }
        }
        return AliasTree(std::make_shared<const AliasValue>(std::move(value)));
      },
      [&](const ast::AscribedPattern& p) { return loop_value(*p.pattern, initial, fresh, state); },
      [&](const ast::AttributePattern& p) { return loop_value(*p.pattern, initial, fresh, state); },
      [&](const ast::WildcardPattern&) { return observed(all_aliases(initial)); },
      [&](const ast::LiteralPattern&) { return observed(all_aliases(initial)); },
      [&](const ast::ConstructorPattern&) { return observed(all_aliases(initial)); });
}

}  // namespace dagaz::check
