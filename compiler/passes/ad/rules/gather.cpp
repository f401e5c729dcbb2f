// ys = map (\i -> … xs[is[i]] …):   x̄s = reduce_by_index x̄s (+) 0 is (map (\i -> … ȳ[i] …))
//
// A return map that does nothing but add one number for each iteration to one array is a histogram.
// It has better code than an accumulator: bins of their own for each thread or block where there
// are few.  Where the map gives other results as well, the accumulator saves writing indices and
// numbers between the two.
#include <algorithm>

#include "passes/ad/reverse.h"
#include "passes/ad/rules/return_map.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// The statement that writes the only result, if that is all it does.
std::vector<Statement>::iterator only_write(Lambda& map) {
  std::vector<Statement>& all = map.body.statements;
  return std::find_if(all.begin(), all.end(), [&](const Statement& each) {
    const auto* write = as<Accumulate>(each.operation);
    return write != nullptr && write->accumulator == map.parameters.back().name &&
           map.body.results[0] == Operand(each.results[0].name);
  });
}

}  // namespace

bool Reverse::emit_histogram(const MapSite& site, ReturnMap& back) {
  Lambda& map = back.map.map;
  // Inside another map there are as many histograms as iterations.
  const bool alone = options_.in_chunks && maps_around_ == 0 && !site.sequential;
  if (!alone || back.given_back.size() != 1 || map.body.results.size() != 1) return false;
  const NameId name = back.given_back[0];
  if (back.opened.count(name) == 0) return false;
  const Type type = environment_->type_of(Operand(name));
  const auto written = only_write(map);
  if (written == map.body.statements.end()) return false;
  const Accumulate write = std::get<Accumulate>(written->operation);
  if (write.indices.size() != type.rank()) return false;

  map.body.statements.erase(written);
  map.parameters.pop_back();
  map.body.results = write.indices;
  map.body.results.push_back(write.value);
  map.result_types.assign(type.rank(), scalar_of(ScalarType::i64));
  map.result_types.push_back(scalar_of(type.element));
  const ReduceOperator sum = environment_->addition(scalar_of(type.element));
  Histogram histogram{site.width, back.map.arrays, std::move(map), {}};
  histogram.operators.push_back(
      HistogramOperator{type.shape, {take_owned(name).name()}, sum.neutral, sum.op});
  const NameId result = names().fresh(names().base(name) + "_adjoint", type);
  Statement statement{{Binder{result}}, std::move(histogram), {}, out().location(), site.mode};
  if (site.statement != nullptr) {
    statement.tokens = environment_->names_of(site.statement->tokens);
    note(*site.statement, "adjoint of `" + names().base(name) + "`", "reverse",
         "a histogram: each iteration adds where it reads");
  }
  out().add(std::move(statement));
  Adjoint adjoint;
  adjoint.value = result;
  adjoint.ownership = Ownership::owned;
  set_summed(name, std::move(adjoint));
  back.given_back.clear();
  return true;
}

}  // namespace dagaz::passes::ad
