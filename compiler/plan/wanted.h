// The plan that a user wants (`--plan=FILE`): what of it can be followed.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace dagaz::plan {

/// A strategy as an operation can follow it, under the guards that it needs.
using Complete = std::function<std::optional<ir::Version>(const ir::Strategy&)>;

/// Leaves of what a schedule can list what a wanted one does.
template <typename T>
void keep_wanted(std::vector<T>& all, const std::vector<T>& wanted) {
  std::erase_if(all, [&](const T& one) {
    return std::find(wanted.begin(), wanted.end(), one) == wanted.end();
  });
}

class WantedPlan {
 public:
  /// `names`: of the program.
  WantedPlan(const PlanOptions& options, const ir::Names& names, std::vector<std::string>* refused)
      : text_(options.wanted), device_(options.device), names_(names), refused_(refused) {}

  /// Takes the schedule that is wanted for the operation, if it can be followed.
  /// The `simplest` strategy always can be, on a CPU in any size, but not by reading streams.
  void follow(const std::vector<ir::Binder>& results, ir::Schedule& schedule,
              const ir::Strategy& simplest, const Complete& complete) const;
  /// Of the writes that append, those that are wanted, and how far ahead.
  void follow(const std::vector<ir::Binder>& results, std::vector<ir::Append>& appends) const;
  /// The strip or link that is wanted.
  void follow(const std::vector<ir::Binder>& results, ir::Schedule& schedule,
              int ir::Schedule::*stretch) const;
  /// Takes the settings that are wanted, if they can be followed.
  void follow(ir::Settings& settings) const;

 private:
  const ir::Schedule* wanted_for(const std::vector<ir::Binder>& results) const;
  void refuse(ir::NameId name, std::string_view why) const;

  const ir::PlanText* text_;
  Device device_;
  const ir::Names& names_;
  std::vector<std::string>* refused_;
};

}  // namespace dagaz::plan
