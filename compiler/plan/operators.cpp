#include "plan/operators.h"

#include <algorithm>

#include "ir/names.h"
#include "ir/value_count.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::Operand;

const ir::Lambda& innermost_lambda(const ir::Lambda& op) {
  const ir::Lambda* inner = &op;
  while (inner->body.statements.size() == 1) {
    const auto* map = as<ir::MapScanReduce>(inner->body.statements[0].operation);
    if (!map) break;
    inner = &map->map;
  }
  return *inner;
}

bool is_simple(const ir::Lambda& op) {
  const ir::Lambda& inner = innermost_lambda(op);
  const std::size_t count = inner.body.results.size();
  if (inner.body.statements.size() != count || inner.parameters.size() != 2 * count) return false;
  for (std::size_t k = 0; k < count; ++k) {
    const auto* one = as<ir::Scalar>(inner.body.statements[k].operation);
    if (!one || one->arguments.size() != 2) return false;
    const Operand left = inner.parameters[k].name;
    const Operand right = inner.parameters[count + k].name;
    const bool straight = one->arguments[0] == left && one->arguments[1] == right;
    const bool crossed = one->arguments[0] == right && one->arguments[1] == left;
    if (!straight && !crossed) return false;
  }
  return true;
}

static bool is_positionwise(const ir::Body& body, const std::vector<ir::Binder>& parameters,
                            const ir::Names& names) {
  const auto is_array = [&](const ir::Binder& one) { return names.type(one.name).is_array(); };
  if (std::none_of(parameters.begin(), parameters.end(), is_array)) return true;
  if (body.statements.size() != 1) return false;
  const auto* map = as<ir::MapScanReduce>(body.statements[0].operation);
  if (!map || !map->scans.empty() || !map->reductions.empty() || map->post) return false;
  const auto inside = ir::free_names(map->map, names);
  for (const ir::Binder& parameter : parameters) {
    const bool is_free = std::find(inside.begin(), inside.end(), parameter.name) != inside.end();
    if (is_array(parameter) && is_free) return false;
  }
  for (std::size_t k = 0; k < body.results.size(); ++k) {
    if (k >= body.statements[0].results.size() ||
        body.results[k] != Operand(body.statements[0].results[k].name)) {
      return false;
    }
  }
  return is_positionwise(map->map.body, map->map.parameters, names);
}

bool is_positionwise(const ir::Lambda& op, const ir::Names& names) {
  return is_positionwise(op.body, op.parameters, names);
}

bool is_commutative(const ir::ReduceOperator& op) { return op.commutative || is_simple(op.op); }

bool are_commutative(const std::vector<ir::ReduceOperator>& operators) {
  return std::all_of(operators.begin(), operators.end(), is_commutative);
}

// The smaller or larger of two floats.
bool starts_as_a_number(const ir::Lambda& op) {
  const std::vector<ir::Statement>& statements = op.body.statements;
  const auto* scalar = statements.size() == 1 ? as<ir::Scalar>(statements[0].operation) : nullptr;
  return scalar != nullptr &&
         (scalar->op == ir::ScalarOp::fmax || scalar->op == ir::ScalarOp::fmin);
}

bool are_scalars(const std::vector<ir::Type>& types) {
  return std::all_of(types.begin(), types.end(),
                     [](const ir::Type& type) { return type.is_scalar(); });
}

bool is_straight(const std::vector<ir::Statement>& statements) {
  return std::all_of(statements.begin(), statements.end(), [](const ir::Statement& one) {
    return as<ir::Scalar>(one.operation) || as<ir::Index>(one.operation) ||
           as<ir::Slice>(one.operation) || as<ir::Identity>(one.operation) ||
           as<ir::Permute>(one.operation);
  });
}

bool only_reduces(const ir::Statement& statement) {
  const auto* map = as<ir::MapScanReduce>(statement.operation);
  return map != nullptr && map->scans.empty() && !map->reductions.empty() && !map->post &&
         ir::value_count(map->reductions) == statement.results.size();
}

const ir::Statement* sole_reduction(const ir::Body& body) {
  const ir::Statement* found = nullptr;
  for (const ir::Statement& one : body.statements) {
    if (!as<ir::MapScanReduce>(one.operation)) continue;
    if (found || !only_reduces(one)) return nullptr;
    found = &one;
  }
  return found;
}

bool is_constant(const Operand& operand, std::int64_t value) {
  return operand.is_constant() && operand.constant().type == ir::ScalarType::i64 &&
         ir::integer_value(operand.constant()) == value;
}

bool is_known_below(const Operand& extent, std::int64_t least) {
  return extent.is_constant() && ir::integer_value(extent.constant()) < least;
}

}  // namespace dagaz::plan
