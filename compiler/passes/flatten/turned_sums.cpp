// Sums that are only needed with their dimensions exchanged are taken in that order.
//
//   permute (reduce over i, j, k of f i k · g j k) [1, 0]  =  reduce over j, i, k of f i k · g j k
//
// So is an adjoint of a matrix that a product read by columns.  Nothing is then written twice.  No
// element that is read may depend on two of the dimensions that change places: what neighbours read
// is as good in one order as in the other then.
#include "passes/flatten/turned_sums.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/fields.h"
#include "ir/names.h"
#include "passes/flatten/each_body.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

bool reads_sides_apart(const SegmentedReduce& e, const std::vector<int>& permutation,
                       const Names& names) {
  std::unordered_map<NameId, std::vector<bool>> depends;  // on dimensions that change places
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    const auto place = static_cast<std::size_t>(permutation[d]);
    std::vector<bool> own(permutation.size(), false);
    own[place] = place != d;
    depends.emplace(e.space[place].index.name, std::move(own));
  }
  for (const Statement& one : e.body.statements) {
    std::vector<bool> all(permutation.size(), false);
    for (const NameId used : free_names(one, names)) {
      const auto found = depends.find(used);
      if (found == depends.end()) continue;
      for (std::size_t d = 0; d < all.size(); ++d) all[d] = all[d] || found->second[d];
    }
    const bool computes = as<Scalar>(one.operation) != nullptr;
    if (!computes && std::count(all.begin(), all.end(), true) > 1) return false;
    for (const Binder& result : one.results) depends.emplace(result.name, all);
  }
  return true;
}

/// A body whose statements may exchange dimensions.
class Turning {
 public:
  Turning(Body& body, const Names& names) : body_(body), names_(names) {
    for (std::size_t s = 0; s < body.statements.size(); ++s) {
      for (const NameId name : free_names(body.statements[s], names)) {
        uses_[name].push_back(s);
      }
    }
    for (const Operand& result : body.results) {
      if (result.is_name()) uses_[result.name()].push_back(body.statements.size());
    }
  }

  void run() {
    std::vector<std::size_t> gone;
    for (Statement& one : body_.statements) turn(one, gone);
    std::sort(gone.begin(), gone.end());
    for (std::size_t k = gone.size(); k-- > 0;) {
      body_.statements.erase(body_.statements.begin() + static_cast<std::ptrdiff_t>(gone[k]));
    }
  }

 private:
  /// The statement that alone uses `name`, if it permutes it.
  const Statement* sole_permutation(NameId name) const {
    const auto uses = uses_.find(name);
    if (uses == uses_.end() || uses->second.size() != 1) return nullptr;
    if (uses->second[0] == body_.statements.size()) return nullptr;
    const Statement& user = body_.statements[uses->second[0]];
    return as<Permute>(user.operation) && user.tokens.empty() ? &user : nullptr;
  }

  void turn(Statement& statement, std::vector<std::size_t>& gone) {
    auto* e = as<SegmentedReduce>(statement.operation);
    if (e == nullptr) return;
    const Statement* const first = sole_permutation(statement.results[0].name);
    if (first == nullptr) return;
    const std::vector<int> permutation = as<Permute>(first->operation)->permutation;
    const std::size_t outer = e->space.size() - 1;
    if (permutation.size() != outer || !reads_sides_apart(*e, permutation, names_)) return;
    std::vector<NameId> turned;
    for (const Binder& result : statement.results) {
      const Statement* const user = sole_permutation(result.name);
      if (user == nullptr || as<Permute>(user->operation)->permutation != permutation ||
          names_.type(result.name).rank() != outer) {
        return;
      }
      turned.push_back(user->results[0].name);
    }
    for (std::size_t k = 0; k < turned.size(); ++k) {
      gone.push_back(uses_.at(statement.results[k].name)[0]);
      statement.results[k].name = turned[k];
    }
    const std::vector<SpaceDimension> before = e->space;
    for (std::size_t d = 0; d < outer; ++d) {
      e->space[d] = before[static_cast<std::size_t>(permutation[d])];
    }
  }

  Body& body_;
  const Names& names_;
  std::unordered_map<NameId, std::vector<std::size_t>> uses_;  // by which statements
};

}  // namespace

void turn_sums(Body& body, const Names& names) {
  Turning(body, names).run();
  for (Statement& one : body.statements) {
    if (as<Branch>(one.operation) || as<Loop>(one.operation) ||
        as<WithAccumulator>(one.operation)) {
      for_each_body(one.operation, [&](Body& inner) { turn_sums(inner, names); });
    }
  }
}

}  // namespace dagaz::passes::flattening
