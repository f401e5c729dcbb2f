/* The table of messages.h over MPI.  Compiled by the user's mpicc when a program is built: each
   implementation has types of its own, so that no object file fits two of them.

   MPI counts elements with an int: what is longer is sent as several messages (in rounds).

   Some MPI poll while they wait and never give up the core, as MPICH before 5 on Linux, whatever
   it is told.  Where a machine has more ranks than cores, those that wait would keep others from
   working.  There messages are started and then looked at, and between two looks others have the
   core; only to start, to write files and for what is sent in rounds MPI waits.  Elsewhere it
   always does, which it does best. */
#define _GNU_SOURCE
#include "messages.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __has_include
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h> /* of Open MPI */
#endif
#endif

/* What one rank hands over in a round. */
static const int64_t most = (int64_t)1 << 29;

struct ranks {
  dz_rank_messages table;
  MPI_Comm communicator;
  int *counts; /* two for each rank: how much, and where */
  int *other;  /* the same of the other side */
  int crowded; /* on all ranks the same: whether somewhere there are more of them than cores */
  MPI_Request collective; /* the call that was started last */
};

/* The processes of an executable. */
static struct ranks *ours;

/* Until what was started has ended.  Linux yields a core to threads of the same session alone
   (autogroup), and the mpirun of MPICH gives each rank one of its own.  So what does not end soon
   is slept for: 20 us, and the 50 that timers may be late.  Much less would be over before another
   has the core, where timers are exact. */
static int wait_for(const struct ranks *all, int count, MPI_Request *requests) {
  const struct timespec shortly = {0, 20000};
  if (!all->crowded) return MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int looks = 0;; ++looks) {
    int ended = 0;
    const int status = MPI_Testall(count, requests, &ended, MPI_STATUSES_IGNORE);
    if (status != MPI_SUCCESS || ended) return status;
    if (looks < 20) {
      sched_yield();
    } else {
      nanosleep(&shortly, NULL);
    }
  }
}

/* A collective call, by the function that waits or by the one that starts it. */
#define COLLECTIVE(all, call, start, ...)                                                      \
  ((all)->crowded                                                                              \
       ? wait_for_collective(all, start(__VA_ARGS__, (all)->communicator, &(all)->collective)) \
       : call(__VA_ARGS__, (all)->communicator))

static int wait_for_collective(struct ranks *all, int status) {
  return status == MPI_SUCCESS ? wait_for(all, 1, &all->collective) : status;
}

/* The part of `bytes` that is sent in round k. */
static int piece(int64_t bytes, int64_t k, int64_t share) {
  const int64_t left = bytes - k * share;
  return (int)(left < 0 ? 0 : left < share ? left : share);
}

/* One round where everything fits into the counts of MPI, as nearly always. */
static int fits(const struct ranks *all, const int64_t *sizes) {
  int64_t sum = 0;
  for (int r = 0; r < all->table.size; ++r) sum += sizes[r];
  return sum <= INT_MAX;
}

static void set_counts(const struct ranks *all, int *counts, const int64_t *sizes) {
  int64_t at = 0;
  for (int r = 0; r < all->table.size; ++r) {
    counts[r] = (int)sizes[r];
    counts[all->table.size + r] = (int)at;
    at += sizes[r];
  }
}

static int broadcast(void *communicator, void *data, int64_t bytes, int32_t root) {
  struct ranks *all = communicator;
  char *from = data;
  for (int64_t k = 0; k * most < bytes; ++k) {
    const int status = COLLECTIVE(all, MPI_Bcast, MPI_Ibcast, from + k * most,
                                  piece(bytes, k, most), MPI_BYTE, root);
    if (status != MPI_SUCCESS) return status;
  }
  return 0;
}

/* Rank after rank, in pieces. */
static int gather_long(struct ranks *all, const void *part, char *whole, const int64_t *sizes) {
  for (int r = 0; r < all->table.size; ++r) {
    if (r == all->table.rank && part != NULL) memcpy(whole, part, (size_t)sizes[r]);
    const int status = broadcast(all, whole, sizes[r], r);
    if (status != MPI_SUCCESS) return status;
    whole += sizes[r];
  }
  return 0;
}

