// A histogram of numbers is a map that accumulates.
//
//   hist op d (map (\x -> … (p, v)) xs)  =  with a = d op: map (\x a -> … a[p] op= v) xs
//
// On a CPU that is how it runs: points of a map compute their values in lanes, also where they
// loop, and a loop that accumulates has copies of the bins for its threads, or atomic instructions,
// by what the bins and the points take (emit/host/parallel_for).
#include "passes/flatten/accumulation.h"

#include <algorithm>

#include "ir/names.h"

namespace dagaz::passes::flattening {

using namespace ir;

bool combines_numbers(const Histogram& histogram) {
  return std::all_of(histogram.operators.begin(), histogram.operators.end(), [](const auto& one) {
    return one.destinations.size() == 1 && one.op.result_types[0].is_scalar();
  });
}

Statement accumulation(Statement statement, Histogram histogram, Names& names) {
  Lambda& point = histogram.map;
  WithAccumulator with;
  Statement filling{{}, {}, statement.tokens, statement.location, statement.mode};
  std::vector<Operand> given = std::exchange(point.body.results, {});
  point.result_types.clear();
  auto next = given.begin();
  for (HistogramOperator& one : histogram.operators) {
    const NameId bins = one.destinations[0];
    Type type = names.type(bins);
    type.kind = TypeKind::accumulator;
    const NameId opened = names.fresh("bins", type);
    const NameId own = names.fresh("bins", type);
    const NameId filled = names.fresh("bins", type);
    const NameId added = names.fresh("bins", type);
    Accumulate addition{own, {}, {}};
    for (std::size_t k = 0; k < one.shape.size(); ++k) addition.indices.push_back(*next++);
    addition.value = *next++;
    point.parameters.push_back(Binder{own});
    point.body.statements.push_back(
        Statement{{Binder{added}}, addition, {}, statement.location, {}});
    point.body.results.push_back(added);
    point.result_types.push_back(type);
    histogram.arrays.push_back(opened);
    filling.results.push_back(Binder{filled});
    with.body.parameters.push_back(Binder{opened});
    with.body.body.results.push_back(filled);
    with.body.result_types.push_back(type);
    with.inputs.push_back({std::move(one.shape), bins, std::move(one.op), std::move(one.neutral)});
  }
  filling.operation = MapScanReduce{histogram.width, std::move(histogram.arrays), std::move(point),
                                    {}, {}, std::nullopt, false};
  with.body.body.statements.push_back(std::move(filling));
  statement.operation = std::move(with);
  return statement;
}

}  // namespace dagaz::passes::flattening
