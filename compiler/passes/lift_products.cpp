// Products under a mask are computed for all points, and then masked:
//
//   map (\x -> map (\y -> if c then f (sum (map2 (*) x y)) else g) ys) xs
//     =  map (\x -> map (\y -> let s = sum (map2 (*) x y) in if c then f s else g) ys) xs
//
// Attention that looks back only is written so.  The sums of all points are a product of matrices,
// and so are the adjoints; those of some points are a loop in each, to whose rows it adds one by one.
// Half of the sums, as of a triangle, pay for all.  A condition on integers and truth values is
// taken for a mask; one on floats may hold for a few points, and stays around its sum.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/value_count.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

class Lifter {
 public:

  void function(Function& function) {
    levels_.emplace_back();
    for (const Binder& parameter : function.parameters) levels_.back().insert(parameter.name);
    body(function.body);
  }
  bool changed() const { return changed_; }

 private:
  struct Scopes;

  void body(Body& body);
  std::size_t lift(const Branch& branch, const Body& side, const Body& other) const;
  bool is_product(const Statement& statement, const NameSet& views) const;
  bool is_mask(const Operand& condition) const;
  std::optional<std::size_t> level_of(NameId name) const;

  std::vector<NameSet> levels_;                      // names bound in each map of a nest
  std::unordered_map<NameId, Scalar> truth_values_;  // that are computed
  bool changed_ = false;
};

/// Enters the scopes of a statement; those of a map are a level of the nest.
struct Lifter::Scopes {
  Lifter& lifter;
  bool is_map;
  void use(const NameId&) {}
  void use(const Operand&) {}
  void bind(const Binder& binder) { lifter.levels_.back().insert(binder.name); }
  void type(const Type&) {}
  void body(Body& body) { lifter.body(body); }
  void lambda(Lambda& lambda) {
    if (is_map) lifter.levels_.emplace_back();
    for (const Binder& parameter : lambda.parameters) bind(parameter);
    lifter.body(lambda.body);
    if (is_map) lifter.levels_.pop_back();
  }
};

void Lifter::body(Body& body) {
  std::vector<Statement> statements;
  for (Statement& one : body.statements) {
    if (auto* branch = as<Branch>(one.operation)) {
      for (auto [side, other] : {std::pair(&branch->then_body, &branch->else_body),
                                 std::pair(&branch->else_body, &branch->then_body)}) {
        const std::size_t lifted = lift(*branch, *side, *other);
        const auto end = side->statements.begin() + static_cast<std::ptrdiff_t>(lifted);
        std::move(side->statements.begin(), end, std::back_inserter(statements));
        side->statements.erase(side->statements.begin(), end);
        changed_ = changed_ || lifted > 0;
      }
    } else if (const auto* scalar = as<Scalar>(one.operation)) {
      if (scalar->result == ScalarType::boolean) {
        truth_values_.emplace(one.results.front().name, *scalar);
      }
    }
    Scopes scopes{*this, as<MapScanReduce>(one.operation) != nullptr};
    walk_fields(scopes, one.operation);
    for (const Binder& result : one.results) levels_.back().insert(result.name);
    statements.push_back(std::move(one));
  }
  body.statements = std::move(statements);
}

// How many statements at the beginning of the side are the product and views that it reads, where
// the rest of both sides costs little.
std::size_t Lifter::lift(const Branch& branch, const Body& side, const Body& other) const {
  if (levels_.size() < 3 || !only_computes(other) || !is_mask(branch.condition)) return 0;
  NameSet views;
  for (std::size_t k = 0; k < side.statements.size(); ++k) {
    const Statement& one = side.statements[k];
    if (is_product(one, views)) {
      Body rest{{side.statements.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                 side.statements.end()},
                side.results};
      return only_computes(rest) ? k + 1 : 0;
    }
    if (!is_view(one.operation) || !one.tokens.empty()) return 0;
    for (const Binder& result : one.results) views.insert(result.name);
  }
  return 0;
}

// Whether it is a sum over a row of the innermost map's points and a row that these share, of
// another map's, where nothing can go wrong.
bool Lifter::is_product(const Statement& statement, const NameSet& views) const {
  const auto* sum = as<MapScanReduce>(statement.operation);
  if (sum == nullptr || sum->reductions.empty() || !sum->scans.empty() || sum->post ||
      value_count(sum->reductions) != statement.results.size() || !statement.tokens.empty() ||
      !only_computes(sum->map.body)) {
    return false;
  }
  const std::size_t innermost = levels_.size() - 1;
  const auto is_at = [&](NameId array, bool own) {
    const auto level = views.contains(array) ? innermost : level_of(array);
    return level && (own ? *level == innermost : *level > 0 && *level < innermost);
  };
  const auto any = [&](bool own) {
    return std::any_of(sum->arrays.begin(), sum->arrays.end(),
                       [&](NameId array) { return is_at(array, own); });
  };
  return any(true) && any(false);
}

bool Lifter::is_mask(const Operand& condition) const {
  if (!condition.is_name()) return false;
  const auto found = truth_values_.find(condition.name());
  if (found == truth_values_.end()) return true;
  const Scalar& scalar = found->second;
  if (scalar.type != ScalarType::boolean) return is_integer(scalar.type);
  return std::all_of(scalar.arguments.begin(), scalar.arguments.end(), [&](const Operand& one) {
    return one.is_constant() || is_mask(one);
  });
}

std::optional<std::size_t> Lifter::level_of(NameId name) const {
  for (std::size_t k = levels_.size(); k-- > 0;) {
    if (levels_[k].contains(name)) return k;
  }
  return std::nullopt;
}

}  // namespace

bool lift_products(ParallelProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    Lifter lifter;
    lifter.function(function);
    changed = changed || lifter.changed();
  }
  return changed;
}

}  // namespace dagaz::passes
