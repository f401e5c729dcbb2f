// Turning PTX into a loaded module, and keeping the machine code in a file when the user names
// one: the driver's own cache is not always there (containers, read-only homes).
#pragma once

#include <string>
#include <string_view>

#include "cuda/driver.h"

namespace dagaz::runtime::cuda {

struct ModuleRequest {
  std::string_view ptx;
  std::string device_name;  // the cached code is only good for this GPU and this driver
  int driver_version;
  std::string cache_file;   // empty: none
};

/// The module, or null with `problem` set, which includes the driver's compilation log.
CUmodule load_module(const ModuleRequest& request, std::string& problem);

}  // namespace dagaz::runtime::cuda
