// Reductions, scans and histograms in chunks; see the header.
#include "passes/ad/chunked_operators.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/ad/activity.h"
#include "passes/ad/chunk_threads.h"
#include "passes/ad/environment.h"
#include "passes/ad/extremum.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

class Chunker {
 public:
  Chunker(Builder& before, const Dependence& varied, const AdOptions& options)
      : before_(&before), names_(&before.names()), varied_(&varied), options_(&options) {}

  Body body(Body body);

 private:
  // A loop over chunks while it is being built.
  struct Chunks {
    Loop loop;
    Statement statement;  // that the loop becomes
    Operand start;        // of the chunk
    Operand size;
  };

  // The parameters of its values.
  struct Carried {
    std::vector<Operand> totals;
    std::vector<Operand> before;
    std::vector<NameId> outputs;
  };

  void statement(Statement statement, Builder& out);
  const Operand& threads();
  bool is_active(const std::vector<Binder>& results) const;
  bool needs_chunks(const MapScanReduce& map) const;
  bool needs_chunks(const Histogram& histogram) const;
  template <typename Operator>
  bool has_general_rule(const Operator& each) const;
  void enter(Chunks& chunks, const Operand& width, const Operand& least, Builder& out,
             Builder& inside);
  NameId carry(Chunks& chunks, NameId result, const Operand& initial, std::string base);
  void cut(std::vector<NameId>& arrays, const Chunks& chunks, Builder& inside);
  std::vector<Operand> apply(const Lambda& op, const std::vector<Operand>& before,
                             const std::vector<Operand>& after, Builder& inside);
  void take_along(MapScanReduce& map, const std::vector<Operand>& before, const Operand& size,
                  Builder& inside);
  Operand least_rows(const MapScanReduce& map, Builder& out) const;
  Operand least_beside(const Histogram& histogram, Builder& out) const;
  Carried carry_all(Chunks& chunks, const Statement& statement, const MapScanReduce& map,
                    Builder& out);
  std::vector<NameId> emit_part(MapScanReduce part, Chunks& chunks, const Carried& carried,
                                Builder& inside);
  void chunk(Statement statement, MapScanReduce map, Builder& out);
  void chunk(Statement statement, Histogram histogram, Builder& out);

  Builder* before_;  // the code that is differentiated
  Names* names_;
  const Dependence* varied_;
  const AdOptions* options_;
  std::optional<Operand> threads_;  // that share a chunk
};

Body Chunker::body(Body body) {
  Builder out(*names_);
  for (Statement& each : body.statements) {
    out.set_location(each.location);
    out.set_tokens(each.tokens);
    statement(std::move(each), out);
  }
  return out.take_body(std::move(body.results));
}

void Chunker::statement(Statement statement, Builder& out) {
  const bool active = is_active(statement.results);
  if (auto* map = as<MapScanReduce>(statement.operation); map != nullptr) {
    if (active && needs_chunks(*map)) {
      MapScanReduce operation = std::move(*map);
      chunk(std::move(statement), std::move(operation), out);
      return;
    }
  } else if (auto* histogram = as<Histogram>(statement.operation); histogram != nullptr) {
    if (active && needs_chunks(*histogram)) {
      Histogram operation = std::move(*histogram);
      chunk(std::move(statement), std::move(operation), out);
      return;
    }
  } else if (as<Loop>(statement.operation) || as<Branch>(statement.operation)) {
    for_each_scope(statement.operation, [&](Body& inner) { inner = body(std::move(inner)); });
  }
  out.add(std::move(statement));
}

bool Chunker::is_active(const std::vector<Binder>& results) const {
  return std::any_of(results.begin(), results.end(),
                     [&](const Binder& each) { return varied_->of(each.name) != 0; });
}

// Whether an operator may need a rule that keeps arrays.
template <typename Operator>
bool Chunker::has_general_rule(const Operator& each) const {
  const bool real = std::any_of(each.op.result_types.begin(), each.op.result_types.end(),
                                [](const Type& type) { return is_float(type.element); });
  return real && !is_addition(each.op);
}

