// Elaboration: the checked program becomes array IR.
//
// One walk over the typed tree as a partial evaluator.  What exists only while compiling
// (functions, modules, types) is evaluated away; numbers and arrays become IR operands.  Afterwards
// there are no modules, no polymorphism, no functions as values, no records and no sums: only
// scalars and arrays.
#pragma once

#include "check/check.h"
#include "ir/program.h"
#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"

namespace dagaz::elaborate {

/// Whether #[unsafe] leaves checks out.
enum class Safety { as_written, always };

/// The array IR of every entry point of `program`.  What cannot be compiled yet is reported as
/// `unsupported`; after errors the result must not be used.
ir::ParallelProgram elaborate(const check::CheckedProgram& program, const SourceFiles& files,
                              NameTable& names, Diagnostics& diagnostics,
                              Safety safety);

}  // namespace dagaz::elaborate
