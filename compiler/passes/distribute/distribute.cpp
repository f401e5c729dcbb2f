// Divides the work of entry points among ranks: single program, multiple data, each process with
// its rows of what is split (as owner-computes compilers for Fortran D and HPF have done since
// Rogers and Pingali, "Process Decomposition Through Locality of Reference", 1989), but by what
// operations mean instead of by what loops touch.  Arguments and results are whole on every rank.
#include <algorithm>

#include "ir/globals.h"
#include "passes/dead_code.h"
#include "passes/distribute/choose.h"
#include "passes/distribute/inner_sums.h"
#include "passes/distribute/rewrite.h"
#include "passes/distribute/step_rows.h"
#include "passes/passes.h"

namespace dagaz::passes {

using namespace distributing;  // NOLINT: this is its pass

// Sums are taken out of points only where ranks then share them: within a rank they are better off
// where they are.
static Placement placed(ir::Function& function, ir::Names& names, const RankCosts& costs) {
  ir::Function apart = function;
  const TakenSums taken = take_sums_out(apart, names, nullptr);
  Placement placement = choose(apart, names, costs);
  ir::NameSet shared;
  for (const auto& [sum, map] : taken) {
    const auto share = placement.shares.find(map);
    if (share != placement.shares.end() && share->second.reduces) shared.insert(sum);
  }
  if (shared.size() == taken.size()) {
    function = std::move(apart);
    return placement;
  }
  take_sums_out(function, names, &shared);
  return choose(function, names, costs);
}

bool distribute(ir::FlatProgram& flat, const RankCosts& costs) {
  ir::Program& program = flat.program;
  bool changed = false;
  const std::size_t count = program.functions.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::string& name = program.functions[k].name;
    const bool is_entry = std::any_of(program.entries.begin(), program.entries.end(),
                                      [&](const ir::EntryPoint& entry) {
                                        return entry.function == name && !computes_globals(entry);
                                      });
    if (!is_entry) continue;
    // Functions that are added move those that are there.
    ir::Function function = std::move(program.functions[k]);
    read_through_rows(function);
    const Placement placement = placed(function, program.names, costs);
    if (!placement.shares.empty()) {
      Rewriter(program, placement, function).rewrite(function);
      // Arrays of which each rank makes its rows alone.
      eliminate_dead_code(function, program.names);
      changed = true;
    }
    program.functions[k] = std::move(function);
  }
  return changed;
}

}  // namespace dagaz::passes
