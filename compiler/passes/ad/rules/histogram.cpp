// Histograms, dest[iₖ] = dest[iₖ] ⊙ vₖ; indices outside are ignored.
//
//   +         v̄ₖ = d̄[iₖ];  the destination's adjoint is d̄
//   min, max  have become the numbers at the places where they are (extremum.h)
//   ×         products of the non-zeros and numbers of zeros per bin, as for a reduction
//   general   see histogram_in_order.cpp and histogram_general.cpp
#include <utility>

#include "passes/ad/emitted_arrays.h"
#include "passes/ad/report.h"
#include "passes/ad/rules/histograms.h"
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

// Whether a rule of its own applies to the operator.
static bool has_histogram_rule(const Reverse& r, const HistogramOperator& each) {
  if (is_addition(each.op)) return true;
  return binary_scalar_operator(each.op) == ScalarOp::mul && each.destinations.size() == 1 &&
         !r.options.differentiated_again;
}

static void histogram_sum(Reverse& r, const HistogramSite& site) {
  const Adjoint& adjoint = *site.adjoints[0];
  const NameId bins = adjoint.value->name();
  if (r.adjoints.is_active(Operand(site.values[0]))) {
    const NameId read = map_here(r.environment, site.width, r.environment.names_of(site.indices),
                                 [&](const std::vector<NameId>& p) {
                                   return guarded_index(r.environment, bins,
                                                        std::vector<Operand>(p.begin(), p.end()));
                                 });
    r.adjoints.add(Operand(site.values[0]), read, Ownership::owned);
  }
  r.adjoints.add(Operand(site.op.destinations[0]), bins, adjoint.ownership);
}

namespace {

// The rule for ×: what each bin is without one of its elements.
struct BinProducts {
  Reverse& r;
  const HistogramSite& site;
  NameId elements = r.environment.name(site.values[0]);
  NameId destination = r.environment.name(site.op.destinations[0]);
  Type bins = r.names().type(destination);
  ScalarType type = bins.element;
  Operand zero = Operand(zero_of(type));
  Operand one = Operand(one_of(type));

  Operand is_zero(NameId x) { return r.out().scalar(ScalarOp::eq, type, {Operand(x), zero}); }
  Operand non_zero(NameId x) { return r.out().select(type, is_zero(x), one, x); }
  Operand count_zero(NameId x) {
    return r.out().select(ScalarType::i64, is_zero(x), i64_operand(1), i64_operand(0));
  }

  // The product of the non-zeros of each bin, and the number of its zeros.
  std::vector<NameId> totals() {
    const auto non_zeros = [&](const std::vector<NameId>& p) { return non_zero(p[0]); };
    const auto counts = [&](const std::vector<NameId>& p) { return count_zero(p[0]); };
    Histogram both;
    both.width = site.width;
    const std::vector<NameId> indices = r.environment.names_of(site.indices);
    both.arrays = indices;
    both.arrays.push_back(map_here(r.environment, site.width, {elements}, non_zeros));
    both.arrays.insert(both.arrays.end(), indices.begin(), indices.end());
    both.arrays.push_back(map_here(r.environment, site.width, {elements}, counts));
    HistogramOperator products;
    products.shape = bins.shape;
    products.destinations = {map_bins(r.environment, bins.shape, {destination}, non_zeros)};
    products.neutral = {one};
    products.op = r.environment.copy_lambda(site.op.op);
    HistogramOperator zeros;
    zeros.shape = bins.shape;
    zeros.destinations = {map_bins(r.environment, bins.shape, {destination}, counts)};
    zeros.neutral = {i64_operand(0)};
    zeros.op = r.environment.addition(scalar_of(ScalarType::i64)).op;
    std::vector<Type> rows;
    for (const NameId array : both.arrays) rows.push_back(row_of(r.names().type(array)));
    both.map = identity_lambda(rows, r.names());
    both.operators = {std::move(products), std::move(zeros)};
    return r.out().add_results(std::move(both), "product");
  }

