// Histograms, dest[iₖ] = dest[iₖ] ⊙ vₖ, and scatters, dest[iₖ] = vₖ; indices outside are ignored.
//
//   +         v̄ₖ = d̄[iₖ];  the destination's adjoint is d̄
//   min, max  have become the numbers at the places where they are (extremum.h)
//   ×         products of the non-zeros and numbers of zeros per bin, as for a reduction
//   general   see histogram_in_order.cpp and histogram_general.cpp
//   scatter   v̄ₖ = d̄[iₖ] for the write that takes effect;  the destination's adjoint is d̄ with
//             zeros where something was written
#include <algorithm>

#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

using namespace ir;

// One single-valued histogram operator, in emitted code.
struct Reverse::HistogramSite {
  const HistogramOperator* op;
  Operand width;
  std::vector<NameId> indices;
  NameId original_values;
  NameId values;
  NameId destination;  // emitted, before the histogram
  NameId adjoint;      // d̄
};

namespace {

std::vector<NameId> pick_arrays(std::vector<NameId> indices, NameId numbers) {
  indices.push_back(numbers);
  return indices;
}

Type row_after(Type type, std::size_t dimensions) {
  type.shape.erase(type.shape.begin(),
                   type.shape.begin() + static_cast<std::ptrdiff_t>(dimensions));
  return type;
}

}  // namespace

// Whether a rule of its own applies to the operator.
bool Reverse::has_histogram_rule(const HistogramOperator& each) const {
  if (is_addition(each.op)) return true;
  return binary_scalar_operator(each.op) == ScalarOp::mul && each.destinations.size() == 1 &&
         !options_.differentiated_again;
}

void Reverse::histogram_product(const HistogramSite& site) {
  const Type dest_type = names().type(site.destination);
  const ScalarType type = dest_type.element;
  const Operand zero(zero_of(type));
  const Operand one(one_of(type));
  const ScalarOp divide = is_float(type) ? ScalarOp::fdiv : ScalarOp::sdiv;
  const auto is_zero = [&](NameId x) {
    return out().scalar(ScalarOp::eq, type, {Operand(x), zero});
  };
  const auto non_zero = [&](NameId x) { return out().select(type, is_zero(x), one, x); };
  const auto count_zero = [&](NameId x) {
    return out().select(ScalarType::i64, is_zero(x), i64_operand(1), i64_operand(0));
  };
  const NameId factors = map_here(site.width, {site.values},
                                  [&](const std::vector<NameId>& p) { return non_zero(p[0]); });
  const NameId counts = map_here(site.width, {site.values},
                                 [&](const std::vector<NameId>& p) { return count_zero(p[0]); });
  HistogramOperator products;
  products.shape = dest_type.shape;
  products.destinations = {map_bins(dest_type.shape, {site.destination},
                                    [&](const std::vector<NameId>& p) { return non_zero(p[0]); })};
  products.neutral = {one};
  products.op = environment_->copy_lambda(site.op->op);
  HistogramOperator zeros;
  zeros.shape = dest_type.shape;
  zeros.destinations = {
      map_bins(dest_type.shape, {site.destination},
               [&](const std::vector<NameId>& p) { return count_zero(p[0]); })};
  zeros.neutral = {i64_operand(0)};
  zeros.op = environment_->addition(scalar_of(ScalarType::i64)).op;
  Histogram both;
  both.width = site.width;
  both.arrays = site.indices;
  both.arrays.push_back(factors);
  both.arrays.insert(both.arrays.end(), site.indices.begin(), site.indices.end());
  both.arrays.push_back(counts);
  std::vector<Type> rows;
  for (const NameId array : both.arrays) rows.push_back(row_of(names().type(array)));
  both.map = identity_lambda(rows, names());
  both.operators = {std::move(products), std::move(zeros)};
  const std::vector<NameId> totals = out().add_results(std::move(both), "product");

  // d̄·(what the bin is without x), for an x of the bin.
  const auto share = [&](Operand product, Operand zero_count, Operand adjoint, NameId x) {
    const Operand scaled = environment_->multiply(type, adjoint, product);
    const Operand none =
        out().scalar(ScalarOp::eq, ScalarType::i64, {zero_count, i64_operand(0)});
    const Operand single =
        out().scalar(ScalarOp::eq, ScalarType::i64, {zero_count, i64_operand(1)});
    const Operand alone =
        out().scalar(ScalarOp::bit_and, ScalarType::boolean, {single, is_zero(x)});
    const Operand rest = out().scalar(divide, type, {scaled, non_zero(x)});
    return out().select(type, none, rest, out().select(type, alone, scaled, zero));
  };
  if (is_active(Operand(site.original_values))) {
    std::vector<NameId> arrays = site.indices;
    arrays.push_back(site.values);
    const NameId adjoints = map_here(site.width, arrays, [&](const std::vector<NameId>& p) {
      const std::vector<Operand> place(p.begin(), p.end() - 1);
      return share(guarded_index(totals[0], place), guarded_index(totals[1], place),
                   guarded_index(site.adjoint, place), p.back());
    });
    add_adjoint(Operand(site.original_values), adjoints, Ownership::owned);
  }
  if (!is_active(Operand(site.op->destinations[0]))) return;
  const NameId kept =
      map_bins(dest_type.shape, {totals[0], totals[1], site.adjoint, site.destination},
               [&](const std::vector<NameId>& p) { return share(p[0], p[1], p[2], p[3]); });
  add_adjoint(Operand(site.op->destinations[0]), kept, Ownership::owned);
}

