/* What the ranks of a program ask of a library that carries messages between processes: one small
   table of functions, so that the runtime needs none.  mpi_shim.c fills it for MPI; `dagaz build
   --ranks=mpi` compiles that file by the user's mpicc.

   The functions are collective: every rank calls the same ones in the same order.  They return 0,
   or anything else when the library gives up.  Sizes are in bytes. */
#ifndef DZ_RANK_MESSAGES_H
#define DZ_RANK_MESSAGES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To or from one rank. */
typedef struct dz_rank_message {
  int32_t rank;
  int64_t bytes;
  void* data;
} dz_rank_message;

/* Bytes of a file, from `offset` on. */
typedef struct dz_file_piece {
  int64_t offset;
  int64_t bytes;
  const void* data;
} dz_file_piece;

typedef struct dz_rank_messages {
  int32_t rank;
  int32_t size;
  void* communicator; /* first argument of each function */
  /* Each rank's `part`, one behind the other in `whole`; sizes[r] are those of rank r.  A part that
     is null is in its place already. */
  int (*gather)(void* communicator, const void* part, void* whole, const int64_t* sizes);
  /* to[r] bytes of `parts` to rank r, and from[r] bytes of rank r into `own`; both one behind the
     other. */
  int (*exchange)(void* communicator, const void* parts, const int64_t* to, void* own,
                  const int64_t* from);
  /* Sends `to_count` messages, and receives others.  Those from one rank to another arrive in the
     order in which they are named.  Only those who are named in them wait. */
  int (*send)(void* communicator, const dz_rank_message* to, int32_t to_count,
              const dz_rank_message* from, int32_t from_count);
  /* The data of rank `root`. */
  int (*broadcast)(void* communicator, void* data, int64_t bytes, int32_t root);
  /* The largest value of all ranks. */
  int (*maximum)(void* communicator, int64_t* value);
  /* Makes a file of `total` bytes, of which each rank writes its pieces.  Where it cannot, `why`
     has room for 512 bytes. */
  int (*write_file)(void* communicator, const char* path, int64_t total,
                    const dz_file_piece* pieces, int32_t count, char* why);
  /* Ends all ranks at once. */
  void (*abort)(void* communicator);
  /* The table is not used any more. */
  void (*free)(const struct dz_rank_messages* table);
  int32_t on_machine; /* how many ranks before this one are on the same machine */
  /* The same as `send` in two steps: between them what is sent stays as it is, and what is received
     is not looked at.  `*under_way` is for `finish`, which comes before the next `start`. */
  int (*start)(void* communicator, const dz_rank_message* to, int32_t to_count,
               const dz_rank_message* from, int32_t from_count, void** under_way);
  int (*finish)(void* communicator, void* under_way);
  /* Whether `send`, and `gather` of parts in their place, take addresses of a GPU's memory. */
  int32_t takes_device_memory;
} dz_rank_messages;

/* Of an executable: before and after everything else.  The runtime names the first weakly: a
   program that is linked without runs alone. */
const dz_rank_messages* dz_start_ranks(int* argc, char*** argv);
void dz_end_ranks(void);

/* Of a library, by api.h: this file's share of its interface, which the runtime completes.  Null:
   MPI has not been started, or gives nothing. */
struct dz_config;
int dzr_config_set_communicator(struct dz_config* config, const void* communicator);
int dzr_config_set_ranks(struct dz_config* config, const dz_rank_messages* ranks);

#ifdef __cplusplus
}
#endif
#endif
