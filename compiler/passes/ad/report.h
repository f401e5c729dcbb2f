// Where in the user's own program an entry of the report belongs.
#pragma once

#include "passes/passes.h"

namespace dagaz::passes {

/// The place of the construct; where the library is differentiated, of the call of it.  Not valid if
/// there is none.
Range place_of(const AdReportEntry& entry, const AdReport& report, const SourceFiles& files);

}  // namespace dagaz::passes
