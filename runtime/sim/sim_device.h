// Making the sim device; see sim_device.cpp.
#pragma once

#include "device.h"

namespace dagaz::runtime::sim {

Device* make_device(dz_context& context);

}  // namespace dagaz::runtime::sim
