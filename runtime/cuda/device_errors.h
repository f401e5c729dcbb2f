// What the driver reports, in the context's words, and whether the GPU does anything more for this
// process.
#pragma once

#include <cstdint>
#include <string>

#include "context.h"
#include "cuda/driver.h"
#include "device.h"

namespace dagaz::runtime::cuda {

/// Makes the device's context current for a scope, and leaves the application's own in place.
class CurrentContext {
 public:
  explicit CurrentContext(CUcontext context)
      : pushed_(driver().cuCtxPushCurrent(context) == success) {}
  ~CurrentContext() {
    // Without our own on top this would take away the application's.
    CUcontext popped = nullptr;
    if (pushed_) {
      driver().cuCtxPopCurrent(&popped);
    }
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  bool pushed_;
};

class DeviceErrors {
 public:
  explicit DeviceErrors(dz_context& context) : context_(context) {}

  /// DZ_OK, or reports and classifies the driver's error.  The words for it are only put
  /// together when there is one: launches and copies are frequent.
  int32_t check(CUresult result, const char* what) {
    return result == success ? DZ_OK : fail(result, what);
  }
  int32_t fail(CUresult result, const std::string& what);
  /// DZ_OK, or reports that an earlier error has ended all work on the GPU.
  int32_t usable() { return lost_.empty() ? DZ_OK : context_.errors.report(DZ_ERROR, lost_); }
  bool lost() const { return !lost_.empty(); }

  /// The GPU's name.
  void set_device(std::string name) { device_ = std::move(name); }
  const std::string& device() const { return device_; }
  /// The kernel that is started next.
  void starts(const dz_kernel& kernel) { last_kernel_ = &kernel; }

 private:
  dz_context& context_;
  std::string device_;
  const dz_kernel* last_kernel_ = nullptr;
  std::string lost_;  // why the GPU does nothing more, if so
};

/// The kernel, and where the program has it.
std::string description_of(const dz_kernel& kernel);

}  // namespace dagaz::runtime::cuda