static int gather(void *communicator, const void *part, void *whole, const int64_t *sizes) {
  struct ranks *all = communicator;
  if (!fits(all, sizes)) return gather_long(all, part, whole, sizes);
  set_counts(all, all->counts, sizes);
  return COLLECTIVE(all, MPI_Allgatherv, MPI_Iallgatherv, part == NULL ? MPI_IN_PLACE : part,
                    (int)sizes[all->table.rank], MPI_BYTE, whole, all->counts,
                    all->counts + all->table.size, MPI_BYTE);
}

/* Each with each, in pieces. */
static int exchange_long(struct ranks *all, const char *parts, const int64_t *to, char *own,
                         const int64_t *from) {
  int64_t there = 0;
  int64_t here = 0;
  for (int r = 0; r < all->table.size; ++r) {
    for (int64_t k = 0; k * most < to[r] || k * most < from[r]; ++k) {
      const int status = MPI_Sendrecv(parts + there + k * most, piece(to[r], k, most), MPI_BYTE, r,
                                      0, own + here + k * most, piece(from[r], k, most), MPI_BYTE,
                                      r, 0, all->communicator, MPI_STATUS_IGNORE);
      if (status != MPI_SUCCESS) return status;
    }
    there += to[r];
    here += from[r];
  }
  return 0;
}

static int exchange(void *communicator, const void *parts, const int64_t *to, void *own,
                    const int64_t *from) {
  struct ranks *all = communicator;
  if (!fits(all, to) || !fits(all, from)) return exchange_long(all, parts, to, own, from);
  set_counts(all, all->counts, to);
  set_counts(all, all->other, from);
  return COLLECTIVE(all, MPI_Alltoallv, MPI_Ialltoallv, parts, all->counts,
                    all->counts + all->table.size, MPI_BYTE, own, all->other,
                    all->other + all->table.size, MPI_BYTE);
}

/* How many pieces a message has. */
static int64_t pieces(const dz_rank_message *messages, int32_t count) {
  int64_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += (messages[i].bytes + most - 1) / most;
  return sum;
}

/* Messages that were started. */
struct messages {
  int count;
  MPI_Request requests[];
};

static int start(void *communicator, const dz_rank_message *to, int32_t to_count,
                 const dz_rank_message *from, int32_t from_count, void **under_way) {
  struct ranks *all = communicator;
  const int64_t count = pieces(to, to_count) + pieces(from, from_count);
  struct messages *messages = malloc(sizeof *messages + sizeof(MPI_Request) * (size_t)count);
  if (messages == NULL) return 1;
  int status = MPI_SUCCESS;
  messages->count = 0;
  for (int32_t i = 0; i < from_count; ++i) {
    for (int64_t k = 0; k * most < from[i].bytes && status == MPI_SUCCESS; ++k) {
      status = MPI_Irecv((char *)from[i].data + k * most, piece(from[i].bytes, k, most), MPI_BYTE,
                         from[i].rank, 1, all->communicator, &messages->requests[messages->count++]);
    }
  }
  for (int32_t i = 0; i < to_count; ++i) {
    for (int64_t k = 0; k * most < to[i].bytes && status == MPI_SUCCESS; ++k) {
      status = MPI_Isend((char *)to[i].data + k * most, piece(to[i].bytes, k, most), MPI_BYTE,
                         to[i].rank, 1, all->communicator, &messages->requests[messages->count++]);
    }
  }
  *under_way = messages;
  return status;
}

static int finish(void *communicator, void *under_way) {
  struct messages *messages = under_way;
  const int status = wait_for(communicator, messages->count, messages->requests);
  free(messages);
  return status;
}

static int send(void *communicator, const dz_rank_message *to, int32_t to_count,
                const dz_rank_message *from, int32_t from_count) {
  void *under_way = NULL;
  const int status = start(communicator, to, to_count, from, from_count, &under_way);
  return status == MPI_SUCCESS ? finish(communicator, under_way) : status;
}

static int maximum(void *communicator, int64_t *value) {
  struct ranks *all = communicator;
  return COLLECTIVE(all, MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, value, 1, MPI_INT64_T,
                    MPI_MAX);
}

