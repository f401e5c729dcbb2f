// Scopes, and what has been consumed.
#include <algorithm>

#include "check/consumption_checker.h"
#include "support/edits.h"
#include "support/match.h"

namespace dagaz::check {

ConsumptionChecker::ConsumptionChecker(const CheckedProgram& checked, const NameTable& names,
                                       Diagnostics& diagnostics)
    : checked_(checked), names_(names), diagnostics_(diagnostics) {}

void ConsumptionChecker::bind(BindingId id, AliasTree tree, bool consumable) {
  if (!id.valid()) return;
  scope_.insert_or_assign(id, Entry{std::move(tree), consumable, depth_, order_++});
}

void ConsumptionChecker::bind_pattern(const ast::Pattern& pattern, const AliasTree& tree,
                                      std::vector<BindingId>& bound) {
  // The part of a record or of a constructor that a sub-pattern stands for.
  const auto field_of = [&](Symbol name) {
    for (const auto& [field, part] : tree->fields) {
      if (field == name) return part;
    }
    return tree->kind == AliasValue::Kind::leaf ? tree : number_tree();
  };
  match(
      pattern.node,
      [&](const ast::NamePattern& p) {
        bind(p.id, with_self(tree, p.id), true);
        bound.push_back(p.id);
      },
      [](const ast::WildcardPattern&) {}, [](const ast::LiteralPattern&) {},
      [&](const ast::TuplePattern& p) {
        for (std::size_t i = 0; i < p.elements.size(); ++i) {
          const bool known = i < tree->fields.size();
          bind_pattern(*p.elements[i], known ? tree->fields[i].second : number_tree(), bound);
        }
      },
      [&](const ast::RecordPattern& p) {
        for (const auto& [name, inner] : p.fields) {
          bind_pattern(*inner, field_of(name.symbol), bound);
        }
      },
      [&](const ast::ConstructorPattern& p) {
        for (const auto& [name, payload] : tree->variants) {
          if (name != p.constructor.symbol) continue;
          for (std::size_t i = 0; i < p.arguments.size() && i < payload.size(); ++i) {
            bind_pattern(*p.arguments[i], payload[i], bound);
          }
        }
      },
      [&](const ast::AscribedPattern& p) { bind_pattern(*p.pattern, tree, bound); },
      [&](const ast::AttributePattern& p) { bind_pattern(*p.pattern, tree, bound); });
}

void ConsumptionChecker::pattern_names(const ast::Pattern& pattern,
                                       std::vector<BindingId>& names) {
  match(
      pattern.node, [&](const ast::NamePattern& p) { names.push_back(p.id); },
      [](const ast::WildcardPattern&) {}, [](const ast::LiteralPattern&) {},
      [&](const ast::TuplePattern& p) {
        for (const ast::Pattern* element : p.elements) pattern_names(*element, names);
      },
      [&](const ast::RecordPattern& p) {
        for (const auto& field : p.fields) pattern_names(*field.second, names);
      },
      [&](const ast::ConstructorPattern& p) {
        for (const ast::Pattern* argument : p.arguments) pattern_names(*argument, names);
      },
      [&](const ast::AscribedPattern& p) { pattern_names(*p.pattern, names); },
      [&](const ast::AttributePattern& p) { pattern_names(*p.pattern, names); });
}

AliasTree ConsumptionChecker::leave_scope(const AliasTree& tree,
                                          std::vector<BindingId> bound) const {
  std::sort(bound.begin(), bound.end());
  return unscoped(tree, bound);
}

void ConsumptionChecker::check_not_consumed(const Range& range, const AliasSet& aliases) {
  BindingId last;
  for (const Alias& alias : aliases) {
    const auto found = consumed_.find(alias.variable);
    if (found == consumed_.end() || alias.variable == last) continue;
    last = alias.variable;
    // One mistake, however often the variable is used afterwards.
    if (!reported_.emplace(alias.variable, found->second.begin).second) continue;
    Diagnostic& d = diagnostics_.report(
        DiagnosticKind::use_after_consume, range,
        "Using " + describe(alias.variable) +
            ", but this was consumed before (possibly through aliases)");
    d.labels.push_back({found->second, "consumed here"});
    d.hints.emplace_back("if it is still needed, consume a copy of it: `copy …`",
                         around(found->second, "(copy ", ")"), Applicability::possible);
  }
}

/// Says to whom `id` belongs, if it has a place in the program.
void ConsumptionChecker::explain_not_consumable(Diagnostic& d, BindingId id) const {
  if (id.index >= checked_.bindings.size()) return;
  const auto entry = scope_.find(id);
  const char* why = "its type has no `*`, so it still belongs to the caller";
  if (entry == scope_.end()) {
    why = "a constant belongs to all who use it";
  } else if (entry->second.depth != depth_) {
    why = "bound outside of the function that consumes it, which may be called again";
  }
  d.labels.push_back({checked_.bindings[id].range, why});
}

void ConsumptionChecker::consume(const Range& range, const AliasSet& aliases) {
  BindingId last;
  for (const Alias& alias : aliases) {
    if (alias.free || alias.variable == last) continue;
    const auto entry = scope_.find(alias.variable);
    const bool consumable = entry != scope_.end() && entry->second.consumable &&
                            entry->second.depth == depth_;
    if (consumable) continue;
    last = alias.variable;
    reported_.emplace(alias.variable, range.begin);
    if (!refused_.insert(alias.variable).second) continue;
    Diagnostic& d = diagnostics_.report(
        DiagnosticKind::not_consumable, range,
        "Consuming " + describe(alias.variable) + ", which is not consumable");
    explain_not_consumable(d, alias.variable);
    d.hints.emplace_back("consume a copy of it: `copy …`", around(range, "(copy ", ")"),
                         Applicability::possible);
  }
  check_not_consumed(range, aliases);
  for (const Alias& alias : aliases) {
    if (consumed_.emplace(alias.variable, range).second) consumed_log_.push_back(alias.variable);
  }
}

void ConsumptionChecker::add_consumed(const Consumed& consumed) {
  for (const auto& [id, range] : consumed) {
    if (consumed_.emplace(id, range).second) consumed_log_.push_back(id);
  }
}

BindingId ConsumptionChecker::fresh_result(std::string text) {
  results_.push_back(std::move(text));
  return BindingId(checked_.bindings.size() + results_.size() - 1);
}

std::string ConsumptionChecker::describe(BindingId id) const {
  if (id.index >= checked_.bindings.size()) {
    return results_[id.index - checked_.bindings.size()];
  }
  return "variable " + quoted(id);
}

std::string ConsumptionChecker::quoted(BindingId id) const {
  if (id.index >= checked_.bindings.size()) return describe(id);
  return "\"" + std::string(names_.text(checked_.bindings[id].name)) + "\"";
}

}  // namespace dagaz::check
