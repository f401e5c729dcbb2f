#include "cuda/device_errors.h"

#include <utility>

namespace dagaz::runtime::cuda {

std::string description_of(const dz_kernel& kernel) {
  const bool placed = kernel.position != nullptr && *kernel.position != '\0';
  return kernel.name + (placed ? std::string(" (") + kernel.position + ")" : "");
}

int32_t DeviceErrors::fail(CUresult result, const std::string& what) {
  std::string text = "Error: " + what + " failed: " + describe(result);
  if (result == error_out_of_memory) {
    return context_.errors.report(DZ_OUT_OF_MEMORY, std::move(text));
  }
  if (last_kernel_ != nullptr) {
    text += "\nThe last kernel started was " + description_of(*last_kernel_) +
            ". Building with --target=sim runs the same kernels on the CPU and reports bad "
            "accesses with their source positions.";
  }
  if (ends_device(result)) {
    lost_ = "Error: this context has failed before, and so has all of this process on the GPU " +
            device_ + ": " + what + " failed: " + describe(result);
    text += "\nThe GPU " + device_ + " does nothing more for this process; its other devices do.";
  }
  return context_.errors.report(DZ_ERROR, std::move(text));
}

}  // namespace dagaz::runtime::cuda
