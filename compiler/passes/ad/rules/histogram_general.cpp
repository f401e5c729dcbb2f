// Histograms with any operator.
//
// The elements are sorted by bin (stably, so the order within a bin is kept); then each bin is a
// segment, and the rule of the general reduction applies to every segment at once: with lᵢ and rᵢ
// the segmented exclusive scans from the left and from the right,
//   x̄ᵢ = d̄[b]·∂((d[b] ⊙ lᵢ) ⊙ x ⊙ rᵢ)/∂x at xᵢ,   b the bin of element i.
// The destination's adjoint is d̄·∂(d ⊙ t)/∂d with t the bin's total.
// Sorting goes bit by bit; elements outside the bins form a last bin of their own.
#include <algorithm>

#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

Type row_type(const Names& names, NameId array) { return row_of(names.type(array)); }

}  // namespace

// The elements of one histogram operator, sorted by bin.
struct Reverse::SortedBins {
  Operand width;
  Operand bins;         // how many
  NameId places;        // the bin of each sorted element
  NameId order;         // its number before sorting
  NameId starts;        // whether it is the first of its bin
  NameId ends;          // whether it is the last
};

// The number of the bin that each element goes to; `bins` for those outside.
NameId Reverse::bin_numbers(const Operand& width, const std::vector<NameId>& indices,
                            const std::vector<Operand>& shape, const Operand& bins) {
  return map_here(width, indices, [&](const std::vector<NameId>& p) {
    Operand inside(make_bool(true));
    Operand number = i64_operand(0);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Operand below = out().scalar(ScalarOp::ult, ScalarType::i64, {Operand(p[d]), shape[d]});
      inside = d == 0 ? below
                      : out().scalar(ScalarOp::bit_and, ScalarType::boolean, {inside, below});
      number = out().add_i64(out().mul_i64(number, shape[d]), p[d]);
    }
    return out().select(ScalarType::i64, inside, number, bins);
  });
}

// One pass of the sort: zeros of bit `bit` before ones.
std::vector<NameId> Reverse::sort_by_bit(const Operand& width, NameId keys, NameId order,
                                         const Operand& bit) {
  const auto is_zero = [&](NameId key) {
    const Operand shifted =
        out().scalar(ScalarOp::lshr, ScalarType::i64, {Operand(key), bit});
    const Operand low =
        out().scalar(ScalarOp::bit_and, ScalarType::i64, {shifted, i64_operand(1)});
    return out().sub_i64(i64_operand(1), low);
  };
  const NameId zeros =
      map_here(width, {keys}, [&](const std::vector<NameId>& p) { return is_zero(p[0]); });
  const ReduceOperator sum = environment_->addition(scalar_of(ScalarType::i64));
  const NameId before = out().scan(width, {zeros}, ScanOperator{sum.op, sum.neutral}, "zeros")[0];
  const NameId total =
      out().reduce(width, {zeros}, environment_->addition(scalar_of(ScalarType::i64)), "zeros")[0];
  const NameId positions =
      out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "positions");
  const NameId targets =
      map_here(width, {zeros, before, positions}, [&](const std::vector<NameId>& p) {
        const Operand zero =
            out().scalar(ScalarOp::eq, ScalarType::i64, {Operand(p[0]), i64_operand(1)});
        const Operand low = out().sub_i64(p[1], i64_operand(1));
        const Operand high = out().add_i64(total, out().sub_i64(p[2], p[1]));
        return out().select(ScalarType::i64, zero, low, high);
      });
  Scatter move;
  move.width = width;
  move.arrays = {targets, keys, targets, order};
  std::vector<Type> rows(4, scalar_of(ScalarType::i64));
  move.map = identity_lambda(rows, names());
  const auto empty = [&] { return out().add(Scratch{ScalarType::i64, {width}}, "sorted"); };
  move.targets = {{{width}, empty()}, {{width}, empty()}};
  return out().add_results(std::move(move), "sorted");
}

