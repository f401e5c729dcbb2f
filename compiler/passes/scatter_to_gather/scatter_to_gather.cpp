// Additions at a fixed distance from each point become reads.
//
//   with a = d (+): map (\i a -> … a[i+c] += v …) [0 … n-1]
//     =  let w = map (\i -> … v …) [0 … n-1]          v, or 0 where i adds nothing
//        in map (\j -> d[j] + w[j-c]) [0 … n-1]       0 outside
//
// Reverse mode makes such additions of reading xs[i+c], often under a condition at the edges.
// Points that add run one by one, or in turns, where vectors of points can read; and what reads at
// a fixed distance may run in one loop with what it reads (plan/stencil.h).  That takes an array
// for each distance, and so only a few are taken, of numbers.  (Hückelheim et al. 2019 compute v
// again at each place instead.)
//
// So do additions to all elements but a few at one end of what a map makes:
//
//   with a = map f xs, a[s : n-s] += p     =     map (\j -> a[j] + p[j-s]) [0 … n-1]       0
//   outside
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/partial_sums.h"
#include "passes/passes.h"
#include "passes/scatter_to_gather/window.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

constexpr int deepest = 16;

bool adds_numbers(const AccumulatorInput& input, const Operand& width, const Names& names) {
  if (!input.op || input.shape != std::vector<Operand>{width}) return false;
  if (names.type(input.array).rank() != 1) return false;
  const auto& statements = input.op->body.statements;
  const auto* sum = statements.size() == 1 ? as<Scalar>(statements[0].operation) : nullptr;
  return sum != nullptr && sum->op == ScalarOp::add &&
         input.op->body.results[0] == Operand(statements[0].results[0].name);
}

/// What the points of a map add to one accumulator, by distance.
using Added = std::map<std::int64_t, Operand>;

/// The lambda of a map, of whose parameters one is the index.
class Points {
 public:
  Points(NameId index, std::int64_t farthest, Names& names)
      : index_(index), farthest_(farthest), names_(names) {}

  /// Removes the accumulator that enters `body` as `enters` and leaves it as `leaves`; nothing if
  /// it is not only added to at fixed distances.
  std::optional<Added> take(Body& body, NameId enters, const Operand& leaves) {
    Added added;
    Operand at = enters;
    Builder out(names_);
    for (Statement& each : body.statements) {
      for (const Binder& result : each.results) definitions_[result.name] = each.operation;
      const std::vector<NameId> used = free_names(each, names_);
      const bool uses =
          at.is_name() && std::find(used.begin(), used.end(), at.name()) != used.end();
      if (!uses) {
        out.add(std::move(each));
      } else if (const auto* addition = as<Accumulate>(each.operation)) {
        const auto distance = distance_of(addition->indices[0], 0);
        if (!distance || std::abs(*distance) > farthest_) return std::nullopt;
        add(added, *distance, addition->value, out);
        at = each.results[0].name;
      } else if (as<Branch>(each.operation)) {
        if (!take_from_branch(each, at, added, out)) return std::nullopt;
      } else {
        return std::nullopt;
      }
    }
    if (leaves != at) return std::nullopt;
    body.statements = out.take();
    return added;
  }

 private:
  void add(Added& added, std::int64_t distance, const Operand& value, Builder& out) {
    const auto [place, first] = added.emplace(distance, value);
    if (first) return;
    place->second = out.scalar(ScalarOp::add, names_.type(value).element, {place->second, value});
  }

  // The branch gives what each side adds instead of the accumulator, which is `at` before it.
  bool take_from_branch(Statement& statement, Operand& at, Added& added, Builder& out) {
    auto branch = std::get<Branch>(statement.operation);
    const NameId enters = at.name();
    const Type type = names_.type(enters);
    std::size_t k = 0;
    while (k < branch.result_types.size() && branch.result_types[k] != type) ++k;
    if (k == branch.result_types.size()) return false;
    const auto yes = take(branch.then_body, enters, branch.then_body.results[k]);
    const auto no = take(branch.else_body, enters, branch.else_body.results[k]);
    if (!yes || !no) return false;
    at = statement.results[k].name;
    const auto position = static_cast<std::ptrdiff_t>(k);
    branch.result_types.erase(branch.result_types.begin() + position);
    branch.then_body.results.erase(branch.then_body.results.begin() + position);
    branch.else_body.results.erase(branch.else_body.results.begin() + position);
    statement.results.erase(statement.results.begin() + position);
    const Type number = scalar_of(type.element);
    Added both;
    const auto give = [&](std::int64_t distance) {
      if (both.contains(distance)) return;
      const auto side = [&](const Added& one) {
        const auto found = one.find(distance);
        return found == one.end() ? Operand(zero_of(type.element)) : found->second;
      };
      branch.result_types.push_back(number);
      branch.then_body.results.push_back(side(*yes));
      branch.else_body.results.push_back(side(*no));
      statement.results.push_back(Binder{names_.fresh("added", number)});
      both.emplace(distance, statement.results.back().name);
    };
    for (const auto& one : *yes) give(one.first);
    for (const auto& one : *no) give(one.first);
    statement.operation = std::move(branch);
    out.add(std::move(statement));
    for (const auto& [distance, value] : both) add(added, distance, value, out);
    return true;
  }

