// Splitting fused operations; see the header.
#include "passes/ad/normalise.h"

#include <algorithm>
#include <numeric>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/ad/environment.h"
#include "passes/ad/expensive_values.h"
#include "passes/ad/extremum.h"
#include "passes/ad/row_reads.h"
#include "passes/ad/short_loops.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

class Normaliser {
 public:
  explicit Normaliser(Names& names) : names_(&names) {}

  Body body(Body body);

 private:
  void statement(Statement statement, Builder& out);
  // Arrays of what the map of an operation computes, which operations of their own take in turn.
  struct Computed {
    Operand width;
    bool sequential;
    std::vector<NameId> arrays;
    std::size_t next = 0;

    std::vector<NameId> take(std::size_t count);
  };
  // An operation over the next of them, still without its operator.
  MapScanReduce over_next(Computed& computed, std::size_t count);
  void split(Statement statement, MapScanReduce map, Builder& out);
  void split_scans(const Statement& like, std::vector<ScanOperator> scans,
                   const std::vector<NameId>& results, Computed& computed, Builder& out);
  void split_reductions(const Statement& like, std::vector<ReduceOperator> reductions,
                        Computed& computed, Builder& out);
  // A map over the columns of rows, and what stands in it: an operation, still without its
  // operator, on one column.
  struct Columns {
    std::vector<int> swap;  // rows and columns
    MapScanReduce outer;
    MapScanReduce inner;
    Type column;
    NameId neutral;  // of the operator on elements
  };
  Columns columns_of(const MapScanReduce& map, const Operand& neutral, Builder& out);
  void reduce(Statement statement, MapScanReduce map, Builder& out);
  bool is_extremum_of_map(const MapScanReduce& map) const;
  void scan(Statement statement, MapScanReduce map, Builder& out);
  static Operand share_of(const Operand& n, int depth, Builder& out);
  std::vector<NameId> fresh_values(const Loop& loop);
  Loop loop_around(Loop& inner);
  void strip_mine(Statement statement, Loop loop, Builder& out);
  void lambda(Lambda& lambda) { lambda.body = body(std::move(lambda.body)); }

  // The arrays of what a lambda computes; those that are its parameters are the arrays mapped
  // over.  `targets` names the results that have a name already.
  std::vector<NameId> mapped_arrays(const Statement& like, const Operand& width,
                                    const std::vector<NameId>& arrays, Lambda lambda,
                                    const std::vector<NameId>& targets, bool sequential,
                                    Builder& out);
  // Leaves a histogram or scatter the identity as its map.
  template <typename Writes>
  void compute_before(const Statement& like, Writes& writes, Builder& out);
  // A statement with the location, tokens and mode of `like`.
  Statement alike(const Statement& like, std::vector<NameId> results, Operation operation);

  Names* names_;
};

Statement Normaliser::alike(const Statement& like, std::vector<NameId> results,
                            Operation operation) {
  Statement result{{}, std::move(operation), like.tokens, like.location, like.mode};
  for (const NameId name : results) result.results.push_back(Binder{name});
  return result;
}

std::vector<NameId> Normaliser::mapped_arrays(const Statement& like, const Operand& width,
                                              const std::vector<NameId>& arrays, Lambda lambda,
                                              const std::vector<NameId>& targets, bool sequential,
                                              Builder& out) {
  std::vector<NameId> results(lambda.body.results.size());
  std::vector<NameId> fresh;
  MapScanReduce map;
  map.width = width;
  map.arrays = arrays;
  map.sequential = sequential;
  std::vector<Operand> kept;
  std::vector<Type> kept_types;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Operand& value = lambda.body.results[i];
    const auto parameter = std::find_if(
        lambda.parameters.begin(), lambda.parameters.end(),
        [&](const Binder& each) { return value == Operand(each.name); });
    const bool passed_on = parameter != lambda.parameters.end() && !targets[i].valid() &&
                           lambda.result_types[i].kind == TypeKind::value;
    if (passed_on) {
      results[i] = arrays[static_cast<std::size_t>(parameter - lambda.parameters.begin())];
      continue;
    }
    const Type& row = lambda.result_types[i];
    const Type type = row.kind == TypeKind::accumulator ? row : array_over(width, row);
    results[i] = targets[i].valid() ? targets[i] : names_->fresh("mapped", type);
    fresh.push_back(results[i]);
    kept.push_back(value);
    kept_types.push_back(row);
  }
  if (fresh.empty()) return results;
  map.map = std::move(lambda);
  map.map.body.results = std::move(kept);
  map.map.result_types = std::move(kept_types);
  out.add(alike(like, fresh, std::move(map)));
  return results;
}

