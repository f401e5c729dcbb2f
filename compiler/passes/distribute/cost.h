// What a placement costs, as far as that can be known without the sizes.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/program.h"
#include "passes/distribute/placement.h"
#include "passes/passes.h"

namespace dagaz::passes::distributing {

/// What is taken for sizes that are not known.
struct AssumedSizes {
  double extent = 0;
  double steps = 0;  // of a loop
  double few = 0;    // bins of histograms
  std::vector<ir::Operand> bins = {};  // these numbers

  double of(const ir::Operand& size) const;
};

class CostModel {
 public:
  CostModel(const ir::Function& function, const ir::Names& names, const RankCosts& costs)
      : function_(function), names_(names), costs_(costs) {}

  /// Operations of one rank, and what it waits for the others.
  double of(const Placement& placement);
  /// Numbers that count as those of bins.
  void set_bins(std::vector<ir::Operand> bins);

 private:
  double body(const ir::Body& body);
  double statement(const ir::Statement& statement);
  double meeting(const ir::Statement& statement, const Share& share) const;
  bool adds(const ir::Statement& statement) const;
  double gathering(ir::NameId array) const;
  double asking(const Request& request) const;
  double delivering(const std::vector<Brought>& all) const;
  double work_of(const ir::Statement& statement);
  double elements(ir::NameId array) const;
  double ranks() const { return static_cast<double>(costs_.ranks); }

  const ir::Function& function_;
  const ir::Names& names_;
  const RankCosts& costs_;
  const Placement* placement_ = nullptr;
  AssumedSizes unknown_;
  std::vector<ir::Operand> bins_;
  std::unordered_map<ir::NameId, double> work_;  // of operations, by first result
};

}  // namespace dagaz::passes::distributing
