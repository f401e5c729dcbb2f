// Accumulation by a nest of maps each of whose points adds one number to each accumulator, and that
// does nothing else, is a histogram.
//
//   with a = d (+): map (\i a -> … a[p] += v …) is a       =  hist (+) d (map (\i -> … (p, v)) is)
//   with a = d (+): map (\r a -> map (\i a -> … a[p] += v …) r a) rs a
//                                                          =  hist (+) d (flatten (map (map …) rs))
//
// So the gradient of a gather is a histogram, whichever derivatives were taken of it before.  With
// millions of reads it takes about the time of the accumulator on one thread, a quarter more where
// the bins do not fit a cache, and less on several; on a GPU both have one atomic instruction for
// each read.  (Futhark's HistAccs does this for kernels.)
//
// Accumulators stay where they save writing between the maps and the histogram: where the maps give
// other results as well, and where those of a nest compute the places; and inside other maps where
// the sizes are constant, for such points run in registers.
#include "passes/histograms.h"

#include <algorithm>
#include <optional>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

/// An accumulator where it enters a scope, and what gives it back at the end.
struct Thread {
  NameId enters;
  Operand leaves;
};

const Statement* only_reader(const Body& body, NameId name, const Names& names) {
  const Statement* reader = nullptr;
  for (const Statement& each : body.statements) {
    const std::vector<NameId> free = free_names(each, names);
    if (std::find(free.begin(), free.end(), name) == free.end()) continue;
    if (reader != nullptr) return nullptr;
    reader = &each;
  }
  return reader;
}

bool gives(const Statement& statement, const Operand& value) {
  return std::any_of(statement.results.begin(), statement.results.end(),
                     [&](const Binder& each) { return Operand(each.name) == value; });
}

bool is_plain(const MapScanReduce& map) {
  return map.scans.empty() && map.reductions.empty() && !map.post && !map.sequential;
}

/// The accumulators as they enter and leave the lambda of `map`, a statement with `results`.
std::optional<std::vector<Thread>> enter(const std::vector<Binder>& results,
                                         const MapScanReduce& map,
                                         const std::vector<Thread>& outside) {
  std::vector<Thread> inside;
  for (const Thread& each : outside) {
    const auto array = std::find(map.arrays.begin(), map.arrays.end(), each.enters);
    const auto result = std::find_if(results.begin(), results.end(), [&](const Binder& one) {
      return Operand(one.name) == each.leaves;
    });
    if (array == map.arrays.end() || result == results.end()) return std::nullopt;
    inside.push_back({map.map.parameters[static_cast<std::size_t>(array - map.arrays.begin())].name,
                      map.map.body.results[static_cast<std::size_t>(result - results.begin())]});
  }
  return inside;
}

/// The statement of `body` that all accumulators enter and leave: the next map of the nest.
std::size_t find_nested(const Body& body, const std::vector<Thread>& threads, const Names& names) {
  const Statement* reader = only_reader(body, threads[0].enters, names);
  if (reader == nullptr || as<MapScanReduce>(reader->operation) == nullptr) {
    return body.statements.size();
  }
  return static_cast<std::size_t>(reader - body.statements.data());
}

/// The array of which `element` is the element at a point of `map`.
std::optional<NameId> array_of(const Operand& element, const MapScanReduce& map) {
  for (std::size_t k = 0; k < map.arrays.size(); ++k) {
    if (element == Operand(map.map.parameters[k].name)) return map.arrays[k];
  }
  return std::nullopt;
}

/// Whether the place is an element of an array from outside the nest, outermost map first.
bool is_given(Operand place, const std::vector<const MapScanReduce*>& nest) {
  for (std::size_t k = nest.size(); k-- > 0;) {
    const auto array = array_of(place, *nest[k]);
    if (!array) return false;
    place = *array;
  }
  return true;
}

bool is_bound(NameId name, const std::vector<const MapScanReduce*>& nest) {
  return std::any_of(nest.begin(), nest.end(), [&](const MapScanReduce* map) {
    const auto is_it = [&](const Binder& each) { return each.name == name; };
    const Lambda& lambda = map->map;
    return std::any_of(lambda.parameters.begin(), lambda.parameters.end(), is_it) ||
           std::any_of(lambda.body.statements.begin(), lambda.body.statements.end(),
                       [&](const Statement& each) {
                         return std::any_of(each.results.begin(), each.results.end(), is_it);
                       });
  });
}