Reverse::SortedBins Reverse::sort_bins(const Operand& width, NameId numbers,
                                       const Operand& bins) {
  Loop loop;
  const Type type = array_of(ScalarType::i64, {width});
  const NameId keys = names().fresh("keys", type);
  const NameId order = names().fresh("order", type);
  const NameId bit = names().fresh("bit", scalar_of(ScalarType::i64));
  const NameId all =
      out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "order");
  loop.values = {{Binder{keys}, numbers}, {Binder{order}, all}};
  const Operand leading =
      out().convert(ScalarOp::sign_extend, ScalarType::i32, ScalarType::i64,
                    out().scalar(ScalarOp::clz, ScalarType::i64, {bins}), "leading");
  loop.form = ForForm{Binder{bit}, out().sub_i64(i64_operand(64), leading)};
  {
    NestedScope scope(*environment_);
    const auto sorted = sort_by_bit(width, keys, order, bit);
    loop.body = scope.take({sorted[0], sorted[1]});
  }
  SortedBins result;
  result.width = width;
  result.bins = bins;
  result.places = names().fresh("places", type);
  result.order = names().fresh("order", type);
  out().add(Statement{{Binder{result.places}, Binder{result.order}},
                      std::move(loop),
                      {},
                      out().location()});
  const NameId positions =
      out().add(Iota{ScalarType::i64, width, i64_operand(0), i64_operand(1)}, "positions");
  const auto differs = [&](bool from_left) {
    return map_here(width, {result.places, positions}, [&](const std::vector<NameId>& p) {
      const Operand last = out().sub_i64(width, i64_operand(1));
      const Operand step = i64_operand(from_left ? -1 : 1);
      const Operand beside = out().add_i64(p[1], step);
      const Operand at = from_left
                             ? out().scalar(ScalarOp::smax, ScalarType::i64,
                                            {beside, i64_operand(0)})
                             : out().scalar(ScalarOp::smin, ScalarType::i64, {beside, last});
      const Operand other = out().index(result.places, {at});
      const Operand changes = out().scalar(ScalarOp::ne, ScalarType::i64, {other, Operand(p[0])});
      const Operand edge = out().scalar(ScalarOp::eq, ScalarType::i64,
                                        {Operand(p[1]), from_left ? i64_operand(0) : last});
      return out().scalar(ScalarOp::bit_or, ScalarType::boolean, {changes, edge});
    });
  };
  result.starts = differs(true);
  result.ends = differs(false);
  return result;
}

// Exclusive scans of the segments that begin where `flags` holds:
//   (f, x) ⊙ (g, y) = (f or g, if g then y else x ⊙ y)
std::vector<NameId> Reverse::segmented_scan(const Operand& width, NameId flags,
                                            const std::vector<NameId>& arrays, const Lambda& op,
                                            const std::vector<Operand>& neutral) {
  const std::size_t arity = arrays.size();
  ScanOperator scan;
  const Type flag = scalar_of(ScalarType::boolean);
  std::vector<NameId> left, right;
  for (auto* side : {&left, &right}) {
    side->push_back(names().fresh("f", flag));
    for (const NameId array : arrays) {
      side->push_back(names().fresh("x", row_type(names(), array)));
    }
    for (const NameId name : *side) scan.op.parameters.push_back(Binder{name});
  }
  scan.op.result_types.push_back(flag);
  for (const NameId array : arrays) scan.op.result_types.push_back(row_type(names(), array));
  {
    NestedScope scope(*environment_);
    const Operand either =
        out().scalar(ScalarOp::bit_or, ScalarType::boolean, {Operand(left[0]), Operand(right[0])});
    Branch branch;
    branch.condition = right[0];
    branch.then_body.results.assign(right.begin() + 1, right.end());
    {
      NestedScope inner(*environment_);
      std::vector<Operand> arguments(left.begin() + 1, left.end());
      arguments.insert(arguments.end(), right.begin() + 1, right.end());
      branch.else_body = inner.take(environment_->inline_lambda(op, arguments));
    }
    branch.result_types.assign(scan.op.result_types.begin() + 1, scan.op.result_types.end());
    std::vector<Operand> results = {either};
    for (const NameId each : out().add_results(std::move(branch), "x")) results.push_back(each);
    scan.op.body = scope.take(std::move(results));
  }
  scan.neutral = {Operand(make_bool(false))};
  scan.neutral.insert(scan.neutral.end(), neutral.begin(), neutral.end());
  std::vector<NameId> inputs = {flags};
  inputs.insert(inputs.end(), arrays.begin(), arrays.end());
  const std::vector<NameId> inclusive = out().scan(width, inputs, std::move(scan), "prefix");
  std::vector<NameId> exclusive;
  for (std::size_t k = 0; k < arity; ++k) {
    const NameId moved = shifted(inclusive[k + 1], neutral[k], width);
    exclusive.push_back(choose_rows(width, flags, neutral[k], moved));
  }
  return exclusive;
}

// For each element: `value` where the flag holds, else the row of `array`.
NameId Reverse::choose_rows(const Operand& width, NameId flags, const Operand& value,
                            NameId array) {
  return map_here(width, {flags, array}, [&](const std::vector<NameId>& p) {
    return choose(p[0], value, p[1]);
  });
}

