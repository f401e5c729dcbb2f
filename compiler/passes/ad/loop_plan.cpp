// Names are taken for sizes, so amounts compare whatever the sizes are; see the header.
#include "passes/ad/loop_plan.h"

#include <algorithm>

#include "ir/cost.h"
#include "passes/ad/environment.h"
#include "passes/ad/kept_volume.h"
#include "passes/ad/loop_sizes.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

const Statement& inner_loop(const Loop& around, const LoopPlan::Inner& inner) {
  const auto& statements = around.body.statements;
  const auto found = std::find_if(statements.begin(), statements.end(),
                                  [&](const Statement& each) { return key_of(each) == inner.key; });
  DZ_CHECK(found != statements.end(), "a plan for a loop of this body");
  return *found;
}

namespace {

class LoopPlanner {
 public:
  LoopPlanner(const Loop& loop, const Names& names, const std::function<bool(NameId)>& is_active,
              std::int64_t beyond_values)
      : loop_(&loop),
        names_(&names),
        is_active_(&is_active),
        beyond_values_(beyond_values),
        plan_(plan_of_loop_values(loop, names)) {
    if (const auto* form = as<ForForm>(loop.form)) inside_.insert(form->index.name);
    for (const LoopValue& value : loop.values) inside_.insert(value.parameter.name);
    for (const NameId name : bound_names(loop.body)) inside_.insert(name);
  }

  LoopPlan run();

 private:
  bool keeps_all() const { return loop_->attributes.stripmine < 0; }
  bool is_fixed(const Operand& size) const {
    return !size.is_name() || inside_.count(size.name()) == 0;
  }
  /// Whether values of the type have a place in an array over the iterations.
  bool is_fixed(const Type& type) const {
    return type.kind == TypeKind::value &&
           std::all_of(type.shape.begin(), type.shape.end(),
                       [&](const Operand& size) { return is_fixed(size); });
  }
  bool is_fixed(const Loop& inner, const LoopPlan& plan) const;

  void find_used_names();
  bool is_used(const Binder& result) const { return used_.count(result.name) != 0; }
  void keep_inner_loops();
  bool can_be_kept(const Statement& statement) const;
  const LoopPlan::Inner* inner_plan(const Statement& statement) const;

  bool read_in_parts(std::size_t value);
  bool passes_on(const Statement& statement, NameSet& family, std::vector<NameId>& reads) const;
  void keep_results_of_inner_loops();
  void hand_on();
  bool is_handed_on(NameId name) const;
  bool is_computed_here(NameId name) const;
  void keep_all_computed();

  const Loop* loop_;
  const Names* names_;
  const std::function<bool(NameId)>* is_active_;
  std::int64_t beyond_values_;
  LoopPlan plan_;
  NameSet inside_;  // names bound by the loop
  NameSet used_;    // by the statements of its body
};

bool any_of(const std::vector<NameId>& names, const NameSet& set) {
  return std::any_of(names.begin(), names.end(), [&](NameId name) { return set.count(name) != 0; });
}

KeptVolume volume_of_values(const Loop& loop, const Names& names) {
  KeptVolume volume;
  for (const LoopValue& value : loop.values) volume.add(names.type(value.parameter.name));
  return volume;
}

/// All that the loop keeps, for all of its iterations.
KeptVolume volume_of(const Loop& loop, const LoopPlan& plan, const Names& names) {
  KeptVolume volume;
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    if (plan.entries[i] == LoopPlan::Entry::kept) {
      volume.add(names.type(loop.values[i].parameter.name));
    }
  }
  for (const NameId name : plan.values) volume.add(names.type(name));
  for (const LoopPlan::Inner& inner : plan.inner) {
    const auto& within = std::get<Loop>(inner_loop(loop, inner).operation);
    volume.add(volume_of(within, inner.plan, names));
  }
  volume.multiply(std::get<ForForm>(loop.form).bound);
  return volume;
}

// ---------------------------------------------------------------- loops inside

// Whether all that the plan of a loop inside keeps has a size that is known outside.
bool LoopPlanner::is_fixed(const Loop& inner, const LoopPlan& plan) const {
  if (!is_fixed(std::get<ForForm>(inner.form).bound)) return false;
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    const Type& type = names_->type(inner.values[i].parameter.name);
    if (plan.entries[i] == LoopPlan::Entry::kept ? !is_fixed(type)
                                                 : plan.entries[i] != LoopPlan::Entry::unknown) {
      return false;
    }
  }
  return std::all_of(plan.values.begin(), plan.values.end(),
                     [&](NameId name) { return is_fixed(names_->type(name)); }) &&
         std::all_of(plan.inner.begin(), plan.inner.end(), [&](const LoopPlan::Inner& each) {
           return is_fixed(std::get<Loop>(inner_loop(inner, each).operation), each.plan);
         });
}

