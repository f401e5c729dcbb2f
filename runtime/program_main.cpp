// `main` of a stand-alone executable.
#include "program_main.h"

#include <cstdio>

#include "ranks/messages.h"

extern "C" __attribute__((weak)) const dz_rank_messages* dz_start_ranks(int* argc, char*** argv);
extern "C" __attribute__((weak)) void dz_end_ranks(void);

int main(int argc, char** argv) {
  if (dz_start_ranks == nullptr) {
    return dz_rank_main(dz_main_program, argc, argv, nullptr);
  }
  const dz_rank_messages* ranks = dz_start_ranks(&argc, &argv);
  if (ranks == nullptr) {
    std::fputs("the ranks of the program cannot be started\n", stderr);
    return 1;
  }
  const int status = dz_rank_main(dz_main_program, argc, argv, ranks);
  dz_end_ranks();
  return status;
}