NameId Reverse::map_here(const Operand& width, const std::vector<NameId>& arrays,
                         const std::function<Operand(const std::vector<NameId>&)>& element) {
  MapScanReduce map;
  map.width = width;
  map.arrays = arrays;
  std::vector<NameId> parameters;
  for (const NameId array : arrays) {
    parameters.push_back(names().fresh(names().base(array), row_of(names().type(array))));
    map.map.parameters.push_back(Binder{parameters.back()});
  }
  NestedScope scope(*environment_);
  const Operand value = element(parameters);
  map.map.result_types = {names().type(value)};
  map.map.body = scope.take({value});
  scope.leave();
  return out().add(std::move(map), "mapped");
}

NameId Reverse::map_bins(const std::vector<Operand>& shape, const std::vector<NameId>& arrays,
                         const std::function<Operand(const std::vector<NameId>&)>& element) {
  if (shape.size() <= 1) return map_here(shape[0], arrays, element);
  return map_here(shape[0], arrays, [&](const std::vector<NameId>& rows) {
    return map_bins({shape.begin() + 1, shape.end()}, rows, element);
  });
}

void Reverse::rule(const Statement& statement, const Histogram& histogram) {
  std::size_t next_array = 0;
  std::size_t next_result = 0;
  for (const HistogramOperator& each : histogram.operators) {
    HistogramSite site;
    site.op = &each;
    site.width = environment_->operand(histogram.width);
    for (std::size_t d = 0; d < each.shape.size(); ++d) {
      site.indices.push_back(environment_->name(histogram.arrays[next_array++]));
    }
    const std::size_t count = each.destinations.size();
    if (!has_histogram_rule(each)) {
      std::vector<std::optional<Operand>> adjoints;
      std::vector<NameId> all;
      for (std::size_t k = 0; k < count; ++k) {
        const auto adjoint = take(statement.results[next_result++].name);
        adjoints.push_back(adjoint ? adjoint->value : std::nullopt);
        all.push_back(histogram.arrays[next_array++]);
      }
      if (runs_in_order(each)) {
        histogram_in_order(each, site.width, site.indices, all, adjoints);
        note(statement, "histogram", "reverse", "element after element, and backwards",
             size_formulas("before", all));
        continue;
      }
      histogram_general(statement, each, site.width, site.indices, all, adjoints);
      note(statement, "histogram", "reverse", "sorted by bin, then as a reduction of segments",
           size_formulas("order", {histogram.arrays[next_array - count - 1]}) + ", " +
               size_formulas("prefixes", all) + ", " + size_formulas("suffixes", all));
      continue;
    }
    const auto adjoint = take(statement.results[next_result].name);
    const NameId values = histogram.arrays[next_array];
    next_array += count;
    next_result += count;
    if (!adjoint) continue;
    site.original_values = values;
    site.values = environment_->name(values);
    site.destination = environment_->name(each.destinations[0]);
    site.adjoint = adjoint->value->name();
    if (is_addition(each.op)) {
      if (is_active(Operand(values))) {
        const NameId read =
            map_here(site.width, site.indices, [&](const std::vector<NameId>& p) {
              return guarded_index(site.adjoint, std::vector<Operand>(p.begin(), p.end()));
            });
        add_adjoint(Operand(values), read, Ownership::owned);
      }
      add_adjoint(Operand(each.destinations[0]), site.adjoint, adjoint->ownership);
      note(statement, "histogram +", "reverse", "each value reads the adjoint of its bin");
      continue;
    }
    histogram_product(site);
    note(statement, "histogram *", "reverse", "by the number of zeros in each bin");
  }
}

