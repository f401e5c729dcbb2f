// Histograms with any operator.
//
// The elements are sorted by bin (stably, so the order within a bin is kept); then each bin is a
// segment, and the rule of the general reduction applies to every segment at once: with lᵢ and rᵢ
// the segmented exclusive scans from the left and from the right,
//   x̄ᵢ = d̄[b]·∂((d[b] ⊙ lᵢ) ⊙ x ⊙ rᵢ)/∂x at xᵢ,   b the bin of element i.
// The destination's adjoint is d̄·∂(d ⊙ t)/∂d with t the bin's total.
// Sorting goes bit by bit; elements outside the bins form a last bin of their own.
#include <algorithm>

#include "passes/ad/emitted_arrays.h"
#include "passes/ad/rules/histograms.h"
#include "passes/ad/rules/map_site.h"
#include "passes/ad/rules/operators.h"

namespace dagaz::passes::ad {

using namespace ir;

NameId bin_numbers(Reverse& r, const Operand& width, const std::vector<NameId>& indices,
                   const std::vector<Operand>& shape, const Operand& bins) {
  return map_here(r.environment, width, indices, [&](const std::vector<NameId>& p) {
    Operand inside(make_bool(true));
    Operand number = i64_operand(0);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Operand below =
          r.out().scalar(ScalarOp::ult, ScalarType::i64, {Operand(p[d]), shape[d]});
      inside =
          d == 0 ? below : r.out().scalar(ScalarOp::bit_and, ScalarType::boolean, {inside, below});
      number = r.out().add_i64(r.out().mul_i64(number, shape[d]), p[d]);
    }
    return r.out().select(ScalarType::i64, inside, number, bins);
  });
}

namespace {

Type row_type(const Names& names, NameId array) { return row_of(names.type(array)); }

// The elements of one histogram operator, sorted by bin.
struct SortedBins {
  Operand width;
  Operand bins;   // how many
  NameId places;  // the bin of each sorted element
  NameId order;   // its number before sorting
  NameId starts;  // whether it is the first of its bin
  NameId ends;    // whether it is the last
};

// One pass of the sort: zeros of bit `bit` before ones.
std::vector<NameId> sort_by_bit(Reverse& r, const Operand& width, NameId keys, NameId order,
                                const Operand& bit) {
  const auto is_zero = [&](NameId key) {
    const Operand shifted = r.out().scalar(ScalarOp::lshr, ScalarType::i64, {Operand(key), bit});
    const Operand low =
        r.out().scalar(ScalarOp::bit_and, ScalarType::i64, {shifted, i64_operand(1)});
    return r.out().sub_i64(i64_operand(1), low);
  };
  const NameId zeros = map_here(r.environment, width, {keys},
                                [&](const std::vector<NameId>& p) { return is_zero(p[0]); });
  const ReduceOperator sum = r.environment.addition(scalar_of(ScalarType::i64));
  const NameId before = r.out().scan(width, {zeros}, ScanOperator{sum.op, sum.neutral}, "zeros")[0];
  const NameId total = r.out().reduce(
      width, {zeros}, r.environment.addition(scalar_of(ScalarType::i64)), "zeros")[0];
  const NameId positions =
      r.out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "positions");
  const NameId targets =
      map_here(r.environment, width, {zeros, before, positions}, [&](const std::vector<NameId>& p) {
        const Operand zero =
            r.out().scalar(ScalarOp::eq, ScalarType::i64, {Operand(p[0]), i64_operand(1)});
        const Operand low = r.out().sub_i64(p[1], i64_operand(1));
        const Operand high = r.out().add_i64(total, r.out().sub_i64(p[2], p[1]));
        return r.out().select(ScalarType::i64, zero, low, high);
      });
  Scatter move;
  move.width = width;
  move.arrays = {targets, keys, targets, order};
  std::vector<Type> rows(4, scalar_of(ScalarType::i64));
  move.map = identity_lambda(rows, r.names());
  const auto empty = [&] { return r.out().add(Scratch{ScalarType::i64, {width}}, "sorted"); };
  move.targets = {{{width}, empty()}, {{width}, empty()}};
  return r.out().add_results(std::move(move), "sorted");
}

