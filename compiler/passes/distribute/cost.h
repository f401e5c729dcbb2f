// What a placement costs, as far as that can be known without the sizes.
#pragma once

#include <unordered_map>

#include "ir/program.h"
#include "passes/distribute/placement.h"
#include "passes/passes.h"

namespace dagaz::passes::distributing {

class CostModel {
 public:
  CostModel(const ir::Function& function, const ir::Names& names, const RankCosts& costs)
      : function_(function), names_(names), costs_(costs) {}

  /// Operations of one rank, and what it waits for the others.
  double of(const Placement& placement);

 private:
  double body(const ir::Body& body);
  double statement(const ir::Statement& statement);
  double meeting(const ir::Statement& statement, const Share& share) const;
  bool adds(const ir::Statement& statement) const;
  double gathering(ir::NameId array) const;
  double work_of(const ir::Statement& statement);
  double elements(ir::NameId array) const;

  const ir::Function& function_;
  const ir::Names& names_;
  const RankCosts& costs_;
  const Placement* placement_ = nullptr;
  double unknown_ = 0;                           // the size that is taken for one that is not known
  std::unordered_map<ir::NameId, double> work_;  // of operations, by first result
};

}  // namespace dagaz::passes::distributing
