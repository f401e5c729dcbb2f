// Reverse mode by re-execution.
//
// For a scope, the forward sweep emits its statements; the return sweep walks them backwards and
// turns the adjoints of results into adjoints of operands.  A nested scope (lambda body, branch,
// loop body) emits both sweeps anew inside its own return code, so nothing inside it was stored;
// dead-code removal deletes what is not needed.  Only sequential loops store: what their plan says
// (loop_plan.h, rules/loop.cpp), from which the rest of an iteration follows.
//
// The rules are free functions, one overload for each operation (rules/rules.h).  They share the
// context `Reverse`, their first parameter, `r`, and sweep nested scopes through it.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/ad/adjoints.h"
#include "passes/ad/environment.h"
#include "passes/ad/kept_values.h"
#include "passes/ad/wanted_values.h"
#include "passes/passes.h"

namespace dagaz::passes::ad {

struct ReverseOptions {
  /// The result will be differentiated again: formulas that are only right to first order (the
  /// product by zero counts) are not used.
  bool differentiated_again = false;
  /// No other map is around: one that would keep arrays of every iteration may run in chunks.
  bool in_chunks = false;
  /// Elements of a chunk, at least.
  std::int64_t least_chunk = AdOptions{}.least_chunk;
  /// Most chunks of an operation.
  std::int64_t most_chunks = AdOptions{}.most_chunks;
  /// How many times what a loop's values take each iteration may keep besides.
  std::int64_t kept_beyond_values = AdOptions{}.kept_beyond_values;
  /// They may run one after the other.
  bool in_order = false;
  /// Ranks share the points of maps.
  bool for_ranks = false;
};

/// What the rules of reverse mode know and change.
struct Reverse {
  /// Where code is emitted, and what stands for names of the original code.
  Environment& environment;
  AdReport* report;  // may be null
  ReverseOptions options;
  Adjoints adjoints{environment};
  KeptValues kept = {};
  /// Original code that stands for a statement in both sweeps, by the statement's key.
  std::unordered_map<ir::NameId, std::vector<ir::Statement>> replacements = {};
  /// Keys of loops that only count the iterations of another one.
  ir::NameSet counting = {};
  /// For the accumulators of original code whose scope is being swept: the array that the adjoints
  /// of writes are read from, if any.
  std::unordered_map<ir::NameId, std::optional<ir::NameId>> accumulator_reads = {};
  WantedValues wanted = {};
  /// Return maps whose body is being emitted.
  int maps_around = 0;

  ir::Names& names() const { return environment.names(); }
  ir::Builder& out() const { return environment.out(); }
  /// Tells the report how a statement was differentiated.
  void note(const ir::Statement& statement, std::string rule, std::string mode, std::string reason,
            std::string stored = "") const;
};

// The two sweeps of a scope.
void forward_sweep(Reverse& r, const std::vector<ir::Statement>& statements);
void return_sweep(Reverse& r, const std::vector<ir::Statement>& statements);

/// Emits a statement that the return sweep may need the operands of: what it would consume is
/// copied.
void copy_protected(Reverse& r, const ir::Statement& statement);

}  // namespace dagaz::passes::ad
