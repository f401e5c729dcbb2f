// Uses at constant positions are uses of elements.  A view, an update, and what a loop or branch
// hands on are versions of an array: where one must be whole, those it came from must be.  What
// makes a new small array (a literal, a copy) only reads elements.
#include "passes/scalarise/whole_uses.h"

#include <algorithm>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::scalarising {

WholeUses::WholeUses(const Function& function, const Names& names, FlattenTarget target)
    : names_(names), target_(target), residence_(names) {
  for (const Binder& parameter : function.parameters) {
    residence_.add_device_array(parameter.name);
  }
  body(function.body, Where::host);
  spread();
}

void WholeUses::body(const Body& body, Where where) {
  for (const Statement& one : body.statements) statement(one, where);
}

void WholeUses::statement(const Statement& statement, Where where) {
  const Where there = inside(statement.operation, where);
  for_each_scope(statement.operation, [&](const Body& inner) { body(inner, there); });
  if (const auto* one = as<Loop>(statement.operation)) {
    loop(*one, where);
  } else if (const auto* either = as<Branch>(statement.operation)) {
    branch(statement, *either, where);
  } else {
    uses(statement);
  }
  if (where == Where::host) residence_.record(statement);
}

static bool are_constant(const std::vector<Operand>& operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [](const Operand& one) { return one.is_constant(); });
}

static bool are_constant(const std::vector<SliceDimension>& dimensions) {
  return std::all_of(dimensions.begin(), dimensions.end(), [](const SliceDimension& one) {
    return one.start.is_constant() && one.count.is_constant() && one.stride.is_constant();
  });
}

void WholeUses::uses(const Statement& statement) {
  const auto view = [&](NameId array, bool is_constant) {
    if (is_constant) {
      same(array, statement.results.front().name);
    } else {
      whole(array);
    }
  };
  const auto all_whole = [&] {
    for_each_operand(statement.operation, [this](const Operand& one) { whole(one); });
  };
  const auto makes_array = [&] {
    if (!is_small(names_.type(statement.results.front().name))) all_whole();
  };
  match(
      statement.operation, [](const Scalar&) {}, [](const Assert&) {}, [](const Iota&) {},
      [](const Scratch&) {}, [&](const Index& e) { view(e.array, are_constant(e.indices)); },
      [&](const Slice& e) { view(e.array, are_constant(e.dimensions)); },
      // The value is written element by element, wherever that is.
      [&](const Update& e) { view(e.array, are_constant(e.dimensions)); },
      [&](const Reshape& e) { same(e.array, statement.results.front().name); },
      [&](const Permute& e) { same(e.array, statement.results.front().name); },
      [&](const Identity& e) { same(e.value, statement.results.front().name); },
      [&](const ArrayLiteral&) { makes_array(); }, [&](const Replicate&) { makes_array(); },
      [&](const Concat&) { makes_array(); }, [&](const Copy&) { makes_array(); },
      [&](const auto&) { all_whole(); });
}

void WholeUses::loop(const Loop& e, Where where) {
  const bool reads_cost = target_ == FlattenTarget::gpu && where == Where::host;
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    if (reads_cost && residence_.is_on_device(e.body.results[k])) whole(parameter);
    same(e.values[k].initial, parameter);
    same(e.body.results[k], parameter);
  }
}

void WholeUses::branch(const Statement& statement, const Branch& e, Where where) {
  const bool reads_cost = target_ == FlattenTarget::gpu && where == Where::host;
  for (std::size_t k = 0; k < statement.results.size(); ++k) {
    const NameId result = statement.results[k].name;
    const bool on_device = residence_.is_on_device(e.then_body.results[k]) ||
                           residence_.is_on_device(e.else_body.results[k]);
    if (reads_cost && on_device) whole(result);
    same(e.then_body.results[k], result);
    same(e.else_body.results[k], result);
  }
}

void WholeUses::whole(const Operand& operand) {
  if (is_small(operand, names_) && whole_.insert(operand.name())) found_.push_back(operand.name());
}

void WholeUses::same(const Operand& array, NameId version) {
  if (is_small(array, names_)) versions_of_[version].push_back(array.name());
}

void WholeUses::spread() {
  while (!found_.empty()) {
    const NameId version = found_.back();
    found_.pop_back();
    const auto arrays = versions_of_.find(version);
    if (arrays == versions_of_.end()) continue;
    for (const NameId array : arrays->second) whole(array);
  }
}

}  // namespace dagaz::passes::scalarising
