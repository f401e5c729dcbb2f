// Expensive values that two maps over the same elements compute: the first one keeps them.
//
//   s  = reduce (+) (map (\x -> exp (x - m)) xs)         s, es = … map (\x -> let e = exp (x - m)
//   …) zs = map (\x -> exp (x - m) * d) xs             =    zs    = map (\e -> e * d) es
//
// Reverse mode makes such pairs wherever it executes a map again (docs/ad.md): the derivatives of
// exp, tanh, x ** y and the like need what the forward sweep computed.  Re-execution is right where
// it runs in registers inside the one nest that is left after fusion, and so this pass comes after
// fusion: it never makes two nests of one, and only meets values that are computed twice by now.
//
// A value is kept where evaluating it costs more than writing and reading a number, and memory does
// not grow for it: either the first map gives it as an array that lives long enough anyway; or
// the second map makes an array of its type, which can lie where the kept one is read, and nothing
// between the two makes arrays.  That is so on a CPU (exp in vector lanes: 0.8 ns; a number
// written and read again in a cache: 0.1 ns).  A GPU computes a hundred numbers while one travels.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/classify.h"
#include "ir/cost.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

/// How many earlier maps a map is compared with.
constexpr std::size_t most_neighbours = 32;

/// A value of the second map, or of a map inside it, that the first computes, too.
struct Candidate {
  struct Level {
    Statement* first;
    Statement* second;
  };
  std::vector<Level> levels;  // maps around it, outermost first
  NameId in_first;
  NameId in_second;
};

const MapScanReduce& map_of(const Statement& statement) {
  return *as<MapScanReduce>(statement.operation);
}
MapScanReduce& map_of(Statement& statement) { return *as<MapScanReduce>(statement.operation); }

/// Scalar operations, as one table finds them again; reading an element is one.
bool is_simple(const Operation& operation) {
  return std::holds_alternative<Scalar>(operation) || std::holds_alternative<Index>(operation);
}
Operation translated(Operation operation, const Substitution& same) {
  if (auto* scalar = as<Scalar>(operation)) {
    for (Operand& each : scalar->arguments) each = substitute(each, same);
  } else if (auto* index = as<Index>(operation)) {
    index->array = substitute(index->array, same).name();
    for (Operand& each : index->indices) each = substitute(each, same);
  }
  return operation;
}

bool is_expensive(const Operation& operation) {
  const auto* scalar = as<Scalar>(operation);
  return scalar != nullptr && is_transcendental(scalar->op);
}

/// Finds what two maps both compute.
class Comparison {
 public:
  explicit Comparison(const Names& names) : names_(&names) {}

  std::vector<Candidate> run(Statement& first, Statement& second) {
    maps(first, second, {});
    return std::move(found_);
  }

 private:
  using Table = std::unordered_multimap<std::size_t, const Statement*>;

  void maps(Statement& first, Statement& second, Substitution same) {
    const MapScanReduce& a = map_of(first);
    MapScanReduce& b = map_of(second);
    if (substitute(b.width, same) != a.width || !a.scans.empty() || a.post) return;
    if (!same_elements(a, b, same)) return;
    levels_.push_back({&first, &second});
    bodies(map_of(first).map.body, b.map.body, same);
    levels_.pop_back();
  }
  bool same_elements(const MapScanReduce& a, const MapScanReduce& b, Substitution& same) const {
    bool any = false;
    for (std::size_t j = 0; j < b.arrays.size(); ++j) {
      if (names_->type(b.arrays[j]).kind != TypeKind::value) continue;
      const auto at = std::find(a.arrays.begin(), a.arrays.end(),
                                substitute(b.arrays[j], same).name());
      if (at == a.arrays.end()) continue;
      any = true;
      const auto i = static_cast<std::size_t>(at - a.arrays.begin());
      same.emplace(b.map.parameters[j].name, a.map.parameters[i].name);
    }
    return any;
  }

