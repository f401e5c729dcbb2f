// Reductions and scans of a value that is the same for all elements, by an operator on integers.
//
//   reduce (+) 0 (replicate n v) = n · v             scan (+) 0 (replicate n v) = map (\i -> (i +
//   1) · v) reduce max e (replicate n v) = n > 0 ? v : e     scan max e (replicate n v) = replicate
//   n v
//
// Sums of floats are left alone: n · v is rounded once.
#include <algorithm>
#include <optional>

#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

/// x ∘ x = x
bool is_idempotent(ScalarOp op) {
  switch (op) {
    case ScalarOp::smin:
    case ScalarOp::smax:
    case ScalarOp::umin:
    case ScalarOp::umax:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or: return true;
    default: return false;
  }
}

/// The operation on two integers that `op` is, and nothing else; null if it is another.
const Scalar* integer_operation(const Lambda& op) {
  if (op.parameters.size() != 2 || op.body.statements.size() != 1) return nullptr;
  const Statement& only = op.body.statements[0];
  const auto* scalar = as<Scalar>(only.operation);
  const bool fits = scalar != nullptr && is_integer(scalar->type) && only.tokens.empty() &&
                    (scalar->op == ScalarOp::add || is_idempotent(scalar->op)) &&
                    op.body.results[0] == Operand(only.results[0].name);
  if (!fits) return nullptr;
  const Operand left = op.parameters[0].name;
  const Operand right = op.parameters[1].name;
  const std::vector<Operand>& arguments = scalar->arguments;
  const bool takes_both = (arguments[0] == left && arguments[1] == right) ||
                          (arguments[0] == right && arguments[1] == left);
  return takes_both ? scalar : nullptr;
}

bool is_same_for_all(const Operand& value, const Rules& rules) {
  return !value.is_name() || rules.is_bound_outside_scopes(value.name());
}

/// `count` times `value`, added to the neutral element.
Operand sum_of_equal(const Scalar& op, const Operand& neutral, const Operand& value,
                     const Operand& count, Rules& rules) {
  const Operand times = rules.convert(ScalarOp::sign_extend, ScalarType::i64, op.type, count);
  const Operand product = rules.scalar(ScalarOp::mul, op.type, {value, times});
  return rules.scalar(ScalarOp::add, op.type, {product, neutral});
}

Operand reduced(const Scalar& op, const Operand& neutral, const Operand& value,
                const Operand& width, Rules& rules) {
  if (op.op == ScalarOp::add) return sum_of_equal(op, neutral, value, width, rules);
  const Operand some = rules.scalar(ScalarOp::slt, ScalarType::i64, {i64_operand(0), width});
  const Operand once = rules.scalar(op.op, op.type, {neutral, value});
  return rules.scalar(ScalarOp::select, op.type, {some, once, neutral});
}

}  // namespace

Outcome reductions_of_equal(MapScanReduce& node, Rules& rules) {
  std::size_t input = value_count(node.scans);
  std::size_t result = 0;
  for (std::size_t k = 0; k < node.reductions.size(); ++k) {
    const ReduceOperator& one = node.reductions[k];
    const Scalar* found = one.neutral.size() == 1 ? integer_operation(one.op) : nullptr;
    const Operand value = node.map.body.results[input];
    if (found != nullptr && is_same_for_all(value, rules)) {
      const Scalar op = *found;
      rules.replace_result(rules.statement->results[result].name,
                           reduced(op, one.neutral[0], value, node.width, rules));
      const auto at = [](auto& items, std::size_t index) {
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
      };
      at(rules.statement->results, result);
      at(node.map.body.results, input);
      at(node.map.result_types, input);
      at(node.reductions, k);
      return Outcome::rewritten;
    }
    input += one.neutral.size();
    result += one.neutral.size();
  }
  return Outcome::none;
}

Outcome scan_of_equal(MapScanReduce& node, Rules& rules) {
  const bool only_scans = node.scans.size() == 1 && node.scans[0].neutral.size() == 1 &&
                          node.reductions.empty() && !node.post &&
                          node.map.body.results.size() == 1;
  if (!only_scans) return Outcome::none;
  const Scalar* found = integer_operation(node.scans[0].op);
  const Operand value = node.map.body.results[0];
  if (found == nullptr || !is_same_for_all(value, rules)) return Outcome::none;
  const Scalar op = *found;
  const Operand neutral = node.scans[0].neutral[0];
  const NameId result = rules.statement->results[0].name;
  if (op.op != ScalarOp::add) {
    const Operand once = rules.scalar(op.op, op.type, {neutral, value});
    return rules.replace(rules.emit_in_place_of(result, Replicate{{node.width}, once}));
  }
  // Counts from neutral + value on, in steps of the value.
  const Operand first = rules.scalar(ScalarOp::add, op.type, {value, neutral});
  return rules.replace(rules.emit_in_place_of(result, Iota{op.type, node.width, first, value}));
}

}  // namespace dagaz::passes
