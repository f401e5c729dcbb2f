// The compiler's main function.  Its work runs on a thread with a large stack, because phases
// recurse over the program: a long sum of terms is as deep a tree as it has terms.
#include <pthread.h>

#include <cstddef>
#include <iostream>

#include "driver/command_line.h"
#include "driver/process.h"

namespace {

// Only what is touched costs memory.
constexpr std::size_t stack_size = std::size_t{1} << 29;

struct CommandLine {
  int argc;
  char** argv;
  int status;
};

void* run(void* opaque) {
  auto& command_line = *static_cast<CommandLine*>(opaque);
  command_line.status = dagaz::driver::run_command_line(command_line.argc, command_line.argv);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  dagaz::driver::remove_folders_when_interrupted();
  CommandLine command_line{argc, argv, 0};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const bool started = pthread_attr_setstacksize(&attributes, stack_size) == 0 &&
                       pthread_create(&thread, &attributes, run, &command_line) == 0;
  pthread_attr_destroy(&attributes);
  if (started) {
    pthread_join(thread, nullptr);
  } else {
    run(&command_line);
  }
  std::cout.flush();
  if (command_line.status == 0 && !std::cout) {
    std::cerr << "dagaz: cannot write to standard output\n";
    return 1;
  }
  return command_line.status;
}