  // d̄·(what the bin is without x), for an x of the bin.
  Operand share(Operand product, Operand zero_count, Operand adjoint, NameId x) {
    const ScalarOp divide = is_float(type) ? ScalarOp::fdiv : ScalarOp::sdiv;
    const Operand scaled = r.environment.multiply(type, adjoint, product);
    const Operand none =
        r.out().scalar(ScalarOp::eq, ScalarType::i64, {zero_count, i64_operand(0)});
    const Operand single =
        r.out().scalar(ScalarOp::eq, ScalarType::i64, {zero_count, i64_operand(1)});
    const Operand alone =
        r.out().scalar(ScalarOp::bit_and, ScalarType::boolean, {single, is_zero(x)});
    const Operand rest = r.out().scalar(divide, type, {scaled, non_zero(x)});
    return r.out().select(type, none, rest, r.out().select(type, alone, scaled, zero));
  }
};

}  // namespace

static void histogram_product(Reverse& r, const HistogramSite& site) {
  BinProducts parts{r, site};
  const std::vector<NameId> totals = parts.totals();
  const NameId adjoint = site.adjoints[0]->value->name();
  if (r.adjoints.is_active(Operand(site.values[0]))) {
    std::vector<NameId> arrays = r.environment.names_of(site.indices);
    arrays.push_back(parts.elements);
    const NameId adjoints =
        map_here(r.environment, site.width, arrays, [&](const std::vector<NameId>& p) {
          const std::vector<Operand> place(p.begin(), p.end() - 1);
          const Operand product = guarded_index(r.environment, totals[0], place);
          const Operand zeros = guarded_index(r.environment, totals[1], place);
          const Operand of_bin = guarded_index(r.environment, adjoint, place);
          return parts.share(product, zeros, of_bin, p.back());
        });
    r.adjoints.add(Operand(site.values[0]), adjoints, Ownership::owned);
  }
  if (!r.adjoints.is_active(Operand(site.op.destinations[0]))) return;
  const NameId kept =
      map_bins(r.environment, parts.bins.shape, {totals[0], totals[1], adjoint, parts.destination},
               [&](const std::vector<NameId>& p) { return parts.share(p[0], p[1], p[2], p[3]); });
  r.adjoints.add(Operand(site.op.destinations[0]), kept, Ownership::owned);
}

static void operator_rule(Reverse& r, const Statement& statement, const HistogramSite& site) {
  if (has_histogram_rule(r, site.op)) {
    if (!site.adjoints[0]) return;
    if (is_addition(site.op.op)) {
      histogram_sum(r, site);
      r.note(statement, "histogram +", "reverse", "each value reads the adjoint of its bin");
    } else {
      histogram_product(r, site);
      r.note(statement, "histogram *", "reverse", "by the number of zeros in each bin");
    }
  } else if (runs_in_order(r, site.op)) {
    histogram_in_order(r, site);
    r.note(statement, "histogram", "reverse", "element after element, and backwards",
           size_formulas(r.environment, "before", site.values));
  } else {
    histogram_general(r, statement, site);
    r.note(statement, "histogram", "reverse", "sorted by bin, then as a reduction of segments",
           size_formulas(r.environment, "order", {site.indices.back()}) + ", " +
               size_formulas(r.environment, "prefixes", site.values) + ", " +
               size_formulas(r.environment, "suffixes", site.values));
  }
}

void adjoint_rule(Reverse& r, const Statement& statement, const Histogram& histogram) {
  auto next_array = histogram.arrays.begin();
  auto next_result = statement.results.begin();
  for (const HistogramOperator& each : histogram.operators) {
    HistogramSite site{each, r.environment.operand(histogram.width)};
    for (std::size_t d = 0; d < each.shape.size(); ++d) site.indices.push_back(*next_array++);
    for (std::size_t k = 0; k < each.destinations.size(); ++k) {
      site.values.push_back(*next_array++);
      site.adjoints.push_back(r.adjoints.take((next_result++)->name));
    }
    operator_rule(r, statement, site);
  }
}

}  // namespace dagaz::passes::ad
