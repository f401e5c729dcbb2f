// A narrow map around wide ones changes places with them.
//
//   map k (\t -> map n (\x -> f t x) xs)  =  transpose (map n (\x -> map k (\t -> f t x)) xs)
//
// A Jacobian is a map over a basis around everything that one derivative does.  With the basis
// innermost, what is the same for all tangents is computed and read once for all of them, the
// tangents of a value are neighbours in memory, and a linear function of them is a product of
// matrices: vector forward mode (as the chunks of Revels, Lubin and Papamarkou, "Forward-Mode
// Automatic Differentiation in Julia", 2016, but for whole arrays).
//
// The narrow map is distributed over its body: nests of maps with scalar cores take it inside, the
// statements between stay in narrow maps of their own, and what one part computes for another is
// kept for all points, whose number is a small constant.  Done where a nest reduces, so that there
// is work to share, and is not all the body does, for then the narrow map is part of it already.
#include <algorithm>
#include <unordered_map>

#include "ir/alias.h"
#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/rewrite.h"
#include "ir/traces.h"
#include "passes/interchange/nest.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;
using namespace interchanging;

bool is_narrow(const Operand& width, const Tunables& tunables) {
  if (!width.is_constant()) return false;
  const std::int64_t points = integer_value(width.constant());
  return points >= tunables.few_points_least && points <= tunables.few_points;
}

// Whether the narrow map has work besides its nests if it holds this.
bool is_work(const Operation& operation) {
  return !ir::is_view(operation) && !as<Scalar>(operation) && !as<Assert>(operation);
}

/// Distributes one narrow map.
class Distribution {
 public:
  Distribution(const Statement& statement, const MapScanReduce& narrow, const AliasInfo& aliases,
               Names& names, const Tunables& tunables)
      : statement_(statement),
        narrow_(narrow),
        aliases_(aliases),
        names_(names),
        tunables_(tunables),
        out_(names) {
    for (std::size_t k = 0; k < narrow.arrays.size(); ++k) {
      inside_.insert(narrow.map.parameters[k].name);
      leading_.emplace(narrow.map.parameters[k].name, narrow.arrays[k]);
    }
    for (const Statement& one : narrow.map.body.statements) {
      for (const Binder& result : one.results) inside_.insert(result.name);
    }
    out_.set_location(statement.location);
    out_.set_tokens(statement.tokens);
  }

  bool is_worthwhile() {
    bool shares = false;
    bool does_more = false;
    for (const Statement& one : narrow_.map.body.statements) {
      if (const auto nest = wide_nest(one); nest && reduces(*nest)) {
        does_more = does_more || shares;
        shares = true;
      } else {
        does_more = does_more || is_work(one.operation);
      }
    }
    return shares && does_more;
  }

  /// What replaces the narrow map's statement; nothing where that has to stay whole.
  std::optional<std::vector<Statement>> run() {
    const std::vector<Statement>& statements = narrow_.map.body.statements;
    for (std::size_t k = 0; k < statements.size(); ++k) {
      if (auto nest = wide_nest(statements[k])) {
        flush(k);
        add_nest(statements[k], std::move(*nest));
      } else if (is_turned_view(statements[k])) {
        flush(k);
        add_view(statements[k]);
      } else {
        run_.push_back(statements[k]);
      }
      if (stays_whole_) return std::nullopt;
    }
    flush(statements.size());
    for (std::size_t k = 0; k < statement_.results.size(); ++k) add_result(k);
    if (stays_whole_) return std::nullopt;
    return out_.take();
  }

 private:
  bool is_regular(const Type& type) const {
    return type.kind == TypeKind::value &&
           std::none_of(type.shape.begin(), type.shape.end(),
                        [&](const Operand& size) { return is_in(size, inside_); });
  }

  std::optional<Nest> wide_nest(const Statement& statement) {
    const auto* map = as<MapScanReduce>(statement.operation);
    if (!map) return std::nullopt;
    if (map->width.is_constant() &&
        integer_value(map->width.constant()) < tunables_.wide_map) {
      return std::nullopt;
    }
    if (!aliases_.consumed_by(statement).empty()) return std::nullopt;
    for (const Binder& result : statement.results) {
      if (!is_regular(names_.type(result.name))) return std::nullopt;
    }
    return nest_of(statement, inside_, names_);
  }

