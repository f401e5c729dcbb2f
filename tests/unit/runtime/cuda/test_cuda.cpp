// The CUDA device against stand-ins for the driver: loading, memory, copies, launches, failures,
// the code cache, and machines without a usable driver.
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>

#include "context.h"
#include "cuda/driver.h"
#include "numbers.h"
#include "streams.h"
#include "test_program.h"

using namespace cuda_tests;

TEST_SUITE_BEGIN("driver");

TEST_CASE("kernels run on device memory with all their arguments") {
  {
    Numbers numbers;
    REQUIRE(numbers.add(1000, -1) == DZ_OK);
    int64_t value = 0;
    REQUIRE(numbers.read(63, &value) == DZ_OK);
    CHECK(value == 63 + 999);
    CHECK(dz_property(numbers.context, DZ_WARP_SIZE) == 32);
    CHECK(dz_property(numbers.context, DZ_MULTIPROCESSORS) == 1016);
    CHECK(dz_property(numbers.context, DZ_MAX_SHARED_BYTES) == 1097);
  }
  check_nothing_left();
}

TEST_CASE("scalars are written by value, so their memory may change at once") {
  Numbers numbers;
  for (const int64_t bytes : {1, 2, 4, 8}) {
    int64_t value = -2;
    REQUIRE(dz_write(numbers.context, numbers.block, 0, bytes, &value) == DZ_OK);
    value = 77;
    int64_t back = -1;
    REQUIRE(dz_read(numbers.context, numbers.block, 0, bytes, &back) == DZ_OK);
    CHECK(std::memcmp(&back, "\xfe\xff\xff\xff\xff\xff\xff\xff", static_cast<size_t>(bytes)) == 0);
  }
}

TEST_CASE("copies stay on the device and in order") {
  Numbers numbers;
  REQUIRE(numbers.add(1, 0) == DZ_OK);
  REQUIRE(dz_copy(numbers.context, numbers.block, 0, numbers.block, 32 * 8, 32 * 8) == DZ_OK);
  std::vector<int64_t> values(64);
  REQUIRE(dz_read(numbers.context, numbers.block, 0, 64 * 8, values.data()) == DZ_OK);
  CHECK(values[0] == 33);
  // Larger than the pinned staging memory.
  dz_block* large = nullptr;
  REQUIRE(dz_allocate(numbers.context, 80000, &large) == DZ_OK);
  std::vector<int64_t> many(10000, 5);
  REQUIRE(dz_write(numbers.context, large, 0, 80000, many.data()) == DZ_OK);
  many.assign(10000, 0);
  REQUIRE(dz_read(numbers.context, large, 0, 80000, many.data()) == DZ_OK);
  CHECK(many == std::vector<int64_t>(10000, 5));
  dz_release(large);
}

TEST_CASE("a failure in a kernel is reported by the next wait, once") {
  Numbers numbers;
  REQUIRE(dz_launch(numbers.context, 1, 1, 32, 0, nullptr, "f.fut:1:1", 0) == DZ_OK);
  int64_t value = 0;
  CHECK(numbers.read(0, &value) == DZ_PROGRAM_ERROR);
  CHECK(numbers.context.error() == "Error: Index [9] out of bounds for array of shape [4].\n\n"
                                   "Backtrace:\n-> #0  a.fut:1:2");
  CHECK(numbers.read(0, &value) == DZ_OK);
  CHECK(dz_synchronise(numbers.context) == DZ_OK);
}

TEST_CASE("several reads wait once, and look for failures once") {
  Numbers numbers;
  REQUIRE(numbers.add(1000, 0) == DZ_OK);
  const int waits = fake().waits;
  const int reads = fake().reads;
  int64_t first = 0;
  int64_t last = 0;
  std::vector<int64_t> middle(62);
  const dz_read_request requests[] = {{numbers.block, 0, 8, &first},
                                      {numbers.block, 63 * 8, 8, &last},
                                      {numbers.block, 8, 62 * 8, middle.data()},
                                      {numbers.block, 64 * 8, 0, nullptr}};
  REQUIRE(dz_read_several(numbers.context, 4, requests) == DZ_OK);
  CHECK(first == 1000);
  CHECK(last == 1063);
  CHECK(middle.back() == 1062);
  CHECK(fake().waits == waits + 1);
  CHECK(fake().reads == reads + 4);  // and the failure word
  const dz_read_request outside = {numbers.block, 63 * 8, 16, &first};
  CHECK(dz_read_several(numbers.context, 1, &outside) == DZ_ERROR);
  CHECK(numbers.context.error().starts_with("a read of bytes [504, 520) is outside a block"));
}

