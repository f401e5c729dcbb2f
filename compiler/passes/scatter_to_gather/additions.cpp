#include "passes/scatter_to_gather/additions.h"

#include <algorithm>

#include "ir/names.h"
#include "passes/scatter_to_gather/tabulate.h"
#include "support/match.h"

namespace dagaz::passes::gathering {

bool adds_numbers(const AccumulatorInput& input, const Names& names) {
  if (!input.op || names.type(input.array).rank() != input.shape.size()) return false;
  const auto& statements = input.op->body.statements;
  const auto* sum = statements.size() == 1 ? as<Scalar>(statements[0].operation) : nullptr;
  return sum != nullptr && sum->op == ScalarOp::add &&
         input.op->body.results[0] == Operand(statements[0].results[0].name);
}

std::vector<Operand> terms_of(const Operand& value,
                              const std::vector<Addition::Condition>& conditions) {
  std::vector<Operand> terms;
  for (const Addition::Condition& condition : conditions) terms.push_back(condition.holds);
  terms.push_back(value);
  return terms;
}

static Operand holds(const Addition::Condition& condition, const NestValues& values, Point& point,
                     Builder& out) {
  const Operand one = values.value(condition.holds, point, out);
  return condition.sense ? one : out.scalar(ScalarOp::bit_not, ScalarType::boolean, {one}, "holds");
}

Operand all_hold(Operand before, const std::vector<Addition::Condition>& conditions,
                 const NestValues& values, Point& point, Builder& out) {
  Operand all = before;
  for (const Addition::Condition& condition : conditions) {
    if (all == Operand(make_bool(true)) || !values.needs_of(condition.holds)->reads) {
      all = both(all, holds(condition, values, point, out), out);
      continue;
    }
    const auto asked = [&](Builder& in) {
      Point same = point;
      return std::vector<Operand>{holds(condition, values, same, in)};
    };
    const auto no = [](Builder&) { return std::vector<Operand>{make_bool(false)}; };
    all = out.branch(all, asked, no, "holds")[0];
  }
  return all;
}

bool Additions::add_tokens(const Statement& statement) {
  for (const NameId token : statement.tokens) {
    if (values_.binds(token)) return false;
    if (std::find(tokens_.begin(), tokens_.end(), token) == tokens_.end()) tokens_.push_back(token);
  }
  return true;
}

bool Additions::find(const Body& body, NameId enters, const Operand& leaves,
                     const Addition& around) {
  NameId at = enters;
  for (const Statement& each : body.statements) {
    if (!around.levels.empty() || !around.conditions.empty()) values_.learn(each);
    if (!uses(each, at, names_)) continue;
    const auto exit = exit_of(each, at, names_);
    if (!exit || !add_tokens(each) || !find_in(each, at, around)) return false;
    at = each.results[*exit].name;
  }
  return leaves == Operand(at);
}

bool Additions::find_in(const Statement& statement, NameId enters, const Addition& around) {
  if (const auto* addition = as<Accumulate>(statement.operation)) {
    if (addition->accumulator != enters) return false;
    all_.push_back(around);
    all_.back().indices = addition->indices;
    all_.back().value = addition->value;
    return true;
  }
  if (as<Identity>(statement.operation)) return true;
  Addition inside = around;
  const std::size_t place = *exit_of(statement, enters, names_);
  if (const auto* branch = as<Branch>(statement.operation)) {
    inside.conditions.push_back({branch->condition, true});
    if (!find(branch->then_body, enters, branch->then_body.results[place], inside)) return false;
    inside.conditions.back().sense = false;
    return find(branch->else_body, enters, branch->else_body.results[place], inside);
  }
  if (const auto* with = as<WithAccumulator>(statement.operation)) {
    if (around.levels.empty()) return false;
    return find(with->body.body, enters, with->body.body.results[place], inside);
  }
  const auto& map = std::get<MapScanReduce>(statement.operation);
  const NameId parameter = map.map.parameters[*parameter_of(map, enters)].name;
  if (values_.binds(map.width)) return false;
  inside.levels.push_back(values_.add_level(map));
  inside.has_levels_under_conditions = !inside.conditions.empty();
  return find(map.map.body, parameter, map.map.body.results[place], inside);
}

}  // namespace dagaz::passes::gathering
