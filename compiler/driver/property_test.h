// Looks for a value that makes a property false, and for a small one of these.
#pragma once

#include <optional>
#include <string>

#include "driver/entry_calls.h"
#include "driver/test_options.h"
#include "driver/property_spec.h"

namespace dagaz::driver {

/// Nothing if the property held; or what to say.
std::optional<std::string> failure_of_property(const ir::Program& program, EntryCalls& calls,
                                               const Property& property,
                                               const PropertyTrials& trials);

}  // namespace dagaz::driver
