// A file as memory: of what is not looked at, nothing is read.
#pragma once

#include <string>
#include <string_view>

namespace dagaz::runtime {

class MappedFile {
 public:
  MappedFile() = default;
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// False, with errno, where it cannot be read.
  bool open(const std::string& path);
  std::string_view text() const { return {data_, bytes_}; }

 private:
  const char* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace dagaz::runtime
