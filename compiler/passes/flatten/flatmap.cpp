// flatmap with parallel operations that exist: the sizes first, a scan of them for the starts,
// then every segment written to its place.  The function runs twice; what a round does not need
// is left out.
#include "passes/flatten/flatmap.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/flatten/each_body.h"
#include "passes/traces.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

// Keeps the statements that the results need, asserts and traces.
static void keep_needed(Body& body, const Names& names) {
  NameSet needed;
  for (const Operand& result : body.results) {
    if (result.is_name()) needed.insert(result.name());
  }
  std::vector<Statement> kept;
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    Statement& one = body.statements[k];
    const bool used = std::any_of(one.results.begin(), one.results.end(), [&](const Binder& r) {
      return needed.contains(r.name);
    });
    if (!used && !as<Assert>(one.operation) && !has_trace(one.operation)) continue;
    for (const NameId name : free_names(one, names)) needed.insert(name);
    kept.push_back(std::move(one));
  }
  std::reverse(kept.begin(), kept.end());
  body.statements = std::move(kept);
}

static Lambda keep_results(Lambda lambda, std::size_t begin, std::size_t count,
                           const Names& names) {
  const auto from = static_cast<std::ptrdiff_t>(begin);
  const auto to = static_cast<std::ptrdiff_t>(begin + count);
  lambda.body.results = {lambda.body.results.begin() + from, lambda.body.results.begin() + to};
  lambda.result_types = {lambda.result_types.begin() + from, lambda.result_types.begin() + to};
  keep_needed(lambda.body, names);
  return lambda;
}

static Lambda add_i64_lambda(Names& names) { return addition(ScalarType::i64, {}, names); }

// The sizes of the segments, and the values that are one for each element.
static Statement measure(const Statement& statement, const FlatMap& e, Names& names) {
  const auto varying = static_cast<std::size_t>(e.varying);
  const std::size_t uniform = e.map.result_types.size() - 1 - varying;
  Lambda lambda = e.map;
  // The round that writes the segments, if there is one, prints.
  if (varying > 0) remove_traces(lambda.body);
  const auto behind_segments = [&](auto& results) {
    const auto segments = results.begin() + 1;
    std::rotate(segments, segments + static_cast<std::ptrdiff_t>(varying), results.end());
  };
  behind_segments(lambda.body.results);
  behind_segments(lambda.result_types);
  Statement made = statement;
  made.results = {statement.results[1]};
  for (std::size_t k = 0; k < uniform; ++k) {
    made.results.push_back(statement.results[3 + varying + k]);
  }
  made.operation = MapScanReduce{
      e.width, e.arrays, renamed(keep_results(std::move(lambda), 0, 1 + uniform, names), names),
      {}, {}, std::nullopt, false};
  return made;
}

// Where the segments start, by an exclusive scan of their sizes, and the total.
static MapScanReduce find_starts(const Operand& width, NameId sizes, Builder& builder,
                                 Names& names) {
  const Type i64 = scalar_of(ScalarType::i64);
  Lambda twice = builder.lambda({i64}, {"size"}, [](Builder&, const std::vector<NameId>& p) {
    return std::vector<Operand>{p[0], p[0], p[0]};
  });
  Lambda before = builder.lambda({i64, i64}, {"end", "size"},
                                 [](Builder& b, const std::vector<NameId>& p) {
                                   return std::vector<Operand>{b.sub_i64(p[0], p[1])};
                                 });
  return {width,
          {sizes},
          std::move(twice),
          {{add_i64_lambda(names), {i64_operand(0)}}},
          {{add_i64_lambda(names), {i64_operand(0)}, true}},
          std::move(before),
          false};
}

