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
#include "passes/ad/rules/return_map.h"
#include "passes/ad/rules/returned_values.h"
#include "passes/ad/rules/rules.h"
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
  return std::any_of(body.statements.begin(), body.statements.end(),
                     [&](const Statement& each) { return is_read_in_places(each, array); });
}

Type accumulator_of(const Type& array) {
  return Type{array.element, array.shape, TypeKind::accumulator};
}

}  // namespace

// Results that were kept need not be computed again, nor what they alone are made of.
static void take_known_results(Reverse& r, const MapSite& site, ReturnMap& back) {
  if (site.statement == nullptr) return;
  const auto* map = as<MapScanReduce>(site.statement->operation);
  if (map == nullptr || !is_pure_map(*map)) return;
  for (std::size_t i = 0; i < site.lambda->body.results.size(); ++i) {
    const Operand& value = site.lambda->body.results[i];
    const auto known = r.kept.known.find(site.statement->results[i].name);
    if (known == r.kept.known.end() || !value.is_name()) continue;
    const NameId array = known->second.name();
    const NameId parameter = r.names().fresh(r.names().base(array), row_of(r.names().type(array)));
    back.map.arrays.push_back(array);
    back.map.map.parameters.push_back(Binder{parameter});
    back.known.push_back(value.name());
    r.kept.known.insert_or_assign(value.name(), parameter);
  }
}

static NameId add_accumulator(Reverse& r, ReturnMap& back, NameId name, const Type& type) {
  const NameId parameter = r.names().fresh(r.names().base(name) + "_adjoint", type);
  back.accumulators.emplace(name, parameter);
  return parameter;
}

// Parameters for arrays, for adjoints of results and for accumulators.
static void enter_map(Reverse& r, const MapSite& site, ReturnMap& back) {
  back.map.width = site.width;
  back.map.sequential = site.sequential;
  for (std::size_t i = 0; i < site.arrays.size(); ++i) {
    const NameId original = site.lambda->parameters[i].name;
    if (!site.arrays[i]) continue;
    if (const auto uniform = r.environment.uniform_row(*site.arrays[i])) {
      r.environment.bind(original, *uniform);
      continue;
    }
    const NameId parameter = r.environment.bind_fresh(original);
    back.map.arrays.push_back(*site.arrays[i]);
    back.map.map.parameters.push_back(Binder{parameter});
  }
  for (const std::optional<Operand>& adjoint : site.adjoints) {
    if (!adjoint) {
      back.row_adjoints.push_back(std::nullopt);
      continue;
    }
    const NameId array = adjoint->name();
    if (const auto uniform = r.environment.uniform_row(array)) {
      back.row_adjoints.push_back(*uniform);
      continue;
    }
    const NameId parameter = r.names().fresh("adjoint", row_of(r.names().type(array)));
    back.map.arrays.push_back(array);
    back.map.map.parameters.push_back(Binder{parameter});
    back.row_adjoints.push_back(parameter);
  }
  take_known_results(r, site, back);
  if (site.starts.valid()) {
    for (NameId* parameter : {&back.start, &back.size}) {
      *parameter = r.names().fresh("segment", scalar_of(ScalarType::i64));
      back.map.map.parameters.push_back(Binder{*parameter});
    }
    back.map.arrays.insert(back.map.arrays.end(), {site.starts, site.sizes});
  }
  back.free = r.adjoints.active_among(free_names(*site.lambda, r.names()));
  back.outer = r.adjoints.exchange({});
  for (const NameId name : back.free) {
    const Type type = r.environment.type_of(Operand(name));
    if (type.is_scalar()) continue;
    const auto found = back.outer.find(name);
    Adjoint adjoint;
    if (found != back.outer.end() && found->second.accumulator) {
      adjoint.accumulator =
          add_accumulator(r, back, name, r.names().type(*found->second.accumulator));
    } else if (is_read_in_places(site.lambda->body, name)) {
      adjoint.accumulator = add_accumulator(r, back, name, accumulator_of(type));
      back.opened.emplace(name, *adjoint.accumulator);
    } else {
      adjoint.deferred = true;
    }
    r.adjoints.set(name, std::move(adjoint));
  }
}

