// The table of passes: one row a pass.  The pipeline (driver/pipeline.cpp), `--passes`, the options
// that name passes, and the tests of passes all read it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/program.h"
#include "ir/verify.h"
#include "passes/passes.h"

namespace dagaz::passes {

/// What passes are told of the compilation they are part of.
struct PassOptions {
  FlattenTarget target = FlattenTarget::cpu;
  AdReport* report = nullptr;  // may be null
  bool for_ranks = false;
  Tunables tunables = {};
};

/// Whether programs compile without the pass.
enum class Need { optional, required };

struct Pass {
  std::string_view name;
  bool (*run)(ir::Program&, const PassOptions&);  // whether it changed the program
  ir::Stage result;                               // the stage of what it leaves
  Need need;
  std::string_view does;   // one sentence
  std::string_view place;  // what it needs before it, and why it stands where it does
  ir::Stage needs = ir::Stage::parallel;  // the stage of what it works on
};

/// All passes, in the order of their first run.
std::span<const Pass> all_passes();
/// The pass called so, or null.
const Pass* find_pass(std::string_view name);
/// "; did you mean …?" after a name that is none, or nothing.
std::string meant_pass(std::string_view name);

}  // namespace dagaz::passes
