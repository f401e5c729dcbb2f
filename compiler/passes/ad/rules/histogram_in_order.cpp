// Histograms with any operator on numbers, element after element.
//
//   for b:            d[b] = d⁰[b] ⊙ ne
//   for i upwards:    l[i] = d[b];  d[b] = d[b] ⊙ x[i]            b the bin of element i
//   for i downwards:  (d̄[b], x̄[i]) = d̄[b]·∂(l ⊙ x) at l[i], x[i]
//   for b:            d̄[b] = d̄[b]·∂(d⁰ ⊙ ne)/∂d⁰
//
// What is left in d̄ is the destination's adjoint.  The neutral element ne changes nothing, unless
// the operator has none: then bins without elements count as combined with it, as in the general
// rule.  Each loop costs about what the histogram does, so one thread is done before several have
// sorted the elements (histogram_general.cpp).  Elements outside the bins share a further bin,
// which is dropped.
#include <algorithm>
#include <utility>

#include "passes/ad/rules/histograms.h"
#include "passes/ad/rules/operators.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

SliceDimension element_at(const Operand& place) {
  return {true, place, i64_operand(1), i64_operand(1)};
}

// A loop over the elements while it is being built.
struct ElementLoop {
  Reverse& r;
  Loop loop = {};
  Statement statement = {};

  // A further array of the loop; the name it has inside.
  NameId carry(NameId initial) {
    Names& names = r.names();
    const NameId inside = names.fresh_like(initial);
    loop.values.push_back(LoopValue{Binder{inside}, initial});
    loop.attributes.true_dependence.push_back(false);
    statement.results.push_back(Binder{names.fresh_like(initial)});
    return inside;
  }

  std::vector<NameId> carry_all(const std::vector<NameId>& initial) {
    std::vector<NameId> inside;
    for (const NameId each : initial) inside.push_back(carry(each));
    return inside;
  }

  // The next value of an array: one number differs.
  void put(NameId array, const Operand& place, const Operand& value) {
    loop.body.results.push_back(
        r.out().add(Update{array, {element_at(place)}, value}, r.names().base(array)));
  }

  // The arrays after the loop, in the order in which they were carried.
  std::vector<NameId> emit() {
    std::vector<NameId> results;
    for (const Binder& each : statement.results) results.push_back(each.name);
    statement.location = r.out().location();
    statement.operation = std::move(loop);
    r.out().add(std::move(statement));
    return results;
  }
};

}  // namespace

bool runs_in_order(const Reverse& r, const HistogramOperator& histogram) {
  const bool of_numbers =
      std::all_of(histogram.op.result_types.begin(), histogram.op.result_types.end(),
                  [](const Type& type) { return type.is_scalar(); });
  return r.options.in_order && r.options.in_chunks && r.maps_around == 0 && of_numbers &&
         r.adjoints.active_among(free_names(histogram.op, r.environment.names())).empty();
}

// `array` over one dimension of bins, with `last` for the elements outside.
static NameId with_last_bin(Reverse& r, NameId array, const Operand& last, const Operand& bins) {
  const NameId flat = r.out().add(Reshape{array, {bins}}, r.names().base(array));
  const NameId one = r.out().add(Replicate{{i64_operand(1)}, last}, "last");
  return r.out().add(Concat{r.out().add_i64(bins, i64_operand(1)), {flat, one}},
                     r.names().base(array));
}

// `filled` combined with the neutral elements.
static std::vector<NameId> with_neutral(Reverse& r, const HistogramOperator& histogram,
                                        const Operand& bins, std::vector<NameId> filled) {
  ElementLoop loop{r};
  const NameId b = r.names().fresh("b", scalar_of(ScalarType::i64));
  loop.loop.form = ForForm{Binder{b}, bins};
  filled = loop.carry_all(filled);
  {
    NestedScope scope(r.environment);
    std::vector<Operand> arguments;
    for (const NameId array : filled) arguments.push_back(r.out().index(array, {Operand(b)}));
    for (const Operand& each : r.environment.operands(histogram.neutral)) arguments.push_back(each);
    const auto combined = r.environment.inline_lambda(histogram.op, arguments);
    for (std::size_t k = 0; k < filled.size(); ++k) loop.put(filled[k], Operand(b), combined[k]);
    loop.loop.body.statements = scope.take_statements();
  }
  return loop.emit();
}

// The adjoints of what was combined with the neutral elements, for those of the result.
static std::vector<NameId> before_neutral(Reverse& r, const HistogramOperator& histogram,
                                          const Operand& bins, std::vector<NameId> adjoints) {
  std::vector<NameId> destinations;
  for (const NameId each : histogram.destinations) {
    destinations.push_back(r.out().add(Reshape{r.environment.name(each), {bins}}, "bins"));
  }
  ElementLoop loop{r};
  const NameId b = r.names().fresh("b", scalar_of(ScalarType::i64));
  loop.loop.form = ForForm{Binder{b}, bins};
  adjoints = loop.carry_all(adjoints);
  {
    NestedScope scope(r.environment);
    std::vector<Operand> arguments, results;
    for (const NameId array : destinations) arguments.push_back(r.out().index(array, {Operand(b)}));
    for (const Operand& each : r.environment.operands(histogram.neutral)) arguments.push_back(each);
    for (const NameId array : adjoints) results.push_back(r.out().index(array, {Operand(b)}));
    const auto given = operand_adjoints(r, histogram.op, arguments, results);
    for (std::size_t k = 0; k < adjoints.size(); ++k) loop.put(adjoints[k], Operand(b), given[k]);
    loop.loop.body.statements = scope.take_statements();
  }
  return loop.emit();
}

