#include "driver/tunables.h"

#include <algorithm>
#include <vector>

#include "support/spelling.h"

namespace dagaz::driver {

std::span<const TunableRow> tunable_rows() {
  static constexpr TunableRow rows[] = {
#define DZ_TUNABLE(name, value, lowest, highest, text)                              \
  {#name, [](Tunables& all) -> std::int64_t& { return all.passes.name; }, value, lowest, \
   highest, text},
#include "passes/tunables.def"
#undef DZ_TUNABLE
#define DZ_TUNABLE(name, value, lowest, highest, text)                              \
  {#name, [](Tunables& all) -> std::int64_t& { return all.plan.name; }, value, lowest, \
   highest, text},
#include "plan/tunables.def"
#undef DZ_TUNABLE
#define DZ_TUNABLE(name, value, lowest, highest, text)                              \
  {#name, [](Tunables& all) -> std::int64_t& { return all.code.name; }, value, lowest, \
   highest, text},
#include "codegen/tunables.def"
#undef DZ_TUNABLE
  };
  return rows;
}

std::string set_tunable(Tunables& tunables, std::string_view name, std::int64_t value) {
  const auto rows = tunable_rows();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const TunableRow& one) { return one.name == name; });
  if (row == rows.end()) {
    std::vector<std::string_view> names;
    for (const TunableRow& one : rows) names.push_back(one.name);
    return "there is no tunable `" + std::string(name) +
           "`; `dagaz explain --tunables` lists them" + did_you_mean(name, names);
  }
  if (value < row->lowest || value > row->highest) {
    return "`" + std::string(name) + "` is from " + std::to_string(row->lowest) + " to " +
           std::to_string(row->highest);
  }
  row->in(tunables) = value;
  return "";
}

}  // namespace dagaz::driver
