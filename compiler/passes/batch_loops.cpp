// Loops in the points of a map come outside where each iteration multiplies by a matrix that all
// points share:
//
//   map (\x -> let s = loop s = s₀ for i < t do f W x[i] s in g s) xs
//     =  let ss = loop ss = replicate n s₀ for i < t do map (\x s -> f W x[i] s) xs ss
//        in map g ss
//
// What was a matrix times a vector for each point is a product of matrices for each iteration, and
// the adjoint of W a product over points where it was a sum in each of them: recurrent networks are
// written for one sequence, and run on many.  The state of all points is in memory in between,
// which small matrices do not pay for: on a CPU that is asked when sizes are known.  A GPU has
// every operation outside in any case.
//
// Before differentiation, so that derivatives are of the products.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/alias.h"
#include "ir/fields.h"
#include "ir/rewrite.h"
#include "ir/traces.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

/// The rows of a matrix, and what they are multiplied with by sums.
struct Product {
  Operand rows;
  Operand sum;
};

bool is_value(NameId name, const Names& names) { return names.type(name).kind == TypeKind::value; }

/// Whether the map can be distributed over what is before a loop, the loop, and what is behind it.
class Candidate {
 public:
  Candidate(const MapScanReduce& map, const AliasInfo& aliases, const Names& names)
      : map_(map), aliases_(aliases), names_(names) {
    for (const Binder& parameter : map.map.parameters) inside_.insert(parameter.name);
    for (const NameId name : bound_names(map.map.body)) inside_.insert(name);
  }

  /// The place of such a loop in the body.
  std::optional<std::size_t> place() const {
    const std::vector<Statement>& all = map_.map.body.statements;
    if (map_.sequential || !is_regular()) return std::nullopt;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto* loop = as<Loop>(all[k].operation);
      if (loop && may_leave(*loop) && product_in(loop->body)) return k;
    }
    return std::nullopt;
  }

  /// A product in each iteration of a loop with a matrix of all points.
  std::optional<Product> product_in(const Body& body) const {
    for (const Statement& one : body.statements) {
      const auto* map = as<MapScanReduce>(one.operation);
      if (!map || !is_outside(map->width)) continue;
      for (std::size_t k = 0; k < map->arrays.size(); ++k) {
        const NameId matrix = map->arrays[k];
        if (inside_.contains(matrix) || names_.type(matrix).rank() < 2) continue;
        if (auto sum = sum_with(map->map.body, map->map.parameters[k].name)) {
          return Product{map->width, *sum};
        }
      }
    }
    return std::nullopt;
  }

 private:
  bool is_outside(const Operand& operand) const {
    return !operand.is_name() || !inside_.contains(operand.name());
  }

  /// The width of a sum over a row and something of the point.
  std::optional<Operand> sum_with(const Body& body, NameId row) const {
    for (const Statement& one : body.statements) {
      const auto* sum = as<MapScanReduce>(one.operation);
      if (!sum || sum->reductions.empty() || !is_outside(sum->width)) continue;
      const auto& arrays = sum->arrays;
      const bool has_row = std::find(arrays.begin(), arrays.end(), row) != arrays.end();
      const bool has_other = std::any_of(arrays.begin(), arrays.end(), [&](NameId array) {
        return array != row && inside_.contains(array);
      });
      if (has_row && has_other) return sum->width;
    }
    return std::nullopt;
  }

  /// Whether everything is a value of one shape for all points, and nothing is guarded, or
  /// consumed.
  bool is_regular() const {
    for (const NameId array : map_.arrays) {
      if (!is_value(array, names_)) return false;
    }
    for (const Binder& parameter : map_.map.parameters) {
      if (aliases_.is_consumed(parameter.name)) return false;
    }
    for (const Statement& one : map_.map.body.statements) {
      if (!aliases_.consumed_by(one).empty() || has_trace(one.operation)) return false;
      for (const Binder& result : one.results) {
        const Type& type = names_.type(result.name);
        const bool has_shape = std::all_of(type.shape.begin(), type.shape.end(),
                                           [&](const Operand& size) { return is_outside(size); });
        if (type.kind != TypeKind::value || !has_shape) return false;
      }
    }
    return true;
  }

  bool may_leave(const Loop& loop) const {
    const auto* form = as<ForForm>(loop.form);
    if (!form || !is_outside(form->bound)) return false;
    return std::all_of(loop.values.begin(), loop.values.end(), [&](const LoopValue& value) {
      const Type& type = names_.type(value.parameter.name);
      return type.kind == TypeKind::value && !aliases_.is_consumed(value.parameter.name) &&
             std::all_of(type.shape.begin(), type.shape.end(),
                         [&](const Operand& size) { return is_outside(size); });
    });
  }

  const MapScanReduce& map_;
  const AliasInfo& aliases_;
  const Names& names_;
  NameSet inside_;
};