bool LoopPlanner::can_be_kept(const Statement& statement) const {
  const auto* inner = as<Loop>(statement.operation);
  if (inner == nullptr || !std::holds_alternative<ForForm>(inner->form)) return false;
  return std::any_of(statement.results.begin(), statement.results.end(),
                     [&](const Binder& result) { return (*is_active_)(result.name); }) &&
         std::all_of(statement.results.begin(), statement.results.end(),
                     [&](const Binder& result) { return is_fixed(names_->type(result.name)); });
}

void LoopPlanner::find_used_names() {
  for (const Statement& statement : loop_->body.statements) {
    for (const NameId name : free_names(statement, *names_)) used_.insert(name);
  }
}

void LoopPlanner::keep_inner_loops() {
  KeptVolume kept;
  const KeptVolume values = volume_of_values(*loop_, *names_);
  for (const Statement& statement : loop_->body.statements) {
    if (!can_be_kept(statement)) continue;
    const auto& inner = std::get<Loop>(statement.operation);
    LoopPlan plan = plan_loop(inner, *names_, *is_active_, beyond_values_);
    if (!is_fixed(inner, plan)) continue;
    KeptVolume with = kept;
    with.add(volume_of(inner, plan, *names_));
    for (const Binder& result : statement.results) {
      if (is_used(result)) with.add(names_->type(result.name));
    }
    if (!keeps_all() && !with.fits(values, beyond_values_)) continue;
    kept = std::move(with);
    plan_.inner.push_back({key_of(statement), std::move(plan)});
  }
}

const LoopPlan::Inner* LoopPlanner::inner_plan(const Statement& statement) const {
  for (const LoopPlan::Inner& each : plan_.inner) {
    if (each.key == key_of(statement)) return &each;
  }
  return nullptr;
}

// The results of a loop that is not executed again, where the rest of the body needs them.
void LoopPlanner::keep_results_of_inner_loops() {
  for (const LoopPlan::Inner& inner : plan_.inner) {
    for (const Binder& result : inner_loop(*loop_, inner).results) {
      if (plan_.unknown.count(result.name) != 0 || is_handed_on(result.name)) continue;
      if (is_used(result)) {
        plan_.values.push_back(result.name);
      } else {
        plan_.unknown.insert(result.name);
      }
    }
  }
}

// ---------------------------------------------------------------- arrays that are read in parts

// Whether the statement does nothing with arrays of the family (the loop value, and what became of
// it) but update parts of them, hand them to a loop that is not executed again, or read parts.
bool LoopPlanner::passes_on(const Statement& statement, NameSet& family,
                            std::vector<NameId>& reads) const {
  const auto reads_part = [&](const auto& part) {
    if (family.count(part.array) == 0 || !is_fixed(names_->type(statement.results[0].name))) {
      return false;
    }
    reads.push_back(statement.results[0].name);
    return true;
  };
  if (const auto* index = as<Index>(statement.operation)) return reads_part(*index);
  if (const auto* slice = as<Slice>(statement.operation)) {
    const bool is_smaller = std::any_of(slice->dimensions.begin(), slice->dimensions.end(),
                                        [](const SliceDimension& each) { return each.fixed; });
    return is_smaller && reads_part(*slice);
  }
  if (const auto* update = as<Update>(statement.operation)) {
    if (update->value.is_name() && family.count(update->value.name()) != 0) return false;
    family.insert(statement.results[0].name);
    return true;
  }
  if (inner_plan(statement) == nullptr) return false;
  const auto& inner = std::get<Loop>(statement.operation);
  if (any_of(free_names(inner.body, *names_), family)) return false;
  for (std::size_t i = 0; i < inner.values.size(); ++i) {
    const Operand& initial = inner.values[i].initial;
    if (initial.is_name() && family.count(initial.name()) != 0) {
      family.insert(statement.results[i].name);
    }
  }
  return true;
}

// Keeps what is read of a loop value rather than the value, if that is possible and less.
bool LoopPlanner::read_in_parts(std::size_t value) {
  const NameId parameter = loop_->values[value].parameter.name;
  if (!names_->type(parameter).is_array()) return false;
  NameSet family = {parameter};
  std::vector<NameId> reads;
  for (const Statement& statement : loop_->body.statements) {
    if (!any_of(free_names(statement, *names_), family)) continue;
    if (!passes_on(statement, family, reads)) return false;
  }
  for (std::size_t i = 0; i < loop_->body.results.size(); ++i) {
    const Operand& result = loop_->body.results[i];
    if (i != value && result.is_name() && family.count(result.name()) != 0) return false;
  }
  KeptVolume parts;
  for (const NameId read : reads) parts.add(names_->type(read));
  KeptVolume whole;
  whole.add(names_->type(parameter));
  if (!parts.fits(whole, 1)) return false;
  plan_.values.insert(plan_.values.end(), reads.begin(), reads.end());
  plan_.unknown.insert(family.begin(), family.end());
  return true;
}

