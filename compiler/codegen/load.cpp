// The functions of codegen.h, for callers that must not depend on LLVM: they open the shared
// object libdagaz_codegen.so on first use and pass the call on.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "codegen/codegen.h"
#include "codegen/installation.h"

namespace dagaz::codegen {

namespace {

constexpr const char* file_name = "libdagaz_codegen.so";

using Generate = void (*)(const imperative::Program*, const SourceFiles*, const Options*,
                          unsigned, Artifacts*);
using Run = int (*)(const imperative::Program*, const SourceFiles*, const Options*, int, char**);

/// The opened shared object, or why there is none.
struct Library {
  Generate generate = nullptr;
  Run run = nullptr;
  std::string problem;
};

Library open_library() {
  Library library;
  void* handle = nullptr;
  for (const std::string& folder : library_folders()) {
    const std::filesystem::path file = std::filesystem::path(folder) / file_name;
    if (!std::filesystem::exists(file)) continue;
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
    library.problem = dlerror();
  }
  if (handle == nullptr) {
    if (library.problem.empty()) {
      library.problem = std::string(file_name) + " is not beside the compiler";
    }
    library.problem = "cannot load the code generator: " + library.problem;
    return library;
  }
  library.generate = reinterpret_cast<Generate>(dlsym(handle, "dagaz_codegen_generate"));
  library.run = reinterpret_cast<Run>(dlsym(handle, "dagaz_codegen_run"));
  if (library.generate == nullptr || library.run == nullptr) {
    library.problem = std::string(file_name) + " does not belong to this compiler";
  }
  return library;
}

/// Opened once and kept until the process ends.
const Library& library() {
  static const Library opened = open_library();
  return opened;
}

}  // namespace

Artifacts generate(const imperative::Program& program, const SourceFiles& files,
                   const Options& options, unsigned want) {
  Artifacts artifacts;
  artifacts.problem = library().problem;
  if (artifacts.problem.empty()) {
    library().generate(&program, &files, &options, want, &artifacts);
  }
  return artifacts;
}

int run_in_process(const imperative::Program& program, const SourceFiles& files,
                   const Options& options, int argc, char** argv) {
  if (!library().problem.empty()) {
    std::fprintf(stderr, "error: %s\n", library().problem.c_str());
    return 1;
  }
  return library().run(&program, &files, &options, argc, argv);
}

}  // namespace dagaz::codegen