bool Chunker::needs_chunks(const MapScanReduce& map) const {
  const auto is_parameter = [&](const Operand& value) {
    return std::any_of(map.map.parameters.begin(), map.map.parameters.end(),
                       [&](const Binder& each) { return value == Operand(each.name); });
  };
  const auto& types = map.map.result_types;
  const bool accumulates = std::any_of(map.arrays.begin(), map.arrays.end(), [&](NameId array) {
    return names_->type(array).kind == TypeKind::accumulator;
  });
  if (map.sequential || accumulates) return false;
  std::size_t next = 0;
  bool found = false;
  for (const ScanOperator& each : map.scans) {
    const bool computed = !is_parameter(map.map.body.results[next]);
    const std::size_t arity = each.neutral.size();
    for (std::size_t k = 0; k < arity; ++k) {
      if (!types[next++].is_scalar()) return false;
    }
    // Of one array that is there anyway little is kept beside the result.
    found = found || (has_general_rule(each) && (computed || arity > 1));
  }
  for (const ReduceOperator& each : map.reductions) {
    next += each.neutral.size();
    const auto op = binary_scalar_operator(each.op);
    // The rule of extrema keeps nothing, and that of products the factors alone, where their
    // adjoints will be.
    const bool needs_nothing = op && (is_extremum(*op) || *op == ScalarOp::mul);
    found = found || (has_general_rule(each) && !needs_nothing);
  }
  return found;
}

bool Chunker::needs_chunks(const Histogram& histogram) const {
  return !finds_extrema(histogram) &&
         std::any_of(histogram.operators.begin(), histogram.operators.end(),
                     [&](const HistogramOperator& each) { return has_general_rule(each); });
}

const Operand& Chunker::threads() {
  if (!threads_) threads_ = threads_of_chunk(*before_, options_->in_order);
  return *threads_;
}

// Starts the loop, in `inside`.
void Chunker::enter(Chunks& chunks, const Operand& width, const Operand& least, Builder& out,
                    Builder& inside) {
  const auto binary = [](Builder& builder, ScalarOp op, const Operand& a, const Operand& b) {
    return builder.scalar(op, ScalarType::i64, {a, b}, "chunk");
  };
  const Operand share =
      binary(out, ScalarOp::sdiv, width, i64_operand(options_->most_chunks));
  const Operand size = binary(out, ScalarOp::smax, least, share);
  const Operand rounded = out.add_i64(width, out.sub_i64(size, i64_operand(1)));
  const Operand count = out.scalar(ScalarOp::sdiv, ScalarType::i64, {rounded, size}, "chunks");
  const NameId index = names_->fresh("c", scalar_of(ScalarType::i64));
  chunks.loop.form = ForForm{Binder{index}, count};
  chunks.start = inside.mul_i64(index, size);
  chunks.size = binary(inside, ScalarOp::smin, size, inside.sub_i64(width, chunks.start));
}

// A further value of the loop, of which `result` is the last.
NameId Chunker::carry(Chunks& chunks, NameId result, const Operand& initial, std::string base) {
  const NameId parameter = names_->fresh(std::move(base), names_->type(result));
  chunks.loop.values.push_back(LoopValue{Binder{parameter}, initial});
  chunks.loop.attributes.true_dependence.push_back(false);
  chunks.statement.results.push_back(Binder{result});
  return parameter;
}

void Chunker::cut(std::vector<NameId>& arrays, const Chunks& chunks, Builder& inside) {
  for (NameId& array : arrays) {
    array = inside.add(
        Slice{array, rows_of(names_->type(array), chunks.start, chunks.size)}, "part");
  }
}

// before ⊙ after
std::vector<Operand> Chunker::apply(const Lambda& op, const std::vector<Operand>& before,
                                    const std::vector<Operand>& after, Builder& inside) {
  Lambda copy = renamed(op, *names_);
  for (std::size_t k = 0; k < before.size(); ++k) {
    inside.add(Statement{{copy.parameters[k]}, Identity{before[k]}, {}, inside.location()});
    inside.add(Statement{
        {copy.parameters[before.size() + k]}, Identity{after[k]}, {}, inside.location()});
  }
  inside.add_all(std::move(copy.body.statements));
  return copy.body.results;
}

