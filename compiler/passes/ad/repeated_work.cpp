// Two maps are walked side by side.  Parameters correspond if they are elements of the same array;
// statements that are equal up to what corresponds correspond; and the bodies of two maps of one
// width that do not, but share an array, are walked in the same way.
#include "passes/ad/repeated_work.h"

#include <algorithm>

#include "ir/fields.h"
#include "passes/ad/consumption.h"
#include "passes/ad/loop_depth.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

class RepeatedWork {
 public:
  RepeatedWork(std::vector<Statement>& statements, Environment& environment,
               const std::function<bool(const Type&)>& may_be_kept)
      : statements_(&statements),
        names_(&environment.names()),
        consumed_(consumed_names(statements, environment.names(), environment.functions())),
        may_be_kept_(&may_be_kept) {}

  void run();

 private:
  /// Two maps side by side: positions of their statements in their scopes.
  struct Level {
    std::size_t first;
    std::size_t second;
  };
  /// A value of the innermost of such maps, and the equal one.
  struct Repeated {
    std::vector<Level> levels;
    std::size_t statement;  // of the second map's body
    NameId value;
    NameId known;
  };

  bool correspond(const MapScanReduce& first, const MapScanReduce& second);
  std::optional<std::size_t> equal_statement(const Body& first, const Statement& second);
  bool find(const Body& first, const Body& second);
  bool find_in(const std::vector<Statement>& first, std::size_t i,
               const std::vector<Statement>& second, std::size_t j);
  int loops_repeated(const std::vector<Statement>& statements, std::size_t last) const;
  bool is_worth_keeping(const std::vector<Statement>& statements, std::size_t j,
                        NameId value) const;
  bool is_used(const Body& body, NameId value) const;
  void keep(const Repeated& repeated);

  std::vector<Statement>* statements_;
  Names* names_;
  NameSet consumed_;
  const std::function<bool(const Type&)>* may_be_kept_;
  Substitution known_;  // names of the second map, and what they are in the first
  std::vector<Level> levels_;
  std::vector<Operand> widths_;  // of the levels
  std::optional<Repeated> found_;
};

/// Maps whose body may be walked: the elements of their mapped results have no order.
const MapScanReduce* plain_map(const Statement& statement) {
  const auto* map = as<MapScanReduce>(statement.operation);
  const bool plain = map != nullptr && map->scans.empty() && !map->post;
  return plain && statement.tokens.empty() ? map : nullptr;
}

}  // namespace

bool RepeatedWork::correspond(const MapScanReduce& first, const MapScanReduce& second) {
  if (first.width != substitute(second.width, known_)) return false;
  bool any = false;
  for (std::size_t k = 0; k < second.arrays.size(); ++k) {
    const Operand array = substitute(Operand(second.arrays[k]), known_);
    for (std::size_t i = 0; i < first.arrays.size(); ++i) {
      if (Operand(first.arrays[i]) != array || consumed_.count(first.arrays[i]) != 0) continue;
      known_.insert_or_assign(second.map.parameters[k].name,
                              Operand(first.map.parameters[i].name));
      any = true;
    }
  }
  return any;
}

std::optional<std::size_t> RepeatedWork::equal_statement(const Body& first,
                                                         const Statement& second) {
  if (!second.tokens.empty()) return std::nullopt;
  for (const NameId name : free_names(second, *names_)) {
    if (consumed_.count(name) != 0) return std::nullopt;
  }
  Statement copy = renamed(second, *names_);
  substitute(copy, known_, *names_);
  for (std::size_t i = 0; i < first.statements.size(); ++i) {
    const Statement& each = first.statements[i];
    if (each.tokens.empty() && each.operation.index() == copy.operation.index() &&
        equivalent(each.operation, copy.operation, *names_)) {
      return i;
    }
  }
  return std::nullopt;
}

// How deep loops are nested in the statement, or in what is repeated for it in the same scope.
int RepeatedWork::loops_repeated(const std::vector<Statement>& statements,
                                 std::size_t last) const {
  NameSet needed;
  int deepest = 0;
  for (std::size_t j = last + 1; j-- > 0;) {
    const Statement& each = statements[j];
    const bool is_needed = j == last || std::any_of(each.results.begin(), each.results.end(),
                                                    [&](const Binder& result) {
                                                      return needed.count(result.name) != 0;
                                                    });
    if (!is_needed || known_.count(each.results.front().name) == 0) continue;
    deepest = std::max(deepest, loops_in(each.operation));
    for (const NameId name : free_names(each, *names_)) needed.insert(name);
  }
  return deepest;
}

