// Machine code for GPUs, by NVIDIA's assembler.
#pragma once

#include <string>
#include <vector>

#include "codegen/codegen.h"

namespace dagaz::driver {

/// PTX as machine code for each of `gpus`, which are "sm_NN".  `ptxas` is a command; if empty, that
/// of the name.  Where it fails there is nothing, and `problem` says why.
std::vector<codegen::GpuCode> assembled(const std::string& ptx,
                                        const std::vector<std::string>& gpus,
                                        const std::string& ptxas, std::string& problem);

}  // namespace dagaz::driver
