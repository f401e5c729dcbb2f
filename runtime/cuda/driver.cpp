// Loading libcuda.so.1.  The library is never closed: contexts may live until the process ends.
#include "cuda/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace dagaz::runtime::cuda {

constexpr const char* library_name = "libcuda.so.1";

static void load_function(void* library, const char* symbol, bool optional, void** function,
                          std::string& problem) {
  *function = dlsym(library, symbol);
  if (*function == nullptr && !optional && problem.empty()) {
    problem = std::string("no CUDA device: ") + library_name + " lacks " + symbol +
              "; the NVIDIA driver is too old";
  }
}

static Driver load_driver() {
  Driver table;
  void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    table.problem = std::string("no CUDA device: ") + library_name + " could not be loaded (" +
                    (reason != nullptr ? reason : "no reason given") +
                    "); install the NVIDIA driver, or build with --target=cpu or --target=sim";
    return table;
  }
  // POSIX lets a data pointer from dlsym hold a function's address.
#define DZ_CUDA(name, symbol, parameters, optional) \
  load_function(library, symbol, optional, reinterpret_cast<void**>(&table.name), table.problem);
#include "cuda/driver_functions.def"
#undef DZ_CUDA
  if (!table.problem.empty()) {
    return table;
  }
  const CUresult result = table.cuInit(0);
  if (result != success) {
    const char* text = nullptr;
    table.cuGetErrorString(result, &text);
    table.problem = std::string("no CUDA device: cuInit failed: ") +
                    (text != nullptr ? text : std::to_string(result).c_str());
  }
  return table;
}

const Driver& driver() {
  static const Driver table = load_driver();
  return table;
}

int attribute_of(CUdevice device, int which) {
  int value = 0;
  return driver().cuDeviceGetAttribute(&value, which, device) == success ? value : 0;
}

bool has_device() {
  int count = 0;
  return driver().problem.empty() && driver().cuDeviceGetCount(&count) == success && count > 0;
}

std::string describe(CUresult error) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver().cuGetErrorName(error, &name);
  driver().cuGetErrorString(error, &text);
  return (name != nullptr ? std::string(name) : "CUDA error " + std::to_string(error)) +
         (text != nullptr ? std::string(": ") + text : "");
}

bool ends_device(CUresult error) {
  constexpr std::array<CUresult, 13> last = {
      214,  // uncorrectable ECC error
      220,  // uncorrectable NVLink error
      700,  // illegal address
      702,  // launch timeout
      709,  // the context is destroyed
      710,  // assertion in a kernel
      714, 715, 716, 717, 718, 719,  // of the hardware stack to a failed launch
      721,  // contained error
  };
  return std::find(last.begin(), last.end(), error) != last.end();
}

}  // namespace dagaz::runtime::cuda
