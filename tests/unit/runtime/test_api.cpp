// The generic C API: arrays, records, sums, arrays of records, errors, several contexts, threads.
#include <doctest/doctest.h>

#include <thread>

#include "test_program.h"

using test::Context;

namespace {

dz_opaque* new_point(dz_context* context, double x, const std::vector<int64_t>& ys) {
  dz_array* array = test::new_i64(context, ys);
  const void* fields[] = {&x, array};
  dz_opaque* point = nullptr;
  CHECK(dzr_new_record(context, test::point, &point, fields) == DZ_OK);
  dzr_free_array(context, array);
  return point;
}

}  // namespace

TEST_CASE("arrays are made, read, indexed and changed") {
  const Context context(test::cpu_program());
  dz_array* array = test::new_i64(context, {5, 6, 7});
  CHECK(test::i64_values(context, array) == std::vector<int64_t>{5, 6, 7});
  int64_t value = 0;
  const int64_t last = 2;
  CHECK(dzr_array_index(context, &value, array, &last) == DZ_OK);
  CHECK(value == 7);
  value = 9;
  CHECK(dzr_array_set(context, array, &value, &last) == DZ_OK);
  CHECK(static_cast<int64_t*>(dzr_array_values_raw(context, array))[2] == 9);
  const int64_t outside = 3;
  CHECK(dzr_array_index(context, &value, array, &outside) == DZ_ERROR);
  CHECK(context.error() == "Error: Index [3] out of bounds for dimension 0 of size 3.");
  CHECK(context.error().empty());
  dzr_free_array(context, array);
}

TEST_CASE("raw arrays use the application's memory and leave it alone") {
  const Context context(test::cpu_program());
  std::vector<int64_t> data = {1, 2, 3};
  const int64_t size = 3;
  dz_array* array = dzr_new_raw_array(context, DZ_I64, 1, data.data(), &size);
  CHECK(dzr_array_values_raw(context, array) == data.data());
  int64_t total = 0;
  void* outs[] = {&total};
  const void* ins[] = {array};
  CHECK(dzr_call_entry(context, test::sum, outs, ins) == DZ_OK);
  CHECK(total == 6);
  dzr_free_array(context, array);
  CHECK(data[2] == 3);
}

TEST_CASE("impossible sizes are refused") {
  const Context context(test::cpu_program());
  const int64_t negative = -1;
  CHECK(dzr_new_array(context, DZ_I64, 1, nullptr, &negative) == nullptr);
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  CHECK(dzr_new_array(context, DZ_I64, 2, nullptr, huge) == nullptr);
  CHECK(context.error() == "Error: the sizes of an array are negative or too large");
  const int64_t too_many = int64_t{1} << 50;
  CHECK(dzr_new_array(context, DZ_I64, 1, nullptr, &too_many) == nullptr);
  CHECK(context.error().find("could not allocate 9007199254740992 bytes") != std::string::npos);
  const int64_t empty = 0;
  dz_array* array = dzr_new_array(context, DZ_I64, 1, nullptr, &empty);
  CHECK(array != nullptr);
  dzr_free_array(context, array);
}

TEST_CASE("a failing call leaves the context usable and does not hide later errors") {
  const Context context(test::cpu_program());
  dz_array* array = test::new_i64(context, {1, 2});
  int64_t index = 5;
  int64_t out = -1;
  void* outs[] = {&out};
  const void* ins[] = {array, &index};
  CHECK(dzr_call_entry(context, test::at, outs, ins) == DZ_PROGRAM_ERROR);
  CHECK(out == -1);
  index = 6;
  CHECK(dzr_call_entry(context, test::at, outs, ins) == DZ_PROGRAM_ERROR);
  CHECK(context.error().starts_with("Error: Index [6]"));
  index = 1;
  CHECK(dzr_call_entry(context, test::at, outs, ins) == DZ_OK);
  CHECK(out == 2);
  CHECK(context.error().empty());
  dzr_free_array(context, array);
}

TEST_CASE("arguments of a wrong type are refused") {
  const Context context(test::cpu_program());
  const double data[] = {1};
  const int64_t size = 1;
  dz_array* array = dzr_new_array(context, DZ_F64, 1, data, &size);
  int64_t out = 0;
  void* outs[] = {&out};
  const void* ins[] = {array};
  CHECK(dzr_call_entry(context, test::sum, outs, ins) == DZ_ERROR);
  CHECK(context.error() == "Error: argument 0 of main is not a value of type []i64");
  ins[0] = nullptr;
  CHECK(dzr_call_entry(context, test::sum, outs, ins) == DZ_ERROR);
  CHECK(dzr_call_entry(context, 99, outs, ins) == DZ_ERROR);
  dzr_free_array(context, array);
}

TEST_CASE("records are made, projected, stored and restored") {
  const Context context(test::cpu_program());
  dz_opaque* point = new_point(context, 2.5, {4, 5});
  double x = 0;
  CHECK(dzr_project(context, test::point, 0, &x, point) == DZ_OK);
  CHECK(x == 2.5);
  void* bytes = nullptr;
  size_t size = 0;
  CHECK(dzr_store_opaque(context, point, nullptr, &size) == DZ_OK);
  const size_t announced = size;
  CHECK(dzr_store_opaque(context, point, &bytes, &size) == DZ_OK);
  CHECK(size == announced);
  dz_opaque* restored = dzr_restore_opaque(context, test::point, bytes);
  REQUIRE(restored != nullptr);
  dz_array* ys = nullptr;
  CHECK(dzr_project(context, test::point, 1, &ys, restored) == DZ_OK);
  dzr_free_opaque(context, restored);
  CHECK(test::i64_values(context, ys) == std::vector<int64_t>{4, 5});
  CHECK(dzr_restore_opaque(context, test::shape, bytes) == nullptr);
  CHECK(context.error().find("expected a value of type") != std::string::npos);
  std::memset(bytes, 0, 8);
  CHECK(dzr_restore_opaque(context, test::point, bytes) == nullptr);
  std::free(bytes);
  dzr_free_array(context, ys);
  dzr_free_opaque(context, point);
}

