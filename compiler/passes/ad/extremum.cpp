#include "passes/ad/extremum.h"

#include <algorithm>
#include <limits>

#include "ir/names.h"
#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

using namespace ir;

bool is_extremum(ScalarOp op) {
  switch (op) {
    case ScalarOp::smin: case ScalarOp::smax: case ScalarOp::umin: case ScalarOp::umax:
    case ScalarOp::fmin: case ScalarOp::fmax: return true;
    default: return false;
  }
}

bool finds_extrema(const Histogram& histogram) {
  return std::all_of(histogram.operators.begin(), histogram.operators.end(),
                     [](const HistogramOperator& each) {
                       const auto op = binary_scalar_operator(each.op);
                       return op && is_extremum(*op) && each.destinations.size() == 1;
                     });
}

ReduceOperator first_extremum(ScalarOp op, ScalarType type, Operand neutral, Builder& out) {
  const Type value_type = scalar_of(type);
  const Type index_type = scalar_of(ScalarType::i64);
  ReduceOperator best;
  best.commutative = true;
  best.neutral = {neutral, Operand(make_i64(std::numeric_limits<std::int64_t>::max()))};
  best.op = out.lambda(
      {value_type, index_type, value_type, index_type}, {"x", "i", "y", "j"},
      [&](Builder& inner, const std::vector<NameId>& p) {
        // A number wins over NaN: then, too, only one of them is the extremum.  With two NaNs
        // neither is, which is a tie like two equal numbers.
        const Operand value = inner.scalar(op, type, {Operand(p[0]), Operand(p[2])});
        const Operand x_is = inner.scalar(ScalarOp::eq, type, {Operand(p[0]), value});
        const Operand y_is = inner.scalar(ScalarOp::eq, type, {Operand(p[2]), value});
        const Operand tie = inner.scalar(ScalarOp::eq, ScalarType::boolean, {x_is, y_is});
        const Operand earlier =
            inner.scalar(ScalarOp::smin, ScalarType::i64, {Operand(p[1]), Operand(p[3])});
        const Operand place = inner.select(ScalarType::i64, x_is, p[1], p[3]);
        return std::vector<Operand>{value, inner.select(ScalarType::i64, tie, earlier, place)};
      });
  return best;
}

namespace {

// Adds the elements' places to what is mapped over, as the last result.
void give_places(const Operand& width, std::vector<NameId>& arrays, Lambda& map, Builder& out) {
  const Type type = scalar_of(ScalarType::i64);
  const NameId place = out.names().fresh("i", type);
  arrays.push_back(out.add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)},
                           "positions"));
  map.parameters.push_back(Binder{place});
  map.body.results.push_back(place);
  map.result_types.push_back(type);
}

// What `map` gives first for the element at `place`.
Body at_place(Lambda map, const std::vector<NameId>& arrays, NameId place, const Builder& around) {
  Builder inside = around.nested();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    inside.add(Statement{
        {map.parameters[i]}, Index{arrays[i], {Operand(place)}}, {}, inside.location()});
  }
  inside.add_all(std::move(map.body.statements));
  return inside.take_body({map.body.results[0]});
}

}  // namespace

void reduce_at_winner(Statement statement, MapScanReduce map, Builder& out) {
  const ReduceOperator& reduce = map.reductions[0];
  const Type type = map.map.result_types[0];
  const ScalarOp op = *binary_scalar_operator(reduce.op);
  MapScanReduce search;
  search.width = map.width;
  search.arrays = map.arrays;
  search.sequential = map.sequential;
  search.map = renamed(map.map, out.names());
  give_places(map.width, search.arrays, search.map, out);
  search.reductions = {first_extremum(op, type.element, reduce.neutral[0], out)};
  const NameId winner = out.add_results(std::move(search), "winner")[1];
  Branch branch;
  branch.condition = out.scalar(ScalarOp::ult, ScalarType::i64, {Operand(winner), map.width});
  branch.then_body = at_place(std::move(map.map), map.arrays, winner, out);
  branch.else_body.results = {reduce.neutral[0]};
  branch.result_types = {type};
  statement.operation = std::move(branch);
  out.add(std::move(statement));
}

// The places where the extrema of one operator are, [bins] of them.  `results` are those of the map
// that belong to the operator.
static NameId winners(const Histogram& histogram, const HistogramOperator& each,
                      std::vector<Operand> results, const Operand& bins, Builder& out) {
  const ScalarType type = each.op.result_types[0].element;
  Histogram search;
  search.width = histogram.width;
  search.arrays = histogram.arrays;
  search.map = histogram.map;
  search.map.body.results = std::move(results);
  search.map.result_types.assign(each.shape.size(), scalar_of(ScalarType::i64));
  search.map.result_types.push_back(scalar_of(type));
  search.map = renamed(search.map, out.names());
  give_places(search.width, search.arrays, search.map, out);
  const ReduceOperator best =
      first_extremum(*binary_scalar_operator(each.op), type, each.neutral[0], out);
  search.operators = {{each.shape,
                       {out.add(Copy{each.destinations[0]}, "best"),
                        out.add(Replicate{each.shape, i64_operand(-1)}, "winner")},
                       best.neutral,
                       best.op}};
  return out.add(Reshape{out.add_results(std::move(search), "winner")[1], {bins}}, "winners");
}

void combine_at_winners(Statement statement, Histogram histogram, Builder& out) {
  auto next = histogram.map.body.results.begin();
  for (std::size_t k = 0; k < histogram.operators.size(); ++k) {
    const HistogramOperator& each = histogram.operators[k];
    const auto value = next + static_cast<std::ptrdiff_t>(each.shape.size());
    const Type type = each.op.result_types[0];
    const Operand bins = out.product(each.shape);
    const NameId places = winners(histogram, each, {next, value + 1}, bins, out);
    Lambda element = histogram.map;
    element.body.results = {*value};
    element = renamed(element, out.names());
    const NameId before = out.add(Reshape{each.destinations[0], {bins}}, "before");
    const NameId after =
        out.map(bins, {places, before},
                [&](Builder& inner, const std::vector<NameId>& p) {
                  Branch branch;
                  branch.condition = inner.scalar(ScalarOp::slt, ScalarType::i64,
                                                  {Operand(p[0]), i64_operand(0)});
                  branch.then_body.results = {p[1]};
                  branch.else_body =
                      at_place(std::move(element), histogram.arrays, p[0], inner);
                  branch.result_types = {type};
                  return std::vector<Operand>{inner.add(std::move(branch), "extremum")};
                },
                "after")[0];
    out.add(Statement{
        {statement.results[k]}, Reshape{after, each.shape}, {}, statement.location});
    next = value + 1;
  }
}

}  // namespace dagaz::passes::ad
