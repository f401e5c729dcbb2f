// Parallel operations as sequential loops of the host, after their definitions:
//
//   map_scan_reduce:  for i < n do vs = map xs[i];  s = op s v;  r = op r v;
//                                  rows[i] = post (s, vs)
//   histogram:        for i < n do (i, v) = map xs[i];  bins[i] = op bins[i] v  where i is inside
//
// The code of their lambdas goes into the loop, where it may call functions that need the host.
#include "passes/flatten/host_loops.h"

#include "ir/value_count.h"
#include "passes/flatten/host_calls.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

/// The lambda's code, where its parameters stand for `arguments`.
std::vector<Operand> apply(Lambda lambda, const std::vector<Operand>& arguments, Builder& body) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] == Operand(lambda.parameters[k].name)) continue;
    body.add({{lambda.parameters[k]}, Identity{arguments[k]}, {}, body.location()});
  }
  body.add_all(std::move(lambda.body.statements));
  return std::move(lambda.body.results);
}

/// The loop while it is being made.
class HostLoop {
 public:
  HostLoop(Names& names, const Operand& width, const Statement& statement)
      : names_(names), body_(names), index_(names.fresh("i", scalar_of(ScalarType::i64))) {
    body_.set_location(statement.location);
    loop_.form = ForForm{{index_}, width};
  }
  Builder& body() { return body_; }

  /// The elements of `arrays` at this iteration; accumulators whole, carried from one to the next.
  std::vector<Operand> elements(const std::vector<NameId>& arrays, const Lambda& map) {
    std::vector<Operand> values;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      const Type& type = names_.type(map.parameters[k].name);
      const bool whole = type.rank() == names_.type(arrays[k]).rank();
      if (whole) {
        values.push_back(map.parameters[k].name);
        accumulators_.push_back({map.parameters[k], arrays[k]});
        continue;
      }
      const NameId element = body_.add(Index{arrays[k], {index_}}, "x");
      // The lambda may write to its row.
      values.push_back(type.is_scalar() ? element : body_.add(Copy{element}, "row"));
    }
    return values;
  }

  /// op (running values) (values), from the neutral element on: the next running values.  The
  /// running values are parameters of the operator and of the loop.
  std::vector<Operand> run(Lambda op, const std::vector<Operand>& neutral,
                           const std::vector<Operand>& values, std::vector<Statement>& before) {
    std::vector<Operand> arguments;
    for (std::size_t k = 0; k < neutral.size(); ++k) {
      const Binder parameter = op.parameters[k];
      Operand initial = neutral[k];
      if (names_.type(parameter.name).is_array()) {
        const NameId own = names_.fresh_like(parameter.name);
        before.push_back({{{own}}, Copy{initial.name()}, {}, body_.location()});
        initial = own;
      }
      loop_.values.push_back({parameter, initial});
      arguments.push_back(parameter.name);
    }
    arguments.insert(arguments.end(), values.begin(), values.end());
    std::vector<Operand> next = apply(std::move(op), arguments, body_);
    loop_.body.results.insert(loop_.body.results.end(), next.begin(), next.end());
    return next;
  }

  /// A value carried from iteration to iteration.
  NameId carry(NameId initial) {
    const NameId parameter = names_.fresh_like(initial);
    loop_.values.push_back({{parameter}, initial});
    return parameter;
  }
  void set_next(const Operand& value) { loop_.body.results.push_back(value); }

  /// `value` becomes row i of a result; an accumulator is handed on.
  void put(const Operand& value, const Type& row, const Operand& width,
           std::vector<Statement>& before) {
    if (row.kind == TypeKind::accumulator) {
      loop_.values.push_back(accumulators_[given_back_++]);
      return set_next(value);
    }
    const Type type = array_over(width, row);
    const NameId unwritten = names_.fresh("rows", type);
    before.push_back({{{unwritten}}, Scratch{type.element, type.shape}, {}, body_.location()});
    set_next(body_.add(Update{carry(unwritten), part_at({index_}, type), value}, "rows"));
  }

  Loop finish() {
    loop_.body.statements = body_.take();
    return std::move(loop_);
  }

 private:
  Names& names_;
  Builder body_;
  NameId index_;
  Loop loop_;
  std::vector<LoopValue> accumulators_;
  std::size_t given_back_ = 0;
};