TEST_CASE("sums are made and taken apart, with arrays for the variants not chosen") {
  const Context context(test::cpu_program());
  const double radius = 1.5;
  const void* payload[] = {&radius};
  dz_opaque* circle = nullptr;
  REQUIRE(dzr_new_sum(context, test::shape, 0, &circle, payload) == DZ_OK);
  CHECK(dzr_variant(context, circle) == 0);
  double back = 0;
  void* outs[] = {&back};
  CHECK(dzr_destruct(context, test::shape, 0, outs, circle) == DZ_OK);
  CHECK(back == 1.5);
  CHECK(dzr_destruct(context, test::shape, 1, outs, circle) == DZ_ERROR);
  int64_t length = -1;
  outs[0] = &length;
  const void* ins[] = {circle};
  CHECK(dzr_call_entry(context, test::lengths, outs, ins) == DZ_OK);
  CHECK(length == 0);
  dzr_free_opaque(context, circle);
}

TEST_CASE("arrays of records are made of elements and of arrays") {
  const Context context(test::cpu_program());
  dz_opaque* one = new_point(context, 1, {10, 11});
  dz_opaque* two = new_point(context, 2, {20, 21});
  const dz_opaque* elements[] = {one, two};
  const int64_t size = 2;
  dz_opaque* points = nullptr;
  REQUIRE(dzr_new_opaque_array(context, test::point_array, &points, elements, &size) == DZ_OK);
  CHECK(dzr_opaque_array_shape(context, points)[0] == 2);

  dz_array* ys = nullptr;
  REQUIRE(dzr_opaque_array_project(context, test::point_array, 1, &ys, points) == DZ_OK);
  CHECK(dzr_array_shape(context, ys)[1] == 2);
  const double xs_data[] = {7, 8};
  dz_array* xs = dzr_new_array(context, DZ_F64, 1, xs_data, &size);
  const void* arrays[] = {xs, ys};
  dz_opaque* zipped = nullptr;
  REQUIRE(dzr_zip(context, test::point_array, &zipped, arrays) == DZ_OK);

  const int64_t first = 0;
  const int64_t second = 1;
  CHECK(dzr_opaque_array_set(context, test::point_array, zipped, one, &second) == DZ_OK);
  dz_opaque* element = nullptr;
  CHECK(dzr_opaque_array_index(context, test::point_array, &element, zipped, &second) == DZ_OK);
  double x = 0;
  CHECK(dzr_project(context, test::point, 0, &x, element) == DZ_OK);
  CHECK(x == 1);
  dzr_free_opaque(context, element);
  element = nullptr;
  CHECK(dzr_opaque_array_index(context, test::point_array, &element, zipped, &size) ==
        DZ_ERROR);
  dz_opaque* short_point = new_point(context, 3, {1});
  CHECK(dzr_opaque_array_set(context, test::point_array, zipped, short_point, &first) ==
        DZ_ERROR);

  const int64_t three = 3;
  dz_array* longer = dzr_new_array(context, DZ_F64, 1, std::vector<double>(3).data(), &three);
  arrays[0] = longer;
  dz_opaque* bad = nullptr;
  CHECK(dzr_zip(context, test::point_array, &bad, arrays) == DZ_ERROR);
  CHECK(bad == nullptr);
  for (dz_opaque* object : {one, two, points, zipped, short_point}) {
    dzr_free_opaque(context, object);
  }
  for (dz_array* array : {xs, ys, longer}) {
    dzr_free_array(context, array);
  }
}

TEST_CASE("a program of another interface version is refused") {
  dz_program other = test::cpu_program();
  other.abi_version = DZ_ABI_VERSION + 1;
  const Context context(other);
  CHECK(context.error().find("compile it again") != std::string::npos);
  CHECK(test::new_i64(context, {1}) == nullptr);
  CHECK(dzr_context_sync(context) == DZ_ERROR);
  CHECK(dzr_context_report(context) == nullptr);
}

TEST_CASE("a program for another processor is refused, with what this one lacks") {
  dz_program other = test::cpu_program();
  other.processor = "made-up";
  other.processor_features = "sse3 made-up-1 made-up-2";
  const Context context(other);
  CHECK(context.error() ==
        "this program was built for the processor made-up and needs what this one lacks: "
        "made-up-1, made-up-2; build it on this machine, or with --cpu=generic for every machine");
  CHECK(dzr_context_sync(context) == DZ_ERROR);
}

TEST_CASE("several contexts live side by side and are used from several threads") {
  const Context one(test::cpu_program());
  const Context two(test::cpu_program());
  const auto work = [](dz_context* context) {
    std::vector<int64_t> values(10000, 1);
    for (int round = 0; round < 50; ++round) {
      dz_array* array = test::new_i64(context, values);
      int64_t total = 0;
      void* outs[] = {&total};
      const void* ins[] = {array};
      REQUIRE(dzr_call_entry(context, test::sum, outs, ins) == DZ_OK);
      REQUIRE(total == 10000);
      dzr_free_array(context, array);
    }
  };
  std::vector<std::thread> threads;
  for (dz_context* context : {one.context.get(), one.context.get(), two.context.get()}) {
    threads.emplace_back(work, context);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}