  void bodies(Body& first, Body& second, Substitution& same) {
    Table known;
    for (const Statement& each : first.statements) {
      if (is_simple(each.operation)) known.emplace(hash_of(each.operation, *names_), &each);
    }
    for (const Statement& each : second.statements) {
      if (const Statement* equal = equal_to(each, known, same)) {
        same.emplace(each.results.front().name, equal->results.front().name);
      }
    }
    collect(first, second, same);
  }
  const Statement* equal_to(const Statement& statement, const Table& known,
                            const Substitution& same) const {
    if (!is_simple(statement.operation)) return nullptr;
    const Operation operation = translated(statement.operation, same);
    const auto [begin, end] = known.equal_range(hash_of(operation, *names_));
    for (auto at = begin; at != end; ++at) {
      if (equivalent(at->second->operation, operation, *names_)) return at->second;
    }
    return nullptr;
  }

  // Backwards: what only a kept value needs is not needed any more.
  void collect(Body& first, Body& second, const Substitution& same) {
    NameSet needed;
    for (const Operand& each : second.results) {
      if (each.is_name()) needed.insert(each.name());
    }
    for (auto at = second.statements.rbegin(); at != second.statements.rend(); ++at) {
      if (is_expensive(at->operation)) {
        const NameId result = at->results.front().name;
        if (needed.count(result) == 0) continue;
        if (const auto equal = same.find(result); equal != same.end()) {
          found_.push_back({levels_, equal->second.name(), result});
          continue;
        }
      } else if (std::holds_alternative<MapScanReduce>(at->operation)) {
        inner_maps(first, *at, same);
      }
      for (const NameId each : free_names(*at, *names_)) needed.insert(each);
    }
  }
  void inner_maps(Body& first, Statement& inner, const Substitution& same) {
    for (Statement& each : first.statements) {
      if (!std::holds_alternative<MapScanReduce>(each.operation)) continue;
      if (!is_bound_outside(map_of(each).width)) continue;
      const std::size_t before = found_.size();
      maps(each, inner, same);
      if (found_.size() != before) return;
    }
  }
  // A kept array has one size.
  bool is_bound_outside(const Operand& width) const {
    if (width.is_constant()) return true;
    return std::none_of(levels_.begin(), levels_.end(), [&](const Candidate::Level& level) {
      const Lambda& lambda = map_of(*level.first).map;
      const std::vector<NameId> bound = bound_names(lambda.body);
      return std::find(bound.begin(), bound.end(), width.name()) != bound.end() ||
             std::any_of(lambda.parameters.begin(), lambda.parameters.end(),
                         [&](const Binder& each) { return each.name == width.name(); });
    });
  }

  const Names* names_;
  std::vector<Candidate::Level> levels_;
  std::vector<Candidate> found_;
};

/// The result of a map that holds `value` of every iteration.
std::optional<NameId> array_of_values(const Statement& statement, NameId value) {
  const MapScanReduce& map = map_of(statement);
  const std::size_t reduced = value_count(map.reductions);
  for (std::size_t i = reduced; i < map.map.body.results.size(); ++i) {
    if (map.map.body.results[i] == Operand(value)) return statement.results[i].name;
  }
  return std::nullopt;
}
std::optional<NameId> array_of_values(const Candidate& candidate) {
  std::optional<NameId> value = candidate.in_first;
  for (auto at = candidate.levels.rbegin(); value && at != candidate.levels.rend(); ++at) {
    value = array_of_values(*at->first, *value);
  }
  return value;
}
Type array_type(const Candidate& candidate, const Names& names) {
  Type type = names.type(candidate.in_first);
  for (auto at = candidate.levels.rbegin(); at != candidate.levels.rend(); ++at) {
    type = array_over(map_of(*at->first).width, type);
  }
  return type;
}

/// Makes the maps around give and read a value.
void keep(const Candidate& candidate, Names& names) {
  NameId value = candidate.in_first;
  NameId parameter = candidate.in_second;
  for (auto at = candidate.levels.rbegin(); at != candidate.levels.rend(); ++at) {
    std::optional<NameId> array = array_of_values(*at->first, value);
    if (!array) {
      MapScanReduce& first = map_of(*at->first);
      array = names.fresh(names.base(value), array_over(first.width, names.type(value)));
      first.map.body.results.push_back(value);
      first.map.result_types.push_back(names.type(value));
      at->first->results.push_back(Binder{*array});
    }
    MapScanReduce& second = map_of(*at->second);
    second.map.parameters.push_back(Binder{parameter});
    const bool outermost = at + 1 == candidate.levels.rend();
    const NameId read = outermost ? *array : names.fresh_like(*array);
    second.arrays.push_back(read);
    value = *array;
    parameter = read;
  }
  std::erase_if(map_of(*candidate.levels.back().second).map.body.statements,
                [&](const Statement& each) {
                  return !each.results.empty() &&
                         each.results.front().name == candidate.in_second;
                });
}