SortedBins sort_bins(Reverse& r, const Operand& width, NameId numbers, const Operand& bins) {
  Loop loop;
  const Type type = array_of(ScalarType::i64, {width});
  const NameId keys = r.names().fresh("keys", type);
  const NameId order = r.names().fresh("order", type);
  const NameId bit = r.names().fresh("bit", scalar_of(ScalarType::i64));
  const NameId all =
      r.out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "order");
  loop.values = {{Binder{keys}, numbers}, {Binder{order}, all}};
  const Operand leading =
      r.out().convert(ScalarOp::sign_extend, ScalarType::i32, ScalarType::i64,
                      r.out().scalar(ScalarOp::clz, ScalarType::i64, {bins}), "leading");
  loop.form = ForForm{Binder{bit}, r.out().sub_i64(i64_operand(64), leading)};
  {
    NestedScope scope(r.environment);
    const auto sorted = sort_by_bit(r, width, keys, order, bit);
    loop.body = scope.take({sorted[0], sorted[1]});
  }
  SortedBins result;
  result.width = width;
  result.bins = bins;
  result.places = r.names().fresh("places", type);
  result.order = r.names().fresh("order", type);
  r.out().add(Statement{
      {Binder{result.places}, Binder{result.order}}, std::move(loop), {}, r.out().location()});
  const NameId positions =
      r.out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "positions");
  const auto differs = [&](bool from_left) {
    return map_here(
        r.environment, width, {result.places, positions}, [&](const std::vector<NameId>& p) {
          const Operand last = r.out().sub_i64(width, i64_operand(1));
          const Operand step = i64_operand(from_left ? -1 : 1);
          const Operand beside = r.out().add_i64(p[1], step);
          const Operand at =
              from_left ? r.out().scalar(ScalarOp::smax, ScalarType::i64, {beside, i64_operand(0)})
                        : r.out().scalar(ScalarOp::smin, ScalarType::i64, {beside, last});
          const Operand other = r.out().index(result.places, {at});
          const Operand changes =
              r.out().scalar(ScalarOp::ne, ScalarType::i64, {other, Operand(p[0])});
          const Operand edge = r.out().scalar(ScalarOp::eq, ScalarType::i64,
                                              {Operand(p[1]), from_left ? i64_operand(0) : last});
          return r.out().scalar(ScalarOp::bit_or, ScalarType::boolean, {changes, edge});
        });
  };
  result.starts = differs(true);
  result.ends = differs(false);
  return result;
}

// Exclusive scans of the segments that begin where `flags` holds:
//   (f, x) ⊙ (g, y) = (f or g, if g then y else x ⊙ y)
std::vector<NameId> segmented_scan(Reverse& r, const Operand& width, NameId flags,
                                   const std::vector<NameId>& arrays, const Lambda& op,
                                   const std::vector<Operand>& neutral) {
  const std::size_t arity = arrays.size();
  ScanOperator scan;
  const Type flag = scalar_of(ScalarType::boolean);
  std::vector<NameId> left, right;
  for (auto* side : {&left, &right}) {
    side->push_back(r.names().fresh("f", flag));
    for (const NameId array : arrays) {
      side->push_back(r.names().fresh("x", row_type(r.names(), array)));
    }
    for (const NameId name : *side) scan.op.parameters.push_back(Binder{name});
  }
  scan.op.result_types.push_back(flag);
  for (const NameId array : arrays) scan.op.result_types.push_back(row_type(r.names(), array));
  {
    NestedScope scope(r.environment);
    const Operand either = r.out().scalar(ScalarOp::bit_or, ScalarType::boolean,
                                          {Operand(left[0]), Operand(right[0])});
    Branch branch;
    branch.condition = right[0];
    branch.then_body.results.assign(right.begin() + 1, right.end());
    {
      NestedScope inner(r.environment);
      std::vector<Operand> arguments(left.begin() + 1, left.end());
      arguments.insert(arguments.end(), right.begin() + 1, right.end());
      branch.else_body = inner.take(r.environment.inline_lambda(op, arguments));
    }
    branch.result_types.assign(scan.op.result_types.begin() + 1, scan.op.result_types.end());
    std::vector<Operand> results = {either};
    for (const NameId each : r.out().add_results(std::move(branch), "x")) results.push_back(each);
    scan.op.body = scope.take(std::move(results));
  }
  scan.neutral = {Operand(make_bool(false))};
  scan.neutral.insert(scan.neutral.end(), neutral.begin(), neutral.end());
  std::vector<NameId> inputs = {flags};
  inputs.insert(inputs.end(), arrays.begin(), arrays.end());
  const std::vector<NameId> inclusive = r.out().scan(width, inputs, std::move(scan), "prefix");
  std::vector<NameId> exclusive;
  for (std::size_t k = 0; k < arity; ++k) {
    const NameId moved = shifted(r.environment, inclusive[k + 1], neutral[k], width);
    exclusive.push_back(choose_rows(r.environment, width, flags, neutral[k], moved));
  }
  return exclusive;
}

