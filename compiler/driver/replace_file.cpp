// See replace_file.h.
#include "driver/replace_file.h"

#include <filesystem>
#include <fstream>

namespace dagaz::driver {

namespace fs = std::filesystem;

bool replace_file(const std::string& path, const std::string& text) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  const fs::path fresh = target.string() + ".dagaz-new";
  {
    std::ofstream out(fresh, std::ios::binary);
    if (out << text; !out.flush()) return false;
  }
  fs::permissions(fresh, fs::status(target, error).permissions(), error);
  fs::rename(fresh, target, error);
  if (error) fs::remove(fresh);
  return !error;
}

}  // namespace dagaz::driver