std::vector<Operand> take(const std::vector<Operand>& values, std::size_t& position,
                          std::size_t count) {
  const auto from = values.begin() + static_cast<std::ptrdiff_t>(position);
  position += count;
  return {from, from + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

std::vector<SliceDimension> part_at(const std::vector<Operand>& indices, const Type& type) {
  std::vector<SliceDimension> part;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    if (d < indices.size()) {
      part.push_back({true, indices[d], i64_operand(1), i64_operand(1)});
    } else {
      part.push_back({false, i64_operand(0), type.shape[d], i64_operand(1)});
    }
  }
  return part;
}

void HostCalls::emit_host_loop(Statement statement, MapScanReduce e, Out& out) {
  HostLoop loop(names_, e.width, statement);
  const std::vector<Operand> arguments = loop.elements(e.arrays, e.map);
  std::vector<Type> row_types = e.post ? e.post->result_types : std::vector<Type>{};
  const std::vector<Type> mapped_types = e.map.result_types;
  const std::vector<Operand> values = apply(std::move(e.map), arguments, loop.body());
  const std::size_t scanned = value_count(e.scans);
  std::size_t position = scanned;
  for (ReduceOperator& one : e.reductions) {
    const std::vector<Operand> inputs = take(values, position, one.neutral.size());
    loop.run(std::move(one.op), one.neutral, inputs, out);
  }
  // The loop gives the last values of scans, too, which nobody asks for.
  std::vector<Operand> rows;
  std::vector<Binder> results(
      statement.results.begin(),
      statement.results.begin() + static_cast<std::ptrdiff_t>(position - scanned));
  std::size_t input = 0;
  for (ScanOperator& one : e.scans) {
    for (std::size_t k = 0; k < one.neutral.size(); ++k) {
      results.push_back({names_.fresh_like(one.op.parameters[k].name)});
    }
    const std::vector<Operand> inputs = take(values, input, one.neutral.size());
    for (Operand& value : loop.run(std::move(one.op), one.neutral, inputs, out)) {
      rows.push_back(std::move(value));
    }
  }
  rows.insert(rows.end(), values.begin() + static_cast<std::ptrdiff_t>(position), values.end());
  if (e.post) {
    rows = apply(std::move(*e.post), rows, loop.body());
  } else {
    row_types.assign(mapped_types.begin(),
                     mapped_types.begin() + static_cast<std::ptrdiff_t>(scanned));
    row_types.insert(row_types.end(), mapped_types.begin() + static_cast<std::ptrdiff_t>(position),
                     mapped_types.end());
  }
  for (std::size_t k = 0; k < rows.size(); ++k) loop.put(rows[k], row_types[k], e.width, out);
  results.insert(results.end(),
                 statement.results.begin() + static_cast<std::ptrdiff_t>(position - scanned),
                 statement.results.end());
  Operation finished = loop.finish();
  become_loops(as<Loop>(finished)->body);
  leave_with_host_accumulators(finished, results);
  out.push_back({std::move(results), std::move(finished), statement.tokens, statement.location});
}

std::vector<NameId> combine_where_inside(const std::vector<NameId>& bins,
                                         const std::vector<Operand>& shape, Lambda op,
                                         const std::vector<Operand>& indices,
                                         const std::vector<Operand>& updates, Builder& body) {
  Operand inside = Operand(make_bool(true));
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Operand below =
        body.scalar(ScalarOp::ult, ScalarType::i64, {indices[k], shape[k]}, "inside");
    inside = body.scalar(ScalarOp::bit_and, ScalarType::boolean, {inside, below});
  }
  const auto combine = [&](Builder& b) {
    std::vector<Operand> arguments;
    for (const NameId bin : bins) {
      const Operand row = b.index(bin, indices);
      const bool is_array = b.names().type(row).is_array();
      arguments.push_back(is_array ? Operand(b.add(Copy{row.name()}, "row")) : row);
    }
    arguments.insert(arguments.end(), updates.begin(), updates.end());
    std::vector<Operand> combined = apply(std::move(op), arguments, b);
    for (std::size_t k = 0; k < bins.size(); ++k) {
      const Type type = b.names().type(bins[k]);
      combined[k] = b.add(Update{bins[k], part_at(indices, type), combined[k]}, "bins");
    }
    return combined;
  };
  const auto leave = [&](Builder&) { return std::vector<Operand>(bins.begin(), bins.end()); };
  return body.branch(inside, combine, leave);
}

void HostCalls::emit_host_loop(Statement statement, Histogram e, Out& out) {
  HostLoop loop(names_, e.width, statement);
  const std::vector<Operand> arguments = loop.elements(e.arrays, e.map);
  const std::vector<Operand> values = apply(std::move(e.map), arguments, loop.body());
  std::size_t position = 0;
  for (HistogramOperator& one : e.operators) {
    const std::vector<Operand> indices = take(values, position, one.shape.size());
    const std::vector<Operand> updates = take(values, position, one.destinations.size());
    std::vector<NameId> bins;
    for (const NameId destination : one.destinations) bins.push_back(loop.carry(destination));
    const std::vector<NameId> next = combine_where_inside(bins, one.shape, std::move(one.op),
                                                          indices, updates, loop.body());
    for (const NameId bin : next) loop.set_next(bin);
  }
  Loop finished = loop.finish();
  become_loops(finished.body);
  statement.operation = std::move(finished);
  out.push_back(std::move(statement));
}

}  // namespace dagaz::passes::flattening
