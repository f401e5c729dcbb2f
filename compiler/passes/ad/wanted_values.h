// The values of a scope that is differentiated, where they are wanted beside its adjoints.
//
// A map of the forward sweep may go if a statement of the return sweep gives its results instead
// and nothing that is swept back before needs them.  What needs them follows that statement; all is
// put in order once, at the end of the scope.  Each statement is looked at once.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::ad {

class WantedValues {
 public:
  /// None are wanted.
  WantedValues() = default;
  /// Those of the scope that `out` fills, whose forward sweep is done.
  explicit WantedValues(ir::Builder& out);

  bool are_of(const ir::Builder& out) const { return out_ == &out; }
  /// The forward sweep's map that gives just these values, by its place in the scope, if nothing
  /// that was swept back so far needs them.
  std::optional<std::size_t> map_that_may_wait(const std::vector<ir::NameId>& values);
  /// A statement of the return sweep gives the values of that map, as these results.
  void give(std::size_t map, const std::vector<ir::NameId>& results);
  /// The scope's statements without the maps whose values were given, each after what it needs.
  std::vector<ir::Statement> in_order(std::vector<ir::Statement> statements) const;

 private:
  void look_at_new_statements();
  void need(ir::NameId name);

  ir::Builder* out_ = nullptr;
  std::unordered_map<ir::NameId, std::size_t> forward_;  // what binds a name in the forward sweep
  std::vector<bool> needed_;                             // of the forward sweep's statements
  std::size_t seen_ = 0;
  std::vector<std::size_t> given_;
  ir::Substitution results_;  // that give values, and what the values are called
};

}  // namespace dagaz::passes::ad
