// Distributing a map over its body: a body of several statements becomes several segmented
// operations, and what one computes for another lies in arrays over the nest.
//
//   map (\i -> s₁; s₂; s₃) = one operation per parallel statement, and one SegmentedMap per run of
//   sequential statements between them; a loop whose bound, and a branch whose condition is the
//   same for all points is moved outside the map.
//
// Cheap scalar code is not stored but computed again where it is needed, and parts of arrays are
// read where they lie: a point's row of an array would be a copy of it.  Accumulators are not over
// the nest: what adds to one hands it on to the next operation.  A nest with a value whose size
// differs from point to point stays whole, its inner parallelism sequential.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "ir/builder.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/flatten/flattener.h"
#include "passes/flatten/guarded_maps.h"
#include "passes/flatten/parallelism.h"
#include "passes/flatten/ranges.h"
#include "passes/flatten/row_updates.h"
#include "passes/tokens.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

// ---------------------------------------------------------------- arrays over the nest

static std::vector<Operand> indices_of(const Nest& nest) {
  std::vector<Operand> indices;
  for (const SpaceDimension& dimension : nest.space) indices.push_back(dimension.index.name);
  return indices;
}

static Type over_nest(const Nest& nest, Type type) {
  if (type.kind == TypeKind::accumulator) return type;
  for (std::size_t k = nest.space.size(); k-- > 0;) type = array_over(nest.space[k].extent, type);
  return type;
}

// From here on points read `value` from `array`; an accumulator is the same at all points.
static void read_back(Nest& nest, NameId value, NameId array, const Names& names) {
  if (names.type(array).kind == TypeKind::accumulator) {
    nest.prefix.push_back({{{value}}, Identity{array}});
  } else {
    nest.prefix.push_back({{{value}}, Index{array, indices_of(nest)}});
  }
}