template <typename Writes>
void Normaliser::compute_before(const Statement& like, Writes& writes, Builder& out) {
  if (is_identity(writes.map)) return;
  const std::vector<NameId> targets(writes.map.body.results.size());
  writes.arrays = mapped_arrays(like, writes.width, writes.arrays, std::move(writes.map), targets,
                                false, out);
  std::vector<Type> rows;
  for (const NameId array : writes.arrays) rows.push_back(row_of(names_->type(array)));
  writes.map = identity_lambda(rows, *names_);
}

// Whether the operation does nothing but find the least or greatest value of a computed function.
bool Normaliser::is_extremum_of_map(const MapScanReduce& map) const {
  if (!map.scans.empty() || map.reductions.size() != 1 || map.map.body.results.size() != 1) {
    return false;
  }
  const auto op = binary_scalar_operator(map.reductions[0].op);
  const Operand& value = map.map.body.results[0];
  const bool computed =
      value.is_name() &&
      std::none_of(map.map.parameters.begin(), map.map.parameters.end(),
                   [&](const Binder& each) { return each.name == value.name(); });
  return op && is_extremum(*op) && computed &&
         std::all_of(map.arrays.begin(), map.arrays.end(),
                     [&](NameId array) { return names_->type(array).is_array(); });
}

std::vector<NameId> Normaliser::Computed::take(std::size_t count) {
  const auto begin = arrays.begin() + static_cast<std::ptrdiff_t>(next);
  next += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

MapScanReduce Normaliser::over_next(Computed& computed, std::size_t count) {
  MapScanReduce part;
  part.width = computed.width;
  part.arrays = computed.take(count);
  part.sequential = computed.sequential;
  std::vector<Type> rows;
  for (const NameId array : part.arrays) rows.push_back(row_of(names_->type(array)));
  part.map = identity_lambda(rows, *names_);
  return part;
}

void Normaliser::split(Statement statement, MapScanReduce map, Builder& out) {
  if (is_extremum_of_map(map)) {
    reduce_at_winner(std::move(statement), std::move(map), out);
    return;
  }
  const std::size_t reduced = value_count(map.reductions);
  const std::size_t scanned = value_count(map.scans);
  // Scan outputs and mapped arrays are results of the statement unless `post` follows.
  std::vector<NameId> targets(map.map.body.results.size());
  std::vector<NameId> scan_outputs;
  for (std::size_t i = 0; i < scanned; ++i) {
    scan_outputs.push_back(
        map.post ? names_->fresh("scanned", array_over(map.width, map.map.result_types[i]))
                 : statement.results[reduced + i].name);
  }
  for (std::size_t i = scanned + reduced; i < targets.size() && !map.post; ++i) {
    targets[i] = statement.results[i].name;
  }
  Computed computed{map.width, map.sequential,
                    mapped_arrays(statement, map.width, map.arrays, std::move(map.map), targets,
                                  map.sequential, out)};
  split_scans(statement, std::move(map.scans), scan_outputs, computed, out);
  split_reductions(statement, std::move(map.reductions), computed, out);
  if (!map.post) return;
  MapScanReduce after;
  after.width = map.width;
  after.arrays = std::move(scan_outputs);
  for (const NameId array : computed.take(targets.size() - scanned - reduced)) {
    after.arrays.push_back(array);
  }
  after.map = std::move(*map.post);
  after.sequential = map.sequential;
  std::vector<NameId> outputs;
  for (std::size_t i = reduced; i < statement.results.size(); ++i) {
    outputs.push_back(statement.results[i].name);
  }
  out.add(alike(statement, outputs, std::move(after)));
}

void Normaliser::split_scans(const Statement& like, std::vector<ScanOperator> scans,
                             const std::vector<NameId>& results, Computed& computed,
                             Builder& out) {
  auto next = results.begin();
  for (ScanOperator& each : scans) {
    const std::size_t count = each.neutral.size();
    const std::vector<NameId> outputs(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
    MapScanReduce part = over_next(computed, count);
    part.scans.push_back(std::move(each));
    scan(alike(like, outputs, Identity{}), std::move(part), out);
  }
}

void Normaliser::split_reductions(const Statement& like, std::vector<ReduceOperator> reductions,
                                  Computed& computed, Builder& out) {
  auto next = like.results.begin();
  for (ReduceOperator& each : reductions) {
    const std::size_t count = each.neutral.size();
    std::vector<NameId> outputs;
    for (std::size_t i = 0; i < count; ++i) outputs.push_back((next++)->name);
    MapScanReduce part = over_next(computed, count);
    part.reductions.push_back(std::move(each));
    reduce(alike(like, outputs, Identity{}), std::move(part), out);
  }
}

Normaliser::Columns Normaliser::columns_of(const MapScanReduce& map, const Operand& neutral,
                                           Builder& out) {
  Columns result;
  const Type rows = names_->type(map.arrays[0]);
  result.swap.resize(rows.rank());
  std::iota(result.swap.begin(), result.swap.end(), 0);
  std::swap(result.swap[0], result.swap[1]);
  const NameId columns = out.add(Permute{map.arrays[0], result.swap}, "columns");
  result.column = row_of(names_->type(columns));
  result.outer.width = rows.shape[1];
  result.outer.arrays = {columns, neutral.name()};
  const NameId column = names_->fresh("column", result.column);
  result.neutral = names_->fresh("neutral", row_of(names_->type(neutral.name())));
  result.outer.map.parameters = {Binder{column}, Binder{result.neutral}};
  result.inner.width = rows.shape[0];
  result.inner.arrays = {column};
  result.inner.sequential = map.sequential;
  result.inner.map = identity_lambda({row_of(result.column)}, *names_);
  return result;
}

// reduce (map2 f) e xss  =  map (\xs e' -> reduce f e' xs) (transpose xss) e
// Sums of rows stay: every row gets the same adjoint, which is then known to be.
void Normaliser::reduce(Statement statement, MapScanReduce map, Builder& out) {
  ReduceOperator& op = map.reductions[0];
  const Lambda* element = is_addition(op.op) ? nullptr : vectorised_operator(op.op);
  if (element == nullptr) {
    lambda(op.op);
    statement.operation = std::move(map);
    out.add(std::move(statement));
    return;
  }
  Columns columns = columns_of(map, op.neutral[0], out);
  const Type row = row_of(columns.column);
  columns.inner.reductions.push_back({*element, {columns.neutral}, op.commutative});
  const NameId result = names_->fresh("r", row);
  Builder nested = out.nested();
  reduce(alike(statement, {result}, Identity{}), std::move(columns.inner), nested);
  columns.outer.map.body = nested.take_body({result});
  columns.outer.map.result_types = {row};
  statement.operation = std::move(columns.outer);
  out.add(std::move(statement));
}

// scan (map2 f) e xss  =  transpose (map (\xs e' -> scan f e' xs) (transpose xss) e)
// Sums of rows stay: their rule is a sum of rows, too.
void Normaliser::scan(Statement statement, MapScanReduce map, Builder& out) {
  ScanOperator& op = map.scans[0];
  const Lambda* element = is_addition(op.op) ? nullptr : vectorised_operator(op.op);
  if (element == nullptr) {
    lambda(op.op);
    statement.operation = std::move(map);
    out.add(std::move(statement));
    return;
  }
  Columns columns = columns_of(map, op.neutral[0], out);
  const Type all = names_->type(columns.outer.arrays[0]);
  columns.inner.scans.push_back({*element, {columns.neutral}});
  const NameId result = names_->fresh("scanned", columns.column);
  Builder nested = out.nested();
  scan(alike(statement, {result}, Identity{}), std::move(columns.inner), nested);
  columns.outer.map.body = nested.take_body({result});
  columns.outer.map.result_types = {columns.column};
  const NameId scanned = names_->fresh("scanned", all);
  out.add(alike(statement, {scanned}, std::move(columns.outer)));
  statement.operation = Permute{scanned, columns.swap};
  out.add(std::move(statement));
}

// ⌈n^(1 - 1/depth)⌉, but at least 1: the iterations of the inner loops where `depth` loops share n.
Operand Normaliser::share_of(const Operand& n, int depth, Builder& out) {
  const Operand real = out.convert(ScalarOp::signed_to_float, ScalarType::i64, ScalarType::f64, n);
  const Operand exponent(make_float(ScalarType::f64, 1.0 - 1.0 / depth));
  const Operand root = out.scalar(ScalarOp::ceil, ScalarType::f64,
                                  {out.scalar(ScalarOp::fpow, ScalarType::f64, {real, exponent})});
  const Operand share =
      out.convert(ScalarOp::float_to_signed, ScalarType::f64, ScalarType::i64, root);
  return out.scalar(ScalarOp::smax, ScalarType::i64, {share, i64_operand(1)}, "chunk");
}

// Fresh names for the values of a loop, one in terms of another where a size is among them.
std::vector<NameId> Normaliser::fresh_values(const Loop& loop) {
  Substitution renaming;
  std::vector<NameId> fresh;
  for (const LoopValue& value : loop.values) {
    const NameId parameter = value.parameter.name;
    fresh.push_back(
        names_->fresh(names_->base(parameter), substitute(names_->type(parameter), renaming)));
    renaming.emplace(parameter, fresh.back());
  }
  return fresh;
}

// A loop that carries what `inner` does, from which that starts in each iteration.
Loop Normaliser::loop_around(Loop& inner) {
  Loop outer;
  outer.attributes.true_dependence = inner.attributes.true_dependence;
  const std::vector<NameId> parameters = fresh_values(inner);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    LoopValue& value = inner.values[i];
    outer.values.push_back(LoopValue{Binder{parameters[i]}, value.initial});
    value.initial = parameters[i];
  }
  return outer;
}

// for i < n do b  =  for o < ⌈n/c⌉ do for j < min(c, n - o·c) do b[i := o·c + j], with c the k-th
// root's share of n; the inner loop is strip-mined k-1 times in turn.
void Normaliser::strip_mine(Statement statement, Loop loop, Builder& out) {
  const auto form = std::get<ForForm>(loop.form);
  const ScalarType index_type = names_->type(form.index.name).element;
  const int depth = loop.attributes.stripmine;
  out.set_location(statement.location);
  const Operand bound =
      out.convert(ScalarOp::sign_extend, index_type, ScalarType::i64, form.bound, "n");
  const Operand chunk = share_of(bound, depth, out);
  const Operand rounded = out.add_i64(bound, out.sub_i64(chunk, i64_operand(1)));
  // Names that the report shows as sizes.
  const std::string n = bound.is_name() ? names_->base(bound.name())
                                        : std::to_string(integer_value(bound.constant()));
  const std::string root_of_n = (depth == 2 ? "sqrt_" : "root" + std::to_string(depth) + "_") + n;
  const Operand count = out.scalar(ScalarOp::sdiv, ScalarType::i64, {rounded, chunk}, root_of_n);

  Loop inner = std::move(loop);
  inner.attributes.stripmine = depth > 2 ? depth - 1 : 0;
  Loop outer = loop_around(inner);
  const NameId o = names_->fresh("o", scalar_of(ScalarType::i64));
  outer.form = ForForm{Binder{o}, count};
  Builder nested = out.nested();
  const Operand start = nested.mul_i64(o, chunk);
  const Operand left = nested.sub_i64(bound, start);
  const Operand inner_count =
      nested.scalar(ScalarOp::smin, ScalarType::i64, {chunk, left},
                    depth == 2 ? root_of_n : "rest_of_" + n);
  const NameId j = names_->fresh("j", scalar_of(ScalarType::i64));
  inner.form = ForForm{Binder{j}, inner_count};
  Builder index = nested.nested();
  const Operand position = index.add_i64(start, j);
  index.add(Statement{{form.index},
                      Scalar{ScalarOp::sign_extend, ScalarType::i64, index_type, {position}},
                      {},
                      statement.location});
  index.add_all(std::move(inner.body.statements));
  inner.body.statements = index.take();
  Statement inner_statement{{}, Identity{}, {}, statement.location, statement.mode};
  std::vector<Operand> results;
  for (const NameId result : fresh_values(inner)) {
    inner_statement.results.push_back(Binder{result});
    results.push_back(result);
  }
  inner_statement.operation = std::move(inner);
  this->statement(std::move(inner_statement), nested);
  outer.body = nested.take_body(std::move(results));
  statement.operation = std::move(outer);
  out.add(std::move(statement));
}

Body Normaliser::body(Body body) {
  Builder out(*names_);
  for (Statement& each : body.statements) {
    out.set_location(each.location);
    out.set_tokens(each.tokens);
    statement(std::move(each), out);
  }
  return out.take_body(std::move(body.results));
}

void Normaliser::statement(Statement statement, Builder& out) {
  if (auto* map = as<MapScanReduce>(statement.operation)) {
    lambda(map->map);
    if (is_pure_map(*map)) {
      out.add(std::move(statement));
      return;
    }
    if (map->post) lambda(*map->post);
    MapScanReduce operation = std::move(*map);
    split(std::move(statement), std::move(operation), out);
    return;
  }
  if (auto* loop = as<Loop>(statement.operation)) {
    if (loop->attributes.stripmine > 1 && std::holds_alternative<ForForm>(loop->form)) {
      Loop operation = std::move(*loop);
      strip_mine(std::move(statement), std::move(operation), out);
      return;
    }
    loop->body = body(std::move(loop->body));
    if (write_out_short_loop(statement, out)) return;
    if (loop->attributes.stripmine < 0) give_expensive_values(loop->body, *names_);
  } else if (as<Branch>(statement.operation)) {
    for_each_scope(statement.operation, [&](Body& side) { side = body(std::move(side)); });
  } else if (auto* with = as<WithAccumulator>(statement.operation)) {
    lambda(with->body);
  } else if (auto* flat_map = as<FlatMap>(statement.operation)) {
    lambda(flat_map->map);
  } else if (auto* histogram = as<Histogram>(statement.operation)) {
    lambda(histogram->map);
    if (finds_extrema(*histogram)) {
      Histogram operation = std::move(*histogram);
      combine_at_winners(std::move(statement), std::move(operation), out);
      return;
    }
    for (HistogramOperator& each : histogram->operators) lambda(each.op);
    compute_before(statement, *histogram, out);
  } else if (auto* scatter = as<Scatter>(statement.operation)) {
    lambda(scatter->map);
    compute_before(statement, *scatter, out);
  }
  // A custom derivative stays as it is: its function is not differentiated.
  out.add(std::move(statement));
}

}  // namespace

Body normalise(Body body, Names& names, OwnRows own) {
  Body result = Normaliser(names).body(std::move(body));
  read_through_rows(result, names, own);
  return result;
}

}  // namespace dagaz::passes::ad