/// What is inside a map runs in registers and vector lanes, where values are not kept.
bool is_control(const Operation& operation) {
  return std::holds_alternative<Loop>(operation) || std::holds_alternative<Branch>(operation);
}

class Keeper {
 public:
  Keeper(Program& program, AdReport* report) : names_(program.names), report_(report) {}

  void body(Body& body) {
    for (std::size_t i = 1; i < body.statements.size(); ++i) {
      if (std::holds_alternative<MapScanReduce>(body.statements[i].operation)) second(body, i);
    }
    for (Statement& statement : body.statements) {
      if (!is_control(statement.operation)) continue;
      for_each_scope(statement.operation, [this](Body& inner) { this->body(inner); });
    }
  }
  bool changed() const { return changed_; }

 private:
  void second(Body& body, std::size_t at) {
    std::size_t compared = 0;
    for (std::size_t i = at; i-- > 0 && compared < most_neighbours;) {
      if (!std::holds_alternative<MapScanReduce>(body.statements[i].operation)) continue;
      ++compared;
      const auto candidates =
          Comparison(names_).run(body.statements[i], body.statements[at]);
      if (!candidates.empty()) keep_some(body, i, at, candidates);
    }
  }

  void keep_some(const Body& body, std::size_t first, std::size_t second,
                 const std::vector<Candidate>& candidates) {
    const bool nothing_made = std::none_of(
        body.statements.begin() + static_cast<std::ptrdiff_t>(first) + 1,
        body.statements.begin() + static_cast<std::ptrdiff_t>(second),
        [&](const Statement& each) { return allocates(each, names_); });
    std::vector<Type> places;
    if (nothing_made) places = mapped_types(body.statements[second]);
    for (const Candidate& candidate : candidates) {
      const Type type = array_type(candidate, names_);
      const auto array = array_of_values(candidate);
      if (!array || !is_used_from(body, second, *array)) {
        const auto place = std::find(places.begin(), places.end(), type);
        if (place == places.end()) continue;
        places.erase(place);
      }
      note(candidate, array ? "" : size_formula(type) + ", where a later result will be");
      keep(candidate, names_);
      changed_ = true;
    }
  }
  std::vector<Type> mapped_types(const Statement& statement) const {
    std::vector<Type> types;
    for (const Binder& each : statement.results) {
      if (names_.type(each.name).is_array()) types.push_back(names_.type(each.name));
    }
    return types;
  }
  bool is_used_from(const Body& body, std::size_t at, NameId array) const {
    for (const Operand& each : body.results) {
      if (each == Operand(array)) return true;
    }
    for (; at < body.statements.size(); ++at) {
      const auto used = free_names(body.statements[at], names_);
      if (std::find(used.begin(), used.end(), array) != used.end()) return true;
    }
    return false;
  }

  std::string size_formula(const Type& type) const {
    std::string formula;
    for (const Operand& size : type.shape) {
      if (!formula.empty()) formula += "·";
      formula += size.is_name() ? names_.base(size.name())
                                : std::to_string(integer_value(size.constant()));
    }
    return formula + " " + std::string(name_of(type.element));
  }
  void note(const Candidate& candidate, std::string stored) {
    if (report_ == nullptr) return;
    for (const Statement& each : map_of(*candidate.levels.back().second).map.body.statements) {
      if (each.results.empty() || each.results.front().name != candidate.in_second) continue;
      const std::string operation(name_of(as<Scalar>(each.operation)->op));
      report_->entries.push_back({each.location, "values of `" + operation + "`", "reverse",
                                  "read where they were first computed, an eighth of the cost "
                                  "of evaluating them again",
                                  std::move(stored)});
      return;
    }
  }

  Names& names_;
  AdReport* report_;
  bool changed_ = false;
};

}  // namespace

bool save_values(ParallelProgram& program, AdReport* report) {
  if (report != nullptr) report->locations = program.program.locations;
  bool changed = false;
  for (Function& function : program.program.functions) {
    Keeper keeper(program.program, report);
    keeper.body(function.body);
    changed = changed || keeper.changed();
  }
  return changed;
}

}  // namespace dagaz::passes