// Of the prefix, what `free` needs.
static std::vector<Statement> needed_prefix(const Nest& nest, const std::vector<NameId>& free,
                                            const Names& names) {
  NameSet needed(free.begin(), free.end());
  std::vector<Statement> kept;
  for (std::size_t k = nest.prefix.size(); k-- > 0;) {
    const Statement& one = nest.prefix[k];
    const bool used = std::any_of(one.results.begin(), one.results.end(),
                                  [&](const Binder& r) { return needed.contains(r.name); });
    if (!used) continue;
    for (const NameId name : free_names(one, names)) needed.insert(name);
    kept.push_back(one);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// A guard in another operation has run before this one starts.
static void drop_foreign_tokens(std::initializer_list<std::vector<Statement>*> parts) {
  NameSet bound;
  for (const auto* statements : parts) {
    for (const Statement& one : *statements) {
      for (const NameId name : bound_names(one)) bound.insert(name);
    }
  }
  for (auto* statements : parts) {
    drop_tokens(*statements, [&](NameId token) { return !bound.contains(token); });
  }
}

static const Statement* binding_of(NameId name, const std::vector<Statement>& statements) {
  for (const Statement& one : statements) {
    if (one.results.size() == 1 && one.results[0].name == name) return &one;
  }
  return nullptr;
}

// The array of which `value` is the point's part; none if it is no such part.
static std::optional<NameId> array_over_nest(const Nest& nest, NameId value) {
  const Statement* bound = binding_of(value, nest.prefix);
  const auto* part = bound ? as<Index>(bound->operation) : nullptr;
  if (part == nullptr || part->indices != indices_of(nest)) return std::nullopt;
  return part->array;
}

// What all points give of an array over the nest, as it is or with its dimensions in another order,
// is that array: to copy it as a whole is no work of single points.
static bool emit_whole(const Nest& nest, const Operand& value, const Binder& result,
                       LocationId location, Names& names, std::vector<Statement>& out) {
  if (!value.is_name() || !names.type(value.name()).is_array()) return false;
  if (const auto array = array_over_nest(nest, value.name())) {
    out.push_back({{result}, Copy{*array}, {}, location});
    return true;
  }
  const Statement* bound = binding_of(value.name(), nest.prefix);
  const auto* turned = bound ? as<Permute>(bound->operation) : nullptr;
  const auto array = turned ? array_over_nest(nest, turned->array) : std::nullopt;
  if (!array) return false;
  const auto outer = static_cast<int>(nest.space.size());
  Permute whole{*array, {}};
  for (int d = 0; d < outer; ++d) whole.permutation.push_back(d);
  for (const int d : turned->permutation) whole.permutation.push_back(outer + d);
  Builder builder(names);
  builder.set_location(location);
  const NameId view = builder.add(std::move(whole), names.base(value.name()));
  for (Statement& one : builder.take()) out.push_back(std::move(one));
  out.push_back({{result}, Copy{view}, {}, location});
  return true;
}

// Appends `statement`, whose operation is over `nest` without its prefix, in names of its own.
void Flattener::emit_over(const Nest& nest, Statement statement, Out& out) {
  const auto add_prefix = [&](Body& body) {
    std::vector<Statement> all =
        needed_prefix(nest, free_names(statement.operation, names_), names_);
    std::move(body.statements.begin(), body.statements.end(), std::back_inserter(all));
    drop_foreign_tokens({&all});
    body.statements = std::move(all);
  };
  if (auto* map = as<SegmentedMap>(statement.operation)) {
    add_prefix(map->body);
  } else if (auto* reduce = as<SegmentedReduce>(statement.operation)) {
    add_prefix(reduce->body);
  } else if (auto* scan = as<SegmentedScan>(statement.operation)) {
    add_prefix(scan->body);
  }
  statement.tokens.clear();
  out.push_back(renamed(statement, names_));
}

void Flattener::emit_map(const Nest& nest, std::vector<Statement> statements,
                         const std::vector<Operand>& values, std::vector<Binder> results,
                         LocationId location, Out& out) {
  PointBody point{{std::move(statements), values}, {}};
  for (const Operand& value : values) point.result_types.push_back(names_.type(value));
  Nest bare{nest.space, {}};
  emit_over(nest,
            {std::move(results), segmented_map(std::move(bare), std::move(point)), {}, location},
            out);
}

// ---------------------------------------------------------------- the statements of a body

// Moves the views and computed ranges of a run that need nothing else of it to what the nest
// computes at each point.
static void add_views(Nest& nest, Run& run, const Names& names) {
  std::vector<Statement> rest;
  NameSet made;
  for (Statement& one : run.statements) {
    const std::vector<NameId> used = free_names(one, names);
    const bool alone =
        std::none_of(used.begin(), used.end(), [&](NameId name) { return made.contains(name); });
    if (alone && repeats_cheaply(one, names, run.computed) &&
        (is_view(one.operation) || as<Iota>(one.operation))) {
      nest.prefix.push_back(std::move(one));
      continue;
    }
    for (const Binder& result : one.results) made.insert(result.name);
    rest.push_back(std::move(one));
  }
  run.statements = std::move(rest);
}

// Ends a run of sequential statements: what is used later becomes arrays, unless it is cheap.
void Flattener::flush(Nest& nest, Run& run, const NameSet& used_later, LocationId location,
                      Out& out) {
  add_views(nest, run, names_);
  std::vector<Statement> statements = std::exchange(run.statements, {});
  if (statements.empty()) return;
  if (repeats_cheaply(statements, names_, options_.nested_operations, run.computed)) {
    std::move(statements.begin(), statements.end(), std::back_inserter(nest.prefix));
    return;
  }
  std::vector<Operand> values;
  std::vector<Binder> arrays;
  for (const Statement& one : statements) {
    for (const Binder& result : one.results) {
      const Type& type = names_.type(result.name);
      if (type.kind == TypeKind::token || !used_later.contains(result.name)) continue;
      values.push_back(result.name);
      arrays.push_back({names_.fresh(names_.base(result.name), over_nest(nest, type))});
    }
  }
  emit_map(nest, std::move(statements), values, arrays, location, out);
  for (std::size_t k = 0; k < values.size(); ++k) {
    read_back(nest, values[k].name(), arrays[k].name, names_);
  }
}

// The statements from `begin` to `end` as a point that gives what is used later.
static PointBody part_of(Body& body, std::size_t begin, std::size_t end, const NameSet& used_later,
                         const Names& names) {
  PointBody part;
  for (std::size_t k = begin; k < end; ++k) {
    Statement& one = body.statements[k];
    for (const Binder& result : one.results) {
      const Type& type = names.type(result.name);
      if (type.kind == TypeKind::token || !used_later.contains(result.name)) continue;
      part.body.results.emplace_back(result.name);
      part.result_types.push_back(type);
    }
    part.body.statements.push_back(std::move(one));
  }
  return part;
}

// What each statement and those after it use, and the results; these alone at the end.
static std::vector<NameSet> used_from_each(const Body& body, const Names& names) {
  std::vector<NameSet> used(body.statements.size() + 1);
  for (const Operand& result : body.results) {
    if (result.is_name()) used.back().insert(result.name());
  }
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    used[k] = used[k + 1];
    for (const NameId name : free_names(body.statements[k], names)) used[k].insert(name);
  }
  return used;
}

// A result that a parallel statement makes needs no copy: the names of results by those of values.
static std::unordered_map<NameId, NameId> result_of_each(const Body& body,
                                                         const std::vector<Binder>& results) {
  std::unordered_map<NameId, NameId> direct;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (body.results[k].is_name()) direct.emplace(body.results[k].name(), results[k].name);
  }
  return direct;
}

