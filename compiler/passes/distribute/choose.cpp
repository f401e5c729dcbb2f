// Greedy: the extent that saves most is added to the choice, until none saves anything.  Two that
// an array has are added at once where neither does alone: what works on rows and then on columns.
// Then what is shared only to be gathered at once is left to every rank where that is cheaper.
#include "passes/distribute/choose.h"

#include <algorithm>
#include <utility>

#include "ir/fields.h"
#include "passes/distribute/cost.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

namespace {

constexpr std::size_t most_extents = 32;  // that are tried
constexpr std::size_t most_pairs = 16;    // of them
// Of all that a program costs: what a further extent must save, or it is not worth the messages.
constexpr double least_gain = 1e-3;

class Search {
 public:
  Search(const ir::Function& function, const ir::Names& names, const RankCosts& costs,
         Results results, const Wishes& wishes, const Requests& requests)
      : function_(function),
        names_(names),
        placer_(function, names, results, requests),
        cost_(function, names, costs),
        wishes_(wishes),
        gain_(costs.element + costs.message > 0 ? least_gain : 0) {}

  Placement run() {
    collect(function_.body);
    choice_.extents = wishes_.shared;
    best_ = placer_.place(choice_);
    best_cost_ = cost_.of(best_);
    while (add_extent() || add_two()) {
    }
    if (count_bins()) {
      while (add_extent() || add_two()) {
      }
    }
    if (deliver()) {
      while (add_extent() || add_two()) {
      }
    }
    for (const ir::NameId operation : operations_) leave_alone(operation);
    gather_instead();
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
      if (!ways.empty()) {
        operations_.push_back(one.results[0].name);
        for (const ir::Binder& result : one.results) note_pairs(result.name);
        note_deliveries(one);
      }
      if (const auto* branch = as<ir::Branch>(one.operation)) {
        collect(branch->then_body);
        collect(branch->else_body);
      } else if (const auto* loop = as<ir::Loop>(one.operation)) {
        collect(loop->body);
      } else if (const auto* with = as<ir::WithAccumulator>(one.operation)) {
        collect(with->body.body);
        note_deliveries(*with, one.results);
      }
    }
  }

  /// What points may have for rows of others: to be delivered, everything over these is shared.
  struct Candidate {
    ir::NameId result;
    std::vector<ir::Operand> extents;  // the first is that of an array which is written
    bool adds;
  };
  void note_deliveries(const ir::WithAccumulator& with, const std::vector<ir::Binder>& results) {
    for (std::size_t k = 0; k < with.inputs.size(); ++k) {
      if (!with.inputs[k].op || with.inputs[k].shape.empty()) continue;
      Candidate candidate{results[k].name, {with.inputs[k].shape.front()}, true};
      for (const ir::Statement& one : with.body.body.statements) {
        if (const auto* space = space_of(one.operation)) {
          candidate.extents.push_back(space->front().extent);
        }
      }
      deliveries_.push_back(std::move(candidate));
    }
  }
  void note_deliveries(const ir::Statement& statement) {
    const std::vector<Target> targets = targets_of(statement.operation);
    if (targets.empty() || space_of(statement.operation)->size() != 1) return;
    Candidate candidate{
        statement.results[0].name, {}, as<ir::SegmentedHistogram>(statement.operation) != nullptr};
    for (const Target& one : targets) candidate.extents.push_back(one.shape.front());
    candidate.extents.push_back(space_of(statement.operation)->front().extent);
    deliveries_.push_back(std::move(candidate));
  }

  Choice with(Choice choice, const Candidate& candidate) const {
    choice.delivered.insert(candidate.result);
    for (const ir::Operand& extent : candidate.extents) {
      if (may_add(choice, extent)) choice.extents.push_back(extent);
    }
    return choice;
  }

  /// What is added to has few elements, unless others that run over them are shared.
  bool count_bins() {
    std::vector<ir::Operand> bins;
    for (const Candidate& one : deliveries_) {
      if (one.adds && !has(choice_.extents, one.extents.front()))
        bins.push_back(one.extents.front());
    }
    if (bins.empty()) return false;
    cost_.set_bins(std::move(bins));
    best_cost_ = cost_.of(best_);
    return true;
  }