bool adds_once(const MapScanReduce& map, const std::vector<Thread>& threads,
               std::vector<const MapScanReduce*> nest, const Names& names) {
  const Body& body = map.map.body;
  nest.push_back(&map);
  const std::size_t at = find_nested(body, threads, names);
  if (at < body.statements.size()) {
    const Statement& statement = body.statements[at];
    const auto& nested = std::get<MapScanReduce>(statement.operation);
    const bool regular = !nested.width.is_name() || !is_bound(nested.width.name(), nest);
    const auto inside = enter(statement.results, nested, threads);
    const bool together = std::all_of(threads.begin(), threads.end(), [&](const Thread& each) {
      return only_reader(body, each.enters, names) == &statement;
    });
    return regular && together && inside && is_plain(nested) &&
           adds_once(nested, *inside, std::move(nest), names);
  }
  return std::all_of(threads.begin(), threads.end(), [&](const Thread& each) {
    const Statement* reader = only_reader(body, each.enters, names);
    const auto* write = reader == nullptr ? nullptr : as<Accumulate>(reader->operation);
    return write != nullptr && gives(*reader, each.leaves) &&
           write->indices.size() == names.type(each.enters).rank() &&
           (nest.size() == 1 ||
            std::all_of(write->indices.begin(), write->indices.end(),
                        [&](const Operand& place) { return is_given(place, nest); }));
  });
}

/// The map that fills the accumulators, and these.
struct Nest {
  const Statement* statement;
  const MapScanReduce* map;
  std::vector<Thread> threads;  // inside it
};

// Whether a map of the nest gives anything but the accumulators.
bool gives_more(const Body& body, const std::vector<Thread>& threads, const Names& names) {
  if (body.results.size() != threads.size()) return true;
  const std::size_t at = find_nested(body, threads, names);
  if (at == body.statements.size()) return false;
  const Statement& statement = body.statements[at];
  const auto& nested = std::get<MapScanReduce>(statement.operation);
  return gives_more(nested.map.body, *enter(statement.results, nested, threads), names);
}

bool is_small(const MapScanReduce& map, const WithAccumulator& with) {
  return map.width.is_constant() ||
         std::any_of(with.inputs.begin(), with.inputs.end(), [](const AccumulatorInput& input) {
           return input.shape.back().is_constant();
         });
}

std::optional<Nest> find_nest(const WithAccumulator& with, Around around, const Names& names) {
  const Body& body = with.body.body;
  const bool alone = body.statements.size() == 1 && body.results.size() == with.inputs.size();
  if (!alone) return std::nullopt;
  const auto* map = as<MapScanReduce>(body.statements[0].operation);
  if (map == nullptr || !is_plain(*map)) return std::nullopt;
  if (around == Around::maps && is_small(*map, with)) return std::nullopt;
  std::vector<Thread> threads;
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    const AccumulatorInput& input = with.inputs[k];
    const bool of_numbers = input.op && input.neutral.size() == 1 &&
                            input.shape.size() == names.type(input.array).rank();
    if (!of_numbers) return std::nullopt;
    threads.push_back({with.body.parameters[k].name, body.results[k]});
  }
  auto inside = enter(body.statements[0].results, *map, threads);
  const bool fills = inside && adds_once(*map, *inside, {}, names) &&
                     !gives_more(map->map.body, *inside, names);
  if (!fills) return std::nullopt;
  return Nest{&body.statements[0], map, std::move(*inside)};
}

class Rewriter {
 public:
  explicit Rewriter(Names& names) : names_(names) {}

