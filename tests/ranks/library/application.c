/* An application with a communicator of its own that keeps its data in parts, as MPI applications do:
   the library is told the parts, and gives parts.  Prints "ok" once, or what is wrong. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"

static int rank, wrong;

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  wrong = 1;
}

static double element(int64_t i) { return 0.5 * (double)(i % 1000); }

/* Steps on parts, in less memory than all of it takes. */
static void steps(struct field_context *ctx, int64_t n) {
  int64_t first, count;
  field_context_rows(ctx, n, &first, &count);
  double *own = malloc(sizeof(double) * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i) own[i] = element(first + i);
  struct field_f64_1d *xs = field_new_f64_1d_part(ctx, own, n);
  struct field_f64_1d *ys = NULL;
  double sum = 0;
  double expected = 0;
  for (int64_t i = 0; i < n; ++i) expected += element(i) * 2 + 1;
  expect(field_entry_step(ctx, &ys, xs) == 0, "step fails");
  expect(field_entry_total(ctx, &sum, ys) == 0, "total fails");
  expect(fabs(sum - expected) < 1e-6 * expected, "total is another number");
  expect(field_shape_f64_1d(ctx, ys)[0] == n, "a result has another shape");
  expect(field_values_f64_1d_part(ctx, ys, own) == 0, "values of a part fail");
  for (int64_t i = 0; i < count; ++i) {
    expect(own[i] == element(first + i) * 2 + 1, "a part has other values");
  }
  field_free_f64_1d(ctx, xs);
  field_free_f64_1d(ctx, ys);
  free(own);
}

/* Whoever wants all rows gets them: entry points, and the application. */
static void wholes(struct field_context *ctx) {
  const int64_t n = 11;
  int64_t first, count;
  double own[11], all[11];
  field_context_rows(ctx, n, &first, &count);
  for (int64_t i = 0; i < count; ++i) own[i] = element(first + i);
  struct field_f64_1d *xs = field_new_f64_1d_part(ctx, own, n);
  struct field_f64_1d *ys = NULL;
  expect(field_entry_turned(ctx, &ys, xs) == 0, "turned fails");
  expect(field_values_f64_1d(ctx, ys, all) == 0, "values fail");
  for (int64_t i = 0; i < n; ++i) {
    expect(all[i] == element((i * 7 + 3) % n) + (double)i, "turned has other values");
  }
  double last = 0;
  expect(field_index_f64_1d(ctx, &last, xs, n - 1) == 0 && last == element(n - 1), "index");
  field_free_f64_1d(ctx, xs);
  field_free_f64_1d(ctx, ys);
}

static void rows(struct field_context *ctx) {
  const int64_t n = 5, m = 3;
  int64_t first, count;
  double own[15], all[15];
  field_context_rows(ctx, n, &first, &count);
  for (int64_t i = 0; i < count * m; ++i) own[i] = (double)(first * m + i);
  struct field_f64_2d *xs = field_new_f64_2d_part(ctx, own, n, m);
  struct field_opaque_tup2_arr2d_f64_f64 *both = NULL;
  struct field_f64_2d *ys = NULL;
  double sum = 0;
  expect(field_entry_scaled(ctx, &both, 3, xs) == 0, "scaled fails");
  field_project_opaque_tup2_arr2d_f64_f64_0(ctx, &ys, both);
  field_project_opaque_tup2_arr2d_f64_f64_1(ctx, &sum, both);
  expect(sum == 3 * 14 * 15 / 2, "the sum of rows is another");
  expect(field_values_f64_2d(ctx, ys, all) == 0, "values of rows fail");
  for (int i = 0; i < n * m; ++i) expect(all[i] == 3 * i, "rows have other values");
  field_free_opaque_tup2_arr2d_f64_f64(ctx, both);
  field_free_f64_2d(ctx, xs);
  field_free_f64_2d(ctx, ys);
}

/* Every rank is told what failed on one, and goes on. */
static void failure(struct field_context *ctx) {
  const int64_t n = 9;
  int64_t first, count;
  double own[9];
  field_context_rows(ctx, n, &first, &count);
  for (int64_t i = 0; i < count; ++i) own[i] = first + i == n - 1 ? 1e7 : 4;
  struct field_f64_1d *xs = field_new_f64_1d_part(ctx, own, n);
  struct field_f64_1d *ys = NULL;
  /* A device that works alone says so when it is waited for. */
  expect(field_entry_checked(ctx, &ys, xs) != 0 || field_context_sync(ctx) != 0,
         "a failing assertion is success");
  char *error = field_context_get_error(ctx);
  expect(error != NULL && strstr(error, "Assertion is false") != NULL, error);
  free(error);
  expect(field_entry_step(ctx, &ys, xs) == 0, "a step after a failure fails");
  field_free_f64_1d(ctx, ys);
  field_free_f64_1d(ctx, xs);
}

/* What one rank does alone.  Of three ranks the first is not among them. */
static void fail_alone(struct field_context *ctx, const char *mode) {
  double data[1001] = {0};
  double sum = 0;
  struct field_f64_1d *ys = NULL;
  struct field_opaque_tup2_arr2d_f64_f64 *both = NULL;
  if (strcmp(mode, "memory") == 0) {
    struct field_f64_1d *xs = field_new_f64_1d_part(ctx, data, 1001);
    if (xs != NULL) field_entry_step(ctx, &ys, xs);
  } else if (strcmp(mode, "arguments") == 0) {
    struct field_f64_1d *xs = field_new_f64_1d(ctx, data, rank == 2 ? 1001 : 1000);
    field_entry_total(ctx, &sum, xs);
  } else {
    struct field_f64_2d *xs = field_new_f64_2d(ctx, data, 2, 2);
    field_entry_scaled(ctx, &both, rank == 2 ? 4 : 3, xs);
  }
  char *error = field_context_get_error(ctx);
  fprintf(stderr, "rank %d: %s\n", rank, error == NULL ? "success" : error);
  free(error);
  wrong = 1;
}

int main(int argc, char **argv) {
  int size, others, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  /* All but the first rank of the world, where there are several. */
  MPI_Comm own;
  MPI_Comm_split(MPI_COMM_WORLD, size > 1 && rank == 0, 0, &own);
  MPI_Comm_size(own, &others);
  struct field_context_config *cfg = field_context_config_new();
  expect(field_context_config_set_communicator(cfg, &own) == 0, "set_communicator fails");
  field_context_config_set_check_ranks(cfg, 30);
  field_context_config_set_num_threads(cfg, 1);
  const int64_t n = 3000000;
  /* An argument and a result, in parts, while it is made and when it is kept, and little more. */
  const int little = argc > 1 && rank == 2 && strcmp(argv[1], "memory") == 0;
  field_context_config_set_memory_cap(cfg, little ? 5000 : 24 * n / others + (4 << 20));
  struct field_context *ctx = field_context_new(cfg);
  if (argc > 1) {
    fail_alone(ctx, argv[1]);
  } else {
    steps(ctx, n);
    wholes(ctx);
    rows(ctx);
    failure(ctx);
  }
  field_context_free(ctx);
  field_context_config_free(cfg);
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&own);
  MPI_Finalize();
  if (rank == 0 && all == 0) puts("ok");
  return all;
}
