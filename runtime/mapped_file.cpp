#include "mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace dagaz::runtime {

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    munmap(const_cast<char*>(data_), bytes_);
  }
}

bool MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  struct stat what {};
  void* data = MAP_FAILED;
  if (fstat(file, &what) == 0 && what.st_size > 0) {
    data = mmap(nullptr, static_cast<size_t>(what.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  const int problem = errno;
  close(file);
  if (data == MAP_FAILED) {
    errno = problem;
    return what.st_size == 0 && S_ISREG(what.st_mode);
  }
  data_ = static_cast<const char*>(data);
  bytes_ = static_cast<size_t>(what.st_size);
  return true;
}

}  // namespace dagaz::runtime