  bool body(Body& body, Around around) {
    bool changed = false;
    Builder out(names_);
    for (Statement& each : body.statements) {
      const bool is_map = as<MapScanReduce>(each.operation) || as<FlatMap>(each.operation);
      const Around inside = is_map ? Around::maps : around;
      for_each_scope(each.operation,
                     [&](Body& scope) { changed = this->body(scope, inside) || changed; });
      const auto* with = as<WithAccumulator>(each.operation);
      const auto nest = with == nullptr ? std::nullopt : find_nest(*with, around, names_);
      if (nest) {
        emit(each, *with, *nest, out);
        changed = true;
      } else {
        out.add(std::move(each));
      }
    }
    body.statements = out.take();
    return changed;
  }

 private:
  // The nest with the places and numbers as results, and its widths.
  MapScanReduce without_accumulators(MapScanReduce map, const std::vector<Thread>& threads,
                                     std::vector<Operand>& widths) {
    widths.push_back(map.width);
    Lambda& lambda = map.map;
    std::vector<Operand> results;
    const std::size_t at = find_nested(lambda.body, threads, names_);
    if (at < lambda.body.statements.size()) {
      Statement& statement = lambda.body.statements[at];
      auto& nested = std::get<MapScanReduce>(statement.operation);
      const auto inside = *enter(statement.results, nested, threads);
      nested = without_accumulators(std::move(nested), inside, widths);
      statement.results.clear();
      lambda.result_types.clear();
      for (const Type& type : nested.map.result_types) {
        Type rows = type;
        rows.shape.insert(rows.shape.begin(), nested.width);
        statement.results.push_back(Binder{names_.fresh("added", rows)});
        results.push_back(statement.results.back().name);
        lambda.result_types.push_back(std::move(rows));
      }
    } else {
      lambda.result_types.clear();
      for (const Thread& each : threads) {
        const auto write = std::find_if(
            lambda.body.statements.begin(), lambda.body.statements.end(),
            [&](const Statement& one) { return gives(one, each.leaves); });
        const auto added = std::get<Accumulate>(write->operation);
        lambda.body.statements.erase(write);
        results.insert(results.end(), added.indices.begin(), added.indices.end());
        results.push_back(added.value);
        lambda.result_types.insert(lambda.result_types.end(), added.indices.size(),
                                   scalar_of(ScalarType::i64));
        lambda.result_types.push_back(scalar_of(names_.type(each.enters).element));
      }
    }
    lambda.body.results = std::move(results);
    for (std::size_t k = map.arrays.size(); k-- > 0;) {
      if (names_.type(map.arrays[k]).kind != TypeKind::accumulator) continue;
      map.arrays.erase(map.arrays.begin() + static_cast<std::ptrdiff_t>(k));
      lambda.parameters.erase(lambda.parameters.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return map;
  }

  void emit(const Statement& statement, const WithAccumulator& with, const Nest& nest,
            Builder& out) {
    const Statement& filling = *nest.statement;
    out.set_location(filling.location);
    std::vector<NameId> tokens = statement.tokens;
    tokens.insert(tokens.end(), filling.tokens.begin(), filling.tokens.end());
    out.set_tokens(tokens);
    std::vector<Operand> widths;
    MapScanReduce map = without_accumulators(*nest.map, nest.threads, widths);
    Histogram histogram{map.width, map.arrays, std::move(map.map), {}};
    if (widths.size() > 1) {
      map.map = std::move(histogram.map);
      std::vector<Type> types;
      for (const Type& type : map.map.result_types) types.push_back(scalar_of(type.element));
      histogram = Histogram{out.product(widths), {}, identity_lambda(types, names_), {}};
      for (const NameId points : out.add_results(std::move(map), "added")) {
        histogram.arrays.push_back(out.add(Reshape{points, {histogram.width}}, "added"));
      }
    }
    for (const AccumulatorInput& input : with.inputs) {
      histogram.operators.push_back(
          HistogramOperator{input.shape, {input.array}, input.neutral, *input.op});
    }
    out.add(Statement{statement.results, std::move(histogram), std::move(tokens),
                      filling.location, filling.mode});
  }

  Names& names_;
};

}  // namespace

bool is_histogram(const WithAccumulator& accumulation, Around around, const Names& names) {
  return find_nest(accumulation, around, names).has_value();
}

bool make_histograms(ParallelProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    changed = Rewriter(program.program.names).body(function.body, Around::nothing) || changed;
  }
  return changed;
}

}  // namespace dagaz::passes
