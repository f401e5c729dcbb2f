/* The table of messages.h over MPI.  Compiled by the user's mpicc when a program is built: each
   implementation has types of its own, so that no object file fits two of them.

   MPI counts elements with an int: what is longer is sent as several messages (in rounds). */
#include "messages.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
};

/* The processes of an executable. */
static struct ranks *ours;

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

/* Rank after rank, in pieces. */
static int gather_long(struct ranks *all, const void *part, char *whole, const int64_t *sizes) {
  for (int r = 0; r < all->table.size; ++r) {
    if (r == all->table.rank && part != NULL) memcpy(whole, part, (size_t)sizes[r]);
    for (int64_t k = 0; k * most < sizes[r]; ++k) {
      const int status = MPI_Bcast(whole + k * most, piece(sizes[r], k, most), MPI_BYTE, r,
                                   all->communicator);
      if (status != MPI_SUCCESS) return status;
    }
    whole += sizes[r];
  }
  return 0;
}

static int gather(void *communicator, const void *part, void *whole, const int64_t *sizes) {
  struct ranks *all = communicator;
  if (!fits(all, sizes)) return gather_long(all, part, whole, sizes);
  set_counts(all, all->counts, sizes);
  return MPI_Allgatherv(part == NULL ? MPI_IN_PLACE : part, (int)sizes[all->table.rank], MPI_BYTE,
                        whole, all->counts, all->counts + all->table.size, MPI_BYTE,
                        all->communicator);
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
  return MPI_Alltoallv(parts, all->counts, all->counts + all->table.size, MPI_BYTE, own, all->other,
                       all->other + all->table.size, MPI_BYTE, all->communicator);
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
  (void)communicator;
  struct messages *messages = under_way;
  const int status = MPI_Waitall(messages->count, messages->requests, MPI_STATUSES_IGNORE);
  free(messages);
  return status;
}

static int send(void *communicator, const dz_rank_message *to, int32_t to_count,
                const dz_rank_message *from, int32_t from_count) {
  void *under_way = NULL;
  const int status = start(communicator, to, to_count, from, from_count, &under_way);
  return status == MPI_SUCCESS ? finish(communicator, under_way) : status;
}

static int broadcast(void *communicator, void *data, int64_t bytes, int32_t root) {
  struct ranks *all = communicator;
  char *from = data;
  for (int64_t k = 0; k * most < bytes; ++k) {
    const int status =
        MPI_Bcast(from + k * most, piece(bytes, k, most), MPI_BYTE, root, all->communicator);
    if (status != MPI_SUCCESS) return status;
  }
  return 0;
}

static int maximum(void *communicator, int64_t *value) {
  struct ranks *all = communicator;
  return MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT64_T, MPI_MAX, all->communicator);
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

/* MPI numbers the ranks of a machine in their order. */
static int number_on_machine(MPI_Comm all, int rank) {
  int number = 0;
  MPI_Comm machine;
  if (MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine) ==
      MPI_SUCCESS) {
    MPI_Comm_rank(machine, &number);
    MPI_Comm_free(&machine);
  }
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
  if (all == NULL || MPI_Comm_dup(communicator, &all->communicator) != MPI_SUCCESS) {
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
                                 number_on_machine(all->communicator, rank),
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