  // ---------------------------------------------------------------- values for all points

  /// The array of a value for all points, points outermost.
  NameId leading(NameId name) {
    if (const auto found = leading_.find(name); found != leading_.end()) return found->second;
    const auto found = trailing_.find(name);
    if (found == trailing_.end()) {
      stays_whole_ = true;
      return name;
    }
    const NameId array = out_.add(turned(found->second), names_.base(name));
    leading_.emplace(name, array);
    return array;
  }
  Permute turned(NameId array) const {
    const int rank = static_cast<int>(names_.type(array).rank());
    Permute permute{array, {rank - 1}};
    for (int k = 0; k + 1 < rank; ++k) permute.permutation.push_back(k);
    return permute;
  }

  /// `body` at every point, with parameters for what it takes from the narrow map.
  Statement over_points(Body body, std::vector<Type> types) {
    MapScanReduce map;
    map.width = narrow_.width;
    Substitution parameters;
    for (const NameId name : free_names(body, names_)) {
      if (!inside_.contains(name)) continue;
      if (names_.type(name).kind != TypeKind::value) {
        stays_whole_ = true;
        continue;
      }
      const NameId parameter = names_.fresh_like(name);
      map.arrays.push_back(leading(name));
      map.map.parameters.push_back({parameter});
      parameters.emplace(name, parameter);
    }
    substitute(body, parameters, names_);
    map.map.body = std::move(body);
    map.map.result_types = std::move(types);
    return {{}, std::move(map), {}, out_.location()};
  }

  // ---------------------------------------------------------------- nests

  void add_nest(const Statement& original, Nest nest) {
    for (Level& level : nest.levels) {
      if (level.parameters.size() == level.arrays.size()) continue;
      level.arrays.push_back(out_.add(
          Iota{ScalarType::i64, level.width, i64_operand(0), i64_operand(1)}, "iota"));
    }
    std::vector<Type> types = nest.result_types;
    Statement inner = over_points(std::move(nest.core), types);
    for (Type& type : types) type = array_over(narrow_.width, type);
    for (std::size_t l = nest.levels.size(); l-- > 0;) {
      Level& level = nest.levels[l];
      Body body{std::move(level.before), {}};
      for (const Type& type : types) {
        inner.results.push_back({names_.fresh("tangents", type)});
        body.results.push_back(inner.results.back().name);
      }
      body.statements.push_back(std::move(inner));
      MapScanReduce map;
      map.width = level.width;
      map.arrays = std::move(level.arrays);
      map.map = {std::move(level.parameters), std::move(body), types};
      inner = Statement{{}, std::move(map), {}, original.location};
      for (Type& type : types) type = array_over(level.width, type);
    }
    inner.tokens = original.tokens;
    inner.tokens.insert(inner.tokens.end(), statement_.tokens.begin(), statement_.tokens.end());
    for (std::size_t k = 0; k < types.size(); ++k) {
      const NameId name = original.results[k].name;
      inner.results.push_back({names_.fresh(names_.base(name), types[k])});
      trailing_.emplace(name, inner.results.back().name);
      memory_.emplace(inner.results.back().name, inner.results.back().name);
    }
    out_.add(std::move(inner));
  }

  // ---------------------------------------------------------------- views

  // A view of what has its points innermost is the view of all of it.
  bool is_turned_view(const Statement& statement) const {
    if (!statement.tokens.empty()) return false;
    if (const auto* permute = as<Permute>(statement.operation)) {
      return trailing_.contains(permute->array);
    }
    const auto* reshape = as<Reshape>(statement.operation);
    return reshape && trailing_.contains(reshape->array) &&
           is_regular(names_.type(statement.results[0].name));
  }
  void add_view(const Statement& statement) {
    const NameId name = statement.results[0].name;
    Operation view = statement.operation;
    NameId memory;
    if (auto* permute = as<Permute>(view)) {
      permute->array = trailing_.at(permute->array);
      memory = memory_.at(permute->array);
      permute->permutation.push_back(static_cast<int>(permute->permutation.size()));
    } else if (auto* reshape = as<Reshape>(view)) {
      reshape->array = trailing_.at(reshape->array);
      memory = memory_.at(reshape->array);
      reshape->shape.push_back(narrow_.width);
    }
    const NameId all = out_.add(std::move(view), names_.base(name));
    trailing_.emplace(name, all);
    memory_.emplace(all, memory);
  }

