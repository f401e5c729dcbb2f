// Reductions of rows whose operators work element by element, on a GPU:
//
//   reduce (map2 ⊕) (replicate d ne) rows  =  map (\j -> reduce ⊕ ne rows[:, j]) (iota d)
//
// As it is written a thread would hold whole rows, and few threads could run.  What makes the rows
// has been split off before, so a row is a view here, and taking one element of it costs nothing.
#include "passes/flatten/row_reductions.h"

#include <algorithm>

#include "ir/names.h"
#include "ir/value_count.h"

namespace dagaz::passes::flattening {

using namespace ir;

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
    std::optional<ReduceOperator> element = by_elements_.of(one, shape.size());
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

}  // namespace dagaz::passes::flattening
