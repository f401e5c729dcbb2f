// What the points of a nest of maps compute, as functions of the point: so that one value can be
// computed for another point, elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/builder.h"
#include "ir/names.h"
#include "passes/tunables.h"

namespace dagaz::passes::gathering {

using namespace ir;  // NOLINT: private header of the pass

/// constant + Σ factor · index of a level + Σ factor · i64 from outside the nest + Σ factor · index
/// of a level · i64 from outside, as windows have whose taps lie apart.
struct Affine {
  std::map<int, std::int64_t> levels;
  std::map<NameId, std::int64_t> others;
  std::map<std::pair<int, NameId>, std::int64_t> scaled;
  std::int64_t constant = 0;
  bool operator==(const Affine&) const = default;

  /// this + factor · other
  Affine plus(const Affine& other, std::int64_t factor) const;
};

/// What computing a value takes.
struct Needs {
  std::set<int> levels;        // whose indices it depends on
  std::int64_t cost = 0;       // operations
  bool reads = false;          // elements of arrays
  std::vector<NameId> tokens;  // that its statements carry, from outside the nest
};

/// A point of a nest, and what has been computed for it in one scope.
struct Point {
  std::map<int, Operand> at;  // the index of each level
  std::unordered_map<NameId, Operand> made = {};
};

/// What is known of names from outside a nest.
struct Outside {
  NameSet counts;                              // arrays 0, 1, 2, …
  std::unordered_map<NameId, Scalar> scalars;  // those of i64
};

/// The names bound in a nest.  Levels are its maps, by number.
class NestValues {
 public:
  NestValues(const Names& names, const Outside& outside) : names_(names), outside_(outside) {}

  /// The parameters of another map as elements of its arrays, or as what maps of the nest made
  /// these of.
  int add_level(const MapScanReduce& map);
  /// The results of a statement of the nest, which has to stay where it is, and of those of its
  /// sides if it is a branch.
  void learn(const Statement& statement);

  /// From here on a scalar that the points of these levels, outermost first, compute is an element
  /// of the array that is returned, which is for others to bind.
  NameId keep(NameId value, const std::vector<int>& levels, Names& names);

  const Operand& width(int level) const { return widths_[static_cast<std::size_t>(level)]; }
  /// Whether the points of these levels are of an unknown number: points of a known one are few.
  bool are_many(const std::vector<int>& levels) const {
    return std::any_of(levels.begin(), levels.end(),
                       [&](int level) { return !width(level).is_constant(); });
  }
  bool binds(const Operand& operand) const {
    return operand.is_name() && definitions_.contains(operand.name());
  }
  /// Nothing where something else than arithmetic, elements of arrays and branches between these is
  /// needed, or a token of the nest.
  std::optional<Needs> needs_of(const Operand& operand) const;
  /// Whether a sum over `summed`, for each index of the other levels, may compute its terms, and
  /// the conditions that they stand under, again: what depends on all levels is computed once for
  /// each point as before, and in vectors; what depends on some alone is computed for each index of
  /// the others.  Their needs are known.
  bool are_light(const std::vector<Operand>& terms, const std::vector<int>& levels,
                 const std::vector<int>& summed, const Tunables& tunables) const;
  std::optional<Affine> affine(const Operand& operand) const;
  /// Whether `operand` is one less than `extent`.
  bool is_last(const Operand& operand, const Operand& extent) const;
  /// The statement that computes a name of the nest; null for others, and for parameters.
  const Statement* statement_of(const Operand& operand) const;

  /// `operand`, whose needs are known, at a point.
  Operand value(const Operand& operand, Point& point, Builder& out) const;

 private:
  struct Definition {
    const Statement* statement = nullptr;
    int level = -1;  // of a parameter
    NameId array;    // whose element it is
  };
  void define_element(NameId name, NameId array, int level);
  std::optional<Operand> made_element(NameId array, int level);
  Operand resolved(const Operand& operand) const;
  const Definition* find(const Operand& operand) const;
  std::int64_t own_cost(const Definition& definition) const;
  bool add_needs(const Operand& operand, Needs& needs, std::unordered_set<NameId>& seen) const;
  bool add_branch(const Branch& branch, std::size_t result, Needs& needs,
                  std::unordered_set<NameId>& seen) const;
  bool add_array(NameId array, Needs& needs, std::unordered_set<NameId>& seen) const;
  Operand element(NameId name, Point& point, Builder& out) const;
  Operand branch_value(const Statement& statement, std::size_t result, Point& point,
                       Builder& out) const;

  const Names& names_;
  const Outside& outside_;
  std::vector<Operand> widths_;
  std::unordered_map<NameId, Definition> definitions_;
  std::unordered_map<NameId, Operand> same_;  // parameters that are values of maps of the nest
  std::unordered_map<const Statement*, int> producers_;  // these, and the levels of their elements
};

/// The value of `sum` where levels have the given indices.
Operand value_of(const Affine& sum, const std::map<int, Operand>& at, Builder& out);

}  // namespace dagaz::passes::gathering