// The numbers in the bins before each element.
static std::vector<NameId> numbers_before(Reverse& r, const HistogramOperator& histogram,
                                          const Operand& width, const Operand& bins, NameId places,
                                          const std::vector<NameId>& values) {
  const std::size_t arity = values.size();
  ElementLoop up{r};
  const NameId i = r.names().fresh("i", scalar_of(ScalarType::i64));
  up.loop.form = ForForm{Binder{i}, width};
  std::vector<NameId> filled, before;
  for (std::size_t k = 0; k < arity; ++k) {
    filled.push_back(with_last_bin(r, r.environment.name(histogram.destinations[k]),
                                   r.environment.operand(histogram.neutral[k]), bins));
    before.push_back(r.out().add(Scratch{histogram.op.result_types[k].element, {width}}, "before"));
  }
  filled = up.carry_all(with_neutral(r, histogram, bins, std::move(filled)));
  before = up.carry_all(before);
  {
    NestedScope scope(r.environment);
    const Operand bin = r.out().index(places, {Operand(i)}, "bin");
    std::vector<Operand> arguments;
    for (const NameId array : filled) arguments.push_back(r.out().index(array, {bin}, "l"));
    for (const NameId array : values) arguments.push_back(r.out().index(array, {Operand(i)}));
    const auto combined = r.environment.inline_lambda(histogram.op, arguments);
    for (std::size_t k = 0; k < arity; ++k) up.put(filled[k], bin, combined[k]);
    for (std::size_t k = 0; k < arity; ++k) up.put(before[k], Operand(i), arguments[k]);
    up.loop.body.statements = scope.take_statements();
  }
  const std::vector<NameId> results = up.emit();
  return {results.begin() + static_cast<std::ptrdiff_t>(arity), results.end()};
}

void histogram_in_order(Reverse& r, const HistogramSite& site) {
  const HistogramOperator& histogram = site.op;
  const Operand& width = site.width;
  const std::vector<NameId>& originals = site.values;
  const std::vector<NameId> indices = r.environment.names_of(site.indices);
  const std::size_t arity = originals.size();
  const std::vector<Operand> shape = r.environment.operands(histogram.shape);
  const Operand bins = r.out().product(shape);
  const NameId places = bin_numbers(r, width, indices, shape, bins);
  const std::vector<NameId> values = r.environment.names_of(originals);
  const std::vector<NameId> before = numbers_before(r, histogram, width, bins, places, values);

  ElementLoop down{r};
  const NameId step = r.names().fresh("i", scalar_of(ScalarType::i64));
  down.loop.form = ForForm{Binder{step}, width};
  std::vector<NameId> in_bins, of_elements;
  for (std::size_t k = 0; k < arity; ++k) {
    const Type& type = histogram.op.result_types[k];
    const Operand zero = r.environment.zero(type);
    in_bins.push_back(
        site.adjoints[k]
            ? with_last_bin(r, site.adjoints[k]->value->name(), zero, bins)
            : r.out().add(Replicate{{r.out().add_i64(bins, i64_operand(1))}, zero}, "adjoint"));
    of_elements.push_back(r.out().add(Scratch{type.element, {width}}, "adjoint"));
  }
  in_bins = down.carry_all(in_bins);
  of_elements = down.carry_all(of_elements);
  {
    NestedScope scope(r.environment);
    const Operand i = r.out().sub_i64(r.out().sub_i64(width, i64_operand(1)), step);
    const Operand bin = r.out().index(places, {i}, "bin");
    std::vector<Operand> arguments, results;
    for (const NameId array : before) arguments.push_back(r.out().index(array, {i}, "l"));
    for (const NameId array : values) arguments.push_back(r.out().index(array, {i}));
    for (const NameId array : in_bins) results.push_back(r.out().index(array, {bin}, "adjoint"));
    const auto given = operand_adjoints(r, histogram.op, arguments, results);
    for (std::size_t k = 0; k < arity; ++k) down.put(in_bins[k], bin, given[k]);
    for (std::size_t k = 0; k < arity; ++k) down.put(of_elements[k], i, given[arity + k]);
    down.loop.body.statements = scope.take_statements();
  }
  const std::vector<NameId> results = down.emit();
  in_bins.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(arity));
  in_bins = before_neutral(r, histogram, bins, std::move(in_bins));
  for (std::size_t k = 0; k < arity; ++k) {
    const Operand destination(histogram.destinations[k]);
    if (r.adjoints.is_active(Operand(originals[k]))) {
      r.adjoints.add(Operand(originals[k]), results[arity + k], Ownership::owned);
    }
    if (!r.adjoints.is_active(destination)) continue;
    const SliceDimension inside{false, i64_operand(0), bins, i64_operand(1)};
    const NameId flat = r.out().add(Slice{in_bins[k], {inside}}, "adjoint");
    // A copy, since what is shared with the last bin cannot be updated.
    const NameId whole = r.out().add(Copy{flat}, "adjoint");
    r.adjoints.add(destination, r.out().add(Reshape{whole, shape}, "adjoint"), Ownership::owned);
  }
}

}  // namespace dagaz::passes::ad
