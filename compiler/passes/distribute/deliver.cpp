// Scatters and histograms whose rows are written by those who have them (deliveries.h).
#include "passes/distribute/deliver.h"

#include <algorithm>
#include <utility>

#include "passes/distribute/accumulations.h"
#include "passes/distribute/loops.h"
#include "passes/distribute/meet.h"
#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

/// Results of points as arrays over those that a rank has.
struct MadeByPoints {
  std::vector<Operand> results;
  std::vector<NameId> arrays;

  NameId array_of(const Operand& result) const {
    const auto found = std::find(results.begin(), results.end(), result);
    return arrays[static_cast<std::size_t>(found - results.begin())];
  }
};

/// The points alone: what several targets get is made once.
ir::SegmentedMap map_of(const ir::Operation& operation) {
  const auto map = [](const auto& node) {
    ir::SegmentedMap points{node.space, node.body, {}};
    std::vector<Operand>& results = points.body.results;
    results.clear();
    for (std::size_t k = 0; k < node.body.results.size(); ++k) {
      const Operand& one = node.body.results[k];
      if (std::find(results.begin(), results.end(), one) != results.end()) continue;
      results.push_back(one);
      points.result_types.push_back(node.result_types[k]);
    }
    return points;
  };
  if (const auto* scatter = as<ir::SegmentedScatter>(operation)) return map(*scatter);
  return map(std::get<ir::SegmentedHistogram>(operation));
}

/// What points have, here or where it was brought to, by the result that they had for it.
class AtPoints {
 public:
  AtPoints(const SamePlaces& same, Delivered arrays, ir::Names& names)
      : same_(same),
        arrays_(std::move(arrays)),
        index_(names.fresh("i", ir::scalar_of(ir::ScalarType::i64))) {}

  std::vector<ir::SpaceDimension> space() const { return {{{index_}, arrays_.total}}; }
  Operand place(ir::Builder& b) const { return b.index(arrays_.places, {index_}, "place"); }
  Operand value(const Operand& result, ir::Builder& b) const {
    const auto found = std::find(same_.values.begin(), same_.values.end(), result);
    if (found == same_.values.end()) return result;
    const auto k = static_cast<std::size_t>(found - same_.values.begin());
    return b.index(arrays_.values[k], {index_}, "value");
  }

 private:
  const SamePlaces& same_;
  const Delivered arrays_;
  const NameId index_;
};

/// What some targets take of that, as results of new points.
struct Taken {
  std::vector<Operand> results;
  std::vector<ir::Type> types;
};
template <typename Node>
Taken taken_at(const AtPoints& points, const SamePlaces& same, const Node& node, ir::Builder& b) {
  const std::vector<Target> targets = targets_of(ir::Operation(node));
  const Operand place = points.place(b);
  Taken taken;
  for (const std::size_t k : same.targets) {
    const Target& one = targets[k];
    const std::size_t count = one.shape.size() + one.destinations.size();
    for (std::size_t i = one.inputs; i < one.inputs + count; ++i) {
      const bool is_place = i == one.inputs;
      taken.results.push_back(is_place ? place : points.value(node.body.results[i], b));
      taken.types.push_back(node.result_types[i]);
    }
  }
  return taken;
}

}  // namespace

// Elements, as a cost model counts them, that are delivered for so many points.
Operand elements_of(const Rewriting& c, const Operand& points, const std::vector<ir::Type>& values,
                    ir::Builder& out) {
  Operand row = ir::i64_operand(c.asked);
  for (const ir::Type& value : values) row = out.add_i64(row, out.product(value.shape));
  return out.mul_i64(points, row);
}

// Whether it is less that each rank sends and gets all elements than what all have to deliver.
Operand combining_sends_less(Rewriting& c, const std::vector<Operand>& combined,
                             const Operand& delivered, ir::Builder& out) {
  Operand elements = ir::i64_operand(0);
  for (const Operand& one : combined) elements = out.add_i64(elements, one);
  const Operand each = out.mul_i64(ir::i64_operand(2), c.collectives.size(out));
  return out.scalar(ir::ScalarOp::sle, ir::ScalarType::i64,
                    {out.mul_i64(each, elements), delivered}, "is_less");
}

NameId rows_to_write(Rewriting& c, NameId array, const Operand& extent, ir::Builder& out) {
  if (c.placement.has_rows(array, extent)) return c.own.at(array);
  const auto filled = filled_rows(c, array, extent, out);
  return filled ? *filled : rows_to_keep(c, array, {extent}, out);
}

static std::vector<NameId> scatter_delivered(Rewriting& c, const ir::SegmentedScatter& scatter,
                                             const SamePlaces& same, const Delivered& delivered,
                                             ir::Builder& out) {
  const AtPoints points(same, delivered, c.names);
  ir::Builder inside = out.nested();
  Taken taken = taken_at(points, same, scatter, inside);
  ir::SegmentedScatter own{
      points.space(), inside.take_body(std::move(taken.results)), {}, std::move(taken.types)};
  for (const std::size_t k : same.targets) {
    ir::ScatterTarget target = scatter.targets[k];
    target.destination = rows_to_write(c, target.destination, same.rows, out);
    target.shape.front() = rows_of(c, same.rows).count;
    own.targets.push_back(std::move(target));
  }
  return out.add_results(std::move(own), "written");
}

// ---- bins

// What the bins of this rank begin with.
static std::vector<ir::HistogramOperator> bins_of_rank(Rewriting& c,
                                                       const ir::SegmentedHistogram& histogram,
                                                       const SamePlaces& same, ir::Builder& out) {
  std::vector<ir::HistogramOperator> all;
  for (const std::size_t k : same.targets) {
    ir::HistogramOperator& one = all.emplace_back(histogram.operators[k]);
    for (NameId& bins : one.destinations) bins = rows_to_write(c, bins, same.rows, out);
    one.shape.front() = rows_of(c, same.rows).count;
  }
  return all;
}

