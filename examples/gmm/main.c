/* Fits a mixture of three Gaussians to Fisher's iris by gradient ascent, and checks the gradient.
 *
 *   ./gmm iris.csv
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "gmm.h"

enum { dimensions = 4, components = 3, factor_columns = 10, max_rows = 1000 };

static double points[max_rows][dimensions];

static struct gmm_context *context;

static void check(int status) {
  if (status == 0) return;
  char *text = gmm_context_get_error(context);
  fprintf(stderr, "gmm: %s\n", text != NULL ? text : "unknown error");
  free(text);
  exit(1);
}

/* Reads the measurements and returns how many flowers there are. */
static int64_t read_iris(const char *path) {
  FILE *in = fopen(path, "r");
  if (in == NULL) {
    fprintf(stderr, "gmm: cannot open %s\n", path);
    exit(1);
  }
  char line[256];
  int64_t rows = 0;
  if (fgets(line, sizeof line, in) == NULL) line[0] = '\0'; /* counts and names */
  while (rows < max_rows && fgets(line, sizeof line, in) != NULL) {
    double *p = points[rows];
    if (sscanf(line, "%lf,%lf,%lf,%lf", &p[0], &p[1], &p[2], &p[3]) != 4) {
      fprintf(stderr, "gmm: %s:%" PRId64 ": expected four measurements\n", path, rows + 2);
      exit(1);
    }
    ++rows;
  }
  fclose(in);
  return rows;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s iris.csv\n", argv[0]);
    return 2;
  }
  const int64_t rows = read_iris(argv[1]);
  struct gmm_context_config *config = gmm_context_config_new();
  context = gmm_context_new(config);
  char *error = gmm_context_get_error(context);
  if (error != NULL) {
    fprintf(stderr, "gmm: %s\n", error);
    return 1;
  }

  /* Start at one flower of each third of the file, with unit covariance. */
  double first_weights[components] = {0, 0, 0};
  double first_means[components][dimensions];
  double first_factors[components][factor_columns] = {{0}};
  for (int k = 0; k < components; ++k) {
    for (int j = 0; j < dimensions; ++j) first_means[k][j] = points[k * rows / components][j];
  }
  struct gmm_f64_2d *data = gmm_new_f64_2d(context, &points[0][0], rows, dimensions);
  struct gmm_f64_1d *weights = gmm_new_f64_1d(context, first_weights, components);
  struct gmm_f64_2d *means =
      gmm_new_f64_2d(context, &first_means[0][0], components, dimensions);
  struct gmm_f64_2d *factors =
      gmm_new_f64_2d(context, &first_factors[0][0], components, factor_columns);

  const double scale = 1.0;
  const int64_t extra = 0;
  struct gmm_opaque_tup2_bool_bool *agreement;
  bool agrees_with_difference, agrees_with_forward;
  check(gmm_entry_gradient_is_right(context, &agreement, weights, means, factors, data, scale,
                                    extra));
  check(gmm_project_opaque_tup2_bool_bool_0(context, &agrees_with_difference, agreement));
  check(gmm_project_opaque_tup2_bool_bool_1(context, &agrees_with_forward, agreement));
  check(gmm_free_opaque_tup2_bool_bool(context, agreement));
  printf("gradient: central difference (1e-6) %s, forward mode (1e-10) %s\n",
         agrees_with_difference ? "agrees" : "DIFFERS",
         agrees_with_forward ? "agrees" : "DIFFERS");

  double value = 0;
  for (int step = 0; step <= 300; ++step) {
    struct gmm_opaque_parameters *next;
    check(gmm_entry_ascend(context, &next, weights, means, factors, data, scale, extra, 2e-3));
    check(gmm_free_f64_1d(context, weights));
    check(gmm_free_f64_2d(context, means));
    check(gmm_free_f64_2d(context, factors));
    check(gmm_project_opaque_parameters_weights(context, &weights, next));
    check(gmm_project_opaque_parameters_means(context, &means, next));
    check(gmm_project_opaque_parameters_factors(context, &factors, next));
    check(gmm_project_opaque_parameters_value(context, &value, next));
    check(gmm_free_opaque_parameters(context, next));
    if (step % 100 == 0) printf("step %3d  log-likelihood %.4f\n", step, value);
  }

  double fitted[components][dimensions];
  check(gmm_values_f64_2d(context, means, &fitted[0][0]));
  check(gmm_context_sync(context));
  for (int k = 0; k < components; ++k) {
    printf("mean %d  %.3f %.3f %.3f %.3f\n", k, fitted[k][0], fitted[k][1], fitted[k][2],
           fitted[k][3]);
  }
  check(gmm_free_f64_1d(context, weights));
  check(gmm_free_f64_2d(context, means));
  check(gmm_free_f64_2d(context, factors));
  check(gmm_free_f64_2d(context, data));
  gmm_context_free(context);
  gmm_context_config_free(config);
  return agrees_with_difference && agrees_with_forward ? 0 : 1;
}