static int write_pieces(MPI_File file, int64_t total, const dz_file_piece *all, int32_t count) {
  int status = MPI_File_set_size(file, total);
  for (int32_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k * most < all[i].bytes && status == MPI_SUCCESS; ++k) {
      status = MPI_File_write_at(file, all[i].offset + k * most,
                                 (const char *)all[i].data + k * most,
                                 piece(all[i].bytes, k, most), MPI_BYTE, MPI_STATUS_IGNORE);
    }
  }
  return status;
}

static int write_file(void *communicator, const char *path, int64_t total,
                      const dz_file_piece *all, int32_t count, char *why) {
  struct ranks *ranks = communicator;
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_File file;
  int status = MPI_File_open(ranks->communicator, path, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                             MPI_INFO_NULL, &file);
  if (status == MPI_SUCCESS) {
    status = write_pieces(file, total, all, count);
    const int closed = MPI_File_close(&file);
    if (status == MPI_SUCCESS) status = closed;
  }
  if (status != MPI_SUCCESS) MPI_Error_string(status, text, &length);
  snprintf(why, 512, "%s", text);
  return status;
}

static void give_up(void *communicator) {
  struct ranks *all = communicator;
  MPI_Abort(all->communicator, 1);
}

static void free_ranks(const dz_rank_messages *table) {
  struct ranks *all = table->communicator;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&all->communicator);
  free(all->counts);
  free(all);
}

/* Whether there are more ranks on a machine than cores that it gives to one of them or another. */
static int is_crowded(struct ranks *all, MPI_Comm machine) {
  int size = 1;
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) memset(&cores, 0xff, sizeof cores);
  wait_for_collective(all, MPI_Iallreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR,
                                          machine, &all->collective));
  MPI_Comm_size(machine, &size);
  return size > CPU_COUNT(&cores);
}

/* Finds out whether ranks are crowded, and which of its machine's this is: MPI numbers them in
   their order. */
static int look_at_machine(struct ranks *all, int rank) {
  int number = 0;
  int64_t crowded = 0;
  MPI_Comm machine;
  if (MPI_Comm_split_type(all->communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL,
                          &machine) == MPI_SUCCESS) {
    MPI_Comm_rank(machine, &number);
    crowded = is_crowded(all, machine);
    MPI_Comm_free(&machine);
  }
  maximum(all, &crowded);
  all->crowded = crowded != 0;
  return number;
}

/* Whether MPI takes addresses of a GPU's memory, as far as it says so. */
static int takes_device_memory(void) {
  int takes = 0;
#if defined(MPIX_GPU_SUPPORT_CUDA)
  if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes) != MPI_SUCCESS) takes = 0;
#elif defined(MPIX_CUDA_AWARE_SUPPORT)
  takes = MPIX_Query_cuda_support();
#endif
  return takes;
}

/* Messages of their own, whatever the communicator is used for besides; null where that fails. */
static struct ranks *make_ranks(MPI_Comm communicator) {
  struct ranks *all = calloc(1, sizeof *all);
  if (all == NULL) return NULL;
  all->crowded = 1; /* until that is known */
  const int status = MPI_Comm_idup(communicator, &all->communicator, &all->collective);
  if (wait_for_collective(all, status) != MPI_SUCCESS) {
    free(all);
    return NULL;
  }
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(all->communicator, &rank);
  MPI_Comm_size(all->communicator, &size);
  all->counts = malloc(4 * sizeof(int) * (size_t)size);
  if (all->counts == NULL) MPI_Abort(all->communicator, 1);
  all->other = all->counts + 2 * size;
  const dz_rank_messages made = {rank,      size,    all,        gather,  exchange,  send,
                                 broadcast, maximum, write_file, give_up, free_ranks,
                                 look_at_machine(all, rank),
                                 start,     finish,  takes_device_memory()};
  all->table = made;
  return all;
}

const dz_rank_messages *dz_start_ranks(int *argc, char ***argv) {
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return NULL;
  ours = make_ranks(MPI_COMM_WORLD);
  return ours == NULL ? NULL : &ours->table;
}

void dz_end_ranks(void) {
  free_ranks(&ours->table);
  MPI_Finalize();
}

int dzr_config_set_communicator(struct dz_config *config, const void *communicator) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  struct ranks *all = initialized ? make_ranks(*(const MPI_Comm *)communicator) : NULL;
  return dzr_config_set_ranks(config, all == NULL ? NULL : &all->table);
}