  /// c, where `operand` is the index plus c.
  std::optional<std::int64_t> distance_of(const Operand& operand, int depth) const {
    if (!operand.is_name() || depth > deepest) return std::nullopt;
    if (operand.name() == index_) return 0;
    const auto found = definitions_.find(operand.name());
    const auto* scalar = found == definitions_.end() ? nullptr : as<Scalar>(found->second);
    if (scalar == nullptr || scalar->type != ScalarType::i64) return std::nullopt;
    const auto& x = scalar->arguments;
    const bool is_sum = scalar->op == ScalarOp::add;
    if (!is_sum && scalar->op != ScalarOp::sub) return std::nullopt;
    const bool swapped = is_sum && x[0].is_constant();
    const Operand& by = x[swapped ? 0 : 1];
    const auto base = distance_of(x[swapped ? 1 : 0], depth + 1);
    if (!base || !by.is_constant()) return std::nullopt;
    const std::int64_t value = integer_value(by.constant());
    if (std::abs(value) > farthest_ || std::abs(*base) > farthest_) return std::nullopt;
    return is_sum ? *base + value : *base - value;
  }

  NameId index_;
  std::int64_t farthest_;
  Names& names_;
  std::unordered_map<NameId, Operation> definitions_;
};

class Rewriter {
 public:
  Rewriter(Names& names, gathering::Edges edges, const Tunables& tunables)
      : names_(names), edges_(edges), tunables_(tunables) {}

  // Inside other maps points are few, or in registers: arrays of what they add do not pay there.
  bool body(Body& body, bool inside = false) {
    bool changed = false;
    Builder out(names_);
    for (Statement& each : body.statements) {
      if (!inside) {
        if (const auto sum = partial_sums_.find(each)) {
          add_everywhere(each, *sum, out);
          changed = true;
          continue;
        }
        partial_sums_.learn(each);
      }
      if (const auto* iota = as<Iota>(each.operation)) {
        const bool counts = iota->type == ScalarType::i64 && iota->start == i64_operand(0) &&
                            iota->stride == i64_operand(1);
        if (counts) iotas_.insert(each.results[0].name);
      }
      const bool stays_outside = as<Loop>(each.operation) || as<Branch>(each.operation);
      for_each_scope(each.operation, [&](Body& scope) {
        changed = this->body(scope, inside || !stays_outside) || changed;
      });
      const bool adds = as<WithAccumulator>(each.operation);
      if (adds && ((!inside && gather(each, out)) || gather_windows(each, out))) {
        changed = true;
      } else {
        out.add(std::move(each));
      }
    }
    body.statements = out.take();
    return changed;
  }

 private:
  bool gather(const Statement& statement, Builder& out) {
    const auto& with = std::get<WithAccumulator>(statement.operation);
    const Body& around = with.body.body;
    if (around.statements.size() != 1 || with.inputs.size() != 1) return false;
    const Statement& filling = around.statements[0];
    const auto* found = as<MapScanReduce>(filling.operation);
    if (found == nullptr || !found->scans.empty() || !found->reductions.empty() || found->post ||
        found->sequential || !adds_numbers(with.inputs[0], found->width, names_)) {
      return false;
    }
    MapScanReduce map = *found;
    const auto accumulator =
        std::find(map.arrays.begin(), map.arrays.end(), with.body.parameters[0].name);
    const auto index = std::find_if(map.arrays.begin(), map.arrays.end(),
                                    [&](NameId each) { return iotas_.contains(each); });
    const auto result =
        std::find_if(filling.results.begin(), filling.results.end(),
                     [&](const Binder& each) { return Operand(each.name) == around.results[0]; });
    if (accumulator == map.arrays.end() || index == map.arrays.end() ||
        result == filling.results.end()) {
      return false;
    }
    const auto entry = accumulator - map.arrays.begin();
    const auto exit = result - filling.results.begin();
    Lambda& lambda = map.map;
    const NameId own = lambda.parameters[static_cast<std::size_t>(index - map.arrays.begin())].name;
    const NameId enters = lambda.parameters[static_cast<std::size_t>(entry)].name;
    Points points(own, tunables_.gathered_distance, names_);
    const auto added =
        points.take(lambda.body, enters, lambda.body.results[static_cast<std::size_t>(exit)]);
    if (!added || added->empty()) return false;
    if (static_cast<std::int64_t>(added->size()) > tunables_.gathered_additions) return false;
    map.arrays.erase(map.arrays.begin() + entry);
    lambda.parameters.erase(lambda.parameters.begin() + entry);
    lambda.body.results.erase(lambda.body.results.begin() + exit);
    lambda.result_types.erase(lambda.result_types.begin() + exit);
    emit(statement, std::move(map), exit, *added, out);
    return true;
  }