// ---------------------------------------------------------------- #[keep]

bool binds(const Statement& statement, NameId name) {
  return std::any_of(statement.results.begin(), statement.results.end(),
                     [&](const Binder& result) { return result.name == name; });
}

/// Whether the result takes more than to look it up or put it together.
bool is_computed(const Operation& operation) {
  if (const auto* scalar = as<Scalar>(operation)) return is_transcendental(scalar->op);
  return as<MapScanReduce>(operation) != nullptr || as<Histogram>(operation) != nullptr ||
         as<Scatter>(operation) != nullptr || as<FlatMap>(operation) != nullptr ||
         as<Loop>(operation) != nullptr || as<Branch>(operation) != nullptr ||
         as<Call>(operation) != nullptr;
}

// What the next iteration begins with, its row of what is kept has.
void LoopPlanner::hand_on() {
  for (std::size_t i = 0; i < plan_.entries.size(); ++i) {
    const Operand& result = loop_->body.results[i];
    const bool can_be = plan_.entries[i] == LoopPlan::Entry::kept && result.is_name() &&
                        plan_.unknown.count(result.name()) == 0 && !is_handed_on(result.name()) &&
                        names_->type(result.name()) ==
                            names_->type(loop_->values[i].parameter.name);
    if (can_be && is_computed_here(result.name())) plan_.handed_on.emplace_back(i, result.name());
  }
}

bool LoopPlanner::is_handed_on(NameId name) const {
  return std::any_of(plan_.handed_on.begin(), plan_.handed_on.end(),
                     [&](const auto& each) { return each.second == name; });
}

bool LoopPlanner::is_computed_here(NameId name) const {
  return std::any_of(loop_->body.statements.begin(), loop_->body.statements.end(),
                     [&](const Statement& statement) {
                       return is_computed(statement.operation) && binds(statement, name);
                     });
}

// The return sweep of a map may need what the map gives though nothing else does
// (expensive_values.h).
void LoopPlanner::keep_all_computed() {
  for (const Statement& statement : loop_->body.statements) {
    if (!is_computed(statement.operation) || inner_plan(statement) != nullptr) continue;
    const bool is_map = std::holds_alternative<MapScanReduce>(statement.operation);
    for (const Binder& result : statement.results) {
      const bool is_kept = (is_map || is_used(result)) && is_fixed(names_->type(result.name)) &&
                           plan_.unknown.count(result.name) == 0 && !is_handed_on(result.name);
      if (is_kept) plan_.values.push_back(result.name);
    }
  }
}

LoopPlan LoopPlanner::run() {
  // What recomputes loop values needs all of them.
  if (!varying_sizes(*loop_, *names_).empty()) return std::move(plan_);
  find_used_names();
  if (loop_->attributes.stripmine != 1) keep_inner_loops();
  for (std::size_t i = 0; i < plan_.entries.size(); ++i) {
    if (plan_.entries[i] == LoopPlan::Entry::kept && read_in_parts(i)) {
      plan_.entries[i] = LoopPlan::Entry::unknown;
    }
  }
  if (keeps_all()) hand_on();
  keep_results_of_inner_loops();
  if (keeps_all()) keep_all_computed();
  return std::move(plan_);
}

}  // namespace

LoopPlan plan_of_loop_values(const Loop& loop, const Names& names) {
  const NameSet sizes = varying_sizes(loop, names);
  const auto& is_final = loop.attributes.true_dependence;
  LoopPlan plan;
  for (std::size_t i = 0; i < loop.values.size(); ++i) {
    if (i < is_final.size() && is_final[i]) {
      plan.entries.push_back(LoopPlan::Entry::final_value);
    } else if (has_varying_size(names.type(loop.values[i].parameter.name), sizes)) {
      plan.entries.push_back(LoopPlan::Entry::recomputed);
    } else {
      plan.entries.push_back(LoopPlan::Entry::kept);
    }
  }
  return plan;
}

LoopPlan plan_loop(const Loop& loop, const Names& names,
                   const std::function<bool(NameId)>& is_active, std::int64_t beyond_values) {
  return LoopPlanner(loop, names, is_active, beyond_values).run();
}

}  // namespace dagaz::passes::ad
