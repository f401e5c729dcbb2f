// The two sweeps of reverse mode over the statements of a scope.
#include "passes/ad/reverse.h"

#include <algorithm>
#include <utility>

#include "passes/ad/consumption.h"
#include "passes/ad/loop_plan.h"
#include "passes/ad/rules/rules.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

void Reverse::note(const Statement& statement, std::string rule, std::string mode,
                   std::string reason, std::string stored) const {
  if (report == nullptr) return;
  report->entries.push_back(AdReportEntry{statement.location, std::move(rule), std::move(mode),
                                          std::move(reason), std::move(stored)});
}

// ---------------------------------------------------------------- replacements

static bool is_while(const Statement& statement) {
  const auto* loop = as<Loop>(statement.operation);
  return loop != nullptr && std::holds_alternative<WhileForm>(loop->form);
}

// Statements that have no rule of their own; those that stand for them do.
static bool may_be_replaced(const Statement& statement) {
  return is_while(statement) || std::holds_alternative<MapScanReduce>(statement.operation);
}

static std::vector<Statement> instead_of_while(Reverse& r, const Statement& statement) {
  const auto& loop = std::get<Loop>(statement.operation);
  std::vector<Statement> instead =
      loop.attributes.bound ? bounded_while(r, statement, loop) : counted_while(r, statement);
  for (const Statement& each : instead) {
    if (is_while(each)) r.counting.insert(key_of(each));
  }
  return instead;
}

// What stands for an active statement in both sweeps, made on its first forward sweep; null if it
// stands for itself.
static const std::vector<Statement>* replace(Reverse& r, const Statement& statement) {
  const NameId key = key_of(statement);
  const auto* map = as<MapScanReduce>(statement.operation);
  const bool counts = r.counting.count(key) != 0;
  const bool as_loop = map != nullptr && scan_needs_loop(r, *map);
  if (!as_loop && (!is_while(statement) || counts)) return nullptr;
  const auto found = r.replacements.find(key);
  if (found != r.replacements.end()) return &found->second;
  auto& place = r.replacements[key];
  place = as_loop ? scan_as_loop(r, statement, *map) : instead_of_while(r, statement);
  r.adjoints.analyse(place);
  return &place;
}

// ---------------------------------------------------------------- forward sweep

void copy_protected(Reverse& r, const Statement& statement) {
  std::vector<std::pair<NameId, NameId>> consumed;
  for (const NameId array : consumed_arrays(statement, r.names(), r.environment.functions())) {
    const NameId emitted = r.environment.name(array);
    consumed.emplace_back(array, emitted);
    r.environment.bind(array, r.out().add(Copy{emitted}, r.names().base(emitted)));
  }
  r.environment.copy_statement(statement);
  for (const auto& [original, emitted] : consumed) r.environment.bind(original, emitted);
}

// Whether nothing is left to be executed: the loop around kept the results, or does without them.
static bool is_known(const Reverse& r, const Statement& statement) {
  const NameSet& unknown = r.kept.unknown;
  if (std::holds_alternative<Loop>(statement.operation)) {
    return r.kept.not_repeated.count(key_of(statement)) != 0;
  }
  if (const auto* update = as<Update>(statement.operation))
    return unknown.count(update->array) != 0;
  if (const auto* slice = as<Slice>(statement.operation)) return unknown.count(slice->array) != 0;
  const auto* index = as<Index>(statement.operation);
  return index != nullptr && unknown.count(index->array) != 0;
}

// An update of an array that holds its final values changes nothing.
static bool updates_final_array(Reverse& r, const Statement& statement) {
  const auto* update = as<Update>(statement.operation);
  if (update == nullptr || r.kept.final_arrays.count(update->array) == 0) return false;
  r.environment.bind(statement.results[0].name, r.environment.name(update->array));
  r.kept.final_arrays.insert(statement.results[0].name);
  return true;
}

// The sweep re-executes values only; what was accumulated stays as it is.
static void forward_without_accumulators(Reverse& r, const Statement& statement) {
  if (std::holds_alternative<Accumulate>(statement.operation)) return;
  const Statement stripped = without_accumulators(r, statement);
  if (const auto* loop = as<Loop>(stripped.operation)) {
    forward_loop(r, key_of(statement), stripped, plan_of_loop_values(*loop, r.names()));
  } else if (!stripped.results.empty()) {
    copy_protected(r, stripped);
  }
}

static void forward_statement(Reverse& r, const Statement& statement) {
  if (updates_final_array(r, statement)) return;
  if (touches_accumulators(r, statement)) {
    forward_without_accumulators(r, statement);
    return;
  }
  if (const auto* custom = as<CustomDerivative>(statement.operation)) {
    forward_custom(r, statement, *custom);
    return;
  }
  const bool active =
      std::any_of(statement.results.begin(), statement.results.end(),
                  [&](const Binder& result) { return r.adjoints.is_active(Operand(result.name)); });
  if (!active) {
    copy_protected(r, statement);
  } else if (const auto* instead = replace(r, statement)) {
    forward_sweep(r, *instead);
  } else if (const auto* loop = as<Loop>(statement.operation); loop && !is_while(statement)) {
    const auto is_active = [&](NameId name) { return r.adjoints.is_active(Operand(name)); };
    forward_loop(r, key_of(statement), statement,
                 plan_loop(*loop, r.names(), is_active, r.options.kept_beyond_values));
  } else {
    copy_protected(r, statement);
  }
}

void forward_sweep(Reverse& r, const std::vector<Statement>& statements) {
  for (const Statement& each : statements) {
    r.environment.enter_statement(each);
    if (!is_known(r, each)) forward_statement(r, each);
    for (const Binder& result : each.results) {
      if (const auto known = r.kept.known.find(result.name); known != r.kept.known.end()) {
        r.environment.bind(result.name, known->second);
      }
    }
  }
}

// ---------------------------------------------------------------- return sweep

// Whether the return sweep has anything to do for a statement.
static bool is_reached(const Reverse& r, const Statement& statement) {
  return std::any_of(statement.results.begin(), statement.results.end(), [&](const Binder& result) {
    return r.adjoints.has(Operand(result.name)) || r.accumulator_reads.count(result.name) != 0;
  });
}

static void return_statement(Reverse& r, const Statement& statement) {
  match(
      statement.operation, [](const Absent auto&) { DZ_UNREACHABLE("no adjoints at this stage"); },
      [&](const auto& operation) { adjoint_rule(r, statement, operation); });
}

void return_sweep(Reverse& r, const std::vector<Statement>& statements) {
  for (auto each = statements.rbegin(); each != statements.rend(); ++each) {
    r.environment.enter_statement(*each);
    if (may_be_replaced(*each)) {
      const auto instead = r.replacements.find(key_of(*each));
      if (instead != r.replacements.end()) {
        return_sweep(r, instead->second);
        continue;
      }
    }
    if (is_reached(r, *each)) return_statement(r, *each);
  }
}

}  // namespace dagaz::passes::ad