TEST_CASE("kernels that cannot fail are not asked whether they have") {
  Numbers numbers;
  REQUIRE(dz_synchronise(numbers.context) == DZ_OK);
  const int reads = fake().reads;
  REQUIRE(numbers.add(1000, 0, 0, false) == DZ_OK);
  CHECK(dz_synchronise(numbers.context) == DZ_OK);
  CHECK(fake().reads == reads);
  REQUIRE(numbers.add(1000, 0, 0, true) == DZ_OK);
  REQUIRE(numbers.add(1000, 0, 0, false) == DZ_OK);
  CHECK(dz_synchronise(numbers.context) == DZ_OK);
  CHECK(fake().reads == reads + 1);
}

TEST_CASE("nothing is waited for when nothing is under way") {
  Numbers numbers;
  REQUIRE(dz_synchronise(numbers.context) == DZ_OK);
  const int waits = fake().waits;
  const int reads = fake().reads;
  CHECK(dz_synchronise(numbers.context) == DZ_OK);
  CHECK(fake().waits == waits);
  int64_t value = 0;
  CHECK(numbers.read(5, &value) == DZ_OK);
  CHECK(value == 5);
  CHECK(fake().waits == waits + 1);
  CHECK(fake().reads == reads + 1);  // no kernel can have failed
}

TEST_CASE("a failure among several reads leaves what they were to fill alone") {
  Numbers numbers;
  REQUIRE(dz_launch(numbers.context, 1, 1, 32, 0, nullptr, "f.fut:1:1", 0) == DZ_OK);
  int64_t values[] = {-1, -1};
  const dz_read_request requests[] = {{numbers.block, 0, 8, &values[0]},
                                      {numbers.block, 8, 8, &values[1]}};
  CHECK(dz_read_several(numbers.context, 2, requests) == DZ_PROGRAM_ERROR);
  CHECK(values[0] == -1);
  CHECK(values[1] == -1);
  CHECK(dz_synchronise(numbers.context) == DZ_OK);
}

TEST_CASE("driver errors name the kernel and leave the context alive") {
  Numbers numbers;
  fake().fail_next_launch = 701;
  CHECK(numbers.add(1, 1) == DZ_ERROR);
  CHECK(numbers.context.error().starts_with(
      "Error: starting kernel add (add.fut:1:1-5) on 2 blocks of 32 threads failed: "
      "CUDA_ERROR_FAKE: a stand-in's error\nThe last kernel started was add"));
  fake().fail_next_wait = 999;
  CHECK(dz_synchronise(numbers.context) == DZ_ERROR);
  CHECK(numbers.context.error().find("waiting for the GPU failed") != std::string::npos);
  CHECK(dz_launch(numbers.context, 2, 1, 1, 0, nullptr, "f.fut:1:1", 0) == DZ_ERROR);
  CHECK(numbers.context.error().find("finding kernel absent failed") != std::string::npos);
  CHECK(dz_launch(numbers.context, 0, int64_t{1} << 40, 1, 0, nullptr, "f.fut:1:1", 0) == DZ_ERROR);
  CHECK(numbers.add(1, 1) == DZ_OK);
}

TEST_CASE("the application's context stays current when ours cannot be") {
  Numbers numbers;
  REQUIRE(numbers.add(1, 0) == DZ_OK);
  const int depth = fake().context_depth;
  fake().fail_next_push = 201;
  CHECK(dz_synchronise(numbers.context) != DZ_OK);
  CHECK(fake().context_depth == depth);
  fake().misuses = 0;  // calls without a context, as wanted here
}

