// How a program is divided to be compiled by several threads: into parts, each with some of the
// host's functions, tasks and kernels.  A part is compiled in an LLVM context of its own; names
// that are hidden outside the program connect the parts of the host.  Code in vector lanes has
// parts of its own, for which fewer passes do, and so have the kernels of sim.  The division
// depends on the program alone, so the same program becomes the same bytes on every machine.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/tunables.h"
#include "tree/tree.h"

namespace dagaz::codegen {

/// The body of a parallel loop; loops whose bodies are of the same form share it.
struct Task {
  std::string name;
  const tree::ParallelFor* loop;
  std::vector<tree::NameId> captured;
  std::vector<int> failures;
  /// Loops that share it end with other failures, so each hands over a list of its own.
  bool failures_vary = false;
};

/// A kernel; launches of one name share it.
struct Kernel {
  const tree::Launch* launch;
  std::vector<tree::NameId> captured;
};

/// Which of LLVM's passes suit a part of the host.  Without strength reduction, loops compute
/// addresses instead of stepping through them (on x86).
enum class Treatment { all, without_strength_reduction, in_lanes, simulated };

/// What is compiled together; tasks and kernels by their numbers.
struct Part {
  std::vector<const tree::Function*> functions;
  std::vector<std::size_t> tasks;
  std::vector<std::size_t> kernels;
  std::size_t weight = 0;  // in instructions
  Treatment treatment = Treatment::all;
};

struct Division {
  std::vector<Task> tasks;
  std::vector<Kernel> kernels;
  std::unordered_map<const tree::ParallelFor*, std::size_t> task_numbers;
  std::unordered_map<std::string, std::size_t> kernel_numbers;  // by name
  /// At least one; the first also gets the entry points and the description of the program.
  std::vector<Part> host;
  std::vector<Part> device;  // CUDA only
};

/// Whether the program is one part whatever its size (for text, which is read as a whole).
enum class Divide { as_useful, never };

/// The variables of other code that a piece of `loop` uses.
std::vector<tree::NameId> captured_by(const tree::ParallelFor& loop);
/// The failures that it may end with, in the order of their first appearance.
std::vector<int> failures_of(const tree::ParallelFor& loop);

Division divide(const tree::Program& program, Divide how, const Tunables& tunables);

}  // namespace dagaz::codegen
