// Which small arrays must stay arrays, because something needs them in memory.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/name_flags.h"
#include "passes/passes.h"
#include "passes/scalarise/residence.h"

namespace dagaz::passes::scalarising {

/// Found by one walk over a function.
class WholeUses {
 public:
  WholeUses(const Function& function, const Names& names, FlattenTarget target);

  /// Whether the array, or a view or new version of it, is used other than element by element.
  bool is_whole(NameId array) const { return whole_.contains(array); }

 private:
  void body(const Body& body, Where where);
  void statement(const Statement& statement, Where where);
  void uses(const Statement& statement);
  void loop(const Loop& e, Where where);
  void branch(const Statement& statement, const Branch& e, Where where);
  void whole(const Operand& operand);
  /// Where `version` is whole, `array` is.
  void same(const Operand& array, NameId version);
  void spread();

  const Names& names_;
  const FlattenTarget target_;
  Residence residence_;
  NameFlags whole_;
  std::vector<NameId> found_;
  std::unordered_map<NameId, std::vector<NameId>> versions_of_;  // version → arrays
};

}  // namespace dagaz::passes::scalarising
