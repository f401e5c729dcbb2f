// The report of what was differentiated how: the words of its entries, and where in the user's own
// program one belongs.
#pragma once

#include <string>
#include <vector>

#include "passes/ad/environment.h"
#include "passes/passes.h"

namespace dagaz::passes {

/// The place of the construct; where the library is differentiated, of the call of it.  Not valid
/// if there is none.
Range place_of(const AdReportEntry& entry, const AdReport& report, const SourceFiles& files);

namespace ad {

/// How many numbers an emitted array holds, for people: "n·m f64".
std::string size_formula(const ir::Names& names, const ir::Type& type);
/// The same for each of some original arrays, under one label: "prefixes: n f64".
std::string size_formulas(const Environment& environment, const std::string& label,
                          const std::vector<ir::NameId>& originals);

}  // namespace ad

}  // namespace dagaz::passes
