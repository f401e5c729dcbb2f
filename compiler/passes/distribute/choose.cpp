// Greedy: the extent that saves most is added to the choice, until none saves anything.  Then what
// is shared only to be gathered at once is left to every rank where that is cheaper.
#include "passes/distribute/choose.h"

#include <algorithm>

#include "ir/fields.h"
#include "passes/distribute/cost.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

namespace {

constexpr std::size_t most_extents = 32;  // that are tried
// Of all that a program costs: what a further extent must save, or it is not worth the messages.
constexpr double least_gain = 1e-3;

class Search {
 public:
  Search(const ir::Function& function, const ir::Names& names, const RankCosts& costs)
      : function_(function),
        placer_(function, names),
        cost_(function, names, costs),
        gain_(costs.element + costs.message > 0 ? least_gain : 0) {}

  Placement run() {
    collect(function_.body);
    best_ = placer_.place(choice_);
    best_cost_ = cost_.of(best_);
    while (add_extent()) {
    }
    for (const ir::NameId operation : operations_) leave_alone(operation);
    return std::move(best_);
  }

 private:
  void collect(const ir::Body& body) {
    for (const ir::Statement& one : body.statements) {
      const std::vector<Share> ways = placer_.ways(one);
      for (const Share& way : ways) {
        const ir::Operand& extent = extent_of(one.operation, way);
        const bool known = std::find(extents_.begin(), extents_.end(), extent) != extents_.end();
        if (!known && extents_.size() < most_extents) extents_.push_back(extent);
      }
      if (!ways.empty()) operations_.push_back(one.results[0].name);
      if (const auto* branch = as<ir::Branch>(one.operation)) {
        collect(branch->then_body);
        collect(branch->else_body);
      } else if (const auto* loop = as<ir::Loop>(one.operation)) {
        collect(loop->body);
      } else if (const auto* with = as<ir::WithAccumulator>(one.operation)) {
        collect(with->body.body);
      }
    }
  }

  /// Whether the choice costs less than `most`, and replaces the best so far.
  bool try_choice(Choice choice, double most) {
    Placement placement = placer_.place(choice);
    const double cost = cost_.of(placement);
    if (cost >= most) return false;
    best_ = std::move(placement);
    best_cost_ = cost;
    choice_ = std::move(choice);
    return true;
  }

  bool add_extent() {
    const Choice before = choice_;
    const double most = (1 - gain_) * best_cost_;
    bool better = false;
    for (const ir::Operand& extent : extents_) {
      if (std::find(before.extents.begin(), before.extents.end(), extent) != before.extents.end()) {
        continue;
      }
      Choice choice = before;
      choice.extents.push_back(extent);
      if (try_choice(std::move(choice), std::min(most, best_cost_))) better = true;
    }
    return better;
  }

  void leave_alone(ir::NameId operation) {
    if (!best_.shares.contains(operation) || !best_.gathered.contains(operation)) return;
    Choice choice = choice_;
    choice.unshared.insert(operation);
    try_choice(std::move(choice), best_cost_);
  }

  const ir::Function& function_;
  Placer placer_;
  CostModel cost_;
  const double gain_;
  std::vector<ir::Operand> extents_;
  std::vector<ir::NameId> operations_;
  Choice choice_;
  Placement best_;
  double best_cost_ = 0;
};

}  // namespace

Placement choose(const ir::Function& function, const ir::Names& names, const RankCosts& costs) {
  return Search(function, names, costs).run();
}

}  // namespace dagaz::passes::distributing