/// Distributes one map over its body.
class Distribution {
 public:
  Distribution(const Statement& statement, std::size_t place, Names& names)
      : own_(renamed(statement, names)), place_(place), names_(names), out_(names) {
    for (Binder& result : own_.results) result.name = names.fresh_like(result.name);
    out_.set_location(statement.location);
    out_.set_tokens(statement.tokens);
  }

  Body run() {
    auto& map = std::get<MapScanReduce>(own_.operation);
    for (std::size_t k = 0; k < map.arrays.size(); ++k) {
      over_.emplace(map.map.parameters[k].name, map.arrays[k]);
    }
    std::vector<Statement>& all = map.map.body.statements;
    const auto loop = all.begin() + static_cast<std::ptrdiff_t>(place_);
    std::vector<Statement> before(all.begin(), loop);
    Statement looping = std::move(*loop);
    all.erase(all.begin(), loop + 1);
    add_before(std::move(before), looping, map);
    add_loop(std::move(looping));
    add_rest();
    Body body{out_.take(), {}};
    for (const Binder& result : own_.results) body.results.emplace_back(result.name);
    return body;
  }

 private:
  Type over_points(const Type& type) const { return array_over(width(), type); }
  const Operand& width() const { return std::get<MapScanReduce>(own_.operation).width; }

  /// Parameters for what `lambda` takes of the points beside those that it has.
  void take_inputs(Lambda& lambda, std::vector<NameId>& arrays) {
    NameSet has;
    for (const Binder& parameter : lambda.parameters) has.insert(parameter.name);
    Substitution inputs;
    for (const NameId name : free_names(lambda.body, names_)) {
      const auto found = over_.find(name);
      if (has.contains(name) || found == over_.end()) continue;
      const NameId parameter = names_.fresh_like(name);
      arrays.push_back(found->second);
      lambda.parameters.push_back({parameter});
      inputs.emplace(name, parameter);
    }
    substitute(lambda.body, inputs, names_);
  }

  /// `body` at every point; gives the arrays of its results.
  std::vector<NameId> add_map(Body body, Builder& out) {
    MapScanReduce map;
    map.width = width();
    for (const Operand& result : body.results) map.map.result_types.push_back(names_.type(result));
    map.map.body = std::move(body);
    take_inputs(map.map, map.arrays);
    Statement statement{{}, std::move(map), own_.tokens, own_.location};
    std::vector<NameId> results;
    for (const Type& type : std::get<MapScanReduce>(statement.operation).map.result_types) {
      results.push_back(names_.fresh("points", over_points(type)));
      statement.results.push_back({results.back()});
    }
    out.add(std::move(statement));
    return results;
  }

  /// What is before the loop: kept for all points where it is used later.
  void add_before(std::vector<Statement> before, const Statement& loop, const MapScanReduce& map) {
    NameSet used;
    for (const NameId name : free_names(loop, names_)) used.insert(name);
    for (const NameId name : free_names(map.map.body, names_)) used.insert(name);
    std::vector<Operand> kept;
    for (const Statement& one : before) {
      for (const Binder& result : one.results) {
        if (used.contains(result.name)) kept.emplace_back(result.name);
      }
    }
    if (kept.empty()) return;
    const std::vector<NameId> arrays = add_map({std::move(before), kept}, out_);
    for (std::size_t k = 0; k < kept.size(); ++k) over_.emplace(kept[k].name(), arrays[k]);
  }

  NameId initial_of(const Operand& value) {
    if (value.is_name()) {
      if (const auto found = over_.find(value.name()); found != over_.end()) return found->second;
    }
    return out_.add(Replicate{{width()}, value}, "points");
  }