  /// All at once, or one after the other; then without each.
  bool deliver() {
    const auto most = [&] { return (1 - gain_) * best_cost_; };
    Choice all = choice_;
    for (const Candidate& one : deliveries_) all = with(std::move(all), one);
    if (all.delivered.empty()) return false;
    if (!try_choice(std::move(all), most())) {
      for (const Candidate& one : deliveries_) try_choice(with(choice_, one), most());
    }
    for (const Candidate& one : deliveries_) {
      Choice without = choice_;
      if (without.delivered.erase(one.result) > 0) try_choice(std::move(without), best_cost_);
    }
    return !choice_.delivered.empty();
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

  static bool has(const std::vector<ir::Operand>& extents, const ir::Operand& extent) {
    return std::find(extents.begin(), extents.end(), extent) != extents.end();
  }
  bool may_add(const Choice& choice, const ir::Operand& extent) const {
    return !has(choice.extents, extent) && !has(wishes_.whole, extent);
  }

  bool add_extent() {
    const Choice before = choice_;
    const double most = (1 - gain_) * best_cost_;
    bool better = false;
    for (const ir::Operand& extent : extents_) {
      if (!may_add(before, extent)) continue;
      Choice choice = before;
      choice.extents.push_back(extent);
      if (try_choice(std::move(choice), std::min(most, best_cost_))) better = true;
    }
    return better;
  }

  bool add_two() {
    const Choice before = choice_;
    const double most = (1 - gain_) * best_cost_;
    bool better = false;
    for (const auto& [first, second] : pairs_) {
      if (!may_add(before, first) || !may_add(before, second)) continue;
      Choice choice = before;
      choice.extents.insert(choice.extents.end(), {first, second});
      if (try_choice(std::move(choice), std::min(most, best_cost_))) better = true;
    }
    return better;
  }

  /// Of an array that can be made by rows: those with another dimension.
  void note_pairs(ir::NameId array) {
    const std::vector<ir::Operand>& shape = names_.type(array).shape;
    for (std::size_t k = 1; k < shape.size(); ++k) {
      const std::pair two{shape.front(), shape[k]};
      const bool known = std::find(pairs_.begin(), pairs_.end(), two) != pairs_.end();
      if (!known && shape.front() != shape[k] && pairs_.size() < most_pairs) pairs_.push_back(two);
    }
  }

  /// An array that much is asked of, by all who ask.
  void gather_instead() {
    std::vector<std::pair<ir::NameId, ir::NameId>> all;
    for (const auto& [answers, request] : best_.requests) all.emplace_back(request.array, answers);
    std::sort(all.begin(), all.end());
    Choice choice = choice_;
    for (std::size_t k = 0; k < all.size(); ++k) {
      choice.unasked.insert(all[k].second);
      if (k + 1 < all.size() && all[k + 1].first == all[k].first) continue;
      try_choice(std::move(choice), best_cost_);
      choice = choice_;
    }
  }

  void leave_alone(ir::NameId operation) {
    if (!best_.shares.contains(operation) || !best_.gathered.contains(operation)) return;
    Choice choice = choice_;
    choice.unshared.insert(operation);
    try_choice(std::move(choice), best_cost_);
  }

  const ir::Function& function_;
  const ir::Names& names_;
  Placer placer_;
  CostModel cost_;
  const Wishes& wishes_;
  const double gain_;
  std::vector<ir::Operand> extents_;
  std::vector<std::pair<ir::Operand, ir::Operand>> pairs_;
  std::vector<ir::NameId> operations_;
  std::vector<Candidate> deliveries_;
  Choice choice_;
  Placement best_;
  double best_cost_ = 0;
};

}  // namespace

Placement choose(const ir::Function& function, const ir::Names& names, const RankCosts& costs,
                 Results results, const Wishes& wishes, const Requests& requests) {
  return Search(function, names, costs, results, wishes, requests).run();
}

}  // namespace dagaz::passes::distributing
