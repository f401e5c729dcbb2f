// What the command line asks for; one struct per subcommand.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elaborate/elaborate.h"
#include "support/diagnostic.h"
#include "syntax/imports.h"

namespace dagaz::driver {

enum class Target { cpu, cuda, sim, interpreter };

#ifdef NDEBUG
constexpr bool is_debug_build = false;
#else
constexpr bool is_debug_build = true;
#endif

/// Whether the target runs kernels.
constexpr bool is_gpu(Target target) { return target == Target::cuda || target == Target::sim; }

/// "cpu", "cuda", …
std::string_view name_of(Target target);

/// Instead of a folder for compiled programs: the user's, or none.
inline constexpr std::string_view cache_on = "on";
inline constexpr std::string_view cache_off = "off";

/// Options of every subcommand that compiles.
struct CompileOptions {
  std::string file;
  syntax::FileReader read = syntax::read_file;  // gives the texts of files
  Target target = Target::cpu;
  std::vector<Target> further_targets;  // of the same file: what the machine has is taken
  std::string cpu = "native";
  std::string gpu = "sm_70";
  bool tf32 = false;                  // a GPU may round the factors of f32 products to 11 bits
  std::vector<std::string> gpu_code;  // GPUs for which there is machine code beside the PTX
  std::string ptxas;                  // makes it; empty: the command of that name
  int optimisation = 3;         // 0: unoptimised IR and machine code
  std::vector<std::string> without;      // optional passes that do not run
  std::vector<std::string> print_after;  // passes after which the program is printed
  std::string stop_after;                // the last pass to run; empty: all run
  int pass_limit = std::numeric_limits<int>::max();  // so many optional passes run, from the first
  bool verify = is_debug_build; // check the IR after elaboration and after every pass
  bool time_passes = false;
  bool memory_report = false;   // say where the arrays lie
  std::string plan;             // file with schedules to follow
  std::vector<std::string> tuned;  // NAME=VALUE of tunables of plans
  std::optional<std::uint64_t> plan_seed;  // legal schedules at random
  bool safe = false;            // ignore #[unsafe]
  elaborate::Derivatives derivatives;  // entry points added to the program's
  std::vector<std::string> entry_points;  // functions that become such although they are not
  bool warnings = true;
  bool warnings_are_errors = false;
  RenderStyle style = RenderStyle::plain;
  bool ranks = false;            // several processes may run the program together, over MPI
  std::string cache{cache_off};  // where compiled programs are kept
};

struct CheckOptions {
  CompileOptions compile;
  bool fix = false;            // make the edits that diagnostics are sure of
  bool explain_sizes = false;  // say where each size comes from
};

enum class Emit { executable, library, shared, server, header, hpp, ptx, llvm, assembly, ir };

struct BuildOptions {
  CompileOptions compile;
  std::string output;  // empty: the file's name without .fut
  std::string prefix;  // empty: the output's name
  std::string depfile;  // empty: not wanted
  std::string mpicc;    // the compiler of programs with ranks; empty: $MPICC, or mpicc
  Emit emit = Emit::executable;
};

struct RunOptions {
  CompileOptions compile;
  std::vector<std::string> program_arguments;
};

enum class InspectStage {
  ast, typed, ir, fused, optimised, ad, flat, passes, plan, memory, imperative, llvm, ptx
};

struct InspectOptions {
  CompileOptions compile;
  InspectStage stage = InspectStage::optimised;
  std::vector<std::string> passes;  // for .ir files
};

struct BenchOptions {
  CompileOptions compile;
  std::vector<std::string> paths;
  int runs = 10;             // at least
  double precision = 1;      // of the median, in percent; runs go on until then; 0: enough
  double seconds = 5;        // of one input, after which that is given up
  std::optional<int> block;  // only the test block around this line
  int ranks = 0;             // so many run each program together; 0: it is built without
  std::string json;
  std::vector<std::string> compare;  // two such files; nothing is run
};

struct AutotuneOptions {
  CompileOptions compile;
  int runs = 10;         // of an input in a process
  double seconds = 300;  // after which no further setting is tried
};

struct ExplainOptions {
  std::string kind;   // empty: list all kinds
  bool page = false;  // all of them, as docs/errors.md
  bool passes = false;  // list the passes instead
  bool tunables = false;  // list the tunables of plans instead
  RenderStyle style = RenderStyle::plain;
};

}  // namespace dagaz::driver