static bool has_effect(const Statement& one) {
  return as<Assert>(one.operation) || has_trace(one.operation);
}

static NameSet bound_inside(const Nest& nest, const Body& body) {
  NameSet inside = bound_by(nest);
  for (const NameId name : bound_in(body.statements)) inside.insert(name);
  return inside;
}

void Flattener::distribute(Nest nest, Body body, const std::vector<Binder>& results,
                           LocationId location, Out& out) {
  body.statements = splitter_.split_statements(std::move(body.statements));
  const NameSet inside = bound_inside(nest, body);
  replace_row_updates(body, inside, names_, out);
  if (on_gpu()) ask_at_elements(body, inside, names_, out);
  const std::unordered_map<NameId, NameId> direct = result_of_each(body, results);
  const std::vector<NameSet> used_from = used_from_each(body, names_);
  Run run{{}, computed_ranges(body)};
  NameSet made;
  const auto array_for = [&](NameId value) {
    const auto found = direct.find(value);
    if (found != direct.end()) {
      made.insert(found->second);
      return found->second;
    }
    return names_.fresh(names_.base(value), over_nest(nest, names_.type(value)));
  };
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    Statement& one = body.statements[k];
    if (!is_parallel(one, inside, names_)) {
      run.statements.push_back(std::move(one));
      continue;
    }
    flush(nest, run, used_from[k], location, out);
    std::vector<Binder> arrays;
    std::vector<Binder> values = one.results;
    if (const std::size_t end = on_gpu() ? end_of_chain(body, k, inside, names_) : k;
        end > k + 1) {
      PointBody chain = part_of(body, k, end, used_from[end], names_);
      values.clear();
      for (const Operand& value : chain.body.results) values.push_back({value.name()});
      for (const Binder& value : values) arrays.push_back({array_for(value.name)});
      choose_part(nest, {arrays, Identity{}, {}, location}, std::move(chain), out);
      k = end - 1;
    } else {
      for (const Binder& value : values) arrays.push_back({array_for(value.name)});
      distribute_statement(nest, std::move(one), arrays, out);
    }
    for (std::size_t r = 0; r < values.size(); ++r) {
      read_back(nest, values[r].name, arrays[r].name, names_);
    }
  }
  add_views(nest, run, names_);
  std::vector<Operand> values;
  std::vector<Binder> arrays;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Operand& value = body.results[k];
    if (made.contains(results[k].name) ||
        emit_whole(nest, value, results[k], location, names_, out)) {
      continue;
    }
    values.push_back(value);
    arrays.push_back(results[k]);
  }
  if (!values.empty() || std::any_of(run.statements.begin(), run.statements.end(), has_effect)) {
    emit_map(nest, std::move(run.statements), values, std::move(arrays), location, out);
  }
}

