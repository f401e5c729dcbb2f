#include "memory/uses.h"

#include <algorithm>
#include <utility>

#include "ir/fields.h"
#include "ir/name_flags.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;

namespace {

/// The names free in what it visits.  Those of the bodies inside are put together from those of
/// their statements: nests of any depth are walked once.
class FreeNames {
 public:
  explicit FreeNames(const ir::Names& names) : names_(names) {}

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
    Mentions mentions;
    for (const ir::Statement& one : body.statements) {
      mentions.statements.push_back(of(one));
      for (const NameId name : mentions.statements.back().names) use(name);
      for (const ir::Binder& result : one.results) bound_.insert(result.name);
    }
    for (const Operand& result : body.results) use(result);
    bodies_.push_back(std::move(mentions));
  }
  void lambda(const ir::Lambda& lambda) {
    for (const ir::Binder& parameter : lambda.parameters) bind(parameter);
    body(lambda.body);
    for (const ir::Type& one : lambda.result_types) type(one);
  }

  std::vector<Mentions> take_bodies() { return std::move(bodies_); }

 private:
  Mentions::OfStatement of(const ir::Statement& statement) {
    const bool is_control = as<ir::Loop>(statement.operation) ||
                            as<ir::Branch>(statement.operation) ||
                            as<ir::WithAccumulator>(statement.operation);
    if (!is_control) return {ir::free_names(statement, names_), {}};
    FreeNames inside(names_);
    ir::walk_statement(inside, statement);
    std::erase_if(inside.order_, [&](NameId name) { return inside.bound_.contains(name); });
    return {std::move(inside.order_), std::move(inside.bodies_)};
  }

  const ir::Names& names_;
  ir::NameFlags used_;
  ir::NameFlags bound_;
  std::vector<NameId> order_;
  std::vector<Mentions> bodies_;
};

// Whether an operation gives arrays with memory of their own.
bool makes_memory(const ir::Operation& operation) {
  return as<ir::Replicate>(operation) || as<ir::Scratch>(operation) ||
         as<ir::SegmentedMap>(operation) || as<ir::SegmentedReduce>(operation);
}

}  // namespace

Mentions mentions_in(const ir::Body& body, const ir::Names& names) {
  FreeNames walk(names);
  walk.body(body);
  return std::move(walk.take_bodies().back());
}

std::size_t Uses::count_of(NameId name) const {
  const auto found = count.find(name);
  return found == count.end() ? 0 : found->second;
}

bool Uses::is_handed_over(const Operand& array) const {
  return array.is_name() && made.contains(array.name()) && count_of(array.name()) == 1;
}

Uses uses_of(const ir::Body& body, const Mentions& mentions, const ir::Names& names,
             const ir::AliasInfo& aliases) {
  Uses uses;
  const auto use = [&](NameId name, std::size_t statement) {
    uses.last[name] = statement;
    ++uses.count[name];
    if (!names.type(name).is_array()) return;
    for (const NameId root : aliases.roots(name)) uses.last_of_memory[root] = statement;
  };
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const ir::Statement& one = body.statements[k];
    for (const ir::Binder& result : one.results) uses.bindings.emplace(result.name, k);
    for (const NameId name : mentions.statements[k].names) use(name, k);
    if (makes_memory(one.operation)) {
      for (const ir::Binder& result : one.results) uses.made.insert(result.name);
    }
    if (const auto* with = as<ir::WithAccumulator>(one.operation)) {
      for (std::size_t i = 0; i < with->inputs.size(); ++i) {
        if (uses.made.contains(with->inputs[i].array)) uses.made.insert(one.results[i].name);
      }
    }
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) use(result.name(), body.statements.size());
  }
  return uses;
}

}  // namespace dagaz::memory