TEST_CASE("stacks grow for functions that call themselves, and never shrink") {
  dz_program recursive = program;
  recursive.kernel_stack_bytes = 16 << 10;
  fake().stack_limit = 100;
  // 1 GiB / 8 for the 1016 × 1039 threads that the stand-in holds.
  { const test::Context context(recursive); }
  CHECK(fake().stack_limit == 127);
  fake().stack_limit = 4096;
  { const test::Context context(recursive); }
  CHECK(fake().stack_limit == 4096);
  { const test::Context context(program); }
  CHECK(fake().stack_limit == 4096);
  check_nothing_left();
}

TEST_CASE("memory is cleared in order with what else is done to it") {
  Numbers numbers;
  REQUIRE(numbers.add(1, 0) == DZ_OK);
  REQUIRE(dz_clear(numbers.context, numbers.block, 8, 16) == DZ_OK);
  std::vector<int64_t> values(64);
  REQUIRE(dz_read(numbers.context, numbers.block, 0, 64 * 8, values.data()) == DZ_OK);
  CHECK(values[0] == 1);
  CHECK(values[1] == 0);
  CHECK(values[2] == 0);
  CHECK(values[3] == 4);
  CHECK(dz_clear(numbers.context, numbers.block, 0, 0) == DZ_OK);
  CHECK(dz_clear(numbers.context, numbers.block, 8, 64 * 8) == DZ_ERROR);
}

TEST_CASE("large shared memory is asked for before the launch") {
  Numbers numbers;
  CHECK(numbers.add(1, 1, 100000) == DZ_OK);
  CHECK(fake().last_shared_bytes == 100000);
  CHECK(numbers.add(1, 1, 300000) == DZ_ERROR);
  CHECK(numbers.context.error().find("giving kernel add 300000 bytes of shared memory") !=
        std::string::npos);
}

TEST_CASE("when device memory runs out, cached memory is given back first") {
  Numbers numbers;
  fake().memory_limit = fake().memory_in_use + (1 << 20);
  dz_block* block = nullptr;
  REQUIRE(dz_allocate(numbers.context, 600000, &block) == DZ_OK);
  dz_release(block);
  REQUIRE(dz_allocate(numbers.context, 900000, &block) == DZ_OK);
  dz_block* more = nullptr;
  CHECK(dz_allocate(numbers.context, 300000, &more) == DZ_OUT_OF_MEMORY);
  CHECK(numbers.context.error().find("could not allocate 300000 bytes") != std::string::npos);
  dz_release(block);
  fake().memory_limit = int64_t{1} << 40;
}

TEST_CASE("a program that the GPU's compiler refuses is reported with its log") {
  const dz_program broken = make_program("nonsense");
  {
    const test::Context context(broken);
    CHECK(context.context->usable);
    for (int time = 0; time < 2; ++time) {
      CHECK(dz_launch(context, 1, 1, 1, 0, nullptr, "", 0) == DZ_ERROR);
      const std::string error = context.error();
      CHECK(error.starts_with("loading the program on the GPU failed: CUDA_ERROR_FAKE"));
      CHECK(error.find("\nptxas line 1: syntax error\n(GPU Stand-in Alpha, compute capability ") !=
            std::string::npos);
    }
  }
  check_nothing_left();
}

TEST_CASE("a program with versions for CPU and GPU runs on the GPU that is there") {
  dz_program both = test::cpu_program();
  const dz_program* versions[] = {&program};
  both.processor = "any";
  both.version_count = 1;
  both.versions = versions;
  const auto target_for = [&](const char* device) {
    dz_config* config = dzr_config_new(&both);
    dzr_config_set_device(config, device);
    const test::Context context(config);
    CHECK(context.error().empty());
    return static_cast<dz_context*>(context)->program.target;
  };
  CHECK(dagaz::runtime::cuda::has_device());
  CHECK(target_for("") == DZ_TARGET_CUDA);
  CHECK(target_for("cuda") == DZ_TARGET_CUDA);
  CHECK(target_for("#1") == DZ_TARGET_CUDA);
  CHECK(target_for("Beta") == DZ_TARGET_CUDA);
  CHECK(target_for("cpu") == DZ_TARGET_CPU);
}