// More loops than a value has dimensions: finding each element takes a loop.
bool RepeatedWork::is_worth_keeping(const std::vector<Statement>& statements, std::size_t j,
                                    NameId value) const {
  const Type& type = names_->type(value);
  if (type.kind != TypeKind::value || consumed_.count(value) != 0) return false;
  if (loops_repeated(statements, j) <= static_cast<int>(type.rank())) return false;
  Type whole = type;
  whole.shape.insert(whole.shape.begin(), widths_.begin(), widths_.end());
  return (*may_be_kept_)(whole);
}

// Whether anything in the body that has no equal needs the value.
bool RepeatedWork::is_used(const Body& body, NameId value) const {
  const auto needs = [&](const Statement& each) {
    if (known_.count(each.results.front().name) != 0) return false;
    const std::vector<NameId> used = free_names(each, *names_);
    return std::find(used.begin(), used.end(), value) != used.end();
  };
  return std::any_of(body.statements.begin(), body.statements.end(), needs) ||
         std::find(body.results.begin(), body.results.end(), Operand(value)) != body.results.end();
}

bool RepeatedWork::find(const Body& first, const Body& second) {
  for (const Statement& each : second.statements) {
    const auto equal = equal_statement(first, each);
    if (!equal) continue;
    const Statement& twin = first.statements[*equal];
    for (std::size_t i = 0; i < each.results.size(); ++i) {
      known_.insert_or_assign(each.results[i].name, Operand(twin.results[i].name));
    }
  }
  for (std::size_t j = 0; j < second.statements.size(); ++j) {
    const Statement& each = second.statements[j];
    for (const Binder& result : each.results) {
      const auto known = known_.find(result.name);
      if (known == known_.end() || !is_used(second, result.name)) continue;
      if (!is_worth_keeping(second.statements, j, result.name)) continue;
      found_ = Repeated{levels_, j, result.name, known->second.name()};
      return true;
    }
    if (known_.count(each.results.front().name) != 0) continue;
    for (std::size_t i = 0; i < first.statements.size(); ++i) {
      if (find_in(first.statements, i, second.statements, j)) return true;
    }
  }
  return false;
}

bool RepeatedWork::find_in(const std::vector<Statement>& first, std::size_t i,
                           const std::vector<Statement>& second, std::size_t j) {
  const MapScanReduce* one = plain_map(first[i]);
  const MapScanReduce* other = plain_map(second[j]);
  if (one == nullptr || other == nullptr || !correspond(*one, *other)) return false;
  levels_.push_back({i, j});
  widths_.push_back(one->width);
  const bool any = find(one->map.body, other->map.body);
  levels_.pop_back();
  widths_.pop_back();
  return any;
}

// The first maps give the value, as an array that the second ones map over.
void RepeatedWork::keep(const Repeated& repeated) {
  std::vector<Statement*> first;
  std::vector<Statement*> second;
  std::vector<Statement>* firsts = statements_;
  std::vector<Statement>* seconds = statements_;
  for (const Level& level : repeated.levels) {
    first.push_back(&(*firsts)[level.first]);
    second.push_back(&(*seconds)[level.second]);
    firsts = &std::get<MapScanReduce>(first.back()->operation).map.body.statements;
    seconds = &std::get<MapScanReduce>(second.back()->operation).map.body.statements;
  }
  NameId value = repeated.known;
  for (std::size_t level = first.size(); level-- > 0;) {
    auto& map = std::get<MapScanReduce>(first[level]->operation);
    const Type row = names_->type(value);
    map.map.body.results.push_back(value);
    map.map.result_types.push_back(row);
    value = names_->fresh(names_->base(value), array_over(map.width, row));
    first[level]->results.push_back(Binder{value});
  }
  for (Statement* each : second) {
    auto& map = std::get<MapScanReduce>(each->operation);
    const NameId element = names_->fresh(names_->base(value), row_of(names_->type(value)));
    map.arrays.push_back(value);
    map.map.parameters.push_back(Binder{element});
    value = element;
  }
  auto& body = std::get<MapScanReduce>(second.back()->operation).map.body;
  Statement& gone = body.statements[repeated.statement];
  for (Binder& result : gone.results) {
    if (result.name == repeated.value) result.name = names_->fresh_like(result.name);
  }
  substitute(body, Substitution{{repeated.value, Operand(value)}}, *names_);
}

void RepeatedWork::run() {
  for (std::size_t j = 1; j < statements_->size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      do {
        known_.clear();
        found_.reset();
        if (find_in(*statements_, i, *statements_, j)) keep(*found_);
      } while (found_);
    }
  }
}

void keep_repeated_work(std::vector<Statement>& statements, Environment& environment,
                        const std::function<bool(const Type&)>& may_be_kept) {
  RepeatedWork(statements, environment, may_be_kept).run();
}

}  // namespace dagaz::passes::ad
