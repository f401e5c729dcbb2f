// The statement of a return map: the map itself, inside the scope of the accumulators that it opens.
#include <algorithm>
#include <utility>

#include "passes/ad/interchange.h"
#include "passes/ad/reverse.h"
#include "passes/ad/rules/return_map.h"
#include "passes/histograms.h"

namespace dagaz::passes::ad {

using namespace ir;

void Reverse::emit_at_once(const MapSite& site, ReturnMap& back, SumOverMap& sums, Sums plans) {
  const std::vector<NameId> results = emit_map(site, back);

  // Results: sums, rows, materialised values.
  std::size_t next = 0;
  for (const NameId name : back.summed) {
    add_adjoint(Operand(name), results[next++], Ownership::owned);
  }
  for (const std::size_t i : back.rows) {
    add_adjoint(Operand(*site.originals[i]), results[next++], Ownership::owned);
  }
  sums.set_results({results.begin() + static_cast<std::ptrdiff_t>(next), results.end()});
  if (site.statement != nullptr) note_sums(*site.statement, plans, sums);
  for (auto& [name, plan] : plans) {
    add_adjoint(Operand(name), sums.emit(std::move(plan)), Ownership::owned);
  }
}

std::vector<Binder> Reverse::fresh_results(const std::vector<Type>& types) {
  std::vector<Binder> results;
  for (const Type& type : types) results.push_back(Binder{names().fresh("adjoint", type)});
  return results;
}

// The map, giving `results` and then its accumulators as `last`.
Statement Reverse::map_statement(const MapSite& site, ReturnMap& back, std::vector<Binder> results,
                                 const std::vector<Binder>& last) {
  results.insert(results.end(), last.begin(), last.end());
  Statement made{std::move(results), std::move(back.map), {}, out().location(), site.mode};
  if (site.statement != nullptr) made.tokens = environment_->names_of(site.statement->tokens);
  return made;
}

// The scope of the accumulators that are opened for the map.  They enter the map in it; those that
// were open before enter as they are.
WithAccumulator Reverse::open_accumulators(ReturnMap& back) {
  WithAccumulator with;
  for (const NameId name : back.given_back) {
    if (!back.opened.contains(name)) {
      back.map.arrays.push_back(*adjoints_[name].accumulator);
      continue;
    }
    const Type type = environment_->type_of(Operand(name));
    const NameId start = take_owned(name).name();
    const ReduceOperator sum = environment_->addition(scalar_of(type.element));
    with.inputs.push_back(AccumulatorInput{type.shape, start, sum.op, sum.neutral});
    const Type accumulator{type.element, type.shape, TypeKind::accumulator};
    const NameId parameter = names().fresh(names().base(name) + "_adjoint", accumulator);
    with.body.parameters.push_back(Binder{parameter});
    with.body.result_types.push_back(accumulator);
    back.map.arrays.push_back(parameter);
  }
  return with;
}

// Everything that the map gives leaves through the scope of the accumulators: those opened in it as
// arrays, then the results, then the accumulators of further out.
void Reverse::emit_in_accumulators(const MapSite& site, ReturnMap& back, WithAccumulator with,
                                   const std::vector<Binder>& results,
                                   const std::vector<Binder>& last) {
  std::vector<Type> types;
  for (const Binder& result : results) types.push_back(names().type(result.name));
  const std::vector<Binder> inner = fresh_results(types);
  std::vector<Operand> given;
  std::vector<Binder> outside;
  const auto pass = [&](NameId from, NameId to) {
    given.push_back(from);
    outside.push_back(Binder{to});
    with.body.result_types.push_back(names().type(from));
  };
  for (std::size_t i = 0; i < back.given_back.size(); ++i) {
    const NameId name = back.given_back[i];
    if (!back.opened.contains(name)) continue;
    const NameId array =
        names().fresh(names().base(name) + "_adjoint", environment_->type_of(Operand(name)));
    given.push_back(last[i].name);
    outside.push_back(Binder{array});
    Adjoint adjoint;
    adjoint.value = array;
    adjoint.ownership = Ownership::owned;
    set_summed(name, std::move(adjoint));
  }
  for (std::size_t i = 0; i < results.size(); ++i) pass(inner[i].name, results[i].name);
  for (std::size_t i = 0; i < back.given_back.size(); ++i) {
    const NameId name = back.given_back[i];
    if (back.opened.contains(name)) continue;
    adjoints_[name].accumulator = names().fresh_like(last[i].name);
    pass(last[i].name, *adjoints_[name].accumulator);
  }
  with.body.body.statements.push_back(map_statement(site, back, inner, last));
  with.body.body.results = std::move(given);
  back.is_histogram =
      is_histogram(with, maps_around_ > 0 ? Around::maps : Around::nothing, names());
  Statement made{std::move(outside), std::move(with), {}, out().location(), site.mode};
  if (site.statement != nullptr) made.tokens = environment_->names_of(site.statement->tokens);
  out().add(std::move(made));
}

// Emits the map; gives its results but accumulators.
std::vector<NameId> Reverse::emit_map(const MapSite& site, ReturnMap& back) {
  for (const Operand& value : back.reduced) {
    back.map.reductions.push_back(environment_->addition(names().type(value)));
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
  const std::vector<Binder> results = fresh_results(types);
  const std::vector<Binder> last = fresh_results(accumulators);
  WithAccumulator with = open_accumulators(back);
  if (with.inputs.empty()) {
    out().add(map_statement(site, back, results, last));
    for (std::size_t i = 0; i < back.given_back.size(); ++i) {
      adjoints_[back.given_back[i]].accumulator = last[i].name;
    }
  } else {
    emit_in_accumulators(site, back, std::move(with), results, last);
  }
  std::vector<NameId> given;
  for (const Binder& each : results) given.push_back(each.name);
  return given;
}

// The adjoint of a name whose earlier sum went into an accumulator.
void Reverse::set_summed(NameId name, Adjoint adjoint) {
  Adjoint& place = adjoints_[name];
  if (place.deferred) {
    place.contributions.push_back(*adjoint.value);
  } else {
    place = std::move(adjoint);
  }
}

}  // namespace dagaz::passes::ad
