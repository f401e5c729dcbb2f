// Additions to accumulators that go to those who have the rows: points note them (notes.h), the
// notes are delivered, and each rank adds what arrives to its own rows.
#include "passes/distribute/deliver_additions.h"

#include <algorithm>
#include <utility>

#include "passes/distribute/deliver.h"
#include "passes/distribute/meet.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

/// An addition where it arrives.
struct ArrivedAddition {
  Operand total;
  NameId places;
  std::vector<NameId> further;
  NameId values;
};

const ir::AccumulatorInput* opened(const std::vector<DeliveredInput>& inputs, std::size_t input) {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const DeliveredInput& one) { return one.input == input; });
  return found == inputs.end() ? nullptr : &found->open;
}

/// An accumulator of what is opened.
NameId opened_as(const ir::AccumulatorInput& open, ir::Names& names) {
  ir::Type type = names.type(open.array);
  type.kind = ir::TypeKind::accumulator;
  return names.fresh("sum", std::move(type));
}

/// Adds what has arrived, in the order in which it has.
ir::SegmentedMap additions_of(const NotedAddition& noted, const ArrivedAddition& arrived,
                              NameId accumulator, ir::Names& names) {
  const ir::Type i64 = ir::scalar_of(ir::ScalarType::i64);
  const NameId index = names.fresh("i", i64);
  ir::SegmentedMap map{{{{index}, arrived.total}}, {}, {names.type(accumulator)}};
  ir::Builder inside(names);
  std::vector<Operand> at{inside.index(arrived.places, {index}, "place")};
  for (const NameId one : arrived.further) at.push_back(inside.index(one, {index}, "place"));
  std::vector<Operand> element{index};
  for (const NoteDimension& one : noted.row) {
    const NameId of_row = names.fresh("j", i64);
    map.space.push_back({{of_row}, one.extent});
    at.emplace_back(of_row);
    element.emplace_back(of_row);
  }
  const Operand value = inside.index(arrived.values, element, "value");
  const NameId sum = names.fresh_like(accumulator);
  inside.add(ir::Statement{{{sum}}, ir::Accumulate{accumulator, at, value}});
  map.body = inside.take_body({sum});
  return map;
}

}  // namespace

std::vector<NotedAddition> notes_to_take(Rewriting& c, ir::WithAccumulator& with,
                                         const std::vector<DeliveredInput>& inputs,
                                         const Accumulators& accumulators, ir::Builder& out) {
  Definitions definitions = c.definitions;
  give_indices(with, definitions, out);
  const auto shared = [&](const ir::Statement& one) {
    return c.placement.shares.at(one.results[0].name).dimension;
  };
  std::vector<NotedAddition> notes = notes_of(with, accumulators, definitions, shared, c.names).all;
  std::erase_if(notes,
                [&](const NotedAddition& one) { return opened(inputs, one.input) == nullptr; });
  return notes;
}

// What the rows of this rank begin with.
static ir::AccumulatorInput rows_of_rank(Rewriting& c, const DeliveredInput& input,
                                         ir::Builder& out) {
  ir::AccumulatorInput open = input.open;
  const Operand extent = open.shape.front();
  open.array = rows_to_write(c, open.array, extent, out);
  open.shape.front() = rows_of(c, extent).count;
  open.op = renamed(*open.op, c.names);
  return open;
}

// What has the same places in one message.
static std::vector<ArrivedAddition> deliver_notes(Rewriting& c,
                                                  const std::vector<NotedAddition>& notes,
                                                  const std::vector<NoteArrays>& arrays,
                                                  const std::vector<DeliveredInput>& inputs,
                                                  ir::Builder& out) {
  std::vector<ArrivedAddition> all(notes.size());
  for (std::size_t k = 0; k < notes.size(); ++k) {
    if (arrays[k].place_of != k) continue;
    PlacesGiven given{opened(inputs, notes[k].input)->shape.front(),
                      notes[k].dimensions.front().extent,
                      arrays[k].places,
                      {}};
    const auto each_of_these = [&](const auto& visit) {
      for (std::size_t i = 0; i < notes.size(); ++i) {
        if (arrays[i].place_of == k) visit(arrays[i], all[i]);
      }
    };
    each_of_these([&](const NoteArrays& one, ArrivedAddition&) {
      given.values.insert(given.values.end(), one.further.begin(), one.further.end());
      given.values.push_back(one.values);
    });
    const Delivered delivered = c.collectives.deliver(out, given);
    auto next = delivered.values.begin();
    each_of_these([&](const NoteArrays& one, ArrivedAddition& arrived) {
      const auto end = next + static_cast<std::ptrdiff_t>(one.further.size());
      arrived = {delivered.total, delivered.places, {next, end}, *end};
      next = end + 1;
    });
  }
  return all;
}

