// Elaboration: the checked program becomes array IR.
//
// One walk over the typed tree as a partial evaluator.  What exists only while compiling
// (functions, modules, types) is evaluated away; numbers and arrays become IR operands.  Afterwards
// there are no modules, no polymorphism, no functions as values, no records and no sums: only
// scalars and arrays.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "ir/program.h"
#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"

namespace dagaz::elaborate {

/// Whether #[unsafe] leaves checks out.
enum class Safety { as_written, always };

/// The derivatives of an entry point: with respect to the named parameters, or to all that hold
/// floats.
struct DerivativeRequest {
  std::string entry;
  std::vector<std::string> parameters = {};
};
/// Which entry points get derivatives; with `of_all` also every other that has any.
struct Derivatives {
  std::vector<DerivativeRequest> of = {};
  bool of_all = false;
};

/// The array IR of every entry point of `program`, and of the derivatives that are wanted.  What
/// cannot be compiled yet is reported as `unsupported`; after errors the result must not be used.
ir::ParallelProgram elaborate(const check::CheckedProgram& program, const SourceFiles& files,
                              NameTable& names, Diagnostics& diagnostics, Safety safety,
                              const Derivatives& derivatives);

}  // namespace dagaz::elaborate