// Lets the first element that is scanned take along what the scans before ended with.
void Chunker::take_along(MapScanReduce& map, const std::vector<Operand>& before,
                         const Operand& size, Builder& inside) {
  const NameId position = names_->fresh("i", scalar_of(ScalarType::i64));
  map.arrays.push_back(
      inside.add(Iota{ScalarType::i64, size, i64_operand(0), i64_operand(1)}, "positions"));
  map.map.parameters.push_back(Binder{position});
  Builder last = inside.nested();
  const Operand first =
      last.scalar(ScalarOp::eq, ScalarType::i64, {Operand(position), i64_operand(0)});
  std::size_t next = 0;
  for (const ScanOperator& scan : map.scans) {
    const std::size_t arity = scan.neutral.size();
    std::vector<Operand>& results = map.map.body.results;
    const std::vector<Operand> carried(before.begin() + static_cast<std::ptrdiff_t>(next),
                                       before.begin() + static_cast<std::ptrdiff_t>(next + arity));
    const std::vector<Operand> elements(
        results.begin() + static_cast<std::ptrdiff_t>(next),
        results.begin() + static_cast<std::ptrdiff_t>(next + arity));
    const std::vector<Operand> joined = apply(scan.op, carried, elements, last);
    for (std::size_t k = 0; k < arity; ++k, ++next) {
      results[next] = last.select(map.map.result_types[next].element, first, joined[k],
                                  elements[k]);
    }
  }
  for (Statement& each : last.take()) map.map.body.statements.push_back(std::move(each));
}

// The least chunk of reductions: of rows there are fewer.
Operand Chunker::least_rows(const MapScanReduce& map, Builder& out) const {
  Operand row = i64_operand(1);
  for (const ReduceOperator& each : map.reductions) {
    for (const Type& type : each.op.result_types) {
      row = out.scalar(ScalarOp::smax, ScalarType::i64, {row, out.product(type.shape)});
    }
  }
  const Operand rows =
      out.scalar(ScalarOp::sdiv, ScalarType::i64, {i64_operand(options_->least_chunk), row});
  return out.scalar(ScalarOp::smax, ScalarType::i64, {rows, i64_operand(1)}, "chunk");
}

// The loop's values: totals of reductions, where scans ended, arrays that parts are written to.
Chunker::Carried Chunker::carry_all(Chunks& chunks, const Statement& statement,
                                    const MapScanReduce& map, Builder& out) {
  Carried carried;
  std::size_t result = 0;
  for (const ReduceOperator& each : map.reductions) {
    for (const Operand& neutral : each.neutral) {
      carried.totals.push_back(carry(chunks, statement.results[result++].name, neutral, "total"));
    }
  }
  for (const ScanOperator& each : map.scans) {
    for (std::size_t k = 0; k < each.neutral.size(); ++k) {
      const NameId ended = names_->fresh_like(each.op.parameters[k].name);
      carried.before.push_back(carry(chunks, ended, each.neutral[k], "before"));
    }
  }
  for (; result < statement.results.size(); ++result) {
    const NameId array = statement.results[result].name;
    const Type& type = names_->type(array);
    carried.outputs.push_back(
        carry(chunks, array, out.add(Scratch{type.element, type.shape}, names_->base(array)),
              names_->base(array)));
    // Nothing reads it in the loop.
    chunks.loop.attributes.true_dependence.back() = true;
  }
  return carried;
}

// The operation on one chunk; behind its results, what was scanned, where `post` hides that.
std::vector<NameId> Chunker::emit_part(MapScanReduce part, Chunks& chunks,
                                       const Carried& carried, Builder& inside) {
  part.width = chunks.size;
  cut(part.arrays, chunks, inside);
  if (!carried.before.empty()) take_along(part, carried.before, chunks.size, inside);
  if (part.post) {
    for (std::size_t k = 0; k < carried.before.size(); ++k) {
      const NameId scanned = part.post->parameters[k].name;
      part.post->body.results.push_back(scanned);
      part.post->result_types.push_back(names_->type(scanned));
    }
  }
  return inside.add_results(std::move(part), "part");
}

