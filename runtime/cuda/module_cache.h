// Turning PTX into a loaded module, and keeping the machine code: in the file that the user names,
// else in the user's cache folder.  The driver's own cache is not always there (containers,
// read-only homes), and is shared by all that the user runs.
#pragma once

#include <string>
#include <string_view>

#include "cuda/driver.h"

namespace dagaz::runtime::cuda {

struct ModuleRequest {
  std::string_view ptx;
  std::string device_name;  // the cached code is only good for this GPU and this driver
  int driver_version;
  std::string cache_file;  // empty: an entry of the user's folder
};

/// Machine code; null with `problem` set where the driver refuses it.
CUmodule load_machine_code(const void* image, std::string& problem);

/// The module, or null with `problem` set, which includes the driver's compilation log.
CUmodule load_module(const ModuleRequest& request, std::string& problem);

}  // namespace dagaz::runtime::cuda
