// Running a driver function on text: what the tests of executables and servers share.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "program_main.h"

namespace test {

struct Outcome {
  int status;
  std::string out;
  std::string error;
};

inline std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[4096];
  size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
    text.append(buffer, got);
  }
  std::fclose(file);
  return text;
}

using DriverFunction = int (*)(const dz_program*, int, char**, dz_streams);

inline Outcome drive(DriverFunction function, const dz_program& program,
                     std::vector<std::string> flags, const std::string& input) {
  std::vector<char*> argv;
  flags.insert(flags.begin(), "prog");
  for (std::string& flag : flags) {
    argv.push_back(flag.data());
  }
  argv.push_back(nullptr);
  const dz_streams streams = {std::tmpfile(), std::tmpfile(), std::tmpfile(), nullptr};
  std::fwrite(input.data(), 1, input.size(), streams.in);
  std::rewind(streams.in);
  const int status =
      function(&program, static_cast<int>(argv.size()) - 1, argv.data(), streams);
  std::fclose(streams.in);
  return {status, contents(streams.out), contents(streams.error)};
}

/// A file that is removed at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text = "") {
    char name[] = "/tmp/dagaz-test-XXXXXX";
    const int descriptor = mkstemp(name);
    std::FILE* file = fdopen(descriptor, "wb");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    name_ = name;
  }
  ~TemporaryFile() { std::remove(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }
  std::string text() const { return contents(std::fopen(name_.c_str(), "rb")); }

 private:
  std::string name_;
};

/// A folder that is removed at the end of the scope, with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/dagaz-test-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace test
