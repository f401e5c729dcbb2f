// Sums at a few points that read the same elements become sums of one loop.
//
//   map k (\t -> reduce + 0 (map (\x -> f t x) xs))
//     =  [reduce + 0 (map (f 0) xs), …, reduce + 0 (map (f (k-1)) xs)]
//
// for a constant k, after which fusion makes the sums one loop that reads each x once.  The
// gradient of a convolution's weights is such a map: each tap of a window sums products of the same
// adjoints with the picture, which lies a little further on.  Maps of maps are treated innermost
// first, so that a window of 3 × 3 taps becomes nine sums; as many as a loop's registers hold.
//
// Sums of a few elements only are left alone, and those that share nothing that lies in memory.
#include <algorithm>
#include <utility>

#include "ir/alias.h"
#include "ir/name_flags.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/traces.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

bool is_plain_map(const MapScanReduce& map) {
  return map.scans.empty() && map.reductions.empty() && !map.post && !map.sequential;
}

class SharedSums {
 public:
  SharedSums(Program& program, const Function& function, const Tunables& tunables)
      : names_(program.names),
        aliases_(analyse_aliases(function, program)),
        tunables_(tunables) {}

  bool run(Body& body) {
    return rewrite_statements(body, names_, Scopes::all, [&](Statement& statement, Builder& out) {
      if (as<Iota>(statement.operation) || as<Replicate>(statement.operation)) {
        nowhere_.insert(statement.results[0].name);
      }
      const auto* map = as<MapScanReduce>(statement.operation);
      if (map == nullptr || !is_shared(statement, *map)) return false;
      unroll(statement, *map, out);
      return true;
    });
  }

 private:
  // ---- whether

  bool is_shared(const Statement& statement, const MapScanReduce& map) const {
    if (!map.width.is_constant() || !is_plain_map(map) || has_trace(statement.operation)) {
      return false;
    }
    const std::int64_t points = integer_value(map.width.constant());
    if (points < 2 || points > tunables_.shared_sums || !only_reads(map)) return false;
    NameFlags inside;
    for (const Binder& parameter : map.map.parameters) inside.insert(parameter.name);
    std::int64_t sums = 0;
    bool shares = false;
    for (const Statement& one : map.map.body.statements) {
      if (const auto* sum = as<MapScanReduce>(one.operation)) {
        if (!is_long_sum(*sum, one, inside)) return false;
        sums += static_cast<std::int64_t>(one.results.size());
        shares = shares || reads_from_around(*sum, inside);
      } else if (!is_straight(one)) {
        return false;
      }
      for (const Binder& result : one.results) inside.insert(result.name);
    }
    return shares && points * sums <= tunables_.shared_sums;
  }

  bool only_reads(const MapScanReduce& map) const {
    const auto is_value = [&](NameId name) { return names_.type(name).kind == TypeKind::value; };
    return std::all_of(map.arrays.begin(), map.arrays.end(), is_value) &&
           std::none_of(map.map.parameters.begin(), map.map.parameters.end(),
                        [&](const Binder& one) { return aliases_.is_consumed(one.name); });
  }

  bool is_long_sum(const MapScanReduce& sum, const Statement& statement,
                   const NameFlags& inside) const {
    const bool only_reduces =
        !sum.reductions.empty() && sum.scans.empty() && !sum.post && !sum.sequential &&
        std::all_of(statement.results.begin(), statement.results.end(),
                    [&](const Binder& result) { return names_.type(result.name).is_scalar(); });
    if (!only_reduces || !only_reads(sum)) return false;
    if (sum.width.is_constant()) {
      return integer_value(sum.width.constant()) >= tunables_.shared_elements;
    }
    return !inside.contains(sum.width.name());
  }

  /// Whether the loop over elements reads of memory what all points read.
  bool reads_from_around(const MapScanReduce& sum, const NameFlags& inside) const {
    return std::any_of(sum.arrays.begin(), sum.arrays.end(), [&](NameId array) {
      return !inside.contains(array) && !nowhere_.contains(array);
    });
  }

  /// Scalars, views, and literals of sums that were unrolled before.
  static bool is_straight(const Statement& statement) {
    return match(
        statement.operation, [](const Scalar&) { return true; },
        [](const Identity&) { return true; }, [](const Index&) { return true; },
        [](const Slice&) { return true; }, [](const Permute&) { return true; },
        [](const Reshape&) { return true; }, [](const Assert&) { return true; },
        [](const ArrayLiteral&) { return true; }, [](const auto&) { return false; });
  }

  // ---- how

  void unroll(const Statement& statement, const MapScanReduce& map, Builder& out) {
    out.set_location(statement.location);
    std::vector<std::vector<Operand>> points;
    for (std::int64_t at = 0; at < integer_value(map.width.constant()); ++at) {
      points.push_back(point(statement, map, at, out));
    }
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      ArrayLiteral literal{map.map.result_types[k], {}};
      for (const std::vector<Operand>& one : points) literal.elements.push_back(one[k]);
      out.add(Statement{{statement.results[k]}, std::move(literal), {}, statement.location});
    }
  }

  /// A copy of the body at one point, guarded as the map was.
  std::vector<Operand> point(const Statement& statement, const MapScanReduce& map, std::int64_t at,
                             Builder& out) {
    Lambda copy = renamed(map.map, names_);
    Substitution with;
    out.set_tokens(statement.tokens);
    for (std::size_t k = 0; k < map.arrays.size(); ++k) {
      const NameId parameter = copy.parameters[k].name;
      with.emplace(parameter, out.index(map.arrays[k], {i64_operand(at)}, names_.base(parameter)));
    }
    out.set_tokens({});
    substitute(copy, with, names_);
    for (Statement& one : copy.body.statements) {
      one.tokens.insert(one.tokens.end(), statement.tokens.begin(), statement.tokens.end());
      out.add(std::move(one));
    }
    return std::move(copy.body.results);
  }

  Names& names_;
  AliasInfo aliases_;
  const Tunables& tunables_;
  NameFlags nowhere_;  // arrays without memory
};

}  // namespace

bool share_sums(ParallelProgram& program, const Tunables& tunables) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    changed = SharedSums(program.program, function, tunables).run(function.body) || changed;
  }
  return changed;
}

}  // namespace dagaz::passes