TEST_CASE("the device is chosen by name or number") {
  const auto error_for = [](const char* name) {
    dz_config* config = dzr_config_new(&program);
    dzr_config_set_device(config, name);
    return test::Context(config).error();
  };
  CHECK(error_for("Beta").empty());
  CHECK(error_for("#1").empty());
  CHECK(error_for("Gamma") == "no CUDA device matches `Gamma` (there are 2)");
  CHECK(error_for("#2") == "no CUDA device matches `#2` (there are 2)");
}

TEST_CASE("a context for which there is too little memory says so and leaves nothing") {
  fake().memory_limit = 8;
  {
    const test::Context context(program);
    CHECK(!context.context->usable);
    CHECK(context.error().find("allocating the failure word failed") != std::string::npos);
  }
  fake().memory_limit = int64_t{1} << 40;
  check_nothing_left();
}

TEST_CASE("a context that is freed waits for its work, and another goes on") {
  {
    Numbers other;
    const int waits = fake().waits;
    {
      Numbers numbers;
      REQUIRE(numbers.add(1, 0) == DZ_OK);
    }
    CHECK(fake().waits > waits);
    int64_t value = 0;
    CHECK(other.read(3, &value) == DZ_OK);
    CHECK(value == 3);
  }
  check_nothing_left();
}

TEST_CASE("profiling measures kernels, and leaves no events behind") {
  {
    dz_config* config = dzr_config_new(&program);
    dzr_config_set_profiling(config, 1);
    Numbers numbers(config);
    REQUIRE(numbers.add(1, 1) == DZ_OK);
    char* report = dzr_context_report(numbers.context);
    CHECK(std::string(report).find("{\"name\":\"add\",\"provenance\":\"f.fut:1:1\","
                                   "\"duration\":500.000") != std::string::npos);
    std::free(report);
    REQUIRE(numbers.add(1, 1) == DZ_OK);
  }
  check_nothing_left();
}

TEST_CASE("managed memory is used when asked for") {
  dz_config* config = dzr_config_new(&program);
  dzr_config_set_unified_memory(config, 1);
  Numbers numbers(config);
  CHECK(numbers.add(1, 1) == DZ_OK);
}

TEST_SUITE_END();

namespace {

/// What an executable for a machine without a usable GPU says.
std::string sentence() {
  static const dz_parameter none[1] = {};
  static const dz_entry entry = {"main", "", [](dz_context*, const dz_leaf*, dz_leaf*) {
                                   return int32_t{DZ_OK};
                                 }, 0, none, 0, none};
  dz_program runnable = program;
  runnable.entry_count = 1;
  runnable.entries = &entry;
  const test::Outcome outcome = test::drive(dz_program_main, runnable, {}, "");
  CHECK(outcome.status == 1);
  CHECK(outcome.out.empty());
  return outcome.error;
}

}  // namespace

TEST_SUITE_BEGIN("old_driver");
TEST_CASE("a driver without a needed function is named as too old") {
  CHECK(!dagaz::runtime::cuda::has_device());
  CHECK(sentence() == "prog: no CUDA device: libcuda.so.1 lacks cuLaunchKernel; the NVIDIA "
                      "driver is too old\n");
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("no_device");
TEST_CASE("a driver that finds no GPU is quoted") {
  CHECK(!dagaz::runtime::cuda::has_device());
  CHECK(sentence() == "prog: no CUDA device: cuInit failed: no CUDA-capable device is detected\n");
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("missing_driver");
TEST_CASE("a machine without a driver is told what to do") {
  if (dagaz::runtime::cuda::driver().problem.empty()) {
    MESSAGE("[SKIP] this machine has a CUDA driver");
    return;
  }
  const std::string text = sentence();
  CHECK(text.starts_with("prog: no CUDA device: libcuda.so.1 could not be loaded ("));
  CHECK(text.ends_with("install the NVIDIA driver, or build with --target=cpu or --target=sim\n"));
}
TEST_SUITE_END();
