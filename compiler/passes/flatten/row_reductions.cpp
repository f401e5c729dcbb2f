// Reductions of rows whose operators work element by element, on a GPU:
//
//   reduce (map2 ⊕) (replicate d ne) rows  =  map (\j -> reduce ⊕ ne rows[:, j]) (iota d)
//
// As it is written a thread would hold whole rows, and few threads could run.  What makes the rows
// has been split off before, so a row is a view here, and taking one element of it costs nothing.
//
// Histograms of rows likewise:
//
//   reduce_by_index (replicate k (replicate d ne)) (map2 ⊕) (replicate d ne) is rows
//     = reduce_by_index (replicate (k × d) ne) ⊕ ne (is × iota d) (flatten rows)
//
// Neighbouring threads then read and add what lies side by side.
#include "passes/flatten/row_reductions.h"

#include <algorithm>

#include "ir/names.h"
#include "ir/value_count.h"
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
  if (map->arrays.size() != op.parameters.size() ||
      only.results.size() != op.body.results.size()) {
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

void RowReductions::note(const Statement& statement) {
  const auto* replicate = as<Replicate>(statement.operation);
  if (replicate == nullptr) return;
  Operand value = replicate->value;
  if (value.is_name() && replicated_.contains(value.name())) value = replicated_.at(value.name());
  if (names_.type(value).is_scalar())
    replicated_.insert_or_assign(statement.results[0].name, value);
}

std::optional<ReduceOperator> RowReductions::over_elements(const ReduceOperator& one,
                                                           std::size_t rank) {
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

void RowReductions::reduce_elements(Nest& nest, PointBody& point,
                                    std::vector<ReduceOperator>& operators) {
  if (point.result_types.empty()) return;
  const std::size_t reduced = value_count(operators);
  const std::vector<Operand> shape = names_.type(operators[0].neutral[0]).shape;
  const bool alike =
      std::all_of(operators.begin(), operators.end(), [&](const ReduceOperator& one) {
        return std::all_of(one.neutral.begin(), one.neutral.end(), [&](const Operand& value) {
          return names_.type(value).shape == shape;
        });
      });
  if (shape.empty() || !alike || reduced != point.result_types.size() ||
      !repeats_cheaply(point.body.statements, names_, nested_operations_)) {
    return;
  }
  std::vector<ReduceOperator> elements;
  for (const ReduceOperator& one : operators) {
    std::optional<ReduceOperator> element = over_elements(one, shape.size());
    if (!element) return;
    elements.push_back(std::move(*element));
  }
  operators = std::move(elements);
  std::vector<SpaceDimension> rows;
  std::vector<Operand> indices;
  for (const Operand& extent : shape) {
    rows.push_back({{names_.fresh("j", scalar_of(ScalarType::i64))}, extent});
    indices.push_back(rows.back().index.name);
  }
  nest.space.insert(nest.space.end() - 1, rows.begin(), rows.end());
  for (std::size_t k = 0; k < reduced; ++k) {
    point.result_types[k].shape.clear();
    const NameId element = names_.fresh("x", point.result_types[k]);
    point.body.statements.push_back({{{element}}, Index{point.body.results[k].name(), indices}});
    point.body.results[k] = element;
  }
}

void RowReductions::bin_elements(Nest& nest, PointBody& point,
                                 std::vector<HistogramOperator>& operators,
                                 std::vector<Statement>& before) {
  if (operators.size() != 1) return;
  HistogramOperator& one = operators[0];
  const std::size_t bins = one.shape.size();
  const std::vector<Operand> shape = names_.type(one.neutral[0]).shape;
  const bool alike = std::all_of(one.neutral.begin(), one.neutral.end(), [&](const Operand& value) {
    return names_.type(value).shape == shape;
  });
  if (shape.size() != 1 || !alike ||
      !repeats_cheaply(point.body.statements, names_, nested_operations_)) {
    return;
  }
  const std::optional<ReduceOperator> element = over_elements({one.op, one.neutral}, 1);
  if (!element) return;
  one.op = element->op;
  one.neutral = element->neutral;
  one.shape.push_back(shape[0]);

  const Type number = scalar_of(ScalarType::i64);
  const auto computed = [&](std::vector<Statement>& out, ScalarOp op, const Operand& a) {
    const NameId name = names_.fresh("t", number);
    out.push_back({{{name}}, Scalar{op, ScalarType::i64, ScalarType::i64, {a, shape[0]}}});
    return name;
  };
  SpaceDimension& rows = nest.space.back();
  const NameId row = rows.index.name;
  rows.index = {names_.fresh("i", number)};
  rows.extent = computed(before, ScalarOp::mul, rows.extent);
  std::vector<Statement> found;
  const NameId at = computed(found, ScalarOp::urem, rows.index.name);
  found.push_back({{{row}}, Identity{computed(found, ScalarOp::udiv, rows.index.name)}});
  point.body.statements.insert(point.body.statements.begin(), found.begin(), found.end());
  for (std::size_t k = bins; k < point.body.results.size(); ++k) {
    point.result_types[k].shape.clear();
    const NameId value = names_.fresh("x", point.result_types[k]);
    point.body.statements.push_back({{{value}}, Index{point.body.results[k].name(), {at}}});
    point.body.results[k] = value;
  }
  const auto place = static_cast<std::ptrdiff_t>(bins);
  point.body.results.insert(point.body.results.begin() + place, at);
  point.result_types.insert(point.result_types.begin() + place, number);
}

}  // namespace dagaz::passes::flattening
