// The inputs of test cases: literal values, random ones, files, and scripts that call entry points
// of the program under test.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "driver/options.h"
#include "driver/process.h"
#include "driver/test_spec.h"
#include "ir/program.h"

namespace dagaz::driver {

/// The bytes of a file; nothing if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);
/// The values in a file, which may be compressed by gzip or an archive of NumPy's.
std::optional<std::string> read_data(const std::filesystem::path& path);
std::string first_lines(const std::string& text, int count);
/// How a process failed.
std::string describe(const ProcessResult& process);

class TestInputs {
 public:
  /// Runs an entry point of the program and gives its results in the binary format.
  using Run = std::function<ProcessResult(const std::string& entry, const std::string& input)>;
  TestInputs(std::string path, const CompileOptions& options, Run run)
      : path_(std::move(path)), options_(options), run_(std::move(run)) {}

  /// Nothing and `problem` where there is none.
  std::optional<std::string> of(const TestCase& test, std::string& problem);
  /// A file that the program names.
  std::filesystem::path beside(const std::string& file) const {
    return std::filesystem::path(path_).parent_path() / file;
  }

 private:
  std::optional<std::string> of_script(const std::string& text, std::string& problem);

  std::string path_;
  const CompileOptions& options_;
  Run run_;
  std::optional<ir::ParallelProgram> program_;  // once a script needed its entry points
};

}  // namespace dagaz::driver