  bool gather_windows(const Statement& statement, Builder& out) {
    if (has_trace(statement.operation)) return false;
    const auto& with = std::get<WithAccumulator>(statement.operation);
    std::vector<std::optional<gathering::Window>> windows;
    std::size_t found = 0;
    bool is_padded = false;
    for (std::size_t k = 0; k < with.inputs.size(); ++k) {
      windows.push_back(gathering::Window::of(with, k, names_, iotas_, edges_, tunables_));
      if (!windows.back()) continue;
      ++found;
      is_padded = is_padded || windows.back()->is_padded();
    }
    const bool all = found == with.inputs.size();
    if (found == 0) return false;
    // What others add to, and what its body computes for the windows, can have but one place.
    if (!all && (is_padded || with.body.body.statements.size() != 1)) return false;
    std::vector<bool> removed;
    for (const auto& one : windows) removed.push_back(one.has_value());
    add_rest(without(statement, removed), out);
    for (std::size_t k = 0; k < windows.size(); ++k) {
      if (windows[k]) add_window(statement, k, *windows[k], out);
    }
    return true;
  }

  // What is left without these accumulators.
  Statement without(const Statement& statement, const std::vector<bool>& removed) const {
    Statement rest = statement;
    auto& with = std::get<WithAccumulator>(rest.operation);
    for (std::size_t k = removed.size(); k-- > 0;) {
      if (!removed[k]) continue;
      gathering::remove_accumulator(with.body.body, with.body.parameters[k].name, names_);
      const auto place = static_cast<std::ptrdiff_t>(k);
      with.inputs.erase(with.inputs.begin() + place);
      with.body.parameters.erase(with.body.parameters.begin() + place);
      with.body.body.results.erase(with.body.body.results.begin() + place);
      with.body.result_types.erase(with.body.result_types.begin() + place);
      rest.results.erase(rest.results.begin() + place);
    }
    return rest;
  }

  static void add_rest(Statement rest, Builder& out) {
    auto& with = std::get<WithAccumulator>(rest.operation);
    if (!with.inputs.empty()) {
      out.add(std::move(rest));
      return;
    }
    for (Statement& each : with.body.body.statements) {
      each.tokens.insert(each.tokens.end(), rest.tokens.begin(), rest.tokens.end());
      out.add(std::move(each));
    }
    for (std::size_t k = 0; k < rest.results.size(); ++k) {
      const Operand& value = with.body.body.results[k];
      out.add(Statement{{rest.results[k]}, Identity{value}, {}, rest.location, {}});
    }
  }

  // Only the additions to one accumulator, point by point.
  NameId add_in_turn(const Statement& statement, std::size_t input, Builder& out) {
    const auto& with = std::get<WithAccumulator>(statement.operation);
    std::vector<bool> others(with.inputs.size(), true);
    others[input] = false;
    Statement copy = renamed(without(statement, others), names_);
    for (Binder& each : copy.results) each.name = names_.fresh_like(each.name);
    const NameId result = copy.results[0].name;
    out.add(std::move(copy));
    return result;
  }

  void add_window(const Statement& statement, std::size_t input, const gathering::Window& window,
                  Builder& out) {
    std::vector<NameId> tokens = statement.tokens;
    tokens.insert(tokens.end(), window.tokens().begin(), window.tokens().end());
    out.set_location(statement.location);
    out.set_tokens(tokens);
    Operand sums;
    if (window.is_padded()) {
      const auto fast = [&](Builder& in) { return std::vector<Operand>{window.sums(in)}; };
      const auto exact = [&](Builder& in) {
        return std::vector<Operand>{add_in_turn(statement, input, in)};
      };
      sums = out.branch(window.is_exact(out), fast, exact, "sums")[0];
    } else {
      sums = window.sums(out);
    }
    out.set_tokens({});
    out.add(Statement{{statement.results[input]}, Identity{sums}, {}, statement.location, {}});
  }

