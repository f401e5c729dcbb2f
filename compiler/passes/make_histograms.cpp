// Accumulation by a map each of whose points adds one number to each accumulator, and that does
// nothing else, is a histogram.
//
//   with a = d (+): map (\i a -> … a[p] += v …) is  =  hist (+) d (map (\i -> … (p, v)) is)
//
//   with a = d (+): map (\ps vs a -> map (\p v a -> a[p] += v) ps vs a) pss vss
//                                                    =  hist (+) d (flatten pss) (flatten vss)
//
// So the gradient of a gather is a histogram, whichever derivatives were taken of it before, and
// what is known of histograms holds of it.  It runs as it did: a CPU turns histograms of numbers
// into accumulation again (flatten/accumulation), and a GPU has one atomic instruction for each
// read in both.  (Futhark's HistAccs does this for kernels.)
//
// Accumulators stay where a histogram would be slower or larger, which is where several things
// happen at a point: where the map gives other results as well, or adds twice, a histogram would
// compute again what these share; a nest that computes numbers or places would write them to memory
// first, which took 1.3 to 2 times as long and half as much memory again for a matrix of 8 numbers
// a row, of which 10^3 or 10^5 others are read.  They stay inside other maps where the sizes are
// constant, for such points run in registers.
#include "passes/histograms.h"

#include <algorithm>
#include <optional>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "passes/map_parts.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

/// The map that fills the accumulators, and for each of these the statement of its body that adds.
struct Filling {
  const Statement* statement;
  const MapScanReduce* map;
  std::vector<std::size_t> additions;
};

bool is_plain(const MapScanReduce& map) {
  return map.scans.empty() && map.reductions.empty() && !map.post && !map.sequential;
}

bool gives(const Statement& statement, const Operand& value) {
  return statement.results.size() == 1 && value == Operand(statement.results[0].name);
}

bool is_small(const MapScanReduce& map, const WithAccumulator& with) {
  return map.width.is_constant() ||
         std::any_of(with.inputs.begin(), with.inputs.end(), [](const AccumulatorInput& input) {
           return input.shape.back().is_constant();
         });
}

bool holds_numbers(const AccumulatorInput& input, const Names& names) {
  return input.op && input.neutral.size() == 1 &&
         input.shape.size() == names.type(input.array).rank();
}

/// Which statement of `body` adds to `enters`, if one does that gives `leaves`, and no other.
std::optional<std::size_t> only_addition(const Body& body, NameId enters, const Operand& leaves,
                                         const Names& names) {
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const std::vector<NameId> free = free_names(body.statements[k], names);
    if (std::find(free.begin(), free.end(), enters) == free.end()) continue;
    if (found || as<Accumulate>(body.statements[k].operation) == nullptr) return std::nullopt;
    found = k;
  }
  if (!found || leaves != Operand(body.statements[*found].results[0].name)) return std::nullopt;
  return found;
}

std::optional<Filling> find_filling(const WithAccumulator& with, Around around,
                                    const Names& names) {
  const Body& body = with.body.body;
  const auto of_numbers = [&](const auto& input) { return holds_numbers(input, names); };
  const bool alone = body.statements.size() == 1 && body.results.size() == with.inputs.size() &&
                     std::all_of(with.inputs.begin(), with.inputs.end(), of_numbers);
  const auto* map = alone ? as<MapScanReduce>(body.statements[0].operation) : nullptr;
  if (map == nullptr || !is_plain(*map)) return std::nullopt;
  if (map->map.body.results.size() != with.inputs.size()) return std::nullopt;
  if (around == Around::maps && is_small(*map, with)) return std::nullopt;
  Filling filling{&body.statements[0], map, {}};
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    const auto& arrays = map->arrays;
    const auto& results = filling.statement->results;
    const auto array = std::find(arrays.begin(), arrays.end(), with.body.parameters[k].name);
    const auto result = std::find_if(results.begin(), results.end(), [&](const Binder& one) {
      return body.results[k] == Operand(one.name);
    });
    if (array == arrays.end() || result == results.end()) return std::nullopt;
    const auto entry = static_cast<std::size_t>(array - arrays.begin());
    const auto exit = static_cast<std::size_t>(result - results.begin());
    const auto addition = only_addition(map->map.body, map->map.parameters[entry].name,
                                        map->map.body.results[exit], names);
    if (!addition) return std::nullopt;
    filling.additions.push_back(*addition);
  }
  return filling;
}

/// `lambda` with what is added, and where, as results; what guards an addition guards its value.
Lambda without_additions(Lambda lambda, const std::vector<std::size_t>& additions, Names& names) {
  lambda.body.results.clear();
  lambda.result_types.clear();
  for (const std::size_t k : additions) {
    Statement& addition = lambda.body.statements[k];
    const auto added = std::get<Accumulate>(addition.operation);
    const Type type = scalar_of(names.type(added.accumulator).element);
    lambda.body.results.insert(lambda.body.results.end(), added.indices.begin(),
                               added.indices.end());
    lambda.result_types.insert(lambda.result_types.end(), added.indices.size(),
                               scalar_of(ScalarType::i64));
    lambda.result_types.push_back(type);
    if (addition.tokens.empty()) {
      lambda.body.results.push_back(added.value);
    } else {
      addition.results = {{names.fresh("added", type)}};
      addition.operation = Identity{added.value};
      lambda.body.results.push_back(addition.results[0].name);
    }
  }
  std::erase_if(lambda.body.statements,
                [](const Statement& each) { return as<Accumulate>(each.operation) != nullptr; });
  return lambda;
}

