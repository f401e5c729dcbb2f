// Opens libdagaz_codegen.so, beside the compiler or in the library folder of an installation.
#include "codegen/load.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "codegen/installation.h"

namespace dagaz::codegen {

namespace {

constexpr const char* file_name = "libdagaz_codegen.so";

/// The opened shared object, or why there is none.
struct Opened {
  Library library;
  std::string problem;
};

Opened open_library() {
  Opened opened;
  void* handle = nullptr;
  for (const std::string& folder : library_folders()) {
    const std::filesystem::path file = std::filesystem::path(folder) / file_name;
    if (!std::filesystem::exists(file)) continue;
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
    opened.problem = dlerror();
  }
  if (handle == nullptr) {
    if (opened.problem.empty()) {
      opened.problem = std::string("`") + file_name + "` is not beside the compiler";
    }
    opened.problem = "cannot load the code generator: " + opened.problem;
    return opened;
  }
  Library& library = opened.library;
  library.generate =
      reinterpret_cast<decltype(library.generate)>(dlsym(handle, "dagaz_codegen_generate"));
  library.use_in_process =
      reinterpret_cast<decltype(library.use_in_process)>(dlsym(handle, "dagaz_codegen_use"));
  if (library.generate == nullptr || library.use_in_process == nullptr) {
    opened.problem = std::string("`") + file_name + "` does not belong to this compiler";
  }
  return opened;
}

}  // namespace

const Library* load(Diagnostics& diagnostics) {
  // Opened once and kept until the process ends.
  static const Opened opened = open_library();
  if (opened.problem.empty()) return &opened.library;
  diagnostics.report(DiagnosticKind::io, Range{}, opened.problem);
  return nullptr;
}

}  // namespace dagaz::codegen
