// The program's code on one GPU: machine code where the program has some for it, else modules of
// PTX, which are loaded when one of their kernels is first launched; and the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/device_errors.h"
#include "cuda/ptx_units.h"

namespace dagaz::runtime::cuda {

// What a kernel may use without asking for more.
inline constexpr int default_shared_bytes = 48 << 10;

/// A function of the program's module, found when it is first launched.
struct LoadedKernel {
  CUfunction function = nullptr;
  int shared_bytes = default_shared_bytes;  // what it has been allowed so far
};

class CudaModules {
 public:
  CudaModules(dz_context& context, DeviceErrors& errors) : context_(context), errors_(errors) {}

  /// The program's code, of which nothing is compiled yet.
  void find_program(CUdevice device);
  void unload();
  /// The function of a launch's kernel, allowed what the launch needs.
  int32_t function_of(const Launch& launch, CUfunction* out);

 private:
  CUmodule module_of(const char* kernel);
  CUmodule load_unit(size_t unit);
  CUmodule load_machine_code();

  dz_context& context_;
  DeviceErrors& errors_;
  CUdevice device_ = 0;
  std::optional<PtxUnits> units_;  // nothing: there is no GPU code
  std::vector<CUmodule> modules_;  // of the units, null until needed
  const dz_gpu_code* machine_code_ = nullptr;  // null: there is none for this GPU
  CUmodule machine_code_module_ = nullptr;
  std::vector<LoadedKernel> kernels_;
};

}  // namespace dagaz::runtime::cuda
