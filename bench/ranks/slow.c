/* A network that is slow, between processes of one machine: loaded before an executable with ranks, it
   makes the collective operations of MPI of messages from one process to one other, and lets each round
   of these take the time that loggp.py says: SLOW_LATENCY microseconds and SLOW_BYTE nanoseconds a byte.

   mpicc -shared -fPIC slow.c -o slow.so; LD_PRELOAD=./slow.so */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double setting(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : atof(text);
}

static double microseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1000;
}

/* Until so many bytes have come that were sent then. */
static void nap_since(double start, double bytes) {
  const double there = start + setting("SLOW_LATENCY") + bytes * setting("SLOW_BYTE") / 1000;
  const double microseconds = there - microseconds_now();
  if (microseconds <= 0) return;
  struct timespec time = {(time_t)(microseconds / 1e6), 0};
  time.tv_nsec = (long)((microseconds - (double)time.tv_sec * 1e6) * 1000);
  nanosleep(&time, NULL);
}

/* A round in which this process sends or gets so many bytes. */
static void nap(double bytes) { nap_since(microseconds_now(), bytes); }

static int round_of(const void *out, int out_bytes, int to, void *in, int in_bytes, int from,
                    MPI_Comm comm) {
  const int status = PMPI_Sendrecv(out, out_bytes, MPI_BYTE, to, 77, in, in_bytes, MPI_BYTE, from, 77,
                                   comm, MPI_STATUS_IGNORE);
  nap(out_bytes > in_bytes ? out_bytes : in_bytes);
  return status;
}

/* Blocks first, first + 1, … of all, counted modulo the processes, and their bytes. */
static int pack(char *to, const char *whole, const int *counts, const int *places, int first, int count,
                int size) {
  int bytes = 0;
  for (int k = 0; k < count; ++k) {
    const int block = (first + k) % size;
    if (to != NULL) memcpy(to + bytes, whole + places[block], (size_t)counts[block]);
    bytes += counts[block];
  }
  return bytes;
}

static void unpack(const char *from, char *whole, const int *counts, const int *places, int first,
                   int count, int size) {
  for (int k = 0; k < count; ++k) {
    const int block = (first + k) % size;
    memcpy(whole + places[block], from, (size_t)counts[block]);
    from += counts[block];
  }
}

/* Each has twice as many blocks after each round (Bruck et al., 1997). */
int MPI_Allgatherv(const void *own, int own_count, MPI_Datatype type, void *all, const int counts[],
                   const int places[], MPI_Datatype all_type, MPI_Comm comm) {
  (void)type, (void)all_type;
  int rank, size, status = MPI_SUCCESS;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  char *whole = all;
  if (own != MPI_IN_PLACE) memmove(whole + places[rank], own, (size_t)own_count);
  const int total = pack(NULL, whole, counts, places, 0, size, size);
  char *out = malloc((size_t)total + 1), *in = malloc((size_t)total + 1);
  for (int have = 1; have < size && status == MPI_SUCCESS; have *= 2) {
    const int more = have < size - have ? have : size - have;
    const int to = (rank - have + size) % size, from = (rank + have) % size;
    const int out_bytes = pack(out, whole, counts, places, rank, more, size);
    const int in_bytes = pack(NULL, whole, counts, places, from, more, size);
    status = round_of(out, out_bytes, to, in, in_bytes, from, comm);
    unpack(in, whole, counts, places, from, more, size);
  }
  free(out);
  free(in);
  return status;
}

int MPI_Alltoallv(const void *out, const int out_counts[], const int out_places[], MPI_Datatype type,
                  void *in, const int in_counts[], const int in_places[], MPI_Datatype in_type,
                  MPI_Comm comm) {
  (void)type, (void)in_type;
  int rank, size, status = MPI_SUCCESS;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  memcpy((char *)in + in_places[rank], (const char *)out + out_places[rank], (size_t)in_counts[rank]);
  for (int k = 1; k < size && status == MPI_SUCCESS; ++k) {
    const int to = (rank + k) % size, from = (rank - k + size) % size;
    status = round_of((const char *)out + out_places[to], out_counts[to], to,
                      (char *)in + in_places[from], in_counts[from], from, comm);
  }
  return status;
}

/* The largest of one number: everybody has heard of twice as many after each round. */
int MPI_Allreduce(const void *own, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (own != MPI_IN_PLACE || count != 1 || type != MPI_INT64_T || op != MPI_MAX) {
    return PMPI_Allreduce(own, all, count, type, op, comm);
  }
  int rank, size, status = MPI_SUCCESS;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int far = 1; far < size && status == MPI_SUCCESS; far *= 2) {
    long long heard = 0;
    status = round_of(all, 8, (rank + far) % size, &heard, 8, (rank - far + size) % size, comm);
    if (heard > *(long long *)all) *(long long *)all = heard;
  }
  return status;
}

/* Messages to and from neighbours travel at the same time, and while the process does other things. */
static double on_the_way, started;

static void start(double bytes) {
  if (started == 0) started = microseconds_now();
  on_the_way += bytes;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  start(count);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request) {
  start(0);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

static void arrive(void) {
  if (started != 0) nap_since(started, on_the_way);
  started = on_the_way = 0;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const int status = PMPI_Waitall(count, requests, statuses);
  arrive();
  return status;
}

int MPI_Testall(int count, MPI_Request requests[], int *ended, MPI_Status statuses[]) {
  const int were_messages = count > 0 && requests[0] != MPI_REQUEST_NULL;
  const int status = PMPI_Testall(count, requests, ended, statuses);
  if (were_messages && *ended) arrive();
  return status;
}

/* More ranks than cores start collective operations and look at them until they have ended.  Here they
   have at once. */
int MPI_Iallgatherv(const void *own, int own_count, MPI_Datatype type, void *all, const int counts[],
                    const int places[], MPI_Datatype all_type, MPI_Comm comm, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allgatherv(own, own_count, type, all, counts, places, all_type, comm);
}

int MPI_Ialltoallv(const void *out, const int out_counts[], const int out_places[], MPI_Datatype type,
                   void *in, const int in_counts[], const int in_places[], MPI_Datatype in_type,
                   MPI_Comm comm, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Alltoallv(out, out_counts, out_places, type, in, in_counts, in_places, in_type, comm);
}

int MPI_Iallreduce(const void *own, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(own, all, count, type, op, comm);
}
