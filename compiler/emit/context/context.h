// What the rooms of this folder share while they emit a program: where code goes, what is compiled,
// where the code runs, and one part for each kind of thing that is known so far.  It chooses
// nothing.
//
// It is the first parameter of nearly every function here, and called `c` in all of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "emit/code/emitter.h"
#include "emit/code/values.h"
#include "emit/context/accumulators.h"
#include "emit/context/arrays.h"
#include "emit/context/host_scopes.h"
#include "emit/context/thread_memory.h"
#include "ir/program.h"
#include "memory/memory.h"
#include "tree/form.h"

namespace dagaz::emit {

/// The kernels of the program so far; entries often repeat each other's, each is compiled once.
class Kernels {
 public:
  explicit Kernels(ir::Names& names) : forms_(names) {}
  /// The name of the kernel that `function` calls `base`, or of an equal one that was there before.
  const std::string& name_of(const Code& code, std::string_view function, std::string_view base);

 private:
  tree::Forms<Code> forms_;  // numbers in names_
  std::vector<std::string> names_;
};

/// Functions that emitted code calls, each for the host or for threads.
class CalledFunctions {
 public:
  /// The name under which `function` is called by code of `mode`.
  std::string call(const std::string& function, Mode mode);
  static std::string name_of(const std::string& function, Mode mode);
  /// In the order of their first calls; more may be added while they are emitted.
  const std::vector<std::pair<std::string, Mode>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, Mode>> all_;
};

/// What stencils are found by.
struct KnownScalars {
  std::unordered_map<NameId, ir::Scalar> scalars;  // of i64, computed outside parallel code
  std::unordered_set<NameId> iotas;                // arrays without memory that count 0, 1, 2, …
};

/// How functions that call themselves know when to stop (control/recursion.cpp).
struct StackLimits {
  std::unordered_map<std::string, std::size_t> cycles;  // of functions (ir/recursion.h)
  std::optional<NameId> limit;                          // a parameter of the function …
  Mode mode = Mode::host;                               // … where its code runs, not that inside
};

struct Context : Emitter {
  Context(Emission& emission, Program& result, const ir::PlannedProgram& planned);

  /// Whether a kernel computes points that code of the host starts.
  bool has_kernels() const { return settings.points == ir::PointsBy::kernels; }
  /// Whether the code reaches elements of arrays by transfers only.
  bool transfers() const {
    return mode == Mode::host && settings.arrays == ir::ArraysIn::device;
  }
  std::vector<Operand> shape_of(NameId array) const { return names().type(array).shape; }

  /// What `build` emits, not appended: code of another mode.
  Code in_mode(Mode inside, const std::function<void()>& build);

  Program& program;  // what is emitted
  const ir::Program& source;
  const ir::Settings settings;
  std::string function;    // that is being emitted
  memory::Memory memory;   // what was decided for it
  Mode mode = Mode::host;  // of the code that is being emitted
  ir::LocationId location;
  const ir::Statement* host_statement = nullptr;  // the innermost around the code
  bool reassociate = false;  // scalar operations belong to an associative operator

  Arrays arrays;
  Accumulators accumulators;
  HostScopes scopes;
  ThreadMemory thread;
  Kernels kernels;
  CalledFunctions functions;
  StackLimits stack;
  KnownScalars known;
  std::unordered_map<NameId, Operand> checkpoint_counts;  // of next states: those that have a row
  const ir::SegmentedMap* map = nullptr;                  // of the host, whose points run
  const ir::Schedule* schedule = nullptr;  // of the host's map or reduction whose points run
};

}  // namespace dagaz::emit
