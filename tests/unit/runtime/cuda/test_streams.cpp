// Work and memory in the order of streams: the application's own stream, what raw pointers share
// with its default stream, and memory that is taken and given back without waiting.  In the
// stand-in nothing on a stream happens before somebody waits for it, or for what comes after it.
#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "cuda/cuda_device.h"
#include "numbers.h"

using namespace cuda_tests;
using namespace dagaz::runtime::cuda;

namespace {

constexpr int64_t count = 64;
constexpr int64_t bytes = count * 8;

/// What an application does beside Dagaz: its own memory, and its own work on a stream.
struct Application {
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  std::vector<int64_t> values = std::vector<int64_t>(count);

  Application() {
    driver().cuDevicePrimaryCtxRetain(&context, 0);
    driver().cuCtxPushCurrent(context);
    driver().cuMemAlloc(&memory, bytes);
    std::iota(values.begin(), values.end(), 100);
  }
  ~Application() {
    driver().cuMemFree(memory);
    driver().cuCtxPopCurrent(&context);
    driver().cuDevicePrimaryCtxRelease(0);
  }
  void write(CUstream stream) const {
    driver().cuMemcpyHtoDAsync(memory, values.data(), bytes, stream);
  }
  std::vector<int64_t> read(CUdeviceptr from, CUstream stream) const {
    std::vector<int64_t> found(count);
    driver().cuMemcpyDtoHAsync(found.data(), from, bytes, stream);
    driver().cuStreamSynchronize(stream);
    return found;
  }
};

// Adds one to every element of its argument.
int32_t increase(dz_context* context, const dz_leaf* in, dz_leaf* out) {
  dz_array* const array = in[0].array;
  int64_t amount = 1;
  int8_t more = 0;
  void* arguments[] = {&array->block->data, &amount, &more};
  const int32_t status = dz_launch(context, 0, 2, 32, 0, arguments, "f.fut:1:1", 0);
  return status != DZ_OK
             ? status
             : dz_make_array(context, array->block, 0, DZ_I64, 1, array->shape, &out[0].array);
}

const dz_leaf_type row_leaf[] = {{DZ_I64, 1}};
const dz_type types[] = {{"[]i64", "i64_1d", DZ_ARRAY_TYPE, 0, 1, row_leaf, 0, nullptr, 0, 1}};
const dz_parameter row[] = {{"row", 0, 1}};
const dz_entry entries[] = {{"increase", "", increase, 1, row, 1, row}};

dz_program increasing() {
  dz_program made = program;
  made.type_count = 1;
  made.types = types;
  made.entry_count = 1;
  made.entries = entries;
  return made;
}

dz_array* increased(dz_context* context, dz_array* array) {
  dz_array* result = nullptr;
  void* outs[] = {&result};
  const void* ins[] = {array};
  REQUIRE(dzr_call_entry(context, 0, outs, ins) == DZ_OK);
  return result;
}

/// The application's numbers go through the program and back, in order and without waiting.
void goes_through(dz_context* context, const Application& application, CUstream stream) {
  application.write(stream);
  const int64_t shape[] = {count};
  dz_array* const array = dzr_new_raw_array(context, DZ_I64, 1,
                                            reinterpret_cast<void*>(application.memory), shape);
  const int waits = fake().waits;
  dz_array* const result = increased(context, array);
  const auto where = reinterpret_cast<CUdeviceptr>(dzr_array_values_raw(context, result));
  CHECK(where == application.memory);
  CHECK(fake().waits == waits);
  CHECK(application.read(where, stream)[5] == 106);
  // Both have the memory now, and go on with it.
  application.write(stream);
  dz_array* const again = increased(context, result);
  CHECK(application.read(where, stream)[5] == 106);
  dzr_free_array(context, again);
  dzr_free_array(context, result);
  dzr_free_array(context, array);
}

}  // namespace

TEST_SUITE_BEGIN("streams");

TEST_CASE("raw pointers are kept in order with the application's default stream") {
  const dz_program adding = increasing();
  {
    const Application application;
    const test::Context context(adding);
    REQUIRE(context.context->usable);
    goes_through(context, application, default_stream);
    CHECK(context.error().empty());
  }
  check_nothing_left();
}

TEST_CASE("everything is done on the stream that the application names") {
  const dz_program adding = increasing();
  {
    const Application application;
    CUstream stream = nullptr;
    REQUIRE(driver().cuStreamCreate(&stream, stream_non_blocking) == success);
    for (const CUstream one : {stream, default_stream}) {
      dz_config* config = dzr_config_new(&adding);
      dzr_config_set_stream(config, one);
      const test::Context context(config);
      REQUIRE(context.context->usable);
      goes_through(context, application, one);
      CHECK(context.error().empty());
    }
    driver().cuStreamDestroy(stream);
  }
  check_nothing_left();
}

TEST_CASE("a stream of another GPU is refused") {
  {
    const Application application;
    CUcontext beta = nullptr;
    CUstream stream = nullptr;
    driver().cuDevicePrimaryCtxRetain(&beta, 1);
    driver().cuCtxPushCurrent(beta);
    REQUIRE(driver().cuStreamCreate(&stream, stream_non_blocking) == success);
    dz_config* config = dzr_config_new(&program);
    dzr_config_set_stream(config, stream);
    const test::Context context(config);
    CHECK(!context.context->usable);
    CHECK(context.error() == "the application's stream does not belong to the primary context of "
                             "the GPU Stand-in Alpha");
    driver().cuStreamDestroy(stream);
    driver().cuCtxPopCurrent(&beta);
    driver().cuDevicePrimaryCtxRelease(1);
  }
  check_nothing_left();
}

TEST_CASE("memory is taken and given back in the stream's order") {
  for (const int pools : {1, 0}) {
    CAPTURE(pools);
    fake().memory_pools = pools;
    {
      Numbers numbers;
      const int before = fake().async_allocations;
      const int waits = fake().waits;
      REQUIRE(numbers.add(1, 0) == DZ_OK);
      dz_block* block = nullptr;
      REQUIRE(dz_allocate(numbers.context, 1 << 20, &block) == DZ_OK);
      REQUIRE(dz_clear(numbers.context, block, 0, 1 << 20) == DZ_OK);
      REQUIRE(dz_copy(numbers.context, block, 0, numbers.block, 0, bytes) == DZ_OK);
      dz_release(block);
      numbers.context.context->pool->clear();
      CHECK(fake().waits == waits);
      CHECK(fake().async_allocations == before + pools);
      int64_t value = 0;
      CHECK(numbers.read(3, &value) == DZ_OK);
      CHECK(value == 4);
      CHECK(fake().memory_late == 0);
    }
    check_nothing_left();
  }
  fake().memory_pools = 1;
}

TEST_CASE("memory that comes back late is waited for before there is none") {
  Numbers numbers;
  fake().memory_limit = fake().memory_in_use + (1 << 20);
  dz_block* block = nullptr;
  REQUIRE(dz_allocate(numbers.context, 600000, &block) == DZ_OK);
  dz_release(block);
  const int trims = fake().trims;
  REQUIRE(dz_allocate(numbers.context, 900000, &block) == DZ_OK);
  CHECK(fake().trims > trims);
  dz_release(block);
  fake().memory_limit = int64_t{1} << 40;
}

TEST_SUITE_END();
