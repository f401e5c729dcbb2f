// Where arrays are used for the last time, for what runs a program with each array a value of its
// own: such a use may take the array from its name, so that an update of it copies nothing.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/program.h"

namespace dagaz::ir {

/// The last uses in functions.  Those in a scope that may run several times are of arrays bound
/// inside; those in a branch, also of arrays from around that nothing after the branch uses.
class LastUses {
 public:
  void add(const Function& function, const Names& names);

  /// The arrays that `statement` mentions once, outside of its scopes, and that nothing which runs
  /// later uses before they are bound again.
  const std::vector<NameId>& of(const Statement& statement) const { return at(&statement); }
  /// The same of the results of `body`.
  const std::vector<NameId>& of(const Body& body) const { return at(&body); }

 private:
  friend class LastUseWalk;
  const std::vector<NameId>& at(const void* place) const;

  std::unordered_map<const void*, std::vector<NameId>> arrays_;  // by statement or body
};

}  // namespace dagaz::ir
