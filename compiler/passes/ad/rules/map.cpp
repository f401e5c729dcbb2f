// Maps.  The return sweep of a map is a map over its arrays and the adjoints of its results, whose
// body executes the lambda again and sweeps back through it.
//
// What a lambda uses from outside gets one contribution per iteration.  Scalars: reduced in the
// same traversal.  Arrays that are read at computed places: written through an accumulator.
// Arrays that each iteration uses as a whole: each iteration gives a whole array, computed by a
// map nest; interchange.cpp turns the sum of these nests into a nest of sums, so that the adjoint
// of a matrix product is a matrix product; where it cannot, an accumulator takes them.
#include <algorithm>
#include <utility>

#include "passes/ad/equal_statements.h"
#include "passes/ad/interchange.h"
#include "passes/ad/reverse.h"
#include "passes/ad/rules/return_map.h"
#include "passes/histograms.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// Whether `array` is read at single places or in parts anywhere in `body`: then its adjoint is
// sparse.
bool is_read_in_places(const Body& body, NameId array);

bool is_read_in_places(const Statement& statement, NameId array) {
  if (const auto* index = as<Index>(statement.operation)) return index->array == array;
  if (const auto* slice = as<Slice>(statement.operation)) return slice->array == array;
  if (const auto* map = as<MapScanReduce>(statement.operation)) {
    return is_read_in_places(map->map.body, array);
  }
  if (const auto* loop = as<Loop>(statement.operation)) {
    return is_read_in_places(loop->body, array);
  }
  if (const auto* branch = as<Branch>(statement.operation)) {
    return is_read_in_places(branch->then_body, array) ||
           is_read_in_places(branch->else_body, array);
  }
  if (const auto* with = as<WithAccumulator>(statement.operation)) {
    return is_read_in_places(with->body.body, array);
  }
  if (const auto* flat_map = as<FlatMap>(statement.operation)) {
    return is_read_in_places(flat_map->map.body, array);
  }
  return false;
}

bool is_read_in_places(const Body& body, NameId array) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& each) {
    return is_read_in_places(each, array);
  });
}

Type accumulator_of(const Type& array) {
  return Type{array.element, array.shape, TypeKind::accumulator};
}

}  // namespace

void Reverse::rule(const Statement& statement, const MapScanReduce& map) {
  if (!map.reductions.empty()) {
    return_reduce(statement, map);
    return;
  }
  if (!map.scans.empty()) {
    return_scan(statement, map);
    return;
  }
  MapSite site;
  site.statement = &statement;
  site.width = environment_->operand(map.width);
  site.lambda = &map.map;
  site.mode = statement.mode;
  site.sequential = map.sequential;
  for (const NameId array : map.arrays) {
    if (names().type(array).kind == TypeKind::accumulator) {
      site.arrays.push_back(std::nullopt);
      site.originals.push_back(std::nullopt);
      continue;
    }
    site.arrays.push_back(environment_->name(array));
    site.originals.push_back(is_active(Operand(array)) ? std::optional(array) : std::nullopt);
  }
  for (const Binder& result : statement.results) {
    const auto adjoint = take(result.name);
    site.adjoints.push_back(adjoint ? adjoint->value : std::nullopt);
  }
  return_map(site);
}

// Parameters for arrays, for adjoints of results and for accumulators.
void Reverse::enter_map(const MapSite& site, ReturnMap& back) {
  back.map.width = site.width;
  back.map.sequential = site.sequential;
  for (std::size_t i = 0; i < site.arrays.size(); ++i) {
    const NameId original = site.lambda->parameters[i].name;
    if (!site.arrays[i]) continue;
    if (const auto uniform = environment_->uniform_row(*site.arrays[i])) {
      environment_->bind(original, *uniform);
      continue;
    }
    const NameId parameter = environment_->bind_fresh(original);
    back.map.arrays.push_back(*site.arrays[i]);
    back.map.map.parameters.push_back(Binder{parameter});
  }
  for (const std::optional<Operand>& adjoint : site.adjoints) {
    if (!adjoint) {
      back.row_adjoints.push_back(std::nullopt);
      continue;
    }
    const NameId array = adjoint->name();
    if (const auto uniform = environment_->uniform_row(array)) {
      back.row_adjoints.push_back(*uniform);
      continue;
    }
    const NameId parameter = names().fresh("adjoint", row_of(names().type(array)));
    back.map.arrays.push_back(array);
    back.map.map.parameters.push_back(Binder{parameter});
    back.row_adjoints.push_back(parameter);
  }
  take_known_results(site, back);
  if (site.starts.valid()) {
    for (NameId* parameter : {&back.start, &back.size}) {
      *parameter = names().fresh("segment", scalar_of(ScalarType::i64));
      back.map.map.parameters.push_back(Binder{*parameter});
    }
    back.map.arrays.insert(back.map.arrays.end(), {site.starts, site.sizes});
  }
  back.free = outer_active_names(free_names(*site.lambda, names()));
  back.outer = std::exchange(adjoints_, {});
  for (const NameId name : back.free) {
    const Type type = environment_->type_of(Operand(name));
    if (type.is_scalar()) continue;
    const auto found = back.outer.find(name);
    Adjoint adjoint;
    if (found != back.outer.end() && found->second.accumulator) {
      adjoint.accumulator = add_accumulator(back, name, names().type(*found->second.accumulator));
    } else if (is_read_in_places(site.lambda->body, name)) {
      adjoint.accumulator = add_accumulator(back, name, accumulator_of(type));
      back.opened.emplace(name, *adjoint.accumulator);
    } else {
      adjoint.deferred = true;
    }
    adjoints_.emplace(name, std::move(adjoint));
  }
}

