// One function while it gets its plan: what is known of its values so far, and who has a say in a
// schedule: what is tuned for the target, chance (random.h), and a plan that is wanted (wanted.h).
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plan/plan.h"
#include "plan/random.h"
#include "plan/stencil.h"
#include "plan/surroundings.h"
#include "plan/wanted.h"

namespace dagaz::plan {

struct Planning {
  Planning(ir::Program& program, const PlanOptions& plan_options,
           const std::unordered_set<ir::NameId>& element_only,
           std::optional<RandomSchedules>& random_schedules, const WantedPlan& wanted_plan)
      : names(program.names), options(plan_options),
        around(program, options.target, element_only), random(random_schedules),
        wanted(wanted_plan) {}

  ir::Names& names;
  const PlanOptions& options;
  Surroundings around;
  std::unordered_map<ir::NameId, ir::Scalar> scalars;  // of i64, computed by the host
  std::unordered_set<ir::NameId> iotas;                // 0, 1, 2, …, without memory
  std::optional<RandomSchedules>& random;
  const WantedPlan& wanted;

  const Tunables& tunables() const { return options.target.tunables; }
  bool on_cpu() const { return options.device == Device::cpu; }
  bool may_choose() const { return on_cpu() && !options.only_pointwise; }
  /// What prints runs point by point: a strategy may evaluate a point twice, or what is none.
  bool may_choose(const ir::Operation& operation) const;
  KnownOutside known_outside() const { return {names, scalars, iotas}; }

  /// Notes what a statement of the host binds.
  void enter(const ir::Statement& statement);
  /// What a GPU takes, of what would be chosen for it.
  void on_gpu(const std::vector<ir::Binder>& results, ir::Schedule& schedule, ir::Schedule chosen,
              bool is_map = false);

  /// What a point does, for the sizes of tasks: `besides` operations more than its body.
  void note_work(const ir::Body& body, const std::vector<ir::Type>& result_types,
                 ir::Schedule& schedule, std::int64_t besides = 0) const;
  /// Once it is known how points run.
  void note_vectors(const ir::Body& body, ir::Schedule& schedule) const;
  /// Results that are made in strips: those of tasks that walk points in their order.
  void note_strip(const std::vector<ir::Binder>& results, std::size_t dimensions,
                  ir::Schedule& schedule);
  /// Pieces of a scan that tasks take in turn, or of a reduction whose lanes walk stretches.
  void note_link(const std::vector<ir::Binder>& results, int link, ir::Schedule& schedule);

  /// What is tuned, and what chance takes where it decides.
  ir::Interchanged tiles() const;
  ir::HeldBlocks blocks() const;
  ir::Interchanged some_tiles() { return random ? random->interchanged() : tiles(); }
  ir::HeldBlocks some_blocks() { return random ? random->held_blocks() : blocks(); }
  ir::FusedStencil some_stencil(int maps);
};

bool accumulates(const std::vector<ir::Type>& result_types);
/// The guarded versions, and what happens where no guard holds.
ir::Schedule versions(std::vector<ir::Version> guarded, ir::Strategy otherwise);

}  // namespace dagaz::plan
