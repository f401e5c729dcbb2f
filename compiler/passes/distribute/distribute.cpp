// Divides the work of entry points among ranks: single program, multiple data, each process with
// its rows of what is split (as owner-computes compilers for Fortran D and HPF have done since
// Rogers and Pingali, "Process Decomposition Through Locality of Reference", 1989), but by what
// operations mean instead of by what loops touch.  Arguments and results are whole on every rank.
#include <algorithm>

#include "ir/globals.h"
#include "passes/distribute/choose.h"
#include "passes/distribute/rewrite.h"
#include "passes/passes.h"

namespace dagaz::passes {

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
    const distributing::Placement placement = distributing::choose(function, program.names, costs);
    if (!placement.shares.empty()) {
      distributing::Rewriter(program, placement).rewrite(function);
      changed = true;
    }
    program.functions[k] = std::move(function);
  }
  return changed;
}

}  // namespace dagaz::passes
