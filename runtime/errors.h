// What went wrong in a context: the first error of each call is kept until somebody asks for it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "abi.h"

namespace dagaz::runtime {

class Errors {
 public:
  /// Keeps `text` unless this call has an error already.  Returns `status`.
  int32_t report(int32_t status, std::string text);

  /// From here on a new error replaces an old one that nobody asked for.
  void begin_call();

  /// The text, at most once.
  std::optional<std::string> take();

  /// Status of the first error since begin_call, or DZ_OK.
  int32_t status() const;

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> text_;
  int32_t status_ = DZ_OK;
};

/// The text of a program failure: {} replaced by the arguments, then the backtrace.
std::string failure_text(const dz_failure& failure, int32_t argument_count,
                         const int64_t* arguments);

}  // namespace dagaz::runtime
