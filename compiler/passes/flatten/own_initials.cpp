// Loops that start from the same constant array.
//
//   z = replicate s 0;  loop a = z …;  loop b = z …
//     =  x = replicate s 0;  loop a = x …;  y = replicate s 0;  loop b = y …
//
// Sums start from zeros, and equal zeros have become one array.  Each loop would have to leave it
// as it is for the next; an array of its own is where its sums may lie.  Comes last, when nothing
// looks for equal statements any more.
#include "passes/flatten/own_initials.h"

#include <unordered_map>

#include "ir/names.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

/// What makes the arrays of one number that are used more than once.
std::unordered_map<NameId, Statement> shared_constants(const Body& body, const Names& names) {
  std::unordered_map<NameId, Statement> constants;
  std::unordered_map<NameId, int> uses;
  for (const Statement& one : body.statements) {
    const auto* replicate = as<Replicate>(one.operation);
    if (replicate != nullptr && replicate->value.is_constant()) {
      constants.emplace(one.results[0].name, one);
    }
    const auto* loop = as<Loop>(one.operation);
    for (const NameId name : free_names(one, names)) {
      if (loop == nullptr) ++uses[name];
    }
    if (loop == nullptr) continue;
    for (const LoopValue& value : loop->values) {
      if (value.initial.is_name()) ++uses[value.initial.name()];
    }
    for (const NameId name : free_names(loop->body, names)) ++uses[name];
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) ++uses[result.name()];
  }
  std::erase_if(constants, [&](const auto& one) { return uses[one.first] < 2; });
  return constants;
}

/// Removes those of the arrays that only loops used.
void drop_unused(Body& body, const std::unordered_map<NameId, Statement>& constants,
                 const Names& names) {
  if (constants.empty()) return;
  NameSet used;
  for (const Statement& one : body.statements) {
    for (const NameId name : free_names(one, names)) used.insert(name);
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) used.insert(result.name());
  }
  std::erase_if(body.statements, [&](const Statement& one) {
    return one.results.size() == 1 && constants.contains(one.results[0].name) &&
           !used.contains(one.results[0].name);
  });
}

}  // namespace

void give_loops_own_initials(Body& body, Names& names) {
  const auto constants = shared_constants(body, names);
  std::vector<Statement> statements;
  for (Statement& one : body.statements) {
    if (auto* branch = as<Branch>(one.operation)) {
      give_loops_own_initials(branch->then_body, names);
      give_loops_own_initials(branch->else_body, names);
    } else if (auto* loop = as<Loop>(one.operation)) {
      give_loops_own_initials(loop->body, names);
      for (std::size_t k = 0; k < loop->values.size(); ++k) {
        LoopValue& value = loop->values[k];
        if (!value.initial.is_name() || !constants.contains(value.initial.name())) continue;
        if (loop->body.results[k] == Operand(value.parameter.name)) continue;
        Statement own = constants.at(value.initial.name());
        own.results = {Binder{names.fresh_like(value.initial.name())}};
        value.initial = own.results[0].name;
        statements.push_back(std::move(own));
      }
    }
    statements.push_back(std::move(one));
  }
  body.statements = std::move(statements);
  drop_unused(body, constants, names);
}

}  // namespace dagaz::passes::flattening