// Whether a point makes something of a sum, as layers of a network do of products: such a nest may
// run whole, in tiles.
static bool is_made_of_a_sum(const Body& body) {
  std::size_t sums = 0;
  if (as<MapScanReduce>(body.statements.back().operation)) return false;
  for (const Statement& one : body.statements) {
    const auto* sum = as<MapScanReduce>(one.operation);
    if (sum && !sum->reductions.empty() && sum->scans.empty() && !sum->post) {
      ++sums;
    } else if (!as<Scalar>(one.operation) && !is_view(one.operation)) {
      return false;
    }
  }
  return sums == 1;
}

// A point that may also run whole, over `nest` with no more of its prefix than it needs.
void Flattener::choose_part(const Nest& nest, Statement statement, PointBody point, Out& out) {
  const Operation bare = segmented_map(Nest{nest.space, {}}, point);
  Nest own{nest.space, needed_prefix(nest, free_names(bare, names_), names_)};
  drop_foreign_tokens({&own.prefix, &point.body.statements});
  statement.tokens.clear();
  choose_version(std::move(statement), std::move(own), std::move(point), out);
}

void Flattener::distribute_statement(const Nest& nest, Statement statement,
                                     const std::vector<Binder>& results, Out& out) {
  if (auto* loop = as<Loop>(statement.operation)) {
    interchange_loop(nest, std::move(*loop), results, statement.location, out);
    return;
  }
  if (auto* branch = as<Branch>(statement.operation)) {
    interchange_branch(nest, std::move(*branch), results, statement.location, out);
    return;
  }
  MapScanReduce e = std::move(*as<MapScanReduce>(statement.operation));
  statement.results = results;
  Nest deeper = nest;
  add_dimension(deeper, e.width, names_);
  Nest bare{deeper.space, {}};
  if (!e.scans.empty()) {
    pass_to_post(e, bound_by(nest), names_);
    std::vector<ScanOperator> scans = std::move(e.scans);
    std::optional<Lambda> post = std::move(e.post);
    PointBody point = at_index(std::move(e.map), e.arrays, deeper, names_);
    statement.operation =
        segmented_scan(std::move(bare), std::move(point), std::move(scans), std::move(post));
    emit_over(deeper, std::move(statement), out);
  } else if (!e.reductions.empty()) {
    std::vector<ReduceOperator> reductions = e.reductions;
    PointBody point = point_body(std::move(e), deeper, names_);
    statement.operation =
        segmented_reduce(std::move(bare), std::move(point), std::move(reductions));
    emit_over(deeper, std::move(statement), out);
  } else {
    PointBody point = point_body(std::move(e), deeper, names_);
    if (!point.body.statements.empty() && is_made_of_a_sum(point.body)) {
      choose_part(deeper, std::move(statement), std::move(point), out);
    } else if (!can_distribute(deeper, point.body, names_)) {
      statement.operation = segmented_map(std::move(bare), std::move(point));
      emit_over(deeper, std::move(statement), out);
    } else if (on_gpu() && works_on_products(point.body, bound_inside(deeper, point.body))) {
      choose_part(deeper, std::move(statement), std::move(point), out);
    } else {
      distribute(deeper, std::move(point.body), results, statement.location, out);
    }
  }
}

// map (loop) = loop (map): the loop's values become arrays over the nest.
void Flattener::interchange_loop(const Nest& nest, Loop loop, const std::vector<Binder>& results,
                                 LocationId location, Out& out) {
  std::vector<Operand> initial;
  std::vector<Binder> started;
  for (const LoopValue& value : loop.values) {
    initial.push_back(value.initial);
    const Type type = over_nest(nest, names_.type(value.parameter.name));
    started.push_back({names_.fresh(names_.base(value.parameter.name), type)});
  }
  emit_map(nest, {}, initial, started, location, out);
  Nest inner = nest;
  Loop outer{{}, loop.form, {}, loop.attributes};
  std::vector<Binder> next;
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    const NameId parameter = names_.fresh_like(started[k].name);
    outer.values.push_back({{parameter}, started[k].name});
    read_back(inner, loop.values[k].parameter.name, parameter, names_);
    next.push_back({names_.fresh_like(started[k].name)});
    outer.body.results.push_back(next.back().name);
  }
  distribute(inner, std::move(loop.body), next, location, outer.body.statements);
  out.push_back({results, std::move(outer), {}, location});
}

}  // namespace dagaz::passes::flattening
