/* Trains the network of digits.fut on the handwritten digits and tests it on the last 297.
 *
 *   gunzip -c digits.csv.gz | ./digits
 *
 * Everything numerical happens in the library that Dagaz made of digits.fut; this program reads
 * the file, shows the loss as it falls, and counts the right answers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "digits.h"

enum { pixels = 64, held_out = 297, max_rows = 10000 };

static float images[max_rows][pixels];
static int32_t labels[max_rows];

/* Reads rows of 64 grey values (0 to 16) and a digit, and returns how many. */
static int64_t read_digits(FILE *in) {
  int64_t rows = 0;
  while (rows < max_rows) {
    for (int column = 0; column <= pixels; ++column) {
      int value;
      if (fscanf(in, column == 0 ? "%d" : ",%d", &value) != 1) {
        if (column == 0 && feof(in)) return rows;
        fprintf(stderr, "digits: row %" PRId64 " is not 65 numbers separated by commas\n",
                rows + 1);
        exit(1);
      }
      if (column < pixels) {
        images[rows][column] = (float)value / 16.0f;
      } else {
        labels[rows] = value;
      }
    }
    ++rows;
  }
  return rows;
}

static struct digits_context *context;

/* Ends the program if a call into the library failed. */
static void check(int status) {
  if (status == 0) return;
  char *text = digits_context_get_error(context);
  fprintf(stderr, "digits: %s\n", text != NULL ? text : "unknown error");
  free(text);
  exit(1);
}

int main(void) {
  struct digits_context_config *config = digits_context_config_new();
  context = digits_context_new(config);
  char *error = digits_context_get_error(context);
  if (error != NULL) {
    fprintf(stderr, "digits: %s\n", error);
    return 1;
  }

  const int64_t rows = read_digits(stdin);
  const int64_t learn = rows - held_out;
  if (learn <= 0) {
    fprintf(stderr, "digits: expected more than %d rows on standard input, found %" PRId64 "\n",
            held_out, rows);
    return 1;
  }

  struct digits_f32_2d *train_images = digits_new_f32_2d(context, &images[0][0], learn, pixels);
  struct digits_i32_1d *train_labels = digits_new_i32_1d(context, labels, learn);
  struct digits_f32_2d *test_images =
      digits_new_f32_2d(context, &images[learn][0], held_out, pixels);

  struct digits_opaque_tup2_arr2d_f32_arr1d_i32 *more;
  struct digits_f32_2d *more_images;
  struct digits_i32_1d *more_labels;
  check(digits_entry_blend_shifts(context, &more, train_images, train_labels));
  check(digits_project_opaque_tup2_arr2d_f32_arr1d_i32_0(context, &more_images, more));
  check(digits_project_opaque_tup2_arr2d_f32_arr1d_i32_1(context, &more_labels, more));
  check(digits_free_opaque_tup2_arr2d_f32_arr1d_i32(context, more));

  struct digits_opaque_state *state;
  check(digits_entry_initial(context, &state, 4));
  printf("training on %" PRId64 " images\n", 5 * learn);
  for (int round = 1; round <= 12; ++round) {
    struct digits_opaque_tup2_state_f32 *trained;
    float loss;
    check(digits_entry_train(context, &trained, 50, 0.2f, 0.9f, more_images, more_labels, state));
    check(digits_free_opaque_state(context, state));
    check(digits_project_opaque_tup2_state_f32_0(context, &state, trained));
    check(digits_project_opaque_tup2_state_f32_1(context, &loss, trained));
    check(digits_free_opaque_tup2_state_f32(context, trained));
    printf("step %3d  loss %.4f\n", 50 * round, (double)loss);
    fflush(stdout);
  }

  struct digits_i32_1d *answers;
  check(digits_entry_classify(context, &answers, state, test_images));
  int32_t found[held_out];
  check(digits_values_i32_1d(context, answers, found));
  check(digits_context_sync(context));
  int right = 0;
  for (int k = 0; k < held_out; ++k) right += found[k] == labels[learn + k];
  printf("held-out accuracy %.4f (%d of %d)\n", (double)right / held_out, right, held_out);

  check(digits_free_i32_1d(context, answers));
  check(digits_free_opaque_state(context, state));
  check(digits_free_f32_2d(context, more_images));
  check(digits_free_i32_1d(context, more_labels));
  check(digits_free_f32_2d(context, test_images));
  check(digits_free_f32_2d(context, train_images));
  check(digits_free_i32_1d(context, train_labels));
  digits_context_free(context);
  digits_context_config_free(config);
  return (double)right / held_out >= 0.93 ? 0 : 1;
}
