// Nested parallelism → segmented operations.
//
// Host code keeps its control flow; each parallel operation in it becomes a segmented operation
// over the largest perfect nest of maps that starts there.  What stands inside a point and is
// parallel itself runs one after another in that point's thread.  Runs last of the passes on the
// array IR: fusion before it decides what a point is.
#include "passes/flatten/flattener.h"

#include <algorithm>
#include <utility>

#include "ir/device_threads.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/flatten/accumulation.h"
#include "passes/flatten/counts_after_filters.h"
#include "passes/flatten/flatmap.h"
#include "passes/flatten/host_calls.h"
#include "passes/flatten/kept_sums.h"
#include "passes/flatten/own_initials.h"
#include "passes/flatten/parallelism.h"
#include "passes/flatten/ranges.h"
#include "passes/flatten/thread_calls.h"
#include "passes/flatten/turned_sums.h"
#include "passes/traces.h"
#include "support/match.h"

namespace dagaz::passes {

ir::FlatProgram flatten(ir::ParallelProgram program, const FlattenOptions& options) {
  flattening::Flattener(program.program, options).run();
  return {std::move(program.program)};
}

namespace flattening {

using namespace ir;

void Flattener::run() {
  add_quiet_functions(program_);
  for (Function& function : program_.functions) expand_flatmaps(function.body, names_);
  if (!on_gpu()) {
    for (Function& function : program_.functions) set_kept_sums_apart(function.body, names_);
  }
  HostCalls host_calls(program_);
  for (Function& function : program_.functions) host_calls.become_loops(function.body);
  originals_ = program_.functions;
  for (Function& function : program_.functions) flatten_body(function.body);
  redirect_calls(program_, originals_);
  declare_device_questions(program_);
  for (Function& function : program_.functions) count_after_filters(function.body, names_);
  for (Function& function : program_.functions) {
    turn_sums(function.body, names_);
    give_loops_own_initials(function.body, program_.names);
  }
}

void Flattener::flatten_body(Body& body) {
  Out out;
  for (Statement& statement : body.statements) flatten_statement(std::move(statement), out);
  body.statements = std::move(out);
}

void Flattener::flatten_statement(Statement statement, Out& out) {
  if (auto* map = as<MapScanReduce>(statement.operation)) {
    MapScanReduce taken = std::move(*map);
    flatten_map(std::move(statement), std::move(taken), out);
  } else if (auto* histogram = as<Histogram>(statement.operation)) {
    Histogram taken = std::move(*histogram);
    if (!on_gpu() && combines_numbers(taken)) {
      flatten_statement(accumulation(std::move(statement), std::move(taken), names_), out);
    } else {
      flatten_histogram(std::move(statement), std::move(taken), out);
    }
  } else if (auto* scatter = as<Scatter>(statement.operation)) {
    Scatter taken = std::move(*scatter);
    flatten_scatter(std::move(statement), std::move(taken), out);
  } else {
    if (auto* branch = as<Branch>(statement.operation)) {
      flatten_body(branch->then_body);
      flatten_body(branch->else_body);
    } else if (auto* loop = as<Loop>(statement.operation)) {
      flatten_body(loop->body);
    } else if (auto* with = as<WithAccumulator>(statement.operation)) {
      flatten_body(with->body.body);
    }
    row_reductions_.note(statement);
    out.push_back(std::move(statement));
  }
}

void Flattener::flatten_map(Statement statement, MapScanReduce e, Out& out) {
  if (splitter_.needs_split(e)) {
    for (Statement& part : splitter_.split(std::move(statement), std::move(e))) {
      MapScanReduce taken = std::move(*as<MapScanReduce>(part.operation));
      flatten_map(std::move(part), std::move(taken), out);
    }
    return;
  }
  Nest nest;
  add_dimension(nest, e.width, names_);
  if (!e.scans.empty()) {
    std::vector<ScanOperator> scans = std::move(e.scans);
    std::optional<Lambda> post = std::move(e.post);
    PointBody point = at_index(std::move(e.map), e.arrays, nest, names_);
    statement.operation =
        segmented_scan(std::move(nest), std::move(point), std::move(scans), std::move(post));
    out.push_back(std::move(statement));
  } else if (!e.reductions.empty()) {
    std::vector<ReduceOperator> reductions = e.reductions;
    PointBody point = point_body(std::move(e), nest, names_);
    if (on_gpu()) row_reductions_.reduce_elements(nest, point, reductions);
    statement.operation =
        segmented_reduce(std::move(nest), std::move(point), std::move(reductions));
    out.push_back(std::move(statement));
  } else {
    PointBody point = point_body(std::move(e), nest, names_);
    flatten_nest(std::move(statement), std::move(nest), std::move(point), out);
  }
}

static bool is_invariant(const Operand& width, const Nest& nest, const Body& body) {
  return width.is_constant() || (!bound_in(nest.prefix).contains(width.name()) &&
                                 !bound_in(body.statements).contains(width.name()));
}

// The order of `results` that matches the order in which `producer` makes the body's results.
static std::vector<Binder> reordered(const std::vector<Binder>& results, const Body& body,
                                     const Statement& producer) {
  std::vector<Binder> ordered;
  for (const Binder& made : producer.results) {
    const auto at = std::find(body.results.begin(), body.results.end(), Operand(made.name));
    ordered.push_back(results[static_cast<std::size_t>(at - body.results.begin())]);
  }
  return ordered;
}

// Ranges of the prefix that nothing reads any more.
static void drop_unread_ranges(Nest& nest, const PointBody& point, const Names& names) {
  NameSet read;
  for (const Statement& one : nest.prefix) {
    for (const NameId name : free_names(one, names)) read.insert(name);
  }
  for (const NameId name : free_names(point.body, names)) read.insert(name);
  std::erase_if(nest.prefix, [&](const Statement& one) {
    return as<Iota>(one.operation) && !read.contains(one.results[0].name);
  });
}

// A point that is one map, reduction or scan again deepens the nest.
void Flattener::flatten_nest(Statement statement, Nest nest, PointBody point, Out& out) {
  while (true) {
    const Statement* producer = sole_producer(point.body);
    const auto* inner = producer ? as<MapScanReduce>(producer->operation) : nullptr;
    if (!inner || !is_invariant(inner->width, nest, point.body)) break;
    std::vector<Statement> before(point.body.statements.begin(), point.body.statements.end() - 1);
    const bool gpu = on_gpu();
    const bool rows = gpu ? !is_narrow(inner->width) : nest.space.size() == 1;
    const bool reduces =
        !inner->reductions.empty() && inner->scans.empty() && !splitter_.needs_split(*inner);
    const bool scans =
        inner->reductions.empty() && !inner->scans.empty() && !splitter_.needs_split(*inner);
    const bool deepens = is_map(*inner) || (rows && (reduces || scans));
    const NameSet ranges = computed_ranges(point.body);
    if (!repeats_cheaply(before, names_, options_.nested_operations, ranges) || !deepens) break;
    Nest outer = nest;
    outer.prefix.insert(outer.prefix.end(), before.begin(), before.end());
    const NameSet bound = bound_by(outer);
    if (operators_depend(*inner, bound, names_)) break;
    MapScanReduce next = *inner;
    statement.results = reordered(statement.results, point.body, *producer);
    nest = std::move(outer);
    add_dimension(nest, next.width, names_);
    if (scans) {
      pass_to_post(next, bound, names_);
      point = at_index(std::move(next.map), next.arrays, nest, names_);
      drop_unread_ranges(nest, point, names_);
      statement.operation = segmented_scan(std::move(nest), std::move(point),
                                           std::move(next.scans), std::move(next.post));
      out.push_back(std::move(statement));
      return;
    }
    std::vector<ReduceOperator> reductions = next.reductions;
    point = point_body(std::move(next), nest, names_);
    drop_unread_ranges(nest, point, names_);
    if (reduces) {
      if (on_gpu()) row_reductions_.reduce_elements(nest, point, reductions);
      statement.operation =
          segmented_reduce(std::move(nest), std::move(point), std::move(reductions));
      out.push_back(std::move(statement));
      return;
    }
  }
  flatten_points(std::move(statement), std::move(nest), std::move(point), out);
}

// The sizes of what points give, in names from outside: maps inside others may have named them.
static void name_sizes(PointBody& point, const Nest& nest, const Statement& statement,
                       const Names& names) {
  const auto points = static_cast<std::ptrdiff_t>(nest.space.size());
  for (std::size_t k = 0; k < point.result_types.size(); ++k) {
    Type& type = point.result_types[k];
    if (type.kind != TypeKind::value) continue;
    const std::vector<Operand>& all = names.type(statement.results[k].name).shape;
    type.shape.assign(all.begin() + points, all.end());
  }
}

// Points that are no deeper nest: in parts, by turns, or as they are.
void Flattener::flatten_points(Statement statement, Nest nest, PointBody point, Out& out) {
  name_sizes(point, nest, statement, names_);
  if (on_gpu() && can_distribute(nest, point.body, names_)) {
    choose_version(std::move(statement), std::move(nest), std::move(point), out);
    return;
  }
  if (!on_gpu()) {
    if (assert_first(statement, nest, point, out)) {
      flatten_nest(std::move(statement), std::move(nest), std::move(point), out);
      return;
    }
    if (choose_host(statement, nest, point, out)) return;
    if (cut_if_possible(statement, nest, point, out)) return;
  }
  statement.operation = segmented_map(std::move(nest), std::move(point));
  out.push_back(std::move(statement));
}

void Flattener::flatten_histogram(Statement statement, Histogram e, Out& out) {
  if (has_trace(e.map.body)) {
    // A histogram may run its map several times.
    Statement mapping = statement;
    mapping.results.clear();
    Lambda identity = identity_lambda(e.map.result_types, names_);
    for (const Type& type : e.map.result_types) {
      mapping.results.push_back({names_.fresh("in", array_over(e.width, type))});
    }
    mapping.operation = MapScanReduce{e.width, std::exchange(e.arrays, {}),
                                      std::exchange(e.map, std::move(identity)),
                                      {}, {}, std::nullopt, false};
    for (const Binder& input : mapping.results) e.arrays.push_back(input.name);
    flatten_statement(std::move(mapping), out);
  }
  Nest nest;
  add_dimension(nest, e.width, names_);
  PointBody point = at_index(std::move(e.map), e.arrays, nest, names_);
  statement.operation =
      SegmentedHistogram{std::move(nest.space), std::move(point.body), std::move(e.operators),
                         std::move(point.result_types)};
  out.push_back(std::move(statement));
}

void Flattener::flatten_scatter(Statement statement, Scatter e, Out& out) {
  Nest nest;
  add_dimension(nest, e.width, names_);
  PointBody point = at_index(std::move(e.map), e.arrays, nest, names_);
  statement.operation =
      SegmentedScatter{std::move(nest.space), std::move(point.body), std::move(e.targets),
                       std::move(point.result_types)};
  out.push_back(std::move(statement));
}

}  // namespace flattening
}  // namespace dagaz::passes