Operand Reverse::choose(const Operand& condition, const Operand& yes, const Operand& no) {
  const Type type = names().type(no);
  if (type.is_scalar()) return out().select(type.element, condition, yes, no);
  Branch branch;
  branch.condition = condition;
  branch.then_body.results = {yes};
  branch.else_body.results = {no};
  branch.result_types = {type};
  return Operand(out().add(std::move(branch), "x"));
}

void Reverse::histogram_general(const Statement& statement, const HistogramOperator& histogram,
                                const Operand& width, const std::vector<NameId>& indices,
                                const std::vector<NameId>& originals,
                                const std::vector<std::optional<Operand>>& adjoints) {
  const std::size_t arity = originals.size();
  const std::vector<Operand> shape = environment_->operands(histogram.shape);
  const std::vector<Operand> neutral = environment_->operands(histogram.neutral);
  const Operand bins = out().product(shape);
  // Everything over one dimension of bins.
  const auto flat = [&](NameId array) {
    std::vector<Operand> rows = {bins};
    const auto& all = names().type(array).shape;
    rows.insert(rows.end(), all.begin() + static_cast<std::ptrdiff_t>(shape.size()), all.end());
    return out().add(Reshape{array, rows}, names().base(array));
  };
  const SortedBins sorted =
      sort_bins(width, bin_numbers(width, indices, shape, bins), bins);
  std::vector<NameId> values, destinations;
  for (std::size_t k = 0; k < arity; ++k) {
    const NameId array = environment_->name(originals[k]);
    values.push_back(map_here(width, {sorted.order}, [&](const std::vector<NameId>& p) {
      return out().index(array, {Operand(p[0])});
    }));
    destinations.push_back(flat(environment_->name(histogram.destinations[k])));
  }
  // d ⊙ l and r, with neutral elements for those outside the bins.
  const std::vector<NameId> before =
      segmented_scan(width, sorted.starts, values, histogram.op, neutral);
  std::vector<NameId> backwards;
  for (const NameId array : values) backwards.push_back(reversed(array, width));
  Lambda flipped = histogram.op;
  std::rotate(flipped.parameters.begin(),
              flipped.parameters.begin() + static_cast<std::ptrdiff_t>(arity),
              flipped.parameters.end());
  std::vector<NameId> after;
  for (const NameId array : segmented_scan(width, reversed(sorted.ends, width), backwards,
                                           flipped, neutral)) {
    after.push_back(reversed(array, width));
  }
  std::vector<NameId> lefts = from_bins(sorted, histogram.op, destinations, before);

  MapSite site;
  site.width = width;
  site.lambda = middle_operator(statement, histogram.op);
  const auto add_array = [&](NameId array, std::optional<NameId> original) {
    site.arrays.push_back(array);
    site.originals.push_back(original);
  };
  for (const NameId array : lefts) add_array(array, std::nullopt);
  std::vector<NameId> sorted_originals;
  for (std::size_t k = 0; k < arity; ++k) {
    // The sorted values stand in original code under a name of their own.
    const NameId name = names().fresh_like(originals[k]);
    environment_->bind(name, values[k]);
    sorted_originals.push_back(name);
    const bool active = is_active(Operand(originals[k]));
    if (active) {
      activate(name);
      activate(site.lambda->parameters[arity + k].name);
    }
    add_array(values[k], active ? std::optional(name) : std::nullopt);
  }
  for (const NameId array : after) add_array(array, std::nullopt);
  for (const auto& adjoint : adjoints) {
    if (!adjoint) {
      site.adjoints.push_back(std::nullopt);
      continue;
    }
    const NameId per_bin = flat(adjoint->name());
    site.adjoints.push_back(
        Operand(map_here(width, {sorted.places}, [&](const std::vector<NameId>& p) {
          return guarded_index(per_bin, {Operand(p[0])});
        })));
  }
  analyse(site.lambda->body.statements);
  return_map(site);
  for (std::size_t k = 0; k < arity; ++k) {
    const auto adjoint = take(sorted_originals[k]);
    if (!adjoint) continue;
    const NameId back = adjoint->value->name();
    Scatter unsort;
    unsort.width = width;
    unsort.arrays = {sorted.order, back};
    unsort.map =
        identity_lambda({scalar_of(ScalarType::i64), row_type(names(), back)}, names());
    unsort.targets = {
        {{width}, environment_->zero(environment_->type_of(Operand(originals[k]))).name()}};
    add_adjoint(Operand(originals[k]), out().add(std::move(unsort), "adjoint"), Ownership::owned);
  }
  histogram_destinations(histogram, bins, width, indices, originals, destinations, adjoints);
}

