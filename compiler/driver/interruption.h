// What Ctrl-C does.
#pragma once

#include <atomic>

namespace dagaz::driver {

/// From here on Ctrl-C ends the process with that exit status, where it is not null.
void exit_when_interrupted(const std::atomic<int>* status);

}  // namespace dagaz::driver
