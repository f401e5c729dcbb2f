// Internal invariants.  A failed DZ_CHECK is a bug in Dagaz, never a mistake of the user: it says
// what was being done and ends the process with exit status 70.  Always on, also in release.
#pragma once

#include <string_view>

namespace dagaz {

/// Reports a bug in the compiler and exits with status 70.
[[noreturn]] void bug(std::string_view file, int line, std::string_view message);
/// The same for `condition`, the text of a condition that does not hold.
[[noreturn]] void failed_check(std::string_view file, int line, std::string_view condition,
                               std::string_view message);

/// Says what the compiler is doing (pass, function) while it is alive; shown by `bug`.
/// Scopes nest; the text must outlive the scope.
class Doing {
 public:
  explicit Doing(std::string_view what);
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  std::string_view what_;
  Doing* outer_;
  friend void bug(std::string_view, int, std::string_view);
};

}  // namespace dagaz

/// Aborts with exit status 70 unless `condition` holds.  `message` is evaluated only on failure.
#define DZ_CHECK(condition, message)                                         \
  do {                                                                       \
    if (!(condition)) {                                                      \
      ::dagaz::failed_check(__FILE__, __LINE__, #condition, (message));      \
    }                                                                        \
  } while (false)

/// Marks a place that cannot be reached.
#define DZ_UNREACHABLE(message) ::dagaz::bug(__FILE__, __LINE__, (message))
