// The statement of a return map: the map itself, inside the scope of the accumulators that it
// opens.
#include <algorithm>
#include <utility>

#include "passes/ad/additions_apart.h"
#include "passes/ad/report.h"
#include "passes/ad/rules/return_map.h"
#include "passes/histograms.h"

namespace dagaz::passes::ad {

using namespace ir;

static std::vector<Binder> fresh_results(Reverse& r, const std::vector<Type>& types) {
  std::vector<Binder> results;
  for (const Type& type : types) results.push_back(Binder{r.names().fresh("adjoint", type)});
  return results;
}

// The map, giving `results` and then its accumulators as `last`.
static Statement map_statement(Reverse& r, const MapSite& site, ReturnMap& back,
                               std::vector<Binder> results, const std::vector<Binder>& last) {
  results.insert(results.end(), last.begin(), last.end());
  Statement made{std::move(results), std::move(back.map), {}, r.out().location(), site.mode};
  if (site.statement != nullptr) made.tokens = r.environment.names_of(site.statement->tokens);
  return made;
}

// The scope of the accumulators that are opened for the map.  They enter the map in it; those that
// were open before enter as they are.
static WithAccumulator open_accumulators(Reverse& r, ReturnMap& back) {
  WithAccumulator with;
  for (const NameId name : back.given_back) {
    if (!back.opened.contains(name)) {
      back.map.arrays.push_back(*r.adjoints.of(name).accumulator);
      continue;
    }
    const Type type = r.environment.type_of(Operand(name));
    const NameId start = r.adjoints.take_owned(name).name();
    const ReduceOperator sum = r.environment.addition(scalar_of(type.element));
    with.inputs.push_back(AccumulatorInput{type.shape, start, sum.op, sum.neutral});
    const Type accumulator{type.element, type.shape, TypeKind::accumulator};
    const NameId parameter = r.names().fresh(r.names().base(name) + "_adjoint", accumulator);
    with.body.parameters.push_back(Binder{parameter});
    with.body.result_types.push_back(accumulator);
    back.map.arrays.push_back(parameter);
  }
  return with;
}

// Everything that the map gives leaves through the scope of the accumulators: those opened in it as
// arrays, then the results, then the accumulators of further out.  What can stands outside the
// scope.
static void emit_in_accumulators(Reverse& r, const MapSite& site, ReturnMap& back,
                                 WithAccumulator with, const std::vector<Binder>& results,
                                 const std::vector<Binder>& last) {
  std::vector<Type> types;
  for (const Binder& result : results) types.push_back(r.names().type(result.name));
  const std::vector<Binder> inner = fresh_results(r, types);
  std::vector<Operand> given;
  std::vector<Binder> outside;
  const auto pass = [&](NameId from, NameId to) {
    given.push_back(from);
    outside.push_back(Binder{to});
    with.body.result_types.push_back(r.names().type(from));
  };
  for (std::size_t i = 0; i < back.given_back.size(); ++i) {
    const NameId name = back.given_back[i];
    if (!back.opened.contains(name)) continue;
    const NameId array =
        r.names().fresh(r.names().base(name) + "_adjoint", r.environment.type_of(Operand(name)));
    given.push_back(last[i].name);
    outside.push_back(Binder{array});
    r.adjoints.set_summed(name, array);
  }
  for (std::size_t i = 0; i < results.size(); ++i) pass(inner[i].name, results[i].name);
  for (std::size_t i = 0; i < back.given_back.size(); ++i) {
    const NameId name = back.given_back[i];
    if (back.opened.contains(name)) continue;
    r.adjoints.of(name).accumulator = r.names().fresh_like(last[i].name);
    pass(last[i].name, *r.adjoints.of(name).accumulator);
  }
  with.body.body.statements.push_back(map_statement(r, site, back, inner, last));
  with.body.body.results = std::move(given);
  back.is_histogram =
      is_histogram(with, r.maps_around > 0 ? Around::maps : Around::nothing, r.names());
  Statement made{std::move(outside), std::move(with), {}, r.out().location(), site.mode};
  if (site.statement != nullptr) made.tokens = r.environment.names_of(site.statement->tokens);
  if (auto apart = set_additions_apart(made, r.options.for_ranks, r.environment)) {
    r.out().add(std::move(apart->values));
    made = std::move(apart->additions);
  }
  r.out().add(std::move(made));
}

// Emits the map; gives its results but accumulators.
std::vector<NameId> emit_map(Reverse& r, const MapSite& site, ReturnMap& back) {
  for (const Operand& value : back.reduced) {
    back.map.reductions.push_back(r.environment.addition(r.names().type(value)));
  }
  std::vector<Type> types;
  std::vector<Type> accumulators;
  for (std::size_t i = 0; i < back.map.map.result_types.size(); ++i) {
    const Type& row = back.map.map.result_types[i];
    if (row.kind == TypeKind::accumulator) {
      accumulators.push_back(row);
    } else {
      types.push_back(i < back.reduced.size() ? row : array_over(site.width, row));
    }
  }
  if (types.empty() && accumulators.empty()) return {};
  const std::vector<Binder> results = fresh_results(r, types);
  const std::vector<Binder> last = fresh_results(r, accumulators);
  WithAccumulator with = open_accumulators(r, back);
  if (with.inputs.empty()) {
    r.out().add(map_statement(r, site, back, results, last));
    for (std::size_t i = 0; i < back.given_back.size(); ++i) {
      r.adjoints.of(back.given_back[i]).accumulator = last[i].name;
    }
  } else {
    emit_in_accumulators(r, site, back, std::move(with), results, last);
  }
  std::vector<NameId> given;
  for (const Binder& each : results) given.push_back(each.name);
  return given;
}

void note_sums(Reverse& r, const Statement& statement, const Sums& plans, const SumOverIterations& sums) {
  std::string stored;
  for (const NameId array : sums.results()) {
    if (!stored.empty()) stored += ", ";
    stored += r.names().base(array) + ": " + size_formula(r.names(), r.names().type(array));
  }
  for (const auto& [name, plan] : plans) {
    r.note(statement, "adjoint of `" + r.names().base(name) + "`", "reverse",
           "a nest of sums over the iterations", std::exchange(stored, ""));
  }
}

void emit_at_once(Reverse& r, const MapSite& site, ReturnMap& back, SumOverIterations& sums, Sums plans) {
  const std::vector<NameId> results = emit_map(r, site, back);

  // Results: sums, rows, values, materialised values.
  std::size_t next = 0;
  for (const NameId name : back.summed) {
    r.adjoints.add(Operand(name), results[next++], Ownership::owned);
  }
  for (const std::size_t i : back.rows) {
    r.adjoints.add(Operand(*site.originals[i]), results[next++], Ownership::owned);
  }
  for (std::size_t i = 0; i < back.values.size(); ++i) back.given_values.push_back(results[next++]);
  sums.set_results({results.begin() + static_cast<std::ptrdiff_t>(next), results.end()});
  if (site.statement != nullptr) note_sums(r, *site.statement, plans, sums);
  for (auto& [name, plan] : plans) {
    r.adjoints.add(Operand(name), sums.emit(std::move(plan)), Ownership::owned);
  }
}

}  // namespace dagaz::passes::ad
