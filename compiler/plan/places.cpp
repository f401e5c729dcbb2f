#include "plan/places.h"

#include <algorithm>
#include <unordered_map>

#include "ir/fields.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;

namespace {

enum class Met { before, now, either };

/// What an operator does with the places of one of its values.
struct Choice {
  std::unordered_map<NameId, Met> places;    // which of the two a name is
  std::unordered_map<NameId, bool> answers;  // what a comparison of them gives
};

std::optional<Met> place(const Choice& choice, const Operand& operand) {
  const auto found = operand.is_name() ? choice.places.find(operand.name()) : choice.places.end();
  return found == choice.places.end() ? std::nullopt : std::optional(found->second);
}

/// Notes what a statement makes of two places; false where that is not known.
bool note_two(Choice& choice, NameId result, ScalarOp op, Met a, Met b) {
  if (a == Met::either || b == Met::either) return false;
  switch (op) {
    case ScalarOp::slt: choice.answers[result] = a == Met::before && b == Met::now; return true;
    case ScalarOp::sle: choice.answers[result] = a == Met::before || b == Met::now; return true;
    case ScalarOp::eq: choice.answers[result] = a == b; return true;
    case ScalarOp::smin: choice.places[result] = std::min(a, b); return true;
    case ScalarOp::smax: choice.places[result] = std::max(a, b); return true;
    default: return false;
  }
}

bool note_choice(Choice& choice, const ir::Statement& statement) {
  const NameId result = statement.results[0].name;
  if (const auto* same = as<ir::Identity>(statement.operation)) {
    choice.places[result] = *place(choice, same->value);
    return true;
  }
  const auto* scalar = as<ir::Scalar>(statement.operation);
  if (scalar == nullptr || scalar->arguments.size() < 2) return false;
  const std::size_t first = scalar->op == ScalarOp::select ? 1 : 0;
  const auto a = place(choice, scalar->arguments[first]);
  const auto b = place(choice, scalar->arguments[first + 1]);
  if (!a || !b) return false;
  if (scalar->op != ScalarOp::select) return note_two(choice, result, scalar->op, *a, *b);
  choice.places[result] = a == b ? *a : Met::either;
  return true;
}

std::optional<Choice> choice_of(const ir::Lambda& op, std::size_t value, const ir::Names& names) {
  const std::size_t count = op.body.results.size();
  Choice choice;
  choice.places[op.parameters[value].name] = Met::before;
  choice.places[op.parameters[count + value].name] = Met::now;
  for (const ir::Statement& one : op.body.statements) {
    const auto read = ir::free_names(one, names);
    const bool meets_places = std::any_of(
        read.begin(), read.end(), [&](NameId name) { return choice.places.contains(name); });
    if (meets_places && !note_choice(choice, one)) return std::nullopt;
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (place(choice, op.body.results[k]).has_value() != (k == value)) return std::nullopt;
  }
  return choice;
}

/// Makes numbers of steps of all that is a place.
class Steps {
 public:
  Steps(const Choice& choice, ir::Names& names) : choice_(choice), names_(names) {}

  void number(ir::Lambda& op, std::size_t value) {
    for (ir::Binder& parameter : op.parameters) parameter.name = step(parameter.name);
    for (ir::Statement& one : op.body.statements) number(one);
    op.body.results[value] = step(op.body.results[value].name());
    op.result_types[value] = ir::scalar_of(ir::ScalarType::i32);
  }

 private:
  NameId step(NameId name) {
    if (!choice_.places.contains(name)) return name;
    const auto found = steps_.find(name);
    if (found != steps_.end()) return found->second;
    return steps_[name] = names_.fresh("step", ir::scalar_of(ir::ScalarType::i32));
  }

  void number(ir::Statement& statement) {
    const NameId result = statement.results[0].name;
    if (const auto answer = choice_.answers.find(result); answer != choice_.answers.end()) {
      statement.operation = ir::Identity{ir::Constant(ir::make_bool(answer->second))};
      return;
    }
    const auto met = choice_.places.find(result);
    if (met == choice_.places.end()) return;
    statement.results[0].name = step(result);
    if (auto* same = as<ir::Identity>(statement.operation)) {
      same->value = step(same->value.name());
      return;
    }
    auto& scalar = std::get<ir::Scalar>(statement.operation);
    if (scalar.op != ScalarOp::select) {
      // The least or greatest of two is one of them.
      const Met first = choice_.places.at(scalar.arguments[0].name());
      statement.operation =
          ir::Identity{step(scalar.arguments[first == met->second ? 0 : 1].name())};
      return;
    }
    scalar.type = scalar.result = ir::ScalarType::i32;
    for (std::size_t k = 1; k < scalar.arguments.size(); ++k) {
      scalar.arguments[k] = step(scalar.arguments[k].name());
    }
  }

  const Choice& choice_;
  ir::Names& names_;
  std::unordered_map<NameId, NameId> steps_;
};

}  // namespace

bool only_chooses(const ir::Lambda& op, std::size_t value, const ir::Names& names) {
  return names.type(op.parameters[value].name) == ir::scalar_of(ir::ScalarType::i64) &&
         choice_of(op, value, names).has_value();
}

ir::Lambda over_steps(const ir::Lambda& op, const std::vector<std::size_t>& values,
                      ir::Names& names) {
  ir::Lambda numbered = ir::renamed(op, names);
  for (const std::size_t value : values) {
    const std::optional<Choice> choice = choice_of(numbered, value, names);
    Steps(*choice, names).number(numbered, value);
  }
  return numbered;
}

}  // namespace dagaz::plan
