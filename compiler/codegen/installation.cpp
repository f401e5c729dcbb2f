// A build tree keeps everything in one folder; an installation has bin/dagaz and lib/dagaz/*.
#include "codegen/installation.h"

#include <dlfcn.h>

#include <filesystem>

namespace dagaz::codegen {

std::vector<std::string> library_folders() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&library_folders), &info) == 0) return {};
  std::error_code ignored;
  std::filesystem::path file = std::filesystem::canonical(info.dli_fname, ignored);
  if (file.empty()) file = std::filesystem::canonical("/proc/self/exe", ignored);
  const std::filesystem::path folder = file.parent_path();
  return {folder.string(), (folder / ".." / "lib" / "dagaz").string()};
}

}  // namespace dagaz::codegen
