// What the consumption check knows of a value: its shape as a tree of records, sums, functions and
// leaves, and for each leaf the variables that it may share memory with.  Numbers share nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/type.h"
#include "support/name_table.h"
#include "syntax/ids.h"

namespace dagaz::check {

/// Memory that a value may share with a variable, or with a field of one.
struct Alias {
  BindingId variable;
  /// Whether the variable is out of scope.  Its memory may still be shared with others, which must
  /// not be used once one of them has been consumed; but nobody can forbid its consumption.
  bool free = false;
  std::vector<Symbol> path = {};
  auto operator<=>(const Alias&) const = default;
};

/// Sorted, without duplicates.
using AliasSet = std::vector<Alias>;

AliasSet union_of(const AliasSet& a, const AliasSet& b);
void insert(AliasSet& set, Alias alias);
bool intersects(const AliasSet& a, const AliasSet& b);
bool contains(const AliasSet& set, const Alias& alias);

struct AliasValue;
/// Shared and never changed.
using AliasTree = std::shared_ptr<const AliasValue>;

struct AliasValue {
  enum class Kind { number, leaf, record, sum, function };
  Kind kind = Kind::number;
  /// Of a leaf in the type of a result: it shares nothing.  In the type of a parameter: it is
  /// consumed.
  bool unique = false;
  /// Of a leaf: its type is abstract, so that nobody here can know whether it is an array.
  bool is_abstract = false;
  AliasSet aliases = {};                                               // leaf, function
  std::vector<std::pair<Symbol, AliasTree>> fields = {};               // record
  std::vector<std::pair<Symbol, std::vector<AliasTree>>> variants = {};  // sum
  // function:
  bool consumes = false;
  AliasTree result = nullptr;
};

/// Builds the trees of types, each once.
class AliasTrees {
 public:
  /// Without aliases; `unique` as in the type.
  AliasTree of(const Type* type);

 private:
  std::unordered_map<const Type*, AliasTree> known_;
};

AliasTree number_tree();
/// Whether the type of a parameter has a part that is consumed.
bool has_unique_part(const Type* type);

/// All aliases, of every part.
AliasSet all_aliases(const AliasTree& tree);
/// Those of the parts that are not functions.
AliasSet array_aliases(const AliasTree& tree);
/// The sets of the parts that are not records.
void alias_parts(const AliasTree& tree, std::vector<AliasSet>& parts);

/// Every part with the same aliases.
AliasTree with_aliases(const AliasTree& tree, const AliasSet& aliases);
/// Every set with the aliases of `variable` added: itself, or its fields for the fields.
AliasTree with_self(const AliasTree& tree, BindingId variable);
/// The same without functions: what a global name stands for.  Of an abstract type, it counts as
/// out of scope: that a function returns it is no mistake, because it is mostly a number.
AliasTree with_global_self(const AliasTree& tree, BindingId variable);
/// `variables` are out of scope now.
AliasTree unscoped(const AliasTree& tree, const std::vector<BindingId>& variables);
/// Without the aliases of variables for which `drop` holds.
AliasTree without(const AliasTree& tree, const std::unordered_map<BindingId, Range>& dropped);
/// What one of two values is.
AliasTree combined(const AliasTree& a, const AliasTree& b);

/// What a function with results like `result` returns, if the function itself has the aliases
/// `closure`, given an argument that it consumes or not.
AliasTree returned(const AliasSet& closure, const AliasTree& result, bool consumes,
                   const AliasTree& argument);
/// `tree` with the uniqueness of its parts as in `pattern`.
AliasTree with_uniqueness(const AliasTree& tree, const AliasTree& pattern);

}  // namespace dagaz::check