  void emit(const Statement& statement, MapScanReduce map, std::ptrdiff_t exit, const Added& added,
            Builder& out) {
    const auto& with = std::get<WithAccumulator>(statement.operation);
    const Statement& filling = with.body.body.statements[0];
    const Operand width = map.width;
    const NameId before = with.inputs[0].array;
    const ScalarType type = names_.type(before).element;
    std::vector<Binder> results = filling.results;
    results.erase(results.begin() + exit);
    std::vector<std::pair<std::int64_t, NameId>> arrays;
    for (const auto& [distance, value] : added) {
      arrays.emplace_back(distance, names_.fresh("added", Type{type, {width}}));
      results.push_back(Binder{arrays.back().second});
      map.map.body.results.push_back(value);
      map.map.result_types.push_back(scalar_of(type));
    }
    std::vector<NameId> tokens = statement.tokens;
    tokens.insert(tokens.end(), filling.tokens.begin(), filling.tokens.end());
    out.add(Statement{results, std::move(map), tokens, filling.location, filling.mode});
    out.set_location(filling.location);
    out.set_tokens(tokens);
    std::vector<Operand> ends;  // n + c for those that are added before their points
    for (const auto& one : arrays) {
      ends.push_back(one.first < 0 ? out.add_i64(width, i64_operand(one.first)) : width);
    }
    const NameId sums = out.map_indices(
        width,
        [&](Builder& in, const std::vector<NameId>& at) {
          Operand sum = in.index(before, {at[0]});
          for (std::size_t k = 0; k < arrays.size(); ++k) {
            const Operand one = arrays[k].first == 0
                                    ? in.index(arrays[k].second, {at[0]})
                                    : read(in, arrays[k].second, at[0], arrays[k].first, ends[k]);
            sum = in.scalar(ScalarOp::add, type, {sum, one}, "sum");
          }
          return std::vector<Operand>{sum};
        },
        "sums")[0];
    bind_results(statement, filling, sums, out);
  }

  void add_everywhere(const Statement& statement, const PartialSum& sum, Builder& out) {
    const auto& update = std::get<Update>(statement.operation);
    const Type& type = names_.type(sum.array);
    const std::int64_t start = integer_value(update.dimensions[0].start.constant());
    out.set_location(statement.location);
    out.set_tokens(sum.tokens);
    const NameId sums = out.map_indices(
        type.shape[0],
        [&](Builder& in, const std::vector<NameId>& at) {
          const Operand old = in.index(sum.array, {at[0]});
          const Operand added = read(in, sum.added, at[0], start, update.dimensions[0].count);
          return std::vector<Operand>{in.scalar(ScalarOp::add, type.element, {old, added}, "sum")};
        },
        "sums")[0];
    out.add(Statement{statement.results, Identity{sums}, {}, statement.location, {}});
  }

  // array[j - distance], or 0 outside, which is before the start or from `end` on.
  Operand read(Builder& in, NameId array, NameId j, std::int64_t distance, const Operand& end) {
    const Operand inside =
        distance > 0
            ? in.scalar(ScalarOp::slt, ScalarType::i64, {i64_operand(distance - 1), j}, "inside")
            : in.scalar(ScalarOp::slt, ScalarType::i64, {j, end}, "inside");
    const auto element = [&](Builder& side) {
      const Operand from = side.add_i64(j, i64_operand(-distance));
      return std::vector<Operand>{side.index(array, {from})};
    };
    const auto zero = [&](Builder&) {
      return std::vector<Operand>{zero_of(names_.type(array).element)};
    };
    return in.branch(inside, element, zero, "x")[0];
  }

  // The results of the statement are the sums, and other results of the map inside.
  void bind_results(const Statement& statement, const Statement& filling, NameId sums,
                    Builder& out) {
    const auto& with = std::get<WithAccumulator>(statement.operation);
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      const Operand value = k == 0 ? Operand(sums) : with.body.body.results[k];
      out.add(Statement{{statement.results[k]}, Identity{value}, {}, filling.location, {}});
    }
  }

  Names& names_;
  gathering::Edges edges_;
  const Tunables& tunables_;
  PartialSums partial_sums_{names_, tunables_.gathered_distance};
  std::unordered_set<NameId> iotas_;
};

}  // namespace

bool scatter_to_gather(ParallelProgram& program, FlattenTarget target,
                       const Tunables& tunables) {
  const gathering::Edges edges =
      target == FlattenTarget::gpu ? gathering::Edges::conditional : gathering::Edges::padded;
  bool changed = false;
  for (Function& function : program.program.functions) {
    changed = Rewriter(program.program.names, edges, tunables).body(function.body) || changed;
  }
  return changed;
}

}  // namespace dagaz::passes