  void add_loop(Statement looping) {
    Loop loop = std::move(std::get<Loop>(looping.operation));
    Statement outer{{}, {}, own_.tokens, looping.location};
    Loop around{{}, std::move(loop.form), {}, std::move(loop.attributes)};
    for (const LoopValue& value : loop.values) {
      const NameId state = names_.fresh(names_.base(value.parameter.name),
                                        over_points(names_.type(value.parameter.name)));
      around.values.push_back({{state}, initial_of(value.initial)});
      over_.emplace(value.parameter.name, state);
    }
    Builder inside = out_.nested();
    for (const NameId next : add_map(std::move(loop.body), inside)) {
      around.body.results.emplace_back(next);
    }
    around.body.statements = inside.take();
    for (const Binder& result : looping.results) {
      outer.results.push_back(
          {names_.fresh(names_.base(result.name), over_points(names_.type(result.name)))});
      over_.emplace(result.name, outer.results.back().name);
    }
    outer.operation = std::move(around);
    out_.add(std::move(outer));
  }

  void add_rest() {
    auto& map = std::get<MapScanReduce>(own_.operation);
    take_inputs(map.map, map.arrays);
    out_.add(own_);
  }

  Statement own_;
  const std::size_t place_;
  Names& names_;
  Builder out_;
  std::unordered_map<NameId, NameId> over_;  // names of a point, and the arrays of all points
};

class Rewriter {
 public:
  Rewriter(Program& program, const Function& function, FlattenTarget target,
           const Tunables& tunables)
      : names_(program.names),
        aliases_(analyse_aliases(function, program)),
        target_(target),
        tunables_(tunables) {}

  bool body(Body& body) {
    return rewrite_statements(body, names_, Scopes::all,
                              [&](Statement& one, Builder& out) { return replace(one, out); });
  }

 private:
  bool replace(Statement& statement, Builder& out) {
    const auto* map = as<MapScanReduce>(statement.operation);
    if (!map || statement.mode != ModeRequest::none) return false;
    const Candidate candidate(*map, aliases_, names_);
    const auto place = candidate.place();
    if (!place) return false;
    const auto& loop = std::get<Loop>(map->map.body.statements[*place].operation);
    Body outside = Distribution(statement, *place, names_).run();
    out.set_location(statement.location);
    const Operand pays = is_worthwhile(*map, *candidate.product_in(loop.body), out);
    if (pays == Operand(make_bool(true))) {
      out.add_all(std::move(outside.statements));
      for (std::size_t k = 0; k < statement.results.size(); ++k) {
        out.add(Statement{
            {statement.results[k]}, Identity{outside.results[k]}, {}, statement.location, {}});
      }
      return true;
    }
    Branch branch{pays, std::move(outside), {}, {}};
    Statement whole = renamed(statement, names_);
    for (Binder& result : whole.results) {
      branch.result_types.push_back(names_.type(result.name));
      result.name = names_.fresh_like(result.name);
      branch.else_body.results.emplace_back(result.name);
    }
    branch.else_body.statements.push_back(std::move(whole));
    out.add(Statement{statement.results, std::move(branch), {}, statement.location, {}});
    return true;
  }

  /// Whether a matrix has so many elements that the states of points may go through memory.
  Operand is_worthwhile(const MapScanReduce& map, const Product& product, Builder& out) const {
    if (target_ == FlattenTarget::gpu) return make_bool(true);
    const Operand elements = out.mul_i64(product.rows, product.sum);
    const auto at_least = [&](const Operand& size, std::int64_t least) {
      return out.scalar(ScalarOp::sle, ScalarType::i64, {i64_operand(least), size}, "pays");
    };
    const Operand large = at_least(elements, tunables_.batched_elements);
    const Operand many = at_least(map.width, tunables_.batched_points);
    return out.scalar(ScalarOp::bit_and, ScalarType::boolean, {large, many}, "pays");
  }

  Names& names_;
  AliasInfo aliases_;
  const FlattenTarget target_;
  const Tunables& tunables_;
};

}  // namespace

bool batch_loops(ParallelProgram& program, FlattenTarget target, const Tunables& tunables) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    changed = Rewriter(program.program, function, target, tunables).body(function.body) || changed;
  }
  return changed;
}

}  // namespace dagaz::passes