// The adjoint of a segment: its part of the whole.
static void add_segment(Reverse& r, const MapSite& site, std::size_t result,
                        const ReturnMap& back) {
  const Operand& value = site.lambda->body.results[result];
  const Type whole = r.names().type(*site.segments[result]);
  std::vector<SliceDimension> part = {{false, back.start, back.size, i64_operand(1)}};
  for (std::size_t d = 1; d < whole.rank(); ++d) {
    part.push_back({false, i64_operand(0), whole.shape[d], i64_operand(1)});
  }
  const NameId slice = r.out().add(Slice{*site.segments[result], part}, "segment");
  // The same size under the name it has here.
  const NameId adjoint = r.out().add(Reshape{slice, r.environment.type_of(value).shape}, "segment");
  r.adjoints.add(value, adjoint, Ownership::shared);
}

// What the body of the return map gives: sums, rows and accumulators.
static void leave_map(Reverse& r, const MapSite& site, ReturnMap& back) {
  for (const NameId name : back.free) {
    if (r.environment.type_of(Operand(name)).is_scalar()) {
      if (const auto adjoint = r.adjoints.take(name)) {
        back.summed.push_back(name);
        back.reduced.push_back(*adjoint->value);
      }
      continue;
    }
    const Adjoint adjoint = r.adjoints.of(name);
    for (const Operand& contribution : adjoint.contributions) {
      back.sums.emplace_back(name, contribution);
    }
  }
  for (std::size_t i = 0; i < site.originals.size(); ++i) {
    if (!site.originals[i]) continue;
    const NameId parameter = site.lambda->parameters[i].name;
    const auto adjoint = r.adjoints.take(parameter);
    if (!adjoint) continue;
    back.rows.push_back(i);
    back.mapped.push_back(*adjoint->value);
    back.mapped_types.push_back(row_of(r.names().type(*site.arrays[i])));
  }
}

// What the lambda gives, before it is swept back through.
static void note_values(Reverse& r, const MapSite& site, ReturnMap& back) {
  back.values = r.environment.operands(site.lambda->body.results);
  for (const Type& type : site.lambda->result_types) {
    back.value_types.push_back(r.environment.type(type));
  }
  r.wanted = WantedValues(r.out());
}

// One iteration of the return sweep: the lambda again, and back through it.
static void sweep_iteration(Reverse& r, const MapSite& site, ReturnMap& back, bool gives_values) {
  std::vector<NameId> inputs;  // active scalars
  for (std::size_t i = 0; i < site.originals.size(); ++i) {
    if (site.originals[i]) inputs.push_back(site.lambda->parameters[i].name);
  }
  inputs.insert(inputs.end(), back.free.begin(), back.free.end());
  {
    NestedScope scope(r.environment);
    if (back.known.empty() && core_goes_forward(r, site, inputs)) {
      core_forward(r, *site.lambda, inputs, back.row_adjoints);
    } else {
      forward_sweep(r, site.lambda->body.statements);
      if (gives_values) note_values(r, site, back);
      for (std::size_t i = 0; i < back.row_adjoints.size(); ++i) {
        if (!back.row_adjoints[i]) continue;
        r.adjoints.add(site.lambda->body.results[i], *back.row_adjoints[i], Ownership::shared);
      }
      for (std::size_t i = 0; i < site.segments.size(); ++i) {
        if (site.segments[i]) add_segment(r, site, i, back);
      }
      return_sweep(r, site.lambda->body.statements);
    }
    for (const NameId name : back.known) r.kept.known.erase(name);
    if (site.statement != nullptr) r.environment.enter_statement(*site.statement);
    leave_map(r, site, back);
    back.statements = r.wanted.in_order(scope.take_statements());
  }
  std::vector<Operand*> held;
  for (Operand& each : back.reduced) held.push_back(&each);
  for (Operand& each : back.mapped) held.push_back(&each);
  for (Operand& each : back.values) held.push_back(&each);
  for (auto& [name, contribution] : back.sums) held.push_back(&contribution);
  share_equal_statements(back.statements, r.environment, held);
}