Statement histogram(const Statement& statement, const WithAccumulator& with,
                    const Filling& filling, Names& names) {
  Histogram result{filling.map->width, filling.map->arrays,
                   without_additions(filling.map->map, filling.additions, names), {}};
  drop_arrays(result.arrays, result.map, [&](std::size_t k) {
    return names.type(result.arrays[k]).kind == TypeKind::accumulator;
  });
  for (const AccumulatorInput& input : with.inputs) {
    result.operators.push_back({input.shape, {input.array}, input.neutral, *input.op});
  }
  std::vector<NameId> tokens = statement.tokens;
  const std::vector<NameId>& inner = filling.statement->tokens;
  tokens.insert(tokens.end(), inner.begin(), inner.end());
  return {statement.results, std::move(result), std::move(tokens), filling.statement->location,
          filling.statement->mode};
}

/// What a nest of maps adds that only adds elements of arrays: these, the places first.
struct Elements {
  std::vector<Operand> widths;
  std::vector<NameId> arrays;
};

/// Gathers in `found` what `map` and the maps inside add to the array in `accumulator`; `outside`
/// says of which array from outside the nest what the map reads is a part.
bool find_elements(const MapScanReduce& map, NameId accumulator, const Substitution& outside,
                   Elements& found) {
  const Body& body = map.map.body;
  const bool alone = body.statements.size() == 1 && body.results.size() == 1 && is_plain(map) &&
                     body.statements[0].tokens.empty() &&
                     gives(body.statements[0], body.results[0]);
  if (!alone || (map.width.is_name() && outside.count(map.width.name()) != 0)) return false;
  found.widths.push_back(map.width);
  Substitution inside;
  NameId own = accumulator;
  for (std::size_t k = 0; k < map.arrays.size(); ++k) {
    const NameId parameter = map.map.parameters[k].name;
    const auto whole = outside.find(map.arrays[k]);
    if (map.arrays[k] == accumulator) {
      own = parameter;
    } else if (found.widths.size() == 1) {
      inside[parameter] = map.arrays[k];
    } else if (whole != outside.end()) {
      inside[parameter] = whole->second;
    }
  }
  const auto* nested = as<MapScanReduce>(body.statements[0].operation);
  if (nested != nullptr) return find_elements(*nested, own, inside, found);
  const auto* addition = as<Accumulate>(body.statements[0].operation);
  if (addition == nullptr || addition->accumulator != own) return false;
  std::vector<Operand> added = addition->indices;
  added.push_back(addition->value);
  return std::all_of(added.begin(), added.end(), [&](const Operand& one) {
    const bool given = one.is_name() && inside.count(one.name()) != 0;
    if (given) found.arrays.push_back(inside.at(one.name()).name());
    return given;
  });
}

std::optional<Elements> elements_of(const WithAccumulator& with, const Names& names) {
  const Body& body = with.body.body;
  const bool alone = with.inputs.size() == 1 && holds_numbers(with.inputs[0], names) &&
                     body.statements.size() == 1 && body.results.size() == 1 &&
                     gives(body.statements[0], body.results[0]);
  const auto* map = alone ? as<MapScanReduce>(body.statements[0].operation) : nullptr;
  Elements found;
  const bool only = map != nullptr &&
                    find_elements(*map, with.body.parameters[0].name, {}, found) &&
                    found.widths.size() > 1;
  return only ? std::optional(std::move(found)) : std::nullopt;
}

void add_flat_histogram(const Statement& statement, const Elements& elements, Builder& out,
                        Names& names) {
  const auto& with = std::get<WithAccumulator>(statement.operation);
  const Statement& filling = with.body.body.statements[0];
  const AccumulatorInput& input = with.inputs[0];
  out.set_location(filling.location);
  Histogram flat{out.product(elements.widths), {}, {}, {}};
  std::vector<Type> types;
  for (const NameId array : elements.arrays) {
    types.push_back(scalar_of(names.type(array).element));
    flat.arrays.push_back(out.add(Reshape{array, {flat.width}}, "added"));
  }
  flat.map = identity_lambda(types, names);
  flat.operators.push_back({input.shape, {input.array}, input.neutral, *input.op});
  std::vector<NameId> tokens = statement.tokens;
  tokens.insert(tokens.end(), filling.tokens.begin(), filling.tokens.end());
  out.add(Statement{statement.results, std::move(flat), std::move(tokens), filling.location,
                    filling.mode});
}

bool rewrite(Body& body, Around around, Names& names) {
  bool changed = false;
  Builder out(names);
  for (Statement& each : body.statements) {
    const bool is_map = as<MapScanReduce>(each.operation) || as<FlatMap>(each.operation);
    const Around inside = is_map ? Around::maps : around;
    for_each_scope(each.operation,
                   [&](Body& scope) { changed = rewrite(scope, inside, names) || changed; });
    const auto* with = as<WithAccumulator>(each.operation);
    const auto filling = with == nullptr ? std::nullopt : find_filling(*with, around, names);
    const bool alone = with != nullptr && around == Around::nothing;
    const auto elements = alone ? elements_of(*with, names) : std::nullopt;
    changed = changed || filling || elements;
    if (filling) {
      out.add(histogram(each, *with, *filling, names));
    } else if (elements) {
      add_flat_histogram(each, *elements, out, names);
    } else {
      out.add(std::move(each));
    }
  }
  body.statements = out.take();
  return changed;
}

}  // namespace

bool is_histogram(const WithAccumulator& accumulation, Around around, const Names& names) {
  return find_filling(accumulation, around, names).has_value() ||
         (around == Around::nothing && elements_of(accumulation, names).has_value());
}

bool make_histograms(ParallelProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    changed = rewrite(function.body, Around::nothing, program.program.names) || changed;
  }
  return changed;
}

}  // namespace dagaz::passes
