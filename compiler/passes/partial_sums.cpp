#include "passes/partial_sums.h"

#include "support/match.h"

namespace dagaz::passes {

using namespace ir;

namespace {

bool is_map(const Statement& statement) {
  const auto& map = std::get<MapScanReduce>(statement.operation);
  return map.scans.empty() && map.reductions.empty() && !map.post && !map.sequential;
}

bool is_sum(const Lambda& lambda) {
  const auto& statements = lambda.body.statements;
  const auto* sum = statements.size() == 1 ? as<Scalar>(statements[0].operation) : nullptr;
  if (sum == nullptr || sum->op != ScalarOp::add) return false;
  const std::vector<Operand> both = {lambda.parameters[0].name, lambda.parameters[1].name};
  const std::vector<Operand> swapped = {both[1], both[0]};
  return (sum->arguments == both || sum->arguments == swapped) &&
         lambda.body.results[0] == Operand(statements[0].results[0].name);
}

}  // namespace

void PartialSums::learn(const Statement& statement) {
  if (const auto* scalar = as<Scalar>(statement.operation)) {
    scalars_.emplace(statement.results[0].name, *scalar);
  } else if (as<Slice>(statement.operation)) {
    slices_.emplace(statement.results[0].name, statement);
  } else if (as<MapScanReduce>(statement.operation)) {
    last_ = statement;
    if (is_map(statement)) {
      for (const Binder& result : statement.results) made_.insert(result.name);
    }
  } else if (!as<Assert>(statement.operation)) {
    last_.reset();  // it may write what was added
  }
}

std::optional<PartialSum> PartialSums::find(const Statement& statement) const {
  const auto* update = as<Update>(statement.operation);
  if (update == nullptr || !last_ || !update->value.is_name()) return std::nullopt;
  if (!made_.contains(update->array) || !is_map(*last_) || last_->results.size() != 1) {
    return std::nullopt;
  }
  if (update->value != Operand(last_->results[0].name)) return std::nullopt;
  if (!takes_nearly_all(update->array, update->dimensions)) return std::nullopt;
  const auto& map = std::get<MapScanReduce>(last_->operation);
  if (map.arrays.size() != 2 || !is_sum(map.map)) return std::nullopt;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto old = slices_.find(map.arrays[k]);
    if (old == slices_.end()) continue;
    const auto& slice = std::get<Slice>(old->second.operation);
    if (slice.array != update->array || slice.dimensions != update->dimensions) continue;
    PartialSum found{update->array, map.arrays[1 - k], statement.tokens};
    found.tokens.insert(found.tokens.end(), last_->tokens.begin(), last_->tokens.end());
    return found;
  }
  return std::nullopt;
}

bool PartialSums::takes_nearly_all(NameId array,
                                   const std::vector<SliceDimension>& dimensions) const {
  const Type& type = names_.type(array);
  if (type.rank() != 1) return false;
  const SliceDimension& part = dimensions[0];
  if (part.fixed || !part.start.is_constant() || part.stride != i64_operand(1)) return false;
  const auto less = missing(part.count, type.shape[0]);
  if (!less || *less < 1 || *less > most_missing_) return false;
  const std::int64_t start = integer_value(part.start.constant());
  return start == 0 || start == *less;
}

// c, where `count` is n - c, or 0 where that is negative.
std::optional<std::int64_t> PartialSums::missing(const Operand& count, const Operand& n) const {
  if (count.is_constant() && n.is_constant()) {
    return integer_value(n.constant()) - integer_value(count.constant());
  }
  const auto found = count.is_name() ? scalars_.find(count.name()) : scalars_.end();
  if (found == scalars_.end()) return std::nullopt;
  const auto& x = found->second.arguments;
  if (found->second.op == ScalarOp::smax && x[1] == i64_operand(0)) return missing(x[0], n);
  const bool is_sum = found->second.op == ScalarOp::add;
  if (!is_sum && found->second.op != ScalarOp::sub) return std::nullopt;
  if (x[0] != n || !x[1].is_constant()) return std::nullopt;
  const std::int64_t by = integer_value(x[1].constant());
  return is_sum ? -by : by;
}

}  // namespace dagaz::passes