// d[b] ⊙ l for each sorted element.
std::vector<NameId> from_bins(Reverse& r, const SortedBins& sorted, const Lambda& op,
                              const std::vector<NameId>& destinations,
                              const std::vector<NameId>& before) {
  MapScanReduce map;
  map.width = sorted.width;
  map.arrays = {sorted.places};
  const NameId place = r.names().fresh("place", scalar_of(ScalarType::i64));
  map.map.parameters = {Binder{place}};
  std::vector<NameId> elements;
  for (const NameId array : before) {
    map.arrays.push_back(array);
    elements.push_back(r.names().fresh("l", row_type(r.names(), array)));
    map.map.parameters.push_back(Binder{elements.back()});
    map.map.result_types.push_back(row_type(r.names(), array));
  }
  {
    NestedScope scope(r.environment);
    const Operand inside =
        r.out().scalar(ScalarOp::slt, ScalarType::i64, {Operand(place), sorted.bins});
    Branch branch;
    branch.condition = inside;
    branch.result_types = map.map.result_types;
    {
      NestedScope then(r.environment);
      std::vector<Operand> arguments;
      for (const NameId array : destinations) {
        arguments.push_back(r.out().index(array, {Operand(place)}));
      }
      arguments.insert(arguments.end(), elements.begin(), elements.end());
      branch.then_body = then.take(r.environment.inline_lambda(op, arguments));
    }
    branch.else_body.results.assign(elements.begin(), elements.end());
    std::vector<Operand> results;
    for (const NameId each : r.out().add_results(std::move(branch), "l")) results.push_back(each);
    map.map.body = scope.take(std::move(results));
  }
  return r.out().add_results(std::move(map), "l");
}

// The elements of one operator, over one dimension of bins.
struct SortedHistogram {
  Reverse& r;
  const Statement& statement;
  const HistogramSite& site;
  Operand bins = {};  // how many
  SortedBins sorted = {};
  std::vector<NameId> values = {};        // sorted
  std::vector<NameId> destinations = {};  // before the histogram

  const HistogramOperator& histogram() const { return site.op; }
  std::size_t arity() const { return site.values.size(); }

  NameId flat(NameId array) {
    std::vector<Operand> rows = {bins};
    const auto& all = r.names().type(array).shape;
    const auto dimensions = static_cast<std::ptrdiff_t>(histogram().shape.size());
    rows.insert(rows.end(), all.begin() + dimensions, all.end());
    return r.out().add(Reshape{array, rows}, r.names().base(array));
  }

  void sort() {
    const std::vector<Operand> shape = r.environment.operands(histogram().shape);
    bins = r.out().product(shape);
    const std::vector<NameId> indices = r.environment.names_of(site.indices);
    sorted = sort_bins(r, site.width, bin_numbers(r, site.width, indices, shape, bins), bins);
    for (std::size_t k = 0; k < arity(); ++k) {
      const NameId array = r.environment.name(site.values[k]);
      values.push_back(map_here(
          r.environment, site.width, {sorted.order},
          [&](const std::vector<NameId>& p) { return r.out().index(array, {Operand(p[0])}); }));
      destinations.push_back(flat(r.environment.name(histogram().destinations[k])));
    }
  }

  // For each element d ⊙ l and r, with neutral elements for those outside the bins.
  std::pair<std::vector<NameId>, std::vector<NameId>> sides() {
    const std::vector<Operand> neutral = r.environment.operands(histogram().neutral);
    const std::vector<NameId> before =
        segmented_scan(r, site.width, sorted.starts, values, histogram().op, neutral);
    std::vector<NameId> backwards;
    for (const NameId array : values) {
      backwards.push_back(reversed(r.environment, array, site.width));
    }
    Lambda flipped = histogram().op;
    std::rotate(flipped.parameters.begin(),
                flipped.parameters.begin() + static_cast<std::ptrdiff_t>(arity()),
                flipped.parameters.end());
    const NameId ends = reversed(r.environment, sorted.ends, site.width);
    std::vector<NameId> after;
    for (const NameId array : segmented_scan(r, site.width, ends, backwards, flipped, neutral)) {
      after.push_back(reversed(r.environment, array, site.width));
    }
    return {from_bins(r, sorted, histogram().op, destinations, before), std::move(after)};
  }

  // The adjoint of what its bin became, for each sorted element.
  std::optional<Operand> adjoint_of_bin(const std::optional<Adjoint>& adjoint) {
    if (!adjoint) return std::nullopt;
    const NameId per_bin = flat(adjoint->value->name());
    return map_here(r.environment, site.width, {sorted.places}, [&](const std::vector<NameId>& p) {
      return guarded_index(r.environment, per_bin, {Operand(p[0])});
    });
  }

