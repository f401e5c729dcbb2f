// The properties of one program, on any target.
#pragma once

#include <string>
#include <vector>

#include "driver/test_options.h"
#include "driver/test_run.h"

namespace dagaz::driver {

/// Tests the properties `declared` by the program's test blocks; what is compiled, and values on
/// their way, lie in `folder`.
std::vector<CaseResult> run_properties(const std::string& path, const TestOptions& options,
                                       const std::vector<std::string>& declared,
                                       const std::string& folder,
                                       const std::vector<std::string>& interpreter_arguments);

}  // namespace dagaz::driver
