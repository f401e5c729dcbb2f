// Additions of points become reads: each element of what they add to asks who adds to it.
//
// Where points compute what they add by arithmetic, elements compute it again (window.h); else it
// is stored, and read (stored.h).  Where points inside of others add to an accumulator from around
// these, sums are added (sums_first.h).
//
// So do additions to all elements but a few at one end of what a map makes:
//
//   with a = map f xs, a[s : n-s] += p     =     map (\j -> a[j] + p[j-s]) [0 … n-1]       0
//   outside
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/partial_sums.h"
#include "passes/passes.h"
#include "passes/scatter_to_gather/kept_values.h"
#include "passes/scatter_to_gather/stored.h"
#include "passes/scatter_to_gather/sums_first.h"
#include "passes/scatter_to_gather/window.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class Rewriter {
 public:
  Rewriter(Names& names, gathering::Edges edges, const Tunables& tunables)
      : names_(names), edges_(edges), tunables_(tunables) {}

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
        if (counts_from_zero(*iota)) outside_.counts.insert(each.results[0].name);
      }
      const auto* scalar = as<Scalar>(each.operation);
      if (scalar && scalar->type == ScalarType::i64) {
        outside_.scalars.emplace(each.results[0].name, *scalar);
      }
      const bool stays_outside = as<Loop>(each.operation) || as<Branch>(each.operation);
      for_each_scope(each.operation, [&](Body& scope) {
        changed = this->body(scope, inside || !stays_outside) || changed;
      });
      if (as<WithAccumulator>(each.operation) && gather(each, inside, out)) {
        changed = true;
      } else {
        out.add(std::move(each));
      }
    }
    body.statements = out.take();
    return changed;
  }

 private:
  /// What elements of an accumulator read; neither where they do not know who adds to them.
  struct Reads {
    std::optional<gathering::Window> window;
    std::optional<gathering::StoredAdditions> stored;
  };

  Reads reads_of(const WithAccumulator& with, std::size_t input, bool inside) const {
    const auto stored = [&] {
      return gathering::StoredAdditions::of(with, input, names_, outside_, inside, tunables_);
    };
    // Along one dimension elements run in one loop with what they read.
    const bool in_one_loop = !inside && with.inputs[input].shape.size() == 1;
    if (in_one_loop) {
      if (auto first = stored()) return {std::nullopt, std::move(first)};
    }
    if (auto window = gathering::Window::of(with, input, names_, outside_, edges_, tunables_)) {
      return {std::move(window), std::nullopt};
    }
    return {std::nullopt, in_one_loop ? std::nullopt : stored()};
  }

  bool gather(const Statement& statement, bool inside, Builder& out) {
    if (has_trace(statement.operation)) return false;
    const auto& with = std::get<WithAccumulator>(statement.operation);
    std::vector<Reads> reads;
    std::vector<bool> found;
    bool is_padded = false;
    for (std::size_t k = 0; k < with.inputs.size(); ++k) {
      reads.push_back(reads_of(with, k, inside));
      is_padded = is_padded || (reads[k].window && reads[k].window->is_padded());
      found.push_back(reads[k].window || reads[k].stored);
    }
    const bool all = std::find(found.begin(), found.end(), false) == found.end();
    if (std::find(found.begin(), found.end(), true) == found.end()) return false;
    // What others add to, and what its body computes for the windows, can have but one place.
    if (!all && (is_padded || with.body.body.statements.size() != 1)) return false;
    Statement rest = statement;
    for (std::size_t k = 0; k < reads.size(); ++k) {
      if (reads[k].stored) reads[k].stored->store(rest, k);
      if (!reads[k].window) continue;
      for (const auto& [value, array] : reads[k].window->kept()) {
        gathering::give_kept(rest, value, array, names_);
      }
    }
    add_rest(without(std::move(rest), found), out);
    for (std::size_t k = 0; k < reads.size(); ++k) {
      if (reads[k].window) add_window(statement, k, *reads[k].window, out);
      if (reads[k].stored) add_stored(statement, k, *reads[k].stored, out);
    }
    return true;
  }

  // What is left without these accumulators.
  Statement without(Statement rest, const std::vector<bool>& removed) const {
    auto& with = std::get<WithAccumulator>(rest.operation);
    for (std::size_t k = removed.size(); k-- > 0;) {
      if (!removed[k]) continue;
      remove_accumulator(with.body.body, with.body.parameters[k].name, names_);
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

  static void add_stored(const Statement& statement, std::size_t input,
                         const gathering::StoredAdditions& stored, Builder& out) {
    std::vector<NameId> tokens = statement.tokens;
    tokens.insert(tokens.end(), stored.tokens().begin(), stored.tokens().end());
    out.set_location(statement.location);
    out.set_tokens(tokens);
    const NameId sums = stored.sums(out);
    out.set_tokens({});
    out.add(Statement{{statement.results[input]}, Identity{sums}, {}, statement.location, {}});
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

  Names& names_;
  gathering::Edges edges_;
  const Tunables& tunables_;
  PartialSums partial_sums_{names_, tunables_.gathered_distance};
  gathering::Outside outside_;
};

}  // namespace

static void add_ranges(const Operation& operation, NameSet& ranges) {
  for_each_scope(operation, [&](const Body& body) {
    for (const Statement& one : body.statements) {
      const auto* range = as<Iota>(one.operation);
      if (range && counts_from_zero(*range)) ranges.insert(one.results[0].name);
      add_ranges(one.operation, ranges);
    }
  });
}

bool elements_know_who_adds(const Statement& statement, NameSet ranges, bool for_ranks,
                            Names& names) {
  const auto& with = std::get<WithAccumulator>(statement.operation);
  add_ranges(statement.operation, ranges);
  const gathering::Outside outside{std::move(ranges), {}};
  const auto edges = for_ranks ? gathering::Edges::apart : gathering::Edges::conditional;
  const Tunables tunables;
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    if (!gathering::Window::of(with, k, names, outside, edges, tunables)) {
      return false;
    }
  }
  return true;
}

bool scatter_to_gather(ParallelProgram& program, FlattenTarget target, bool for_ranks,
                       const Tunables& tunables) {
  const gathering::Edges edges = for_ranks                      ? gathering::Edges::apart
                                 : target == FlattenTarget::gpu ? gathering::Edges::conditional
                                                                : gathering::Edges::padded;
  bool changed = false;
  for (Function& function : program.program.functions) {
    changed = Rewriter(program.program.names, edges, tunables).body(function.body) || changed;
    // What elements do not ask for, behind that.
    changed = gathering::add_sums_first(function.body, program.program.names, tunables) || changed;
  }
  return changed;
}

}  // namespace dagaz::passes
