#include "plan/wanted.h"

#include <algorithm>

#include "ir/print.h"
#include "ir/verify_schedule.h"
#include "plan/settings.h"
#include "plan/versions.h"

namespace dagaz::plan {

/// Whether what can follow `simplest` can follow this, in any size.
static bool is_as_simple(const ir::Strategy& one, const ir::Strategy& simplest) {
  const auto* pieces = as<ir::InPieces>(one);
  const bool has_streams = pieces != nullptr && pieces->streams > 1;
  return one.index() == simplest.index() && !has_streams;
}

const ir::Schedule* WantedPlan::wanted_for(const std::vector<ir::Binder>& results) const {
  if (text_ == nullptr || results.empty()) return nullptr;
  const auto found = text_->schedules.find(results[0].name);
  return found == text_->schedules.end() ? nullptr : &found->second;
}

void WantedPlan::refuse(ir::NameId name, std::string_view why) const {
  if (refused_ != nullptr) refused_->push_back(names_.text(name) + " " + std::string(why));
}

void WantedPlan::follow(const std::vector<ir::Binder>& results, ir::Schedule& schedule,
                        const ir::Strategy& simplest, const Complete& complete) const {
  const ir::Schedule* const found = wanted_for(results);
  if (found == nullptr) return;
  ir::Schedule wanted;
  for (const ir::Version& version : found->versions) {
    const std::string problem = ir::problem_of(version.strategy);
    // Of another size than the simplest one it need not be right for a GPU.
    const bool is_simplest = device_ == Device::cpu && is_as_simple(version.strategy, simplest);
    auto completed = !problem.empty() ? std::nullopt
                     : is_simplest    ? std::optional(ir::Version{{}, version.strategy})
                                      : complete(version.strategy);
    if (!completed) {
      const std::string how = ir::print(ir::Version{{}, version.strategy}, names_);
      const std::string why = problem.empty() ? "" : ", in which " + problem;
      return refuse(results[0].name, "cannot follow `" + how + "`" + why);
    }
    // Guards may ask for more than the strategy needs.
    std::vector<ir::Guard>& when = completed->when;
    when.insert(when.end(), version.when.begin(), version.when.end());
    wanted.versions.push_back(std::move(*completed));
  }
  if (wanted.versions.empty() || !wanted.versions.back().when.empty()) {
    wanted.versions.push_back({{}, simplest});
  }
  schedule = in_versions(std::move(wanted.versions));
}

void WantedPlan::follow(const std::vector<ir::Binder>& results,
                        std::vector<ir::Append>& appends) const {
  const ir::Schedule* const found = wanted_for(results);
  if (found == nullptr) return;
  const std::string problem = ir::problem_of(found->appends);
  if (!problem.empty())
    return refuse(results[0].name, "cannot follow `appends`, in which " + problem);
  for (const ir::Append& one : found->appends) {
    const bool is_open = std::any_of(appends.begin(), appends.end(), [&](const ir::Append& each) {
      return each.write == one.write;
    });
    if (!is_open) return refuse(one.write, "appends to no list");
  }
  appends = found->appends;
}

void WantedPlan::follow(const std::vector<ir::Binder>& results, ir::Schedule& schedule,
                        int ir::Schedule::*stretch) const {
  const ir::Schedule* const found = wanted_for(results);
  if (found == nullptr) return;
  const std::string problem = ir::problem_of_stretches(*found);
  if (!problem.empty()) return refuse(results[0].name, "cannot follow " + problem);
  schedule.*stretch = found->*stretch;
}

void WantedPlan::follow(ir::Settings& settings) const {
  if (text_ == nullptr || !text_->settings) return;
  const ir::Settings& wanted = *text_->settings;
  std::string problem = ir::problem_of(wanted);
  if (problem.empty() && !are_for(wanted, device_)) problem = "they are for another device";
  if (problem.empty()) {
    settings = wanted;
  } else if (refused_ != nullptr) {
    refused_->push_back("cannot follow `" + ir::print(wanted) + "`: " + problem);
  }
}

}  // namespace dagaz::plan