static NameId add_arrived(Rewriting& c, const DeliveredInput& input,
                          const std::vector<NotedAddition>& notes,
                          const std::vector<ArrivedAddition>& arrived, ir::AccumulatorInput open,
                          ir::Builder& out) {
  ir::Builder inside = out.nested();
  NameId sum = opened_as(open, c.names);
  ir::WithAccumulator with;
  with.body.parameters = {{sum}};
  with.body.result_types = {c.names.type(sum)};
  for (std::size_t k = 0; k < notes.size(); ++k) {
    if (notes[k].input != input.input) continue;
    ir::SegmentedMap map = additions_of(notes[k], arrived[k], sum, c.names);
    sum = c.names.fresh_like(sum);
    inside.add(ir::Statement{{{sum}}, std::move(map), {}, out.location()});
  }
  with.body.body = inside.take_body({sum});
  with.inputs.push_back(std::move(open));
  return out.add(std::move(with), c.names.base(input.whole));
}

// The notes of this rank's own points, one behind the other.
static ArrivedAddition in_a_row(const Rewriting& c, const NoteArrays& arrays, ir::Builder& out) {
  const std::vector<Operand> points = c.names.type(arrays.places).shape;
  const Operand total = out.product(points);
  const auto flat = [&](NameId array) {
    if (points.size() == 1) return array;
    std::vector<Operand> shape = c.names.type(array).shape;
    shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(points.size()));
    shape.insert(shape.begin(), total);
    return out.add(ir::Reshape{array, std::move(shape)}, c.names.base(array));
  };
  ArrivedAddition row{total, flat(arrays.places), {}, flat(arrays.values)};
  for (const NameId one : arrays.further) row.further.push_back(flat(one));
  return row;
}

// Whether combining sends less than what all ranks have noted.
static Operand combining_notes_sends_less(Rewriting& c, const std::vector<NotedAddition>& notes,
                                          const std::vector<NoteArrays>& arrays,
                                          const std::vector<DeliveredInput>& inputs,
                                          ir::Builder& out) {
  std::vector<Operand> combined;
  for (const DeliveredInput& one : inputs) {
    combined.push_back(out.product(c.names.type(one.whole).shape));
  }
  Operand delivered = ir::i64_operand(0);
  for (std::size_t k = 0; k < notes.size(); ++k) {
    if (arrays[k].place_of != k) continue;
    std::vector<Operand> points = c.names.type(arrays[k].places).shape;
    const auto inner = static_cast<std::ptrdiff_t>(points.size());
    points.front() = notes[k].dimensions.front().extent;
    std::vector<ir::Type> values;
    for (std::size_t i = 0; i < notes.size(); ++i) {
      if (arrays[i].place_of != k) continue;
      ir::Type row = c.names.type(arrays[i].values);
      row.shape.erase(row.shape.begin(), row.shape.begin() + inner);
      values.push_back(std::move(row));
      values.resize(values.size() + arrays[i].further.size(), ir::scalar_of(ir::ScalarType::i64));
    }
    delivered = out.add_i64(delivered, elements_of(c, out.product(points), values, out));
  }
  return combining_sends_less(c, combined, delivered, out);
}

// Each rank makes the additions of its own points to whole arrays, and adds to its rows what all
// have added.
static std::vector<Operand> combine_notes(Rewriting& c, const std::vector<NotedAddition>& notes,
                                          const std::vector<NoteArrays>& arrays,
                                          const std::vector<DeliveredInput>& inputs,
                                          ir::Builder& out) {
  std::vector<ArrivedAddition> own;
  for (const NoteArrays& one : arrays) own.push_back(in_a_row(c, one, out));
  std::vector<Combined> all;
  for (const DeliveredInput& one : inputs) {
    ir::AccumulatorInput open = one.open;
    open.array = out.add(ir::Replicate{open.shape, open.neutral.front()}, "neutral");
    open.op = renamed(*open.op, c.names);
    const NameId added = add_arrived(c, one, notes, own, open, out);
    all.push_back(
        {*one.open.op, open.neutral, open.shape, {added}, {c.names.fresh_like(added)}, true});
  }
  meet(c, all, out);
  std::vector<Operand> rows;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const ir::AccumulatorInput& open = inputs[k].open;
    const NameId before = rows_to_write(c, open.array, open.shape.front(), out);
    rows.emplace_back(combine_rows(c, {before}, all[k], out).front());
  }
  return rows;
}

void bring_notes(Rewriting& c, const std::vector<NotedAddition>& notes,
                 const std::vector<NoteArrays>& arrays, const std::vector<DeliveredInput>& inputs,
                 ir::Builder& out) {
  const std::vector<NameId> rows = out.branch(
      combining_notes_sends_less(c, notes, arrays, inputs, out),
      [&](ir::Builder& b) { return combine_notes(c, notes, arrays, inputs, b); },
      [&](ir::Builder& b) {
        const std::vector<ArrivedAddition> arrived = deliver_notes(c, notes, arrays, inputs, b);
        std::vector<Operand> added;
        for (const DeliveredInput& one : inputs) {
          added.emplace_back(add_arrived(c, one, notes, arrived, rows_of_rank(c, one, b), b));
        }
        return added;
      },
      "rows");
  for (std::size_t k = 0; k < inputs.size(); ++k) c.own.emplace(inputs[k].whole, rows[k]);
}

}  // namespace dagaz::passes::distributing
