// Code generation: imperative code → machine code and PTX through LLVM.  This header does not
// mention LLVM; the library behind it is a shared object that the driver opens on first use,
// because loading LLVM costs more than checking a program does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/tunables.h"
#include "tree/tree.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace dagaz::codegen {

/// Machine code for GPUs of a compute capability, 10 * major + minor.
struct GpuCode {
  int capability;
  std::string image;
};

struct Options {
  std::string prefix;              // of symbols and C names
  std::string cpu = "native";      // or "generic", or LLVM's name of a processor
  std::string version = {};        // of a program for several processors; empty: the first
  std::map<std::string, std::int64_t> tuned = {};  // what tuning parameters start with
  std::vector<std::string> versions = {};  // the first's: the others, by what their `version` is
  std::string gpu = "sm_70";       // PTX is compiled forward by newer drivers
  /// Makes machine code of the PTX, to be embedded beside it, or says in `problem` why not.
  std::function<std::vector<GpuCode>(const std::string& ptx, std::string& problem)> assemble = {};
  int optimisation = 3;            // 0: -O0 for differential tests
  bool executable = false;         // also define dz_main_program
  bool ranks = false;              // several processes may share the library's work
  bool bounds_report = true;
  Tunables tunables = {};
  unsigned threads = 0;            // that compile; 0: as many as there are processors
};

struct Artifacts {
  std::vector<std::string> objects;  // ELF bytes; to be linked together
  std::string ptx;      // GPU programs
  std::string llvm;     // text, when asked for
  std::string assembly; // text, when asked for
  std::string header;   // the C header
  std::string manifest; // JSON
  std::string problem;  // why nothing was made: something that the machine or an option lacks
};

enum Want : unsigned { want_object = 1, want_ptx = 2, want_llvm = 4, want_assembly = 8,
                       want_header = 16 };

/// Compiles `program`; `want` is a set of Want.
Artifacts generate(const tree::Program& program, const SourceFiles& files,
                   const Options& options, unsigned want);

}  // namespace dagaz::codegen
