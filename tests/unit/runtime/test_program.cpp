// The hand-written program.  What it does with blocks, references and failures is what generated
// code does.
#include "test_program.h"

#include <atomic>
#include <numeric>

namespace test {

namespace {

const dz_leaf_type i64_leaf[] = {{DZ_I64, 0}};
const dz_leaf_type i64_array_leaf[] = {{DZ_I64, 1}};
const dz_leaf_type f64_leaf[] = {{DZ_F64, 0}};
const dz_leaf_type f64_matrix_leaf[] = {{DZ_F64, 2}};
const dz_leaf_type point_leaves[] = {{DZ_F64, 0}, {DZ_I64, 1}};
const dz_leaf_type shape_leaves[] = {{DZ_I8, 0}, {DZ_F64, 0}, {DZ_I64, 1}};
const dz_leaf_type point_array_leaves[] = {{DZ_F64, 1}, {DZ_I64, 2}};
const dz_leaf_type pair_leaves[] = {{DZ_I64, 0}, {DZ_I64, 0}};
const dz_leaf_type f64_array_leaf[] = {{DZ_F64, 1}};
const dz_leaf_type i64_matrix_leaf[] = {{DZ_I64, 2}};

const int32_t f64_type[] = {f64};
const int32_t i64_type[] = {i64};
const dz_member pair_members[] = {{"0", 1, i64_type, nullptr}, {"1", 1, i64_type, nullptr}};
const int32_t i64_array_type[] = {i64_array};
const int32_t list_types[] = {i64_array};
const int32_t circle_leaves[] = {1};
const int32_t list_leaves[] = {2};
const dz_member point_members[] = {{"x", 1, f64_type, nullptr}, {"ys", 1, i64_array_type, nullptr}};
const int32_t f64_array_type[] = {f64_array};
const int32_t i64_matrix_type[] = {i64_matrix};
const dz_member point_array_members[] = {{"x", 1, f64_array_type, nullptr},
                                         {"ys", 1, i64_matrix_type, nullptr}};
const dz_member shape_members[] = {{"circle", 1, f64_type, circle_leaves},
                                   {"list", 1, list_types, list_leaves},
                                   {"nothing", 0, nullptr, nullptr}};

const dz_type types[] = {
    {"i64", "i64", DZ_SCALAR_TYPE, 0, 1, i64_leaf, 0, nullptr, 0, 0},
    {"[]i64", "i64_1d", DZ_ARRAY_TYPE, 0, 1, i64_array_leaf, 0, nullptr, 0, 1},
    {"f64", "f64", DZ_SCALAR_TYPE, 0, 1, f64_leaf, 0, nullptr, 0, 0},
    {"[][]f64", "f64_2d", DZ_ARRAY_TYPE, 0, 1, f64_matrix_leaf, 0, nullptr, 0, 2},
    {"point", "point", DZ_OPAQUE_TYPE, DZ_RECORD, 2, point_leaves, 2, point_members, 0, 0},
    {"shape", "shape", DZ_OPAQUE_TYPE, DZ_SUM, 3, shape_leaves, 3, shape_members, 0, 0},
    {"[]point", "arr1d_point", DZ_OPAQUE_TYPE, DZ_OPAQUE_ARRAY, 2, point_array_leaves, 2,
     point_array_members, point, 1},
    {"[][]i64", "i64_2d", DZ_ARRAY_TYPE, 0, 1, i64_matrix_leaf, 0, nullptr, 0, 2},
    {"(i64, i64)", "tup2_i64_i64", DZ_OPAQUE_TYPE, DZ_RECORD, 2, pair_leaves, 2, pair_members, 0,
     0},
    {"[]f64", "f64_1d", DZ_ARRAY_TYPE, 0, 1, f64_array_leaf, 0, nullptr, 0, 1},
};

int64_t* i64_data(const dz_array* array) {
  return static_cast<int64_t*>(array->block->data) + array->offset;
}

int32_t new_result(dz_context* context, int32_t element, int32_t rank, const int64_t* sizes,
                   int64_t bytes, dz_leaf* out) {
  dz_block* block = nullptr;
  int32_t status = dz_allocate(context, bytes, &block);
  if (status == DZ_OK) {
    status = dz_make_array(context, block, 0, element, rank, sizes, &out->array);
  }
  dz_release(block);
  return status;
}

struct SumEnvironment {
  const int64_t* data;
  std::atomic<int64_t>* total;
};

int32_t sum_piece(dz_context*, void* environment, int64_t begin, int64_t end) {
  auto* sums = static_cast<SumEnvironment*>(environment);
  *sums->total += std::accumulate(sums->data + begin, sums->data + end, int64_t{0});
  return DZ_OK;
}

// sum xs = the sum of xs, plus the program's constant (which is 0)
int32_t sum_entry(dz_context* context, const dz_leaf* in, dz_leaf* out) {
  std::atomic<int64_t> total{static_cast<int64_t>(dz_global(context, 0)->bits)};
  SumEnvironment environment = {i64_data(in[0].array), &total};
  const int32_t status =
      dz_parallel_for(context, in[0].array->shape[0], 100, sum_piece, &environment, "", 0);
  out[0].bits = static_cast<uint64_t>(total.load());
  return status;
}

// scale k m = k times every element of m
int32_t scale_entry(dz_context* context, const dz_leaf* in, dz_leaf* out) {
  double factor = 0;
  std::memcpy(&factor, &in[0].bits, sizeof factor);
  const dz_array* matrix = in[1].array;
  const int64_t count = matrix->shape[0] * matrix->shape[1];
  const int32_t status =
      new_result(context, DZ_F64, 2, matrix->shape, count * 8, &out[0]);
  if (status != DZ_OK) {
    return status;
  }
  const auto* from = static_cast<const double*>(matrix->block->data) + matrix->offset;
  auto* to = static_cast<double*>(out[0].array->block->data);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = factor * from[i];
  }
  return DZ_OK;
}

// at xs i = xs[i]
int32_t at_entry(dz_context* context, const dz_leaf* in, dz_leaf* out) {
  const auto index = static_cast<int64_t>(in[1].bits);
  const int64_t size = in[0].array->shape[0];
  if (index < 0 || index >= size) {
    const int64_t arguments[] = {index, size};
    return dz_fail(context, 0, 2, arguments);
  }
  out[0].bits = static_cast<uint64_t>(i64_data(in[0].array)[index]);
  return DZ_OK;
}

// swap x y = (y, x)
int32_t swap_entry(dz_context*, const dz_leaf* in, dz_leaf* out) {
  out[0] = in[1];
  out[1] = in[0];
  return DZ_OK;
}

// consume (xs: *[]i64) = xs with every element increased in place
int32_t consume_entry(dz_context* context, const dz_leaf* in, dz_leaf* out) {
  const dz_array* array = in[0].array;
  for (int64_t i = 0; i < array->shape[0]; ++i) {
    ++i64_data(array)[i];
  }
  return dz_make_array(context, array->block, array->offset, DZ_I64, 1, array->shape,
                       &out[0].array);
}

// greedy n = an array of n bytes
int32_t greedy_entry(dz_context* context, const dz_leaf* in, dz_leaf* out) {
  const auto bytes = static_cast<int64_t>(in[0].bits);
  const int64_t size = bytes / 8;
  return new_result(context, DZ_I64, 1, &size, bytes, &out[0]);
}

// make_point x ys = {x, ys}
int32_t make_point_entry(dz_context* context, const dz_leaf* in, dz_leaf* out) {
  out[0] = in[0];
  const dz_array* ys = in[1].array;
  return dz_make_array(context, ys->block, ys->offset, DZ_I64, 1, ys->shape, &out[1].array);
}

// lengths s = what its payload measures
int32_t lengths_entry(dz_context*, const dz_leaf* in, dz_leaf* out) {
  out[0].bits = static_cast<uint64_t>(in[2].array->shape[0]);
  return DZ_OK;
}

const dz_parameter sum_in[] = {{"xs", i64_array, 0}};
const dz_parameter i64_out[] = {{"", i64, 0}};
const dz_parameter scale_in[] = {{"k", f64, 0}, {"m", f64_matrix, 0}};
const dz_parameter scale_out[] = {{"", f64_matrix, 1}};
const dz_parameter at_in[] = {{"xs", i64_array, 0}, {"i", i64, 0}};
const dz_parameter swap_in[] = {{"x", i64, 0}, {"y", i64, 0}};
const dz_parameter swap_out[] = {{"", i64_pair, 0}};
const dz_parameter consume_in[] = {{"xs", i64_array, 1}};
const dz_parameter consume_out[] = {{"", i64_array, 1}};
const dz_parameter greedy_in[] = {{"n", i64, 0}};
const dz_parameter make_point_in[] = {{"x", f64, 0}, {"ys", i64_array, 0}};
const dz_parameter make_point_out[] = {{"", point, 0}};
const dz_parameter lengths_in[] = {{"s", shape, 0}};

const dz_entry entries[] = {
    {"main", "", sum_entry, 1, sum_in, 1, i64_out},
    {"scale", "", scale_entry, 2, scale_in, 1, scale_out},
    {"at", "", at_entry, 2, at_in, 1, i64_out},
    {"swap", "", swap_entry, 2, swap_in, 1, swap_out},
    {"consume", "", consume_entry, 1, consume_in, 1, consume_out},
    {"greedy", "", greedy_entry, 1, greedy_in, 1, consume_out},
    {"make_point", "", make_point_entry, 2, make_point_in, 1, make_point_out},
    {"lengths", "", lengths_entry, 1, lengths_in, 1, i64_out},
};

const dz_failure failures[] = {
    {"Index [{}] out of bounds for array of shape [{}].", "at.fut:3:5-9\nat.fut:1:1-30"}};

int32_t initialise(dz_context* context) {
  dz_global(context, 0)->bits = 0;
  // A constant array stays with the context, which must free it.
  const int64_t size = 4;
  return new_result(context, DZ_I64, 1, &size, 32, dz_global(context, 1));
}

const dz_program program = {DZ_ABI_VERSION, DZ_TARGET_CPU, "test", 10, types, 8, entries, 0,
                            nullptr, 1, failures, nullptr, 0, initialise, 2, 0, nullptr, 0,
                            0, nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr};

}  // namespace

const dz_program& cpu_program() {
  return program;
}

}  // namespace test