static std::vector<NameId> add_to_bins(Rewriting& c, const ir::SegmentedHistogram& histogram,
                                       const SamePlaces& same, const Delivered& arrays,
                                       std::vector<ir::HistogramOperator> operators,
                                       ir::Builder& out) {
  const AtPoints points(same, arrays, c.names);
  ir::Builder inside = out.nested();
  Taken taken = taken_at(points, same, histogram, inside);
  for (ir::HistogramOperator& one : operators) one.op = renamed(one.op, c.names);
  return out.add_results(
      ir::SegmentedHistogram{points.space(), inside.take_body(std::move(taken.results)),
                             std::move(operators), std::move(taken.types)},
      "bins");
}

// Each rank adds to all bins, and to its own what all have added.
static std::vector<NameId> combine_bins(Rewriting& c, const ir::SegmentedHistogram& histogram,
                                        const SamePlaces& same, const PlacesGiven& given,
                                        ir::Builder& out) {
  std::vector<ir::HistogramOperator> whole;
  for (const std::size_t k : same.targets) {
    ir::HistogramOperator& one = whole.emplace_back(histogram.operators[k]);
    for (std::size_t i = 0; i < one.destinations.size(); ++i) {
      one.destinations[i] = out.add(ir::Replicate{one.shape, one.neutral[i]}, "neutral");
    }
  }
  const Operand count = c.names.type(given.places).shape.front();
  const std::vector<NameId> own =
      add_to_bins(c, histogram, same, {count, given.places, given.values}, whole, out);
  std::vector<Combined> all;
  auto next = own.begin();
  for (const ir::HistogramOperator& one : whole) {
    Combined combined{one.op, one.neutral, one.shape};
    for (std::size_t i = 0; i < one.destinations.size(); ++i) {
      combined.own.push_back(*next);
      combined.whole.push_back(c.names.fresh_like(*next++));
    }
    all.push_back(std::move(combined));
  }
  meet(c, all, out);
  std::vector<NameId> rows;
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::vector<NameId> before;
    for (const NameId bins : histogram.operators[same.targets[k]].destinations) {
      before.push_back(rows_to_write(c, bins, same.rows, out));
    }
    for (const NameId one : combine_rows(c, before, all[k], out)) rows.push_back(one);
  }
  return rows;
}

// Those targets that have the same places, each rank its own rows of them.
static std::vector<NameId> write_rows(Rewriting& c, const ir::Operation& operation,
                                      const SamePlaces& same, const PlacesGiven& given,
                                      ir::Builder& out) {
  if (const auto* scatter = as<ir::SegmentedScatter>(operation)) {
    return scatter_delivered(c, *scatter, same, c.collectives.deliver(out, given), out);
  }
  const auto& histogram = std::get<ir::SegmentedHistogram>(operation);
  const auto deliver = [&](ir::Builder& b) {
    return add_to_bins(c, histogram, same, c.collectives.deliver(b, given),
                       bins_of_rank(c, histogram, same, b), b);
  };
  std::vector<Operand> combined;
  std::vector<ir::Type> values;
  for (const std::size_t k : same.targets) {
    const ir::HistogramOperator& one = histogram.operators[k];
    if (one.shape.size() > 1) return deliver(out);
    for (const NameId bins : one.destinations)
      combined.push_back(out.product(c.names.type(bins).shape));
  }
  for (const NameId value : given.values) values.push_back(ir::row_of(c.names.type(value)));
  const Operand delivered = elements_of(c, given.points, values, out);
  const auto operands = [](const std::vector<NameId>& names) {
    return std::vector<Operand>(names.begin(), names.end());
  };
  return out.branch(
      combining_sends_less(c, combined, delivered, out),
      [&](ir::Builder& b) { return operands(combine_bins(c, histogram, same, given, b)); },
      [&](ir::Builder& b) { return operands(deliver(b)); }, "bins");
}

void deliver_results(Rewriting& c, const ir::Statement& statement, const Rows& rows,
                     ir::Builder& out) {
  ir::Operation points = map_of(statement.operation);
  const auto& map = std::get<ir::SegmentedMap>(points);
  const Operand extent = map.space.front().extent;
  MadeByPoints made{map.body.results, {}};
  ir::Statement making{{}, {}, statement.tokens, statement.location};
  for (const ir::Type& type : map.result_types) {
    made.arrays.push_back(c.names.fresh("sent", ir::array_over(rows.count, type)));
    making.results.push_back({made.arrays.back()});
  }
  share_space(c, points, {0}, rows, out);
  c.unagreed = c.unagreed || may_fail(points, c.definitions);
  making.operation = std::move(points);
  out.add(std::move(making));
  agree(c, out);
  const std::vector<Target> targets = targets_of(statement.operation);
  std::vector<NameId> sent;
  for (const SamePlaces& same : same_places(statement.operation)) {
    PlacesGiven given{same.rows, extent, made.array_of(same.place), {}};
    for (const Operand& value : same.values) given.values.push_back(made.array_of(value));
    const std::vector<NameId> written = write_rows(c, statement.operation, same, given, out);
    auto next = written.begin();
    for (const std::size_t k : same.targets) {
      for (std::size_t i = 0; i < targets[k].destinations.size(); ++i) {
        const NameId whole = statement.results[targets[k].results + i].name;
        c.own.emplace(whole, *next++);
        if (c.placement.is_sent(whole)) sent.push_back(whole);
      }
    }
  }
  send_made(c, sent, out);
}

}  // namespace dagaz::passes::distributing