// Whole-array contributions: nests of sums after the map, or accumulators within it.  The deepest
// nests go first: others may use what they keep.
static Sums plan_sums(Reverse& r, ReturnMap& back, SumOverIterations& sums) {
  std::vector<Operand> kept = back.reduced;
  kept.insert(kept.end(), back.mapped.begin(), back.mapped.end());
  kept.insert(kept.end(), back.values.begin(), back.values.end());
  sums.set_map(back.map, back.statements, kept);
  std::stable_sort(back.sums.begin(), back.sums.end(), [&](const auto& a, const auto& b) {
    return r.names().type(a.first).rank() > r.names().type(b.first).rank();
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

// Adds what no nest sums to accumulators, and ends the lambda with its results: sums, rows, its own
// values, values for the nests, accumulators.
static void close_map(Reverse& r, ReturnMap& back, const SumOverIterations& sums) {
  NestedScope scope(r.environment);
  r.out().add_all(std::move(back.statements));
  for (const auto& [name, contribution] : back.accumulated) {
    Adjoint& adjoint = r.adjoints.of(name);
    if (!adjoint.accumulator) {
      adjoint.deferred = false;
      adjoint.accumulator =
          add_accumulator(r, back, name, accumulator_of(r.environment.type_of(Operand(name))));
      back.opened.emplace(name, *adjoint.accumulator);
    }
    r.adjoints.add(Operand(name), contribution, Ownership::shared);
  }
  std::vector<Operand> results;
  const auto give = [&](const Operand& value, const Type& type) {
    results.push_back(value);
    back.map.map.result_types.push_back(type);
  };
  for (const Operand& value : back.reduced) give(value, r.names().type(value));
  for (std::size_t i = 0; i < back.mapped.size(); ++i) give(back.mapped[i], back.mapped_types[i]);
  for (std::size_t i = 0; i < back.values.size(); ++i) give(back.values[i], back.value_types[i]);
  for (const NameId value : sums.materialised()) give(value, r.names().type(value));
  for (const NameId name : back.free) {
    const auto found = back.accumulators.find(name);
    if (found == back.accumulators.end()) continue;
    const NameId last = *r.adjoints.of(name).accumulator;
    if (last == found->second) continue;  // nothing was added
    back.given_back.push_back(name);
    give(last, r.names().type(last));
    back.map.map.parameters.push_back(Binder{found->second});
  }
  back.map.map.body = scope.take(std::move(results));
}

static void note_accumulators(Reverse& r, const Statement& statement, const ReturnMap& back) {
  const auto title = [&](NameId name) { return "adjoint of `" + r.names().base(name) + "`"; };
  for (const auto& [name, contribution] : back.accumulated) {
    r.note(statement, title(name), "reverse", "an accumulator, to which every iteration adds");
  }
  for (const NameId name : back.given_back) {
    const bool whole = std::any_of(back.accumulated.begin(), back.accumulated.end(),
                                   [&](const auto& each) { return each.first == name; });
    if (whole || back.opened.count(name) == 0) continue;
    r.note(statement, title(name), "reverse",
           std::string(back.is_histogram ? "a histogram" : "an accumulator") +
               ": each iteration adds where it reads");
  }
}

void return_map(Reverse& r, const MapSite& site) {
  const bool gives_values = values_may_wait(r, site);
  WantedValues wanted = std::exchange(r.wanted, {});
  ReturnMap back;
  enter_map(r, site, back);
  SumOverIterations sums(r.environment, site.width);
  ++r.maps_around;
  sweep_iteration(r, site, back, gives_values);
  keep_values_that_are_there(r, back);
  Sums plans = plan_sums(r, back, sums);
  close_map(r, back, sums);
  --r.maps_around;
  r.adjoints.exchange(std::move(back.outer));
  if (runs_in_chunks(r, site, back, sums)) {
    emit_chunks(r, site, back, sums, std::move(plans));
  } else {
    emit_at_once(r, site, back, sums, std::move(plans));
  }
  r.wanted = std::move(wanted);
  if (!back.given_values.empty()) give_values(r, site, back);
  if (site.statement != nullptr) note_accumulators(r, *site.statement, back);
}

void adjoint_rule(Reverse& r, const Statement& statement, const MapScanReduce& map) {
  if (!map.reductions.empty()) {
    return_reduce(r, statement, map);
    return;
  }
  if (!map.scans.empty()) {
    return_scan(r, statement, map);
    return;
  }
  MapSite site;
  site.statement = &statement;
  site.width = r.environment.operand(map.width);
  site.lambda = &map.map;
  site.mode = statement.mode;
  site.sequential = map.sequential;
  for (const NameId array : map.arrays) {
    if (r.names().type(array).kind == TypeKind::accumulator) {
      site.arrays.push_back(std::nullopt);
      site.originals.push_back(std::nullopt);
      continue;
    }
    site.arrays.push_back(r.environment.name(array));
    site.originals.push_back(r.adjoints.is_active(Operand(array)) ? std::optional(array)
                                                                  : std::nullopt);
  }
  for (const Binder& result : statement.results) {
    const auto adjoint = r.adjoints.take(result.name);
    site.adjoints.push_back(adjoint ? adjoint->value : std::nullopt);
  }
  return_map(r, site);
}

}  // namespace dagaz::passes::ad