void Chunker::chunk(Statement statement, MapScanReduce map, Builder& out) {
  Chunks chunks;
  Builder inside = out.nested();
  const Operand least = out.mul_i64(least_rows(map, out), threads());
  enter(chunks, map.width, least, out, inside);
  const Carried carried = carry_all(chunks, statement, map, out);
  const auto& [totals, before, outputs] = carried;
  const std::vector<NameId> made = emit_part(map, chunks, carried, inside);

  std::vector<Operand>& next = chunks.loop.body.results;
  std::size_t done = 0;
  for (const ReduceOperator& each : map.reductions) {
    const auto at = static_cast<std::ptrdiff_t>(done);
    const auto end = at + static_cast<std::ptrdiff_t>(each.neutral.size());
    const std::vector<Operand> so_far(totals.begin() + at, totals.begin() + end);
    const std::vector<Operand> more(made.begin() + at, made.begin() + end);
    for (const Operand& sum : apply(each.op, so_far, more, inside)) next.push_back(sum);
    done += each.neutral.size();
  }
  const std::size_t first_scanned = totals.size() + (map.post ? outputs.size() : 0);
  const Operand last = inside.sub_i64(chunks.size, i64_operand(1));
  for (std::size_t k = 0; k < before.size(); ++k) {
    next.push_back(inside.index(made[first_scanned + k], {last}));
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const auto rows = rows_of(names_->type(outputs[k]), chunks.start, chunks.size);
    next.push_back(inside.add(Update{outputs[k], rows, made[totals.size() + k]}, "written"));
  }
  chunks.loop.body.statements = inside.take();
  statement.results = std::move(chunks.statement.results);
  statement.operation = std::move(chunks.loop);
  out.add(std::move(statement));
}

// The least chunk of histograms of n elements with b bins: in chunks of s elements, b numbers are
// kept for each of n/s chunks, and about 4 for each element of one, which together is least at
// √(n·b)/2.
Operand Chunker::least_beside(const Histogram& histogram, Builder& out) const {
  const auto real = [&](const Operand& count) {
    return out.convert(ScalarOp::signed_to_float, ScalarType::i64, ScalarType::f64, count, "real");
  };
  Operand bins = i64_operand(0);
  for (const HistogramOperator& each : histogram.operators) {
    for (const NameId destination : each.destinations) {
      bins = out.add_i64(bins, out.product(names_->type(destination).shape));
    }
  }
  const Operand product = out.scalar(ScalarOp::mul, ScalarType::f64,
                                     {real(histogram.width), real(bins)}, "real");
  const Operand root = out.scalar(ScalarOp::sqrt, ScalarType::f64, {product}, "real");
  const Operand whole =
      out.convert(ScalarOp::float_to_signed, ScalarType::f64, ScalarType::i64, root, "chunk");
  const Operand half =
      out.scalar(ScalarOp::sdiv, ScalarType::i64, {whole, i64_operand(2)}, "chunk");
  return out.scalar(ScalarOp::smax, ScalarType::i64, {half, i64_operand(options_->least_chunk)},
                    "chunk");
}

void Chunker::chunk(Statement statement, Histogram histogram, Builder& out) {
  Chunks chunks;
  Builder inside = out.nested();
  const Operand least = least_beside(histogram, out);
  enter(chunks, histogram.width, least, out, inside);
  Histogram part = std::move(histogram);
  std::size_t result = 0;
  for (HistogramOperator& each : part.operators) {
    for (NameId& destination : each.destinations) {
      destination = carry(chunks, statement.results[result++].name, destination, "bins");
    }
  }
  part.width = chunks.size;
  cut(part.arrays, chunks, inside);
  for (const NameId made : inside.add_results(std::move(part), "bins")) {
    chunks.loop.body.results.push_back(made);
  }
  chunks.loop.body.statements = inside.take();
  statement.operation = std::move(chunks.loop);
  out.add(std::move(statement));
}

}  // namespace

Body with_chunked_operators(Body body, const std::vector<Binder>& parameters, Builder& before,
                            const AdOptions& options) {
  Dependence varied(before.names());
  for (const Binder& each : parameters) varied.seed(each.name, 1);
  varied.run(body.statements);
  return Chunker(before, varied, options).body(std::move(body));
}

}  // namespace dagaz::passes::ad