  // ---------------------------------------------------------------- runs

  /// Ends the run of statements before `next`: a narrow map that gives what is used later.
  void flush(std::size_t next) {
    if (run_.empty()) return;
    NameSet bound;
    for (const Statement& one : run_) {
      for (const Binder& result : one.results) bound.insert(result.name);
    }
    for (const Statement& one : run_) {
      for (const NameId root : aliases_.consumed_by(one)) {
        stays_whole_ = stays_whole_ || !bound.contains(root);
      }
    }
    Body body{std::move(run_), {}};
    run_.clear();
    std::vector<Type> types;
    for (const NameId name : used_from(next)) {
      if (!bound.contains(name)) continue;
      stays_whole_ = stays_whole_ || !is_regular(names_.type(name));
      body.results.push_back(name);
      types.push_back(names_.type(name));
    }
    if (types.empty() || stays_whole_) return;
    const std::vector<Operand> results = body.results;
    Statement statement = over_points(std::move(body), types);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const NameId name = results[k].name();
      const Type type = array_over(narrow_.width, types[k]);
      statement.results.push_back({names_.fresh(names_.base(name), type)});
      leading_.emplace(name, statement.results.back().name);
    }
    statement.tokens = statement_.tokens;
    out_.add(std::move(statement));
  }
  std::vector<NameId> used_from(std::size_t next) const {
    const Body& body = narrow_.map.body;
    const auto from = body.statements.begin() + static_cast<std::ptrdiff_t>(next);
    return free_names(Body{{from, body.statements.end()}, body.results}, names_);
  }

  // ---------------------------------------------------------------- results

  // Each result is memory of its own.
  void add_result(std::size_t k) {
    const Operand& value = narrow_.map.body.results[k];
    Operation operation = Replicate{{narrow_.width}, value};
    if (is_in(value, inside_)) {
      const auto found = trailing_.find(value.name());
      const bool is_first =
          found != trailing_.end() && given_.insert(memory_.at(found->second)).second;
      operation = is_first ? Operation(turned(found->second)) : Copy{leading(value.name())};
    }
    out_.add(Statement{{statement_.results[k]}, std::move(operation), {}, out_.location()});
  }

  const Statement& statement_;
  const MapScanReduce& narrow_;
  const AliasInfo& aliases_;
  Names& names_;
  const Tunables& tunables_;
  Builder out_;
  NameSet inside_;                                // what the narrow map binds
  std::unordered_map<NameId, NameId> leading_;    // its values for all points, points outermost
  std::unordered_map<NameId, NameId> trailing_;   // or innermost
  std::vector<Statement> run_;                    // statements that stay in a narrow map
  std::unordered_map<NameId, NameId> memory_;     // of the latter: what they are views of
  NameSet given_;                                 // memory that is a result's
  bool stays_whole_ = false;                      // the narrow map, after all
};

class Interchange {
 public:
  Interchange(Program& program, const Function& function, const Tunables& tunables)
      : names_(program.names),
        aliases_(analyse_aliases(function, program)),
        tunables_(tunables) {}

  bool body(Body& body) {
    const auto replace = [&](const Statement& statement, Builder& out) {
      auto parts = distributed(statement);
      if (parts) out.add_all(std::move(*parts));
      return parts.has_value();
    };
    return rewrite_statements(body, names_, Scopes::of_control, replace);
  }

 private:
  std::optional<std::vector<Statement>> distributed(const Statement& statement) {
    const auto* map = as<MapScanReduce>(statement.operation);
    if (!map || !is_narrow(map->width, tunables_) || !is_plain(*map, names_)) return std::nullopt;
    if (has_trace(statement.operation)) return std::nullopt;
    Distribution distribution(statement, *map, aliases_, names_, tunables_);
    return distribution.is_worthwhile() ? distribution.run() : std::nullopt;
  }

  Names& names_;
  AliasInfo aliases_;
  const Tunables& tunables_;
};

}  // namespace

bool interchange(ParallelProgram& program, const Tunables& tunables) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    changed = Interchange(program.program, function, tunables).body(function.body) || changed;
  }
  return changed;
}

}  // namespace dagaz::passes
