// The two ways to drive a compiled program from outside: as an executable that reads values and
// prints results, and as a server that obeys line commands.  Both are ordinary functions so that
// a program compiled in memory can be run the same way; program_main.cpp and server_main.cpp are
// the `main` functions around them, each in its own library (dagaz_program_main,
// dagaz_server_main), for programs that define `dz_main_program`.
#ifndef DZ_PROGRAM_MAIN_H
#define DZ_PROGRAM_MAIN_H

#include <stdio.h>

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the object code of an executable. */
extern const dz_program *const dz_main_program;

/* Where a program reads its arguments, prints its results and reports errors; and the ranks that
   run it together, the first of which reads for all. */
typedef struct dz_streams {
  FILE *in;
  FILE *out;
  FILE *error;
  const struct dz_rank_messages *ranks; /* null: this process runs alone */
} dz_streams;

/* Runs one entry point as the command line says; argv[0] is the program's name.  Returns the
   exit status: 0, 1 (bad data, error at run time, no device) or 2 (bad command line). */
int dz_program_main(const dz_program *program, int argc, char **argv, dz_streams streams);

/* The same with the streams of this process, as one of the ranks that run the program together: the
   first alone reads and prints.  `ranks` may be null: this process runs alone. */
int dz_rank_main(const dz_program *program, int argc, char **argv,
                 const struct dz_rank_messages *ranks);

/* Serves commands from streams.in until it ends.  Same exit statuses. */
int dz_server_main(const dz_program *program, int argc, char **argv, dz_streams streams);

#ifdef __cplusplus
}
#endif
#endif
