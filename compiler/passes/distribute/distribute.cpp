// Divides the work of entry points among ranks: single program, multiple data, each process with
// its rows of what is split (as owner-computes compilers for Fortran D and HPF have done since
// Rogers and Pingali, "Process Decomposition Through Locality of Reference", 1989), but by what
// operations mean instead of by what loops touch.  Arguments and results may be there by parts,
// too.
#include <algorithm>

#include "ir/fields.h"
#include "ir/globals.h"
#include "ir/ranks.h"
#include "passes/dead_code.h"
#include "passes/distribute/arguments.h"
#include "passes/distribute/choose.h"
#include "passes/distribute/collectives.h"
#include "passes/distribute/inner_sums.h"
#include "passes/distribute/overlap.h"
#include "passes/distribute/rewrite.h"
#include "passes/distribute/step_rows.h"
#include "passes/distribute/taken_reads.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

using namespace distributing;  // NOLINT: this is its pass

static ir::NameSet shared_sums(const TakenSums& taken, const Placement& placement) {
  ir::NameSet shared;
  for (const auto& [sum, map] : taken) {
    const auto share = placement.shares.find(map);
    if (share != placement.shares.end() && share->second.reduces) shared.insert(sum);
  }
  return shared;
}

static ir::NameSet asked_reads(const Requests& taken, const Placement& placement) {
  ir::NameSet asked;
  for (const auto& [answers, request] : taken) {
    if (placement.request_of(answers) != nullptr) asked.insert(request.read);
  }
  return asked;
}

// Sums and reads are taken out of points only where ranks then share them, or ask for them: within
// a rank they are better off where they are.
static Placement placed(ir::Function& function, ir::Names& names, const RankCosts& costs,
                        Results results, const Wishes& wishes) {
  ir::Function apart = function;
  const TakenSums sums = take_sums_out(apart, names, nullptr);
  const Requests reads = take_reads_out(apart, names, nullptr);
  Placement placement = choose(apart, names, costs, results, wishes, reads);
  const ir::NameSet shared = shared_sums(sums, placement);
  const ir::NameSet asked = asked_reads(reads, placement);
  if (shared.size() == sums.size() && asked.size() == reads.size()) {
    function = std::move(apart);
    return placement;
  }
  take_sums_out(function, names, &shared);
  const Requests kept = take_reads_out(function, names, &asked);
  return choose(function, names, costs, results, wishes, kept);
}

static bool is_called(const ir::Body& body, const std::string& name) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& one) {
    const auto* call = as<ir::Call>(one.operation);
    bool found = call != nullptr && call->function == name;
    ir::for_each_scope(one.operation, [&](const ir::Body& inside) {
      found = found || is_called(inside, name);
    });
    return found;
  });
}

// Callers of the function itself want all of its results.
static Results results_of(const ir::Program& program, const std::string& name) {
  const bool called = std::any_of(program.functions.begin(), program.functions.end(),
                                  [&](const auto& one) { return is_called(one.body, name); });
  return called ? Results::for_program : Results::for_callers;
}

static Wishes wishes_of(const ir::Program& program, const ir::Function& function) {
  Wishes wishes;
  for (const ir::EntryPoint& entry : program.entries) {
    if (entry.function != function.name) continue;
    for (const ir::RankHint& hint : entry.hints) {
      const ir::NameId array = function.parameters[static_cast<std::size_t>(hint.parameter)].name;
      const std::vector<ir::Operand>& shape = program.names.type(array).shape;
      if (hint.replicated) {
        wishes.whole.insert(wishes.whole.end(), shape.begin(), shape.end());
      } else {
        wishes.shared.push_back(shape[static_cast<std::size_t>(hint.dimension)]);
      }
    }
  }
  return wishes;
}

static bool share_work(ir::Program& program, ir::Function& function, Results results,
                       const RankCosts& costs) {
  read_through_rows(function);
  const Wishes wishes = wishes_of(program, function);
  const Placement placement = placed(function, program.names, costs, results, wishes);
  if (placement.shares.empty()) return false;
  rewrite(program, placement, costs.asked, function);
  if (costs.overlap != 0) overlap_exchanges(program, function.body);
  // Arrays of which each rank makes its rows alone.
  eliminate_dead_code(function, program.names);
  return true;
}

static bool gather_arguments(ir::Program& program, ir::Function& function) {
  const std::vector<ir::NameId> whole = read_whole(function, program.names);
  if (whole.empty()) return false;
  ir::Builder first(program.names);
  Collectives(program).whole(first, whole);
  std::vector<ir::Statement> all = first.take();
  function.body.statements.insert(function.body.statements.begin(), all.begin(), all.end());
  return true;
}

// Calls that were made and then divided leave functions behind that nobody calls.
static void remove_uncalled(ir::Program& program) {
  std::vector<std::string> uncalled;
  for (const ir::Function& function : program.functions) {
    const auto calls = [&](const ir::Function& one) { return is_called(one.body, function.name); };
    if (ir::is_rank_call(function.name) &&
        std::none_of(program.functions.begin(), program.functions.end(), calls)) {
      uncalled.push_back(function.name);
    }
  }
  std::erase_if(program.functions, [&](const ir::Function& function) {
    return std::find(uncalled.begin(), uncalled.end(), function.name) != uncalled.end();
  });
}

bool distribute(ir::FlatProgram& flat, const RankCosts& costs) {
  ir::Program& program = flat.program;
  const std::size_t count = program.functions.size();
  std::vector<Results> results;
  for (const ir::Function& one : program.functions) {
    results.push_back(results_of(program, one.name));
  }
  bool changed = false;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = program.functions[k].name;
    const bool is_entry = std::any_of(program.entries.begin(), program.entries.end(),
                                      [&](const ir::EntryPoint& entry) {
                                        return entry.function == name && !computes_globals(entry);
                                      });
    if (!is_entry) continue;
    // Functions that are added move those that are there.
    ir::Function function = std::move(program.functions[k]);
    changed = share_work(program, function, results[k], costs) || changed;
    changed = gather_arguments(program, function) || changed;
    program.functions[k] = std::move(function);
  }
  remove_uncalled(program);
  return changed;
}

}  // namespace dagaz::passes
