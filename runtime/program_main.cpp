// `main` of a stand-alone executable.
#include "program_main.h"

#include <cstdio>

#include "ranks/messages.h"

extern "C" __attribute__((weak)) const dz_rank_messages* dz_start_ranks(int* argc, char*** argv);
extern "C" __attribute__((weak)) void dz_end_ranks(void);

/// Rank 0 alone reads and prints: what is wrong is wrong on all, or they agree whose message it is.
static int run_as_rank(const dz_rank_messages& ranks, int argc, char** argv) {
  dz_streams streams{stdin, stdout, stderr, &ranks};
  if (ranks.rank != 0) {
    streams.in = std::fopen("/dev/null", "r");
    streams.out = streams.error = std::fopen("/dev/null", "w");
  }
  if (streams.in == nullptr || streams.out == nullptr) {
    std::fputs("cannot open /dev/null\n", stderr);
    ranks.abort(ranks.communicator);
  }
  return dz_program_main(dz_main_program, argc, argv, streams);
}

int main(int argc, char** argv) {
  if (dz_start_ranks == nullptr) {
    return dz_program_main(dz_main_program, argc, argv, {stdin, stdout, stderr, nullptr});
  }
  const dz_rank_messages* ranks = dz_start_ranks(&argc, &argv);
  if (ranks == nullptr) {
    std::fputs("the ranks of the program cannot be started\n", stderr);
    return 1;
  }
  const int status = run_as_rank(*ranks, argc, argv);
  dz_end_ranks();
  return status;
}