// Results that were kept need not be computed again, nor what they alone are made of.
void Reverse::take_known_results(const MapSite& site, ReturnMap& back) {
  if (site.statement == nullptr) return;
  const auto* map = as<MapScanReduce>(site.statement->operation);
  if (map == nullptr || !is_pure_map(*map)) return;
  for (std::size_t i = 0; i < site.lambda->body.results.size(); ++i) {
    const Operand& value = site.lambda->body.results[i];
    const auto known = known_.find(site.statement->results[i].name);
    if (known == known_.end() || !value.is_name()) continue;
    const NameId array = known->second.name();
    const NameId parameter = names().fresh(names().base(array), row_of(names().type(array)));
    back.map.arrays.push_back(array);
    back.map.map.parameters.push_back(Binder{parameter});
    back.known.push_back(value.name());
    known_.insert_or_assign(value.name(), parameter);
  }
}

const Lambda* Reverse::keep(Lambda lambda) {
  made_up_.push_back(std::make_unique<Lambda>(std::move(lambda)));
  return made_up_.back().get();
}

NameId Reverse::add_accumulator(ReturnMap& back, NameId name, const Type& type) {
  const NameId parameter = names().fresh(names().base(name) + "_adjoint", type);
  back.accumulators.emplace(name, parameter);
  return parameter;
}

// The adjoint of a segment: its part of the whole.
void Reverse::add_segment(const MapSite& site, std::size_t result, const ReturnMap& back) {
  const Operand& value = site.lambda->body.results[result];
  const Type whole = names().type(*site.segments[result]);
  std::vector<SliceDimension> part = {{false, back.start, back.size, i64_operand(1)}};
  for (std::size_t d = 1; d < whole.rank(); ++d) {
    part.push_back({false, i64_operand(0), whole.shape[d], i64_operand(1)});
  }
  const NameId slice = out().add(Slice{*site.segments[result], part}, "segment");
  // The same size under the name it has here.
  const NameId adjoint =
      out().add(Reshape{slice, environment_->type_of(value).shape}, "segment");
  add_adjoint(value, adjoint, Ownership::shared);
}

// What the body of the return map gives: sums, rows and accumulators.
void Reverse::leave_map(const MapSite& site, ReturnMap& back) {
  for (const NameId name : back.free) {
    if (environment_->type_of(Operand(name)).is_scalar()) {
      if (const auto adjoint = take(name)) {
        back.summed.push_back(name);
        back.reduced.push_back(*adjoint->value);
      }
      continue;
    }
    const Adjoint adjoint = adjoints_[name];
    for (const Operand& contribution : adjoint.contributions) {
      back.sums.emplace_back(name, contribution);
    }
  }
  for (std::size_t i = 0; i < site.originals.size(); ++i) {
    if (!site.originals[i]) continue;
    const NameId parameter = site.lambda->parameters[i].name;
    const auto adjoint = take(parameter);
    if (!adjoint) continue;
    back.rows.push_back(i);
    back.mapped.push_back(*adjoint->value);
    back.mapped_types.push_back(row_of(names().type(*site.arrays[i])));
  }
}

// What became of arrays that every iteration uses as a whole.
void Reverse::note_sums(const Statement& statement, const Sums& plans,
                        const SumOverMap& sums) {
  std::string stored;
  for (const NameId array : sums.results()) {
    if (!stored.empty()) stored += ", ";
    stored += names().base(array) + ": " + size_formula(names().type(array));
  }
  for (const auto& [name, plan] : plans) {
    note(statement, "adjoint of `" + names().base(name) + "`", "reverse",
         "a nest of sums over the iterations", std::exchange(stored, ""));
  }
}