  void return_elements() {
    const auto [before, after] = sides();
    const Lambda middle = middle_operator(r, statement, histogram().op);
    MapSite elements{.width = site.width, .lambda = &middle};
    const auto add_array = [&](NameId array, std::optional<NameId> original) {
      elements.arrays.push_back(array);
      elements.originals.push_back(original);
    };
    for (const NameId array : before) add_array(array, std::nullopt);
    std::vector<NameId> originals;
    for (std::size_t k = 0; k < arity(); ++k) {
      // The sorted values stand in original code under a name of their own.
      const NameId name = r.names().fresh_like(site.values[k]);
      r.environment.bind(name, values[k]);
      originals.push_back(name);
      const bool active = r.adjoints.is_active(Operand(site.values[k]));
      if (active) {
        r.adjoints.activate(name);
        r.adjoints.activate(middle.parameters[arity() + k].name);
      }
      add_array(values[k], active ? std::optional(name) : std::nullopt);
    }
    for (const NameId array : after) add_array(array, std::nullopt);
    for (const auto& adjoint : site.adjoints) {
      elements.adjoints.push_back(adjoint_of_bin(adjoint));
    }
    r.adjoints.analyse(middle.body.statements);
    return_map(r, elements);
    for (std::size_t k = 0; k < arity(); ++k) {
      if (const auto adjoint = r.adjoints.take(originals[k])) unsort(k, adjoint->value->name());
    }
  }

  // The adjoints of the `k`-th values, from those of the sorted ones.
  void unsort(std::size_t k, NameId adjoints) {
    const Operand original(site.values[k]);
    Scatter back;
    back.width = site.width;
    back.arrays = {sorted.order, adjoints};
    back.map =
        identity_lambda({scalar_of(ScalarType::i64), row_type(r.names(), adjoints)}, r.names());
    const Operand zeros = r.environment.zero(r.environment.type_of(original));
    back.targets = {{{site.width}, zeros.name()}};
    r.adjoints.add(original, r.out().add(std::move(back), "adjoint"), Ownership::owned);
  }

  // What the elements of each bin are together.
  std::vector<NameId> totals() {
    HistogramOperator op{r.environment.operands(histogram().shape),
                         {},
                         r.environment.operands(histogram().neutral),
                         r.environment.copy_lambda(histogram().op)};
    for (const Operand& neutral : op.neutral) {
      op.destinations.push_back(r.out().add(Replicate{op.shape, neutral}, "totals"));
    }
    Histogram sum;
    sum.width = site.width;
    sum.arrays = r.environment.names_of(site.indices);
    for (const NameId original : site.values) sum.arrays.push_back(r.environment.name(original));
    std::vector<Type> rows;
    for (const NameId array : sum.arrays) rows.push_back(row_type(r.names(), array));
    sum.map = identity_lambda(rows, r.names());
    sum.operators = {std::move(op)};
    return r.out().add_results(std::move(sum), "total");
  }

  // d̄·∂(d ⊙ t)/∂d, with the totals t of the bins.
  void return_destinations() {
    const bool active =
        std::any_of(histogram().destinations.begin(), histogram().destinations.end(),
                    [&](NameId destination) { return r.adjoints.is_active(Operand(destination)); });
    if (!active) return;
    const std::vector<NameId> total = totals();
    const Lambda op = constant_operator(r, histogram().op);
    MapSite all{.width = bins, .lambda = &op};
    std::vector<NameId> originals;
    for (std::size_t k = 0; k < arity(); ++k) {
      const NameId name = r.names().fresh_like(destinations[k]);
      r.environment.bind(name, destinations[k]);
      originals.push_back(name);
      const bool reached = r.adjoints.is_active(Operand(histogram().destinations[k]));
      if (reached) {
        r.adjoints.activate(name);
        r.adjoints.activate(op.parameters[k].name);
      }
      all.arrays.push_back(destinations[k]);
      all.originals.push_back(reached ? std::optional(name) : std::nullopt);
    }
    const auto flattened = [&](NameId array, std::size_t k) {
      return r.out().add(Reshape{array, r.names().type(destinations[k]).shape},
                         r.names().base(array));
    };
    for (std::size_t k = 0; k < arity(); ++k) {
      all.arrays.push_back(flattened(total[k], k));
      all.originals.push_back(std::nullopt);
      const auto& adjoint = site.adjoints[k];
      all.adjoints.push_back(adjoint ? std::optional<Operand>(flattened(adjoint->value->name(), k))
                                     : std::nullopt);
    }
    r.adjoints.analyse(op.body.statements);
    return_map(r, all);
    for (std::size_t k = 0; k < arity(); ++k) {
      const auto adjoint = r.adjoints.take(originals[k]);
      if (!adjoint) continue;
      const Operand original(histogram().destinations[k]);
      const auto shape = r.environment.type_of(original).shape;
      r.adjoints.add(original, r.out().add(Reshape{adjoint->value->name(), shape}, "adjoint"),
                     Ownership::owned);
    }
  }
};

}  // namespace

void histogram_general(Reverse& r, const Statement& statement, const HistogramSite& site) {
  SortedHistogram parts{r, statement, site};
  parts.sort();
  parts.return_elements();
  parts.return_destinations();
}

}  // namespace dagaz::passes::ad