// d[b] ⊙ l for each sorted element.
std::vector<NameId> Reverse::from_bins(const SortedBins& sorted, const Lambda& op,
                                       const std::vector<NameId>& destinations,
                                       const std::vector<NameId>& before) {
  MapScanReduce map;
  map.width = sorted.width;
  map.arrays = {sorted.places};
  const NameId place = names().fresh("place", scalar_of(ScalarType::i64));
  map.map.parameters = {Binder{place}};
  std::vector<NameId> elements;
  for (const NameId array : before) {
    map.arrays.push_back(array);
    elements.push_back(names().fresh("l", row_type(names(), array)));
    map.map.parameters.push_back(Binder{elements.back()});
    map.map.result_types.push_back(row_type(names(), array));
  }
  {
    NestedScope scope(*environment_);
    const Operand inside =
        out().scalar(ScalarOp::slt, ScalarType::i64, {Operand(place), sorted.bins});
    Branch branch;
    branch.condition = inside;
    branch.result_types = map.map.result_types;
    {
      NestedScope then(*environment_);
      std::vector<Operand> arguments;
      for (const NameId array : destinations) {
        arguments.push_back(out().index(array, {Operand(place)}));
      }
      arguments.insert(arguments.end(), elements.begin(), elements.end());
      branch.then_body = then.take(environment_->inline_lambda(op, arguments));
    }
    branch.else_body.results.assign(elements.begin(), elements.end());
    std::vector<Operand> results;
    for (const NameId each : out().add_results(std::move(branch), "l")) results.push_back(each);
    map.map.body = scope.take(std::move(results));
  }
  return out().add_results(std::move(map), "l");
}

// d̄·∂(d ⊙ t)/∂d, with the totals t of the bins.
void Reverse::histogram_destinations(const HistogramOperator& histogram, const Operand& bins,
                                     const Operand& width, const std::vector<NameId>& indices,
                                     const std::vector<NameId>& originals,
                                     const std::vector<NameId>& destinations,
                                     const std::vector<std::optional<Operand>>& adjoints) {
  const std::size_t arity = originals.size();
  const bool active = std::any_of(
      histogram.destinations.begin(), histogram.destinations.end(),
      [&](NameId destination) { return is_active(Operand(destination)); });
  if (!active) return;
  HistogramOperator totals{environment_->operands(histogram.shape), {},
                           environment_->operands(histogram.neutral),
                           environment_->copy_lambda(histogram.op)};
  for (std::size_t k = 0; k < arity; ++k) {
    totals.destinations.push_back(
        out().add(Replicate{totals.shape, totals.neutral[k]}, "totals"));
  }
  Histogram sum;
  sum.width = width;
  sum.arrays = indices;
  for (const NameId original : originals) sum.arrays.push_back(environment_->name(original));
  std::vector<Type> rows;
  for (const NameId array : sum.arrays) rows.push_back(row_type(names(), array));
  sum.map = identity_lambda(rows, names());
  sum.operators = {std::move(totals)};
  const std::vector<NameId> total = out().add_results(std::move(sum), "total");

  MapSite site;
  site.width = bins;
  site.lambda = keep(constant_operator(histogram.op));
  std::vector<NameId> flat_names;
  const auto flattened = [&](NameId array, std::size_t k) {
    return out().add(Reshape{array, names().type(destinations[k]).shape}, names().base(array));
  };
  for (std::size_t k = 0; k < arity; ++k) {
    const NameId name = names().fresh_like(destinations[k]);
    environment_->bind(name, destinations[k]);
    flat_names.push_back(name);
    const bool reached = is_active(Operand(histogram.destinations[k]));
    if (reached) {
      activate(name);
      activate(site.lambda->parameters[k].name);
    }
    site.arrays.push_back(destinations[k]);
    site.originals.push_back(reached ? std::optional(name) : std::nullopt);
  }
  for (std::size_t k = 0; k < arity; ++k) {
    site.arrays.push_back(flattened(total[k], k));
    site.originals.push_back(std::nullopt);
    site.adjoints.push_back(
        adjoints[k] ? std::optional<Operand>(flattened(adjoints[k]->name(), k)) : std::nullopt);
  }
  analyse(site.lambda->body.statements);
  return_map(site);
  for (std::size_t k = 0; k < arity; ++k) {
    const auto adjoint = take(flat_names[k]);
    if (!adjoint) continue;
    const NameId original = histogram.destinations[k];
    const auto shape = environment_->type_of(Operand(original)).shape;
    add_adjoint(Operand(original),
                out().add(Reshape{adjoint->value->name(), shape}, "adjoint"), Ownership::owned);
  }
}

}  // namespace dagaz::passes::ad