// One iteration of the return sweep: the lambda again, and back through it.
void Reverse::sweep_iteration(const MapSite& site, ReturnMap& back) {
  std::vector<NameId> inputs;  // active scalars
  for (std::size_t i = 0; i < site.originals.size(); ++i) {
    if (site.originals[i]) inputs.push_back(site.lambda->parameters[i].name);
  }
  inputs.insert(inputs.end(), back.free.begin(), back.free.end());
  {
    NestedScope scope(*environment_);
    if (back.known.empty() && core_goes_forward(site, inputs)) {
      core_forward(*site.lambda, inputs, back.row_adjoints);
    } else {
      forward_sweep(site.lambda->body.statements);
      for (std::size_t i = 0; i < back.row_adjoints.size(); ++i) {
        if (!back.row_adjoints[i]) continue;
        add_adjoint(site.lambda->body.results[i], *back.row_adjoints[i], Ownership::shared);
      }
      for (std::size_t i = 0; i < site.segments.size(); ++i) {
        if (site.segments[i]) add_segment(site, i, back);
      }
      return_sweep(site.lambda->body.statements);
    }
    for (const NameId name : back.known) known_.erase(name);
    if (site.statement != nullptr) environment_->enter_statement(*site.statement);
    leave_map(site, back);
    back.statements = scope.take_statements();
  }
  std::vector<Operand*> held;
  for (Operand& each : back.reduced) held.push_back(&each);
  for (Operand& each : back.mapped) held.push_back(&each);
  for (auto& [name, contribution] : back.sums) held.push_back(&contribution);
  share_equal_statements(back.statements, *environment_, held);
}

// Whole-array contributions: nests of sums after the map, or accumulators within it.  The deepest
// nests go first: others may use what they keep.
Reverse::Sums Reverse::plan_sums(ReturnMap& back, SumOverMap& sums) {
  std::vector<Operand> kept = back.reduced;
  kept.insert(kept.end(), back.mapped.begin(), back.mapped.end());
  sums.set_map(back.map, back.statements, kept);
  std::stable_sort(back.sums.begin(), back.sums.end(), [&](const auto& a, const auto& b) {
    return names().type(a.first).rank() > names().type(b.first).rank();
  });
  Sums plans;
  for (const auto& [name, contribution] : back.sums) {
    if (auto plan = sums.plan(contribution)) {
      plans.emplace_back(name, std::move(*plan));
    } else {
      back.accumulated.emplace_back(name, contribution);
    }
  }
  return plans;
}

// Adds what no nest sums to accumulators, and ends the lambda with its results: sums, rows, values
// for the nests, accumulators.
void Reverse::close_map(ReturnMap& back, const SumOverMap& sums) {
  NestedScope scope(*environment_);
  out().add_all(std::move(back.statements));
  for (const auto& [name, contribution] : back.accumulated) {
    Adjoint& adjoint = adjoints_[name];
    if (!adjoint.accumulator) {
      adjoint.deferred = false;
      adjoint.accumulator =
          add_accumulator(back, name, accumulator_of(environment_->type_of(Operand(name))));
      back.opened.emplace(name, *adjoint.accumulator);
    }
    add_adjoint(Operand(name), contribution, Ownership::shared);
  }
  std::vector<Operand> results;
  const auto give = [&](const Operand& value, const Type& type) {
    results.push_back(value);
    back.map.map.result_types.push_back(type);
  };
  for (const Operand& value : back.reduced) give(value, names().type(value));
  for (std::size_t i = 0; i < back.mapped.size(); ++i) give(back.mapped[i], back.mapped_types[i]);
  for (const NameId value : sums.materialised()) give(value, names().type(value));
  for (const NameId name : back.free) {
    const auto found = back.accumulators.find(name);
    if (found == back.accumulators.end()) continue;
    const NameId last = *adjoints_[name].accumulator;
    if (last == found->second) continue;  // nothing was added
    back.given_back.push_back(name);
    give(last, names().type(last));
    back.map.map.parameters.push_back(Binder{found->second});
  }
  back.map.map.body = scope.take(std::move(results));
}

void Reverse::note_accumulators(const Statement& statement, const ReturnMap& back) {
  const auto title = [&](NameId name) { return "adjoint of `" + names().base(name) + "`"; };
  for (const auto& [name, contribution] : back.accumulated) {
    note(statement, title(name), "reverse", "an accumulator, to which every iteration adds");
  }
  for (const NameId name : back.given_back) {
    const bool whole = std::any_of(back.accumulated.begin(), back.accumulated.end(),
                                   [&](const auto& each) { return each.first == name; });
    if (whole || back.opened.count(name) == 0) continue;
    note(statement, title(name), "reverse",
         std::string(back.is_histogram ? "a histogram" : "an accumulator") +
             ": each iteration adds where it reads");
  }
}

void Reverse::return_map(const MapSite& site) {
  ReturnMap back;
  enter_map(site, back);
  SumOverMap sums(*environment_, site.width);
  ++maps_around_;
  sweep_iteration(site, back);
  Sums plans = plan_sums(back, sums);
  close_map(back, sums);
  --maps_around_;
  adjoints_ = std::move(back.outer);
  if (runs_in_chunks(site, back, sums)) {
    emit_chunks(site, back, sums, std::move(plans));
  } else {
    emit_at_once(site, back, sums, std::move(plans));
  }
  if (site.statement != nullptr) note_accumulators(*site.statement, back);
}

}  // namespace dagaz::passes::ad