// What writes the segments of one element: a map over the segment's places.
static Lambda fill_lambda(FlatMap e, const WithAccumulator& with, Names& names) {
  const auto varying = static_cast<std::size_t>(e.varying);
  Lambda fill = renamed(keep_results(std::move(e.map), 0, 1 + varying, names), names);
  const NameId start = names.fresh("start", scalar_of(ScalarType::i64));
  fill.parameters.push_back({start});
  Builder last(names);
  last.add_all(std::move(fill.body.statements));
  std::vector<NameId> sources;
  std::vector<NameId> targets;
  for (std::size_t k = 0; k < varying; ++k) {
    sources.push_back(last.as_name(fill.body.results[1 + k]));
    targets.push_back(names.fresh_like(with.body.parameters[k].name));
    fill.parameters.push_back({targets.back()});
  }
  const Operand size = fill.body.results[0];
  const NameId indices = last.add(Iota{ScalarType::i64, size, start, i64_operand(1)}, "at");
  std::vector<NameId> all = sources;
  all.push_back(indices);
  all.insert(all.end(), targets.begin(), targets.end());
  const auto written = last.map(size, all, [&](Builder& b, const std::vector<NameId>& p) {
    std::vector<Operand> accumulators;
    for (std::size_t k = 0; k < varying; ++k) {
      accumulators.push_back(b.add(Accumulate{p[varying + 1 + k], {p[varying]}, p[k]}, "acc"));
    }
    return accumulators;
  }, "acc");
  fill.result_types = with.body.result_types;
  fill.body = last.take_body({written.begin(), written.end()});
  return fill;
}

// The segments, computed again and written to their places.
static WithAccumulator fill_segments(const Statement& statement, FlatMap e, Builder& builder,
                                     Names& names) {
  WithAccumulator with;
  std::vector<NameId> arrays = e.arrays;
  arrays.push_back(statement.results[2].name);  // the starts
  for (std::size_t k = 0; k < static_cast<std::size_t>(e.varying); ++k) {
    Type type = names.type(statement.results[3 + k].name);
    const NameId array = builder.add(Scratch{type.element, type.shape}, "segments");
    with.inputs.push_back({{type.shape[0]}, array, std::nullopt, {}});
    type.kind = TypeKind::accumulator;
    with.body.parameters.push_back({names.fresh("acc", type)});
    with.body.result_types.push_back(type);
    arrays.push_back(with.body.parameters.back().name);
  }
  const Operand width = e.width;
  Builder inner = builder.nested();
  MapScanReduce map{width, arrays, fill_lambda(std::move(e), with, names), {}, {}, std::nullopt,
                    false};
  const auto results = inner.add_results(std::move(map), "acc");
  with.body.body = inner.take_body({results.begin(), results.end()});
  return with;
}

static std::vector<Statement> expanded(const Statement& statement, FlatMap e, Names& names) {
  Builder builder(names);
  builder.set_location(statement.location);
  builder.set_tokens(statement.tokens);
  const std::vector<Binder>& results = statement.results;
  builder.add(measure(statement, e, names));
  builder.add({{results[0], results[2]},
               find_starts(e.width, results[1].name, builder, names),
               statement.tokens,
               statement.location});
  if (const auto varying = static_cast<std::ptrdiff_t>(e.varying); varying > 0) {
    WithAccumulator with = fill_segments(statement, std::move(e), builder, names);
    builder.add({{results.begin() + 3, results.begin() + 3 + varying},
                 std::move(with),
                 statement.tokens,
                 statement.location});
  }
  return builder.take();
}

void expand_flatmaps(Body& body, Names& names) {
  std::vector<Statement> out;
  for (Statement& one : body.statements) {
    for_each_body(one.operation, [&](Body& inner) { expand_flatmaps(inner, names); });
    if (auto* flatmap = as<FlatMap>(one.operation)) {
      FlatMap taken = std::move(*flatmap);
      for (Statement& part : expanded(one, std::move(taken), names)) {
        out.push_back(std::move(part));
      }
    } else {
      out.push_back(std::move(one));
    }
  }
  body.statements = std::move(out);
}

}  // namespace dagaz::passes::flattening
