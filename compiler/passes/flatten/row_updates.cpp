// Elements of rows replaced by maps over the rows.
//
//   row with [w] = v                       =  map (\j x -> if j == w then v else x) 0…d-1 row
//   if c then row with [w] = v else row    =  map (\j x -> if c && j == w then u else x) 0…d-1 row,
//                                             u = if c then v else 0
//
// A point of a nest that is distributed has its row in an array over the nest; a thread for each
// point would copy the row element by element, away from what its neighbours copy.  As a map the
// copy is an operation over all elements, which may write over the array that it reads.  The
// adjoint of a greatest element ends so: one element of the row gets something added.
#include "passes/flatten/row_updates.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "ir/builder.h"
#include "ir/names.h"
#include "passes/flatten/parallelism.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

/// One element of a row gets a value, under a condition if there is one.
struct RowUpdate {
  NameId row;
  Operand place;
  Operand value;
  std::optional<Branch> branch;  // whose first body says the value
};

const Update* as_element_update(const Statement& statement, const Names& names) {
  const auto* update = as<Update>(statement.operation);
  if (update == nullptr || update->dimensions.size() != 1 || !update->dimensions[0].fixed) {
    return nullptr;
  }
  const Type& type = names.type(update->array);
  return type.rank() == 1 ? update : nullptr;
}

bool is_bound_in(const Body& body, const Operand& operand) {
  return operand.is_name() &&
         std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& one) {
           return std::any_of(one.results.begin(), one.results.end(),
                              [&](const Binder& r) { return r.name == operand.name(); });
         });
}

std::optional<RowUpdate> as_row_update(const Statement& statement, const Names& names) {
  if (const Update* update = as_element_update(statement, names)) {
    return RowUpdate{update->array, update->dimensions[0].start, update->value, std::nullopt};
  }
  const auto* branch = as<Branch>(statement.operation);
  if (branch == nullptr || branch->result_types.size() != 1 ||
      !branch->else_body.statements.empty() || branch->then_body.statements.empty()) {
    return std::nullopt;
  }
  const Statement& last = branch->then_body.statements.back();
  const Update* update = as_element_update(last, names);
  if (update == nullptr || branch->then_body.results[0] != Operand(last.results[0].name) ||
      branch->else_body.results[0] != Operand(update->array) ||
      is_bound_in(branch->then_body, update->array) ||
      is_bound_in(branch->then_body, update->dimensions[0].start)) {
    return std::nullopt;
  }
  RowUpdate found{update->array, update->dimensions[0].start, update->value, *branch};
  found.branch->then_body.statements.pop_back();
  return found;
}

}  // namespace

void replace_row_updates(Body& body, const NameSet& inside, Names& names,
                         std::vector<Statement>& out) {
  NameSet stored;
  std::vector<Statement> statements;
  for (Statement& one : body.statements) {
    const auto update = as_row_update(one, names);
    if (!update || !stored.contains(update->row)) {
      if (is_parallel(one, inside, names)) {
        for (const Binder& result : one.results) stored.insert(result.name);
      }
      statements.push_back(std::move(one));
      continue;
    }
    Builder outside(names);
    outside.set_location(one.location);
    const Type type = names.type(update->row);
    const Operand width = type.shape[0];
    const NameId places =
        outside.add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "positions");
    for (Statement& each : outside.take()) out.push_back(std::move(each));

    Builder builder(names);
    builder.set_location(one.location);
    builder.set_tokens(one.tokens);
    Operand value = update->value;
    if (update->branch) {
      Branch branch = *update->branch;
      branch.then_body.results = {value};
      branch.else_body.results = {Operand(zero_of(type.element))};
      branch.result_types = {scalar_of(type.element)};
      value = builder.add(std::move(branch), "value");
    }
    builder.map(
        width, {places, update->row},
        [&](Builder& inner, const std::vector<NameId>& p) {
          Operand is_there =
              inner.scalar(ScalarOp::eq, ScalarType::i64, {Operand(p[0]), update->place});
          if (update->branch) {
            is_there = inner.scalar(ScalarOp::bit_and, ScalarType::boolean,
                                    {update->branch->condition, is_there});
          }
          return std::vector<Operand>{inner.select(type.element, is_there, value, Operand(p[1]))};
        },
        "row");
    std::vector<Statement> made = builder.take();
    // The map gives what the update gave.
    made.back().results[0].name = one.results[0].name;
    stored.insert(one.results[0].name);
    std::move(made.begin(), made.end(), std::back_inserter(statements));
  }
  body.statements = std::move(statements);
}

}  // namespace dagaz::passes::flattening
