#include "cuda/cuda_modules.h"

#include <span>
#include <string>
#include <string_view>

#include "cuda/module_cache.h"

namespace dagaz::runtime::cuda {

/// The program's machine code for a GPU: code runs on those of its major version whose minor
/// version is not less.  Null where there is none.
static const dz_gpu_code* machine_code_for(const dz_program& program, CUdevice device) {
  const int major = attribute_of(device, attribute_capability_major);
  const int capability = 10 * major + attribute_of(device, attribute_capability_minor);
  const dz_gpu_code* best = nullptr;
  for (const dz_gpu_code& code :
       std::span(program.gpu_code, static_cast<size_t>(program.gpu_code_count))) {
    if (code.capability / 10 == major && code.capability <= capability &&
        (best == nullptr || code.capability > best->capability)) {
      best = &code;
    }
  }
  return best;
}

void CudaModules::unload() {
  if (machine_code_module_ != nullptr) {
    driver().cuModuleUnload(machine_code_module_);
  }
  for (CUmodule module : modules_) {
    if (module != nullptr) {
      driver().cuModuleUnload(module);
    }
  }
}

// A file of the user's holds all of it.
void CudaModules::find_program(CUdevice device) {
  device_ = device;
  kernels_.resize(static_cast<size_t>(context_.program.kernel_count));
  std::string_view ptx;
  if (context_.config.gpu_code) {
    ptx = *context_.config.gpu_code;
  } else if (context_.program.ptx != nullptr) {
    ptx = {context_.program.ptx, static_cast<size_t>(context_.program.ptx_length)};
  }
  if (kernels_.empty() || ptx.empty()) {
    return;  // a program may consist of host code only
  }
  units_ = context_.config.cache_file.empty() ? PtxUnits(ptx) : PtxUnits::whole(ptx);
  modules_.resize(units_->count());
  if (!context_.config.gpu_code) {
    machine_code_ = machine_code_for(context_.program, device);
  }
}

/// Null where the driver refuses the code, which may be newer than it: then there is the PTX.
CUmodule CudaModules::load_machine_code() {
  if (machine_code_module_ == nullptr && machine_code_ != nullptr) {
    std::string problem;
    const double start_time = now_microseconds();
    machine_code_module_ = cuda::load_machine_code(machine_code_->image, problem);
    context_.profile.add("load GPU code", now_microseconds() - start_time, "{}");
    if (machine_code_module_ == nullptr) {
      machine_code_ = nullptr;
      if (context_.config.logging) {
        context_.log_line("the GPU's driver compiles the program: " + problem);
      }
    }
  }
  return machine_code_module_;
}

/// The module that has a kernel; null after reporting.
CUmodule CudaModules::module_of(const char* kernel) {
  CUmodule module = load_machine_code();
  return module != nullptr ? module : load_unit(units_->unit_of(kernel));
}

/// The module of a unit, loaded when it is first needed; null after reporting.
CUmodule CudaModules::load_unit(size_t unit) {
  if (modules_[unit] != nullptr) {
    return modules_[unit];
  }
  int version = 0;
  driver().cuDriverGetVersion(&version);
  std::string problem;
  const double start_time = now_microseconds();
  modules_[unit] = load_module(
      {units_->text(unit), errors_.device(), version, context_.config.cache_file}, problem);
  if (modules_[unit] == nullptr) {
    const auto number = [&](int which) { return std::to_string(attribute_of(device_, which)); };
    context_.errors.report(DZ_ERROR, problem + "\n(GPU " + errors_.device() +
                                         ", compute capability " +
                                         number(attribute_capability_major) + "." +
                                         number(attribute_capability_minor) + ", driver " +
                                         std::to_string(version) + ")");
    return nullptr;
  }
  context_.profile.add("load GPU code", now_microseconds() - start_time, "{}");
  return modules_[unit];
}

int32_t CudaModules::function_of(const Launch& launch, CUfunction* out) {
  LoadedKernel& kernel = kernels_[static_cast<size_t>(launch.kernel_index)];
  const char* const name = launch.kernel->name;
  if (kernel.function == nullptr) {
    if (!units_) {
      return context_.errors.report(DZ_ERROR, "the program has kernels but no GPU code");
    }
    CUmodule module = module_of(name);
    if (module == nullptr) {
      return DZ_ERROR;
    }
    const CUresult result = driver().cuModuleGetFunction(&kernel.function, module, name);
    if (result != success) {
      return errors_.fail(result, std::string("finding kernel ") + name);
    }
  }
  if (launch.shared_bytes > kernel.shared_bytes) {
    const CUresult result = driver().cuFuncSetAttribute(
        kernel.function, function_attribute_dynamic_shared_bytes, launch.shared_bytes);
    if (result != success) {
      return errors_.fail(result, "giving kernel " + std::string(name) + " " +
                                      std::to_string(launch.shared_bytes) +
                                      " bytes of shared memory");
    }
    kernel.shared_bytes = launch.shared_bytes;
  }
  *out = kernel.function;
  return DZ_OK;
}

}  // namespace dagaz::runtime::cuda