// Of several writes to one place only one has an effect, and only its value has an adjoint.  Which
// one it is, is unspecified, so any will do; scattering the writes' numbers picks one.
NameId Reverse::scattered_adjoints(const Operand& width, const std::vector<NameId>& indices,
                                   NameId adjoint, const std::vector<Operand>& shape) {
  const NameId numbers =
      out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "numbers");
  Scatter pick;
  pick.width = width;
  pick.arrays = indices;
  pick.arrays.push_back(numbers);
  std::vector<Type> rows;
  for (const NameId array : pick.arrays) rows.push_back(row_of(names().type(array)));
  pick.map = identity_lambda(rows, names());
  pick.targets = {{shape, out().add(Replicate{shape, i64_operand(-1)}, "winners")}};
  const NameId winners = out().add(std::move(pick), "winners");
  return map_here(width, pick_arrays(indices, numbers), [&](const std::vector<NameId>& p) {
    const std::vector<Operand> place(p.begin(), p.end() - 1);
    const Operand winner = guarded_index(winners, place);
    const Operand wins = out().scalar(ScalarOp::eq, ScalarType::i64, {winner, Operand(p.back())});
    const Type row = row_after(names().type(adjoint), place.size());
    if (row.is_scalar()) {
      return out().select(row.element, wins, guarded_index(adjoint, place),
                          Operand(zero_of(row.element)));
    }
    const Operand zero = environment_->zero(row);
    return choose(wins, guarded_index(adjoint, place), zero);
  });
}

void Reverse::rule(const Statement& statement, const Scatter& scatter) {
  std::size_t next_array = 0;
  for (std::size_t t = 0; t < scatter.targets.size(); ++t) {
    const ScatterTarget& target = scatter.targets[t];
    std::vector<NameId> indices;
    for (std::size_t d = 0; d < target.shape.size(); ++d) {
      indices.push_back(environment_->name(scatter.arrays[next_array++]));
    }
    const NameId values = scatter.arrays[next_array++];
    if (!has_adjoint(Operand(statement.results[t].name))) continue;
    const bool rewrites = is_active(Operand(target.destination));
    const Operand adjoint = rewrites ? take_owned(statement.results[t].name)
                                     : take_or_zero(statement.results[t].name);
    const Operand width = environment_->operand(scatter.width);
    if (is_active(Operand(values))) {
      add_adjoint(Operand(values),
                  scattered_adjoints(width, indices, adjoint.name(),
                                     environment_->operands(target.shape)),
                  Ownership::owned);
    }
    if (!rewrites) continue;
    const Type row = row_of(environment_->type_of(Operand(values)));
    Scatter erase;
    erase.width = width;
    erase.arrays = indices;
    std::vector<Type> rows;
    for (const NameId array : indices) rows.push_back(row_of(names().type(array)));
    erase.map = identity_lambda(rows, names());
    erase.map.body.results.push_back(environment_->zero(row));
    erase.map.result_types.push_back(row);
    erase.targets = {{environment_->operands(target.shape), adjoint.name()}};
    add_adjoint(Operand(target.destination), out().add(std::move(erase), "adjoint"),
                Ownership::owned);
  }
  note(statement, "scatter", "reverse", "each value reads the adjoint of the place it was put");
}

}  // namespace dagaz::passes::ad
