#include "passes/flatten/element_operators.h"

#include <algorithm>

#include "ir/names.h"
#include "passes/flatten/nest.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

/// The operator of the elements: `op` is one map over its parameters, each once, and gives what
/// that gives.
std::optional<Lambda> element_operator(const Lambda& op, Names& names) {
  if (op.body.statements.size() != 1) return std::nullopt;
  const Statement& only = op.body.statements[0];
  const auto* map = as<MapScanReduce>(only.operation);
  if (map == nullptr || !is_map(*map) || map->post) return std::nullopt;
  if (map->arrays.size() != op.parameters.size() || only.results.size() != op.body.results.size()) {
    return std::nullopt;
  }
  for (std::size_t k = 0; k < only.results.size(); ++k) {
    if (op.body.results[k] != Operand(only.results[k].name)) return std::nullopt;
  }
  const Lambda& inner = map->map;
  const auto inside = free_names(inner, names);
  Lambda element{{}, inner.body, inner.result_types};
  for (const Binder& parameter : op.parameters) {
    const auto at = std::find(map->arrays.begin(), map->arrays.end(), parameter.name);
    const bool whole = std::find(inside.begin(), inside.end(), parameter.name) != inside.end();
    if (at == map->arrays.end() || whole) return std::nullopt;
    element.parameters.push_back(
        inner.parameters[static_cast<std::size_t>(at - map->arrays.begin())]);
  }
  return renamed(element, names);
}

}  // namespace

void ElementOperators::note(const Statement& statement) {
  const auto* replicate = as<Replicate>(statement.operation);
  if (replicate == nullptr) return;
  Operand value = replicate->value;
  if (value.is_name() && replicated_.contains(value.name())) value = replicated_.at(value.name());
  if (names_.type(value).is_scalar()) {
    replicated_.insert_or_assign(statement.results[0].name, value);
  }
}

std::optional<ReduceOperator> ElementOperators::of(const ReduceOperator& one,
                                                   std::size_t rank) const {
  ReduceOperator result = one;
  for (std::size_t level = 0; level < rank; ++level) {
    std::optional<Lambda> element = element_operator(result.op, names_);
    if (!element) return std::nullopt;
    result.op = std::move(*element);
  }
  for (Operand& neutral : result.neutral) {
    const auto found = neutral.is_name() ? replicated_.find(neutral.name()) : replicated_.end();
    if (found == replicated_.end()) return std::nullopt;
    neutral = found->second;
  }
  return result;
}

}  // namespace dagaz::passes::flattening
