// Names that may share memory are kept in classes: the result of anything that might be a view of
// its operands joins theirs.  A statement that consumes a name ends all names of its class so far.
#include "passes/ad/lasting_values.h"

#include <unordered_map>

#include "passes/ad/consumption.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

class Classes {
 public:
  NameId find(NameId name) {
    const auto found = parent_.find(name);
    if (found == parent_.end()) return name;
    const NameId root = find(found->second);
    parent_.insert_or_assign(name, root);
    return root;
  }
  void join(NameId a, NameId b) {
    const NameId x = find(a);
    const NameId y = find(b);
    if (x != y) parent_.emplace(x, y);
  }

 private:
  std::unordered_map<NameId, NameId> parent_;
};

// Whether the results lie in memory of their own, whatever the operands.
bool is_fresh(const Operation& operation) {
  return as<MapScanReduce>(operation) != nullptr || as<Copy>(operation) != nullptr ||
         as<Replicate>(operation) != nullptr || as<Iota>(operation) != nullptr ||
         as<Concat>(operation) != nullptr || as<ArrayLiteral>(operation) != nullptr;
}

}  // namespace

NameSet lasting_values(const std::vector<Statement>& statements, const Names& names,
                       FunctionDerivatives& functions) {
  Classes classes;
  NameSet lasting;
  for (const Statement& statement : statements) {
    for (const NameId consumed : consumed_arrays(statement, names, functions)) {
      const NameId gone = classes.find(consumed);
      std::erase_if(lasting, [&](NameId name) { return classes.find(name) == gone; });
    }
    for (const Binder& result : statement.results) {
      const Type& type = names.type(result.name);
      if (type.kind != TypeKind::value) continue;
      lasting.insert(result.name);
      if (type.is_scalar() || is_fresh(statement.operation)) continue;
      for (const NameId operand : free_names(statement, names)) {
        if (names.type(operand).is_array()) classes.join(result.name, operand);
      }
    }
  }
  return lasting;
}

}  // namespace dagaz::passes::ad
