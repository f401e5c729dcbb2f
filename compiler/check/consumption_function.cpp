// Functions and their applications.  The body of a function can consume only its own parameters,
// and those only where they are marked; what it returns is unique if it says so or, without an
// annotation, if it can be.
#include <algorithm>
#include <map>

#include "check/consumption_checker.h"
#include "check/expression_walk.h"
#include "support/match.h"
#include "syntax/children.h"

namespace dagaz::check {

namespace {

using Kind = AliasValue::Kind;

// Whether a parameter of this type may be returned as unique: all its arrays are consumed.
bool is_consumable(const Type* type) {
  return match(
      type->node, [](const PrimitiveType&) { return true; },
      [](const Array& array) { return array.unique; },
      [](const Record& record) {
        return std::all_of(record.fields.begin(), record.fields.end(),
                           [](const auto& field) { return is_consumable(field.second); });
      },
      [](const Sum& sum) {
        for (const auto& constructor : sum.constructors) {
          for (const Type* part : constructor.second) {
            if (!is_consumable(part)) return false;
          }
        }
        return true;
      },
      [](const Arrow&) { return false; }, [](const Named& named) { return named.unique; },
      [](const MetaType&) { return false; });
}

struct ParameterName {
  BindingId id;
  const Type* type;
};

// The type of field `name` (or of tuple element `index`) of a record type, or null.
const Type* element_type(const Type* type, std::size_t index) {
  const auto* record = type == nullptr ? nullptr : as<Record>(type->node);
  return record != nullptr && index < record->fields.size() ? record->fields[index].second
                                                            : nullptr;
}
const Type* field_type(const Type* type, Symbol name) {
  const auto* record = type == nullptr ? nullptr : as<Record>(type->node);
  if (record == nullptr) return nullptr;
  for (const auto& [field, inner] : record->fields) {
    if (field == name) return inner;
  }
  return nullptr;
}

// The names that a parameter binds.  What an ascription says of uniqueness holds for its parts.
void parameter_names(const ast::Pattern& pattern, const Type* ascribed,
                     std::vector<ParameterName>& names) {
  const Type* type = ascribed != nullptr ? ascribed : pattern.type;
  match(
      pattern.node, [&](const ast::NamePattern& p) { names.push_back({p.id, type}); },
      [](const ast::WildcardPattern&) {}, [](const ast::LiteralPattern&) {},
      [&](const ast::TuplePattern& p) {
        for (std::size_t i = 0; i < p.elements.size(); ++i) {
          parameter_names(*p.elements[i], element_type(ascribed, i), names);
        }
      },
      [&](const ast::RecordPattern& p) {
        for (const auto& [name, inner] : p.fields) {
          parameter_names(*inner, field_type(ascribed, name.symbol), names);
        }
      },
      [&](const ast::ConstructorPattern& p) {
        for (const ast::Pattern* argument : p.arguments) {
          parameter_names(*argument, nullptr, names);
        }
      },
      [&](const ast::AscribedPattern& p) {
        const Type* own = p.type->type != nullptr ? p.type->type : pattern.type;
        parameter_names(*p.pattern, ascribed != nullptr ? ascribed : own, names);
      },
      [&](const ast::AttributePattern& p) { parameter_names(*p.pattern, ascribed, names); });
}

std::vector<ParameterName> parameter_names(const ast::Function& function) {
  std::vector<ParameterName> names;
  for (const ast::Pattern* parameter : function.parameters) {
    parameter_names(*parameter, nullptr, names);
  }
  return names;
}

// Whether some part of the parameter is consumed.
bool parameter_consumes(const ast::Pattern& pattern) {
  std::vector<ParameterName> names;
  parameter_names(pattern, nullptr, names);
  const bool by_name =
      std::any_of(names.begin(), names.end(), [](const ParameterName& name) {
        return name.type != nullptr && has_unique_part(name.type);
      });
  if (by_name) return true;
  const auto* ascribed = as<ast::AscribedPattern>(pattern.node);
  return ascribed != nullptr && ascribed->type->type != nullptr &&
         has_unique_part(ascribed->type->type);
}

}  // namespace

void ConsumptionChecker::bind_parameter(const ast::Pattern& pattern, const Type* type) {
  sizes_of_pattern(pattern);
  std::vector<ParameterName> names;
  parameter_names(pattern, type, names);
  for (const ParameterName& name : names) {
    const bool consumed = name.type != nullptr && has_unique_part(name.type);
    const AliasTree shape = with_aliases(trees_.of(name.type), {});
    bind(name.id, with_self(shape, name.id), consumed);
  }
}

std::vector<std::pair<BindingId, AliasTree>> ConsumptionChecker::free_variables(
    const ast::Exp& exp) const {
  std::map<std::size_t, std::pair<BindingId, AliasTree>> found;
  ast::for_each_expression(exp, [&](const ast::Exp& inner) {
    const auto* use = as<ast::Variable>(inner.node);
    if (use == nullptr) return;
    const auto entry = scope_.find(use->id);
    if (entry == scope_.end()) return;
    found.emplace(entry->second.order, std::pair{use->id, entry->second.tree});
  });
  std::vector<std::pair<BindingId, AliasTree>> result;
  for (auto& item : found) result.push_back(std::move(item.second));
  return result;
}

AliasTree ConsumptionChecker::function(const ast::Function& function, const ast::Exp* whole) {
  const ast::Exp& mentioned = whole != nullptr ? *whole : *function.body;
  // Before the body is checked, only the variables around it are in scope.
  AliasSet closure;
  for (const auto& [id, tree] : free_variables(mentioned)) {
    closure = union_of(closure, all_aliases(tree));
  }
  ++depth_;
  for (const ast::Pattern* parameter : function.parameters) bind_parameter(*parameter, nullptr);
  AliasTree body;
  contained([&] { body = expression(*function.body); });
  --depth_;
  check_returned(function, body);
  check_global_aliases(function, body);

  AliasTree tree = result_uniqueness(function, body);
  for (auto parameter = function.parameters.rbegin(); parameter != function.parameters.rend();
       ++parameter) {
    AliasValue arrow{Kind::function};
    arrow.consumes = parameter_consumes(**parameter);
    arrow.result = tree;
    arrow.aliases = closure;
    tree = std::make_shared<const AliasValue>(std::move(arrow));
  }
  return tree;
}

AliasTree ConsumptionChecker::result_uniqueness(const ast::Function& function,
                                                const AliasTree& body) {
  if (function.result_type != nullptr && function.result_type->type != nullptr) {
    return with_aliases(trees_.of(function.result_type->type), {});
  }
  std::map<BindingId, int> occurrences;
  const auto count = [&](const auto& self, const AliasTree& tree) -> void {
    for (const auto& field : tree->fields) self(self, field.second);
    if (tree->kind == Kind::record) return;
    std::vector<BindingId> seen;
    for (const Alias& alias : all_aliases(tree)) {
      if (std::find(seen.begin(), seen.end(), alias.variable) != seen.end()) continue;
      seen.push_back(alias.variable);
      ++occurrences[alias.variable];
    }
  };
  count(count, body);
  std::vector<BindingId> consumed;
  for (const ParameterName& name : parameter_names(function)) {
    if (name.type != nullptr && has_unique_part(name.type)) consumed.push_back(name.id);
  }
  const auto decide = [&](const auto& self, const AliasTree& tree) -> AliasTree {
    if (tree->kind == Kind::number) return tree;
    AliasValue copy = *tree;
    for (auto& field : copy.fields) field.second = self(self, field.second);
    for (auto& variant : copy.variants) {
      for (AliasTree& payload : variant.second) payload = self(self, payload);
    }
    if (copy.kind == Kind::leaf) {
      copy.unique = std::all_of(
          copy.aliases.begin(), copy.aliases.end(), [&](const Alias& alias) {
            const bool owned =
                alias.free ||
                std::find(consumed.begin(), consumed.end(), alias.variable) != consumed.end();
            return owned && occurrences[alias.variable] <= 1;
          });
    }
    copy.aliases.clear();
    return std::make_shared<const AliasValue>(std::move(copy));
  };
  return decide(decide, body);
}

void ConsumptionChecker::check_returned(const ast::Function& function, const AliasTree& body) {
  if (function.result_type == nullptr || function.result_type->type == nullptr) return;
  const Range& range = result_expression(*function.body).range;
  const Label promise{function.result_type->range, "the `*` promises an array of its own"};
  const std::vector<ParameterName> names = parameter_names(function);
  AliasSet unique_seen;
  AliasSet other_seen;
  const auto overlap = [&] {
    Diagnostic& d = diagnostics_.report(
        DiagnosticKind::unique_return_aliased, range,
        "A unique-typed component of the return value is aliased to some other component");
    d.labels.push_back(promise);
    d.hints.emplace_back("use `copy` to break the aliasing");
  };
  const auto check = [&](const auto& self, const AliasTree& expected,
                         const AliasTree& got) -> void {
    if (expected->kind == Kind::record && got->kind == Kind::record) {
      for (std::size_t i = 0; i < expected->fields.size() && i < got->fields.size(); ++i) {
        self(self, expected->fields[i].second, got->fields[i].second);
      }
      return;
    }
    const AliasSet aliases = all_aliases(got);
    if (!expected->unique) {
      if (intersects(aliases, unique_seen)) overlap();
      other_seen = union_of(other_seen, aliases);
      return;
    }
    if (intersects(aliases, unique_seen) || intersects(aliases, other_seen)) overlap();
    for (const ParameterName& name : names) {
      const bool returned = std::any_of(aliases.begin(), aliases.end(), [&](const Alias& alias) {
        return alias.variable == name.id;
      });
      if (!returned || name.type == nullptr || is_consumable(name.type)) continue;
      Diagnostic& d = diagnostics_.report(DiagnosticKind::return_aliased, range,
                                          "Unique-typed return value is aliased to " +
                                              quoted(name.id) + ", which is not consumable");
      d.labels.push_back({checked_.bindings[name.id].range,
                          "its type has no `*`, so it still belongs to the caller"});
      d.labels.push_back(promise);
      d.hints.emplace_back("use `copy` to break the aliasing");
    }
    unique_seen = union_of(unique_seen, aliases);
  };
  check(check, trees_.of(function.result_type->type), body);
}

// Callers could not know that the result shares memory with something that is not theirs.
void ConsumptionChecker::check_global_aliases(const ast::Function& function,
                                              const AliasTree& body) {
  if (function.parameters.empty()) return;
  BindingId last;
  for (const Alias& alias : array_aliases(body)) {
    if (alias.free || alias.variable == last) continue;
    last = alias.variable;
    if (scope_.contains(alias.variable)) continue;
    diagnostics_
        .report(DiagnosticKind::alias_free_variable, result_expression(*function.body).range,
                "Function result aliases the free " + describe(alias.variable))
        .hints.emplace_back("use `copy` to break the aliasing");
  }
}

void ConsumptionChecker::check_not_self_aliased(const Range& range, const AliasTree& tree) {
  std::vector<AliasSet> parts;
  alias_parts(tree, parts);
  AliasSet seen;
  for (const AliasSet& part : parts) {
    if (intersects(part, seen)) {
      diagnostics_
          .report(DiagnosticKind::self_aliasing_arg, range,
                  "Argument passed for consuming parameter is self-aliased")
          .hints.emplace_back("use `copy` for one of the parts");
      return;
    }
    seen = union_of(seen, part);
  }
}

AliasTree ConsumptionChecker::argument(const std::vector<Argument>& previous,
                                       const ast::Exp& exp, bool consumes) {
  AliasTree tree;
  const Consumed consumed = contained([&] { tree = expression(exp); });
  add_consumed(consumed);
  if (!consumed.empty() && tree->kind == Kind::function) {
    diagnostics_.report(DiagnosticKind::consuming_argument, exp.range,
                        "Argument of functional type contains consumption, which is not allowed");
  }
  if (!consumes) return tree;

  check_not_self_aliased(exp.range, tree);
  const AliasSet seen = all_aliases(tree);
  consume(exp.range, seen);
  for (const Argument& other : previous) {
    const AliasSet others = all_aliases(other.tree);
    const auto shared = std::find_if(seen.begin(), seen.end(), [&](const Alias& alias) {
      return !alias.free && std::any_of(others.begin(), others.end(), [&](const Alias& second) {
        return !second.free && second.variable == alias.variable;
      });
    });
    if (shared == seen.end()) continue;
    diagnostics_
        .report(DiagnosticKind::consumed_argument_aliased, exp.range,
                "Argument is consumed, but aliases " + describe(shared->variable) +
                    ", which is also aliased by other argument")
        .labels.push_back({other.exp->range, "this one; one of them could be a `copy`"});
    break;
  }
  return tree;
}

AliasTree ConsumptionChecker::call(const ast::Exp* function, const AliasTree& tree,
                                   const std::vector<AliasTree>& arguments) {
  if (tree->kind == Kind::number) return tree;
  std::string text = "the result of this application";
  if (const auto* named = as<ast::Variable>(function->node)) {
    text = "the result of applying \"" +
           std::string(names_.text(named->name.name.symbol)) + "\"";
  }
  // The parts of the result may share memory with each other.
  AliasSet fresh = all_aliases(tree);
  insert(fresh, {fresh_result(std::move(text)), true, {}});
  AliasTree result = with_aliases(tree, fresh);
  for (const AliasTree& argument : arguments) {
    if (result->kind != Kind::function) break;
    result = returned(result->aliases, result->result, result->consumes, argument);
  }
  return result;
}

void ConsumptionChecker::definition(const ast::ValueDeclaration& value) {
  depth_ = 0;
  consumed_.clear();
  consumed_log_.clear();
  scope_.clear();
  results_.clear();
  const ast::Function& function = value.function;
  ++depth_;
  for (const ast::Pattern* parameter : function.parameters) bind_parameter(*parameter, nullptr);
  const AliasTree body = expression(*function.body);
  --depth_;
  check_returned(function, body);
  check_global_aliases(function, body);
  if (function.result_type == nullptr) {
    if (!function.parameters.empty()) {
      inferred_[value.id] = {function.parameters.size(), result_uniqueness(function, body)};
    }
    return;
  }
  const Type* result = function.result_type->type;
  if (function.parameters.empty() && result != nullptr && has_unique_part(result)) {
    diagnostics_.report(DiagnosticKind::unique_constant, function.result_type->range,
                        "A top-level constant cannot have a unique type");
  }
}

AliasTree ConsumptionChecker::inferred_result(BindingId id) const {
  const auto known = inferred_.find(id);
  return known == inferred_.end() ? nullptr : known->second.second;
}

}  // namespace dagaz::check
