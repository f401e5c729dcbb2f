// Which names may share memory, and what is consumed where.
//
// Each name of an array has roots: the names whose memory it may be part of.  A fresh array is its
// own root; a view has the roots of what it views.  Consuming an array consumes its roots, and no
// name with such a root may be used afterwards.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::ir {

/// Aliases and consumption of one function.
class AliasInfo {
 public:
  /// The names whose memory `name` may be part of.
  std::vector<NameId> roots(NameId name) const;
  bool may_alias(NameId a, NameId b) const;
  /// Whether the memory of `name` is consumed anywhere in the function, or may be the memory of
  /// something that is: what a branch or loop body gives is the memory of the result.
  bool is_consumed(NameId name) const;
  /// Whether the memory of `name` may be that of a result of the function.
  bool leaves_function(NameId name) const;
  /// Records a view made after the analysis.
  void add_view(NameId view, NameId of) { roots_[view] = roots(of); }
  /// The roots that executing `statement` consumes, of names bound before it; also for a statement
  /// that has the results of several which were analysed.
  std::vector<NameId> consumed_by(const Statement& statement) const;
  /// Whether these may be the memory of `name`, or one of `names`, which is another array then.
  bool may_write(const Statement& statement, NameId name) const;
  bool may_write(const Statement& statement, const std::vector<NameId>& names) const;
  /// Whether the one may write what the other uses.
  bool may_write(const Statement& statement, const Statement& user, const Names& names) const;
  /// Uses after consumption and the like, as text; empty in a well-formed function.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  friend class AliasWalk;
  bool has_root_in(NameId name, const NameSet& set) const;

  std::unordered_map<NameId, std::vector<NameId>> roots_;  // absent: the name itself
  std::unordered_map<NameId, std::vector<NameId>> consumed_by_;  // by first result
  NameSet consumed_;
  NameSet leaving_;
  std::vector<std::string> violations_;
};

/// `functions`: those it may call.
AliasInfo analyse_aliases(const Function& function, const Names& names,
                          const std::vector<Function>& functions);
AliasInfo analyse_aliases(const Function& function, const Program& program);

/// The names from outside of `statement` whose memory it consumes.  `functions`: those it may call.
std::vector<NameId> consumed_by(const Statement& statement, const Names& names,
                                const std::vector<Function>& functions);

}  // namespace dagaz::ir
